#include "pimento/driver/verbs/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/cnm.h"
#include "pimento/driver/emit_drafts.h"
#include "pimento/driver/emit_mlir.h"
#include "pimento/driver/emit_program.h"
#include "pimento/driver/emit_tdfg.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/job.h"
#include "pimento/driver/kernel_files.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

namespace {

/// Stages of every target, of kernels.
std::vector<std::string> commonStages() {
  std::vector<std::string> stages{"llvcnm", "cnm", "dcc", "mapping", "mlir", "kernel"};
  for (const std::string_view s : draftStages()) stages.emplace_back(s);
  for (const std::string_view s : tensorStages()) stages.emplace_back(s);
  return stages;
}

/// Diagnostics: unknown-stage.
Status checkStage(const std::string &stage, const Job &job) {
  std::vector<std::string> stages;
  for (const std::string_view s : job.target->stages().names) stages.emplace_back(s);
  for (std::string &s : commonStages()) stages.push_back(std::move(s));
  if (std::find(stages.begin(), stages.end(), stage) != stages.end()) return okStatus();
  return usageError(
      "unknown-stage", "--emit",
      fmt::format("{} runs {}, which have no stage '{}'", job.machine.name, job.target->stages().what, stage),
      fmt::format("use --emit {}", join(stages, ", ")));
}

/// Does any target have the stage?
Status checkAnyStage(const std::string &stage) {
  std::vector<std::string> all = commonStages();
  for (const evaluate::Target *t : targets::all()) {
    for (const std::string_view s : t->stages().names)
      if (std::find(all.begin(), all.end(), s) == all.end()) all.emplace_back(s);
    for (const std::string_view s : t->programStages()) all.emplace_back(s);
  }
  if (std::find(all.begin(), all.end(), stage) != all.end()) return okStatus();
  return usageError("unknown-stage", "--emit", fmt::format("no target has a stage '{}'", stage), suggest(stage, all));
}

/// One stage of a compiled graph, part after part.
Result<std::string> printStage(const Options &options, const Job &job, const evaluate::CompiledGraph &graph) {
  std::string out;
  bool isFirst = true;
  for (const evaluate::PlannedPart &part : graph) {
    const std::string &kernel = job.graph()->kernels[static_cast<std::size_t>(part.first)].name;
    if (options.emit == "mapping") {
      out += part.compiled == nullptr
                 ? fmt::format("{}: runs on the host: {}\n", kernel, part.why)
                 : fmt::format("{}: {}\n", kernel, mapping::print(part.compiled->placed().mapping));
      continue;
    }
    if (part.compiled == nullptr) continue;
    const Result<std::string> text = part.compiled->emit(options.emit, kernel, isFirst);
    if (!text) return text.diagnostics();
    out += *text;
    isFirst = false;
  }
  return out;
}

/// A program is a stage already.
Result<std::string> printProgram(const Options &options, const Job &job) {
  const bool isCode = program::has<program::MachineCode>(*job.input.program);
  const std::string stage = isCode ? "asm" : "llvcnm";
  if (options.emit != stage)
    return usageError("unknown-stage", "--emit",
                      isCode ? "a DPU program is already machine code" : "a .llvcnm file is already a program",
                      fmt::format("use --emit {}, or estimate and simulate it", stage));
  return job.program->emit(stage, {}, true);
}

/// Of everything but a program of a host.
Result<std::string> textOf(const Options &given) {
  if (!given.arguments.empty())
    return usageError("unexpected-argument", given.arguments.front(),
                      fmt::format("stage '{}' runs no program that could take arguments", given.emit),
                      "omit them; --emit trace, istate, idg, candidates and reshaped run programs of a host");
  if (isTensorStage(given.emit)) return emitTensorStage(withTarget(withKernelFileAlone(given)));
  const Options options = withTarget(given);
  const Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target);
  if (!loaded) return loaded.diagnostics();
  const Job &job = **loaded;
  if (job.input.program) return printProgram(options, job);
  if (const Status s = checkStage(options.emit, job); !s) return s.diagnostics();
  if (options.emit == "kernel") return kernel::print(*job.input.graph);
  if (options.emit == "mlir") return emitMlir(options, job);
  if (isDraftStage(options.emit)) return emitDraftStage(options.emit, *job.input.graph, job.machine);
  const evaluate::Request request = job.request(options);
  if (const auto source = job.target->emitSource(options.emit, request)) return *source;
  const Result<evaluate::CompiledGraph> graph = evaluate::compile(request);
  if (!graph) return graph.diagnostics();
  if (options.emit == "cnm") return cnmText(options, job, *graph);
  if (options.emit == "dcc") return dccText(options, job, *graph);
  return printStage(options, job, *graph);
}

}  // namespace

Result<StageText> compile(const Options &options) {
  if (const Status s = checkAnyStage(options.emit); !s) return s.diagnostics();
  const bool isProgram = isProgramStage(options.emit);
  if (isProgram && !options.input.empty() && !isFileName(options.input) && !std::filesystem::exists(options.input))
    return usageError(
        "unknown-stage", "--emit",
        fmt::format("stage '{}' is of a program of a host, and '{}' is none", options.emit, options.input),
        "give a Linux program or a saved trace (.ptrace)");
  Result<std::string> text = isProgram ? emitProgramStage(options) : textOf(options);
  if (!text) return text.diagnostics();
  return StageText{std::move(*text), isProgram && !options.output.empty()};
}

Outcome show(const StageText &stage, const Options & /*options*/) {
  Outcome out;
  out.text = stage.text;
  out.isOutputWritten = stage.isWritten;
  return out;
}

}  // namespace pimento::driver
