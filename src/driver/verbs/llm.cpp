#include "pimento/driver/verbs/llm.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/host_option.h"
#include "pimento/driver/llm_view.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/store_option.h"
#include "pimento/driver/tool_box.h"
#include "pimento/evaluate/target.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"
#include "pimento/machine/identity.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"

namespace pimento::driver {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char *kNoTarget = "none", *kStudyTarget = "attacc-published", *kLayers = "llm-layer";

enum class ScheduleKind : std::uint8_t { kSound, kBase, kFull };

Result<ScheduleKind> scheduleOf(const Options &options) {
  const std::vector<std::string> names = {"sound", "published-base", "published-full"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == options.schedule) return static_cast<ScheduleKind>(i);
  return usageError("unknown-schedule", "--schedule", fmt::format("unknown schedule '{}'", options.schedule),
                    suggest(options.schedule, names));
}

Result<DType> typeOf(const Options &options) {
  if (options.dtype.empty()) return DType::kF16;
  const auto type = parseDType(options.dtype);
  if (type && (*type == DType::kF16 || *type == DType::kF8E4M3)) return *type;
  return usageError("unsupported-type", "--dtype", fmt::format("no model runs in '{}'", options.dtype),
                    suggest(options.dtype, {"f16", "f8e4m3"}));
}

/// `--map`: of all layers on PIM devices.
Status setMaps(const Options &options, llm::PimChoices &choices) {
  if (options.maps.empty()) return okStatus();
  const Result<mapping::MapSpec> spec = mapping::parseMapSpec(options.maps.back());
  if (!spec) return spec.diagnostics();
  using Kind = mapping::MapSpec::Kind;
  if (options.maps.size() > 1 || (spec->kind != Kind::kReference && spec->kind != Kind::kAuto))
    return usageError("one-map-for-all", "--map", "layers of several shapes cannot have one mapping in full",
                      "write --map reference or --map auto; extensions may follow it");
  choices.attentionMap = choices.productMap = options.maps.back();
  return okStatus();
}

/// The machine of PIM devices, and the same with the studies' energies where it has them.
struct Devices {
  machine::Machine machine;
  std::optional<machine::Machine> study;
  const evaluate::Target *target = nullptr;
};

Result<Devices> loadDevices(const Options &options, const std::string &name) {
  Result<machine::Machine> machine = loadTarget(options, name);
  if (!machine) return machine.diagnostics();
  const Result<const evaluate::Target *> target = targets::targetOf(*machine);
  if (!target) return target.diagnostics();
  Devices d{std::move(*machine), std::nullopt, *target};
  const std::vector<std::string> &sets = d.machine.energySets;
  if (std::ranges::find(sets, llm::kStudySet) == sets.end()) return d;
  Options own = options;
  own.sets.push_back(std::string("energy.set=") + llm::kStudySet);
  Result<machine::Machine> study = loadTarget(own, name);
  if (!study) return study.diagnostics();
  d.study = std::move(*study);
  return d;
}

/// The machine that is meant: of --target, else of the schedule, else of the host's file.
Result<std::string> deviceName(const Options &options, const llm::Host &host, ScheduleKind schedule) {
  if (!options.target.empty()) return options.target;
  if (schedule != ScheduleKind::kSound) return std::string(kStudyTarget);
  const std::string &name = host.gpu.gpu().device;
  if (machine::findMachine(name, machineFolders(options))) return name;
  return error("unknown-device", host.machine.where("gpu.device"),
               fmt::format("host '{}' has PIM devices of an unknown machine '{}'", host.machine.name, name),
               suggest(name, machine::listMachines(machineFolders(options))));
}

/// A store as a keeper of layers; null: nothing is kept.
llm::Keeper keeperOf(tune::Store *store) {
  if (store == nullptr) return {};
  return {[store](const std::string &name) { return store->find(kLayers, name); },
          [store](const std::string &name, const std::string &value) {
            (void)store->put(kLayers, name, value);  // a store that is full costs time, nothing else
          }};
}

bool runsStudyStreams(const machine::Machine &machine) {
  return machine.dram && machine.dram->quirks != machine::Quirks{} &&
         machine.dram->controller.barrier == machine::BarrierRule::kDrain;
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
  if (Status s = llm::checkFits(a.model, gpu, pim, system.gpus()); !s) return s;
  Result<llm::PublishedRun> done = llm::published(
      system, a.model, a.workload, schedule == ScheduleKind::kFull ? llm::Overlap::kFull : llm::Overlap::kBase, jobs);
  if (!done) return done.diagnostics();
  a.published = *done;
  a.warnings.emplace_back(
      "a published schedule takes the time that attention hides from several layers, and no machine can keep it; "
      "transfers of prompts and scores of the vocabulary are not in it");
  return okStatus();
}

}  // namespace

