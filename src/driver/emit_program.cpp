#include "pimento/driver/emit_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>

#include "pimento/driver/machine_option.h"
#include "pimento/driver/program_run.h"
#include "pimento/emit/format.h"
#include "pimento/evaluate/target.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

namespace {

constexpr const char *kUsualTarget = "cim-a9";

/// Whether all that was asked for has been shown.
std::string endText(const Options &options, const ProgramRun &run) {
  if (run.end.instructions < options.maxInstructions) return {};
  return fmt::format("# the first {} instructions; --max-instructions N shows more, -o FILE writes them all\n",
                     emit::grouped(run.end.instructions));
}

}  // namespace

bool isProgramStage(std::string_view stage) {
  return std::ranges::any_of(targets::all(), [&](const evaluate::Target *t) {
    const auto names = t->programStages();
    return std::find(names.begin(), names.end(), stage) != names.end();
  });
}

Result<std::string> emitProgramStage(const Options &given) {
  Options options = given;
  const bool isLimited = options.output.empty() && options.maxInstructions == Options{}.maxInstructions;
  if (isLimited) options.maxInstructions = kMostInstructionsShown;
  const Result<machine::Machine> machine = loadTarget(options, options.target.empty() ? kUsualTarget : options.target);
  if (!machine) return machine.diagnostics();
  const Result<const evaluate::Target *> runsOn = targets::targetOf(*machine);
  if (!runsOn) return runsOn.diagnostics();
  std::string text;
  std::ofstream file;
  if (!options.output.empty()) {
    file.open(options.output, std::ios::binary | std::ios::trunc);
    if (!file)
      return error("unwritable-file", {options.output},
                   fmt::format("cannot write '{}': {}", options.output, std::strerror(errno)),
                   "check that the folder exists, is writable and has room");
  }
  const auto write = [&](std::string_view line) {
    if (options.output.empty())
      text += line;
    else
      file << line;
  };
  const Result<std::unique_ptr<trace::Consumer>> writer = (*runsOn)->stageWriter(options.emit, *machine, write);
  if (!writer) return writer.diagnostics();
  const Result<ProgramRun> run = runProgram(options, **writer);
  if (!run) return run.diagnostics();
  if (isLimited) text += endText(options, *run);
  if (!options.output.empty() && !file.flush())
    return error("unwritable-file", {options.output},
                 fmt::format("cannot write '{}': the disk is full", options.output), "make room, or name another file");
  return text;
}

}  // namespace pimento::driver
