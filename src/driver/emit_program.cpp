#include "pimento/driver/emit_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "pimento/driver/host_choices.h"
#include "pimento/driver/program_run.h"
#include "pimento/emit/format.h"
#include "pimento/evaluate/target.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

namespace {

/// Whether all that was asked for has been shown.
std::string endText(const Options &options, const ProgramRun &run) {
  if (run.end.instructions < options.maxInstructions || options.emit == "pipeline") return {};  // that is JSON
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
  const Result<machine::Machine> machine = loadHost(options);
  if (!machine) return machine.diagnostics();
  const Result<const evaluate::Target *> runsOn = targets::targetOf(*machine);
  if (!runsOn) return runsOn.diagnostics();
  std::string text;
  // What was there before stays until all is written; a device or a pipe takes it at once.
  std::error_code failed;
  const auto kind = std::filesystem::status(options.output, failed).type();
  const bool isPlain = kind == std::filesystem::file_type::not_found || kind == std::filesystem::file_type::regular;
  const std::string part = options.output + (isPlain ? ".part" : "");
  const auto unwritable = [&] {
    return error("unwritable-file", {options.output},
                 fmt::format("cannot write '{}': {}", options.output, std::strerror(errno)),
                 "check that the folder exists, is writable and has room");
  };
  std::ofstream file;
  if (!options.output.empty()) {
    file.open(part, std::ios::binary | std::ios::trunc);
    if (!file) return unwritable();
  }
  const auto write = [&](std::string_view line) {
    if (options.output.empty())
      text += line;
    else
      file << line;
  };
  const Result<std::unique_ptr<trace::Consumer>> writer = (*runsOn)->stageWriter(options.emit, *machine, write);
  const Result<ProgramRun> run = writer ? runProgram(options, **writer) : Result<ProgramRun>(writer.diagnostics());
  if (!run) {
    if (!options.output.empty() && isPlain) std::filesystem::remove(part, failed);
    return run.diagnostics();
  }
  if (isLimited) text += endText(options, *run);
  if (options.output.empty()) return text;
  file.close();
  failed.clear();
  if (file && isPlain) std::filesystem::rename(part, options.output, failed);
  if (!file || failed) {
    const Diagnostic d = unwritable();
    if (isPlain) std::filesystem::remove(part, failed);
    return d;
  }
  return text;
}

}  // namespace pimento::driver