Result<LlmAnswer> runLlm(const Options &given) {
  Options options = given;
  if (!options.tools) options.tools = makeToolBox();
  const Result<ScheduleKind> schedule = scheduleOf(options);
  if (!schedule) return schedule.diagnostics();
  const Result<DType> type = typeOf(options);
  if (!type) return type.diagnostics();
  const Result<llm::Model> model = loadModel(options);
  if (!model) return model.diagnostics();
  const Result<llm::Host> host = loadGpuHost(options);
  if (!host) return host.diagnostics();
  LlmAnswer a;
  a.model = *model;
  a.workload = {options.batch, options.prompt, options.generate, static_cast<double>(sizeOf(*type).value)};
  a.host = host->machine.name;
  a.dtype = std::string(pimento::name(*type));
  a.schedule = options.schedule;
  a.gpuModel = describe(*host);
  a.hostCovers = host->machine.energyCovers;
  a.gpus = options.gpus;
  a.warnings = host->machine.notes;
  std::optional<Devices> devices;
  std::unique_ptr<tune::Store> store;
  std::unique_ptr<llm::PimDevice> device;
  Bytes room;
  if (options.target != kNoTarget) {
    const Result<std::string> name = deviceName(options, *host, *schedule);
    if (!name) return name.diagnostics();
    Result<Devices> loaded = loadDevices(options, *name);
    if (!loaded) return loaded.diagnostics();
    devices = std::move(*loaded);
    const machine::Machine &machine = devices->machine;
    llm::PimChoices choices;
    choices.type = *type;
    choices.jobs = jobCount(options.jobs);
    if (runsStudyStreams(machine)) choices.attentionMap = "reference;mode=inference";
    if (Status s = setMaps(options, choices); !s) return s.diagnostics();
    auto opened = usualStore(options, tune::toolIdentity() + "\n" + machine::identity(machine),
                             fmt::format("layers of language models on {}", machine.name), a.warnings);
    if (!opened) return opened.diagnostics();
    store = std::move(*opened);
    device = std::make_unique<llm::PimDevice>(machine, devices->study ? &*devices->study : nullptr, *devices->target,
                                              choices, options.tools->tools(), keeperOf(store.get()));
    room = devices->target->capacity(machine);
    a.target = machine.name;
    a.targetCovers = machine.energyCovers;
    a.devices = options.devices > 0 ? options.devices : host->gpu.gpu().devices;
    a.warnings.insert(a.warnings.end(), machine.notes.begin(), machine.notes.end());
  }
  const llm::System system(*host, options.gpus, device.get(), a.devices);
  const Clock::time_point start = Clock::now();
  if (Status s = run(options, system, *schedule, room, a); !s) return s.diagnostics();
  a.wallUs = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  if (device) {
    a.pimRuns = device->runs();
    a.pimKnown = device->known();
  }
  a.run = runOf(VerbId::kLlm, given, devices ? devices->machine : host->machine);
  return a;
}

Outcome show(const LlmAnswer &answer, const Options &options) {
  return {options.isJson ? llmJson(answer) : llmTable(answer), {}, 0};
}

}  // namespace pimento::driver
