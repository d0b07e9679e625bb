#include "pimento/driver/llm_machines.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/host_option.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/store_option.h"
#include "pimento/driver/tool_box.h"
#include "pimento/driver/verbs/tune.h"
#include "pimento/evaluate/target.h"
#include "pimento/llm/pim.h"
#include "pimento/llm/system.h"
#include "pimento/machine/identity.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"

namespace pimento::driver {

namespace {

constexpr const char *kNoTarget = "none", *kStudyTarget = "attacc-published", *kLayers = "llm-layer";

Result<DType> typeOf(const Options &options) {
  if (options.dtype.empty()) return DType::kF16;
  const auto type = parseDType(options.dtype);
  if (type && (*type == DType::kF16 || *type == DType::kBF16 || *type == DType::kF8E4M3)) return *type;
  return usageError("unsupported-type", "--dtype", fmt::format("no model runs in '{}'", options.dtype),
                    suggest(options.dtype, {"f16", "bf16", "f8e4m3"}));
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

/// The machine that is meant: of --target, else of the schedule, else of the host's file.
Result<std::string> deviceName(const Options &options, const llm::Host &host, LlmUse use) {
  if (!options.target.empty()) return options.target;
  if (use == LlmUse::kPublished || use == LlmUse::kCompiled) return std::string(kStudyTarget);
  const std::string &name = host.gpu.gpu().device;
  if (machine::findMachine(name, machineFolders(options))) return name;
  return error("unknown-device", host.machine.where("gpu.device"),
               fmt::format("host '{}' has PIM devices of an unknown machine '{}'", host.machine.name, name),
               suggest(name, machine::listMachines(machineFolders(options))));
}

/// Options that only PIM devices have a use for.
Status checkNoDevices(const Options &options) {
  for (const auto &[option, isGiven] :
       {std::pair("--set", !options.sets.empty()), std::pair("--map", !options.maps.empty()),
        std::pair("--devices", options.devices > 0)})
    if (isGiven)
      return usageError("no-devices", option, fmt::format("{} is about PIM devices, and there are none", option),
                        "leave it out, or name a --target");
  return okStatus();
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

/// The optimum of the drafts that the study enumerates.
Result<std::string> tunedInStudySpace(const Options &given, const std::string &target, const std::string &kernel,
                                      const llm::PimChoices::Sizes &sizes) {
  Options o;
  o.input = kernel;
  std::vector<std::string> extents;
  for (const auto &[size, n] : sizes) extents.push_back(fmt::format("{}={}", size, n));
  o.sizes = {join(extents, ",")};
  o.dtype = given.dtype;
  o.target = target;
  o.sets = given.sets;
  o.maps = {"auto;program=published;mode=inference"};
  o.space = "published";
  o.isUnchecked = o.isQuiet = true;  // the streams compute nothing
  o.store = given.store;
  o.jobs = 1;
  o.tools = given.tools;
  o.machinePath = given.machinePath;
  return tunedMap(o);
}

Status loadDevices(const Options &options, LlmUse use, DType type, const std::string &name, LlmMachines &m) {
  Result<machine::Machine> machine = loadTarget(options, name);
  if (!machine) return machine.diagnostics();
  const Result<const evaluate::Target *> target = targets::targetOf(*machine);
  if (!target) return target.diagnostics();
  m.machine = std::make_unique<machine::Machine>(std::move(*machine));
  const std::vector<std::string> &sets = m.machine->energySets;
  if (std::ranges::find(sets, llm::kStudySet) != sets.end()) {
    Options own = options;
    own.sets.push_back(std::string("energy.set=") + llm::kStudySet);
    Result<machine::Machine> study = loadTarget(own, name);
    if (!study) return study.diagnostics();
    m.study = std::make_unique<machine::Machine>(std::move(*study));
  }
  llm::PimChoices choices;
  choices.type = type;
  choices.jobs = jobCount(options.jobs);
  if (use == LlmUse::kServing) choices.productMap = choices.attentionMap;
  if (runsStudyStreams(*m.machine)) choices.attentionMap = "reference;mode=inference";
  if (use == LlmUse::kCompiled && options.maps.empty())
    choices.mapOf = [options, name](const auto &kernel, const auto &sizes) {
      return tunedInStudySpace(options, name, kernel, sizes);
    };
  if (Status s = setMaps(options, choices); !s) return s;
  auto opened = usualStore(options, tune::toolIdentity() + "\n" + machine::identity(*m.machine),
                           fmt::format("layers of language models on {}", m.machine->name), m.warnings);
  if (!opened) return opened.diagnostics();
  m.store = std::move(*opened);
  m.device = std::make_unique<llm::PimDevice>(*m.machine, m.study.get(), **target, choices, options.tools->tools(),
                                              keeperOf(m.store.get()));
  m.room = (*target)->capacity(*m.machine);
  m.devices = options.devices > 0 ? options.devices : m.host->gpu.gpu().devices;
  m.warnings.insert(m.warnings.end(), m.machine->notes.begin(), m.machine->notes.end());
  return okStatus();
}

}  // namespace

LlmMachines::LlmMachines() = default;
LlmMachines::~LlmMachines() = default;

const machine::Machine &LlmMachines::named() const {
  return machine ? *machine : host->machine;
}

Result<std::unique_ptr<LlmMachines>> loadLlm(const Options &given, LlmUse use) {
  Options options = given;
  if (!options.tools) options.tools = makeToolBox();
  auto m = std::make_unique<LlmMachines>();
  m->tools = options.tools;
  const Result<DType> type = typeOf(options);
  if (!type) return type.diagnostics();
  m->dtype = std::string(pimento::name(*type));
  m->elementBytes = static_cast<double>(sizeOf(*type).value);
  Result<llm::Model> model = loadModel(options);
  if (!model) return model.diagnostics();
  m->model = std::make_unique<llm::Model>(std::move(*model));
  Result<llm::Host> host = loadGpuHost(options);
  if (!host) return host.diagnostics();
  m->host = std::make_unique<llm::Host>(std::move(*host));
  m->warnings = m->host->machine.notes;
  if (options.target == kNoTarget) {
    if (Status s = checkNoDevices(options); !s) return s.diagnostics();
  } else {
    const Result<std::string> name = deviceName(options, *m->host, use);
    if (!name) return name.diagnostics();
    if (Status s = loadDevices(options, use, *type, *name, *m); !s) return s.diagnostics();
  }
  m->system = std::make_unique<llm::System>(*m->host, options.gpus, m->device.get(), m->devices);
  return m;
}

}  // namespace pimento::driver
