#include "pimento/driver/verbs/llm.h"

#include <fmt/format.h>

#include <chrono>

#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/llm_machines.h"
#include "pimento/driver/llm_view.h"
#include "pimento/driver/result_file.h"
#include "pimento/llm/explain.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"

namespace pimento::driver {

namespace {

using Clock = std::chrono::steady_clock;

enum class ScheduleKind : std::uint8_t { kSound, kBase, kFull, kCompiledBase, kCompiledFull };

bool isFull(ScheduleKind s) {
  return s == ScheduleKind::kFull || s == ScheduleKind::kCompiledFull;
}

bool isCompiled(ScheduleKind s) {
  return s == ScheduleKind::kCompiledBase || s == ScheduleKind::kCompiledFull;
}

Result<ScheduleKind> scheduleOf(const Options &options) {
  const std::vector<std::string> names = {"sound", "published-base", "published-full", "published-dcc-base",
                                          "published-dcc-full"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == options.schedule) return static_cast<ScheduleKind>(i);
  return usageError("unknown-schedule", "--schedule", fmt::format("unknown schedule '{}'", options.schedule),
                    suggest(options.schedule, names));
}

std::string describe(const llm::Host &host) {
  return host.gpu.gpu().model == machine::Gpu::Model::kTable ? "table of measured times" : "roofline";
}

Status run(const Options &options, const llm::System &system, ScheduleKind schedule, Bytes room, LlmAnswer &a) {
  const int jobs = jobCount(options.jobs);
  if (schedule == ScheduleKind::kSound) {
    Result<llm::Inference> done = llm::infer(system, a.model, a.workload, {room, {}, jobs});
    if (!done) return done.diagnostics();
    a.inference = std::move(*done);
    return okStatus();
  }
  llm::Placement placement;
  if (system.pim() != nullptr) placement.attention.pim = 1;
  std::optional<llm::Use> pim;
  if (system.pim() != nullptr)
    pim = llm::useOfPim(a.model, a.workload, placement, system.gpus(), system.devices(), room);
  const llm::Use gpu = llm::useOfGpu(a.model, a.workload, placement, system);
  if (const Status s = llm::checkFits(a.model, gpu, pim, system.gpus()); !s)
    for (const Diagnostic &d : s.diagnostics()) a.warnings.push_back("the study checks no memory: " + d.message);
  const Result<llm::PublishedRun> done = llm::published(system, a.model, a.workload,
                                                        {isFull(schedule) ? llm::Overlap::kFull : llm::Overlap::kBase,
                                                         isCompiled(schedule) && system.pim() != nullptr, jobs});
  if (!done) return done.diagnostics();
  a.published = *done;
  a.warnings.emplace_back(
      "a published schedule takes the time that attention hides from several layers, and no machine can keep it; "
      "transfers of prompts and scores of the vocabulary are not in it");
  return okStatus();
}

}  // namespace

Result<LlmAnswer> runLlm(const Options &options) {
  const Result<ScheduleKind> schedule = scheduleOf(options);
  if (!schedule) return schedule.diagnostics();
  const auto loaded = loadLlm(options, *schedule == ScheduleKind::kSound ? LlmUse::kSound
                                       : isCompiled(*schedule)           ? LlmUse::kCompiled
                                                                         : LlmUse::kPublished);
  if (!loaded) return loaded.diagnostics();
  const LlmMachines &m = **loaded;
  LlmAnswer a;
  a.model = *m.model;
  a.workload = {options.batch, options.prompt, options.generate, m.elementBytes};
  a.host = m.host->machine.name;
  a.dtype = m.dtype;
  a.schedule = options.schedule;
  a.gpuModel = describe(*m.host);
  a.hostCovers = m.host->machine.energyCovers;
  a.gpus = options.gpus;
  a.devices = m.devices;
  a.warnings = m.warnings;
  if (m.machine) {
    a.target = m.machine->name;
    a.targetCovers = m.machine->energyCovers;
  }
  const Clock::time_point start = Clock::now();
  if (Status s = run(options, *m.system, *schedule, m.room, a); !s) return s.diagnostics();
  if (!options.number.empty()) {
    if (!a.inference)
      return usageError("unsound-number", "--number", "times of published schedules are not made of tasks",
                        "use --schedule sound");
    Result<evaluate::DerivationPtr> number =
        llm::explainToken(*m.system, a.model, a.workload, a.inference->placement, options.number);
    if (!number) return number.diagnostics();
    a.number = std::move(*number);
  }
  a.wallUs = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  if (m.device) {
    a.pimRuns = m.device->runs();
    a.pimKnown = m.device->known();
  }
  a.run = runOf(VerbId::kLlm, options, m.named());
  return a;
}

Outcome show(const LlmAnswer &answer, const Options &options) {
  constexpr int kDepth = 4, kJsonDepth = 32;
  const int depth = options.depth >= 0 ? options.depth : options.isJson ? kJsonDepth : kDepth;
  return {options.isJson ? llmJson(answer, depth) : llmTable(answer, depth), {}, 0};
}

}  // namespace pimento::driver
