#include "pimento/driver/validate_mappings.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "pimento/base/progress.h"
#include "pimento/base/rng.h"
#include "pimento/base/text.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/input.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/shared_work.h"
#include "pimento/driver/tool_box.h"
#include "pimento/emit/format.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/two_slice.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/machine/identity.h"
#include "pimento/mapping/mapping.h"
#include "pimento/mapping/random.h"
#include "pimento/targets/targets.h"
#include "pimento/tune/problem.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

/// What one simulation may take: a lower bound on its cycles, and iterations of what shares the innermost level. Where
/// sizes are drawn, so that there is more to a run than its beginning and its end, it takes so much at least.
constexpr std::int64_t kLeastCycles = 10'000, kMostCycles = 600'000, kMostPoints = std::int64_t{1} << 18;
constexpr int kAttempts = 2000;  ///< draws for one legal mapping

double processorSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  constexpr double kNsPerSecond = 1e9;
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / kNsPerSecond;
}

/// What all draws of a run share.
struct Setting {
  const machine::Machine &machine;
  const evaluate::Target &target;
  evaluate::Tools tools;
  evaluate::TwoSlice twoSlice;
  std::uint64_t seed = 1;
};

/// One kernel of the suite: an entry of the zoo whose sizes are drawn, or the layers of a network as they are.
struct Subject {
  std::string name;
  const kernel::ZooEntry *entry = nullptr;
  kernel::Graph network;    ///< of networks
  std::vector<int> layers;  ///< kernels of it that the device runs
};

/// What one way said of a mapping.
struct Said {
  std::int64_t cycles = 0;
  std::string way;     ///< "simulated", "fast-forwarded", ...
  double seconds = 0;  ///< that it took
};

/// One mapping, and what the three ways said of it.
struct Trial {
  std::string text;  ///< sizes or layer, data, mapping
  Said simulated, fast, sliced;
  bool countsDiffer = false;  ///< of fast-forward and simulation
  double compiling = 0;       ///< seconds
  Diagnostics diagnostics;
};

/// As ranks exchange it; null: it failed.
Json jsonOf(const Trial &t) {
  if (!t.diagnostics.empty()) return nullptr;
  const auto said = [](const Said &s) { return Json{s.cycles, s.way, s.seconds}; };
  return {t.text, said(t.simulated), said(t.fast), said(t.sliced), t.countsDiffer, t.compiling};
}

Trial trialIn(const Json &j) {
  const auto said = [](const Json &s) {
    return Said{s.at(0).get<std::int64_t>(), s.at(1).get<std::string>(), s.at(2).get<double>()};
  };
  Trial t;
  t.text = j.at(0).get<std::string>();
  t.simulated = said(j.at(1));
  t.fast = said(j.at(2));
  t.sliced = said(j.at(3));
  t.countsDiffer = j.at(4).get<bool>();
  t.compiling = j.at(5).get<double>();
  return t;
}

std::string wayOf(const evaluate::DeviceRun &run) {
  return std::string(emit::name(run.isExtrapolated                  ? evaluate::Exactness::kExtrapolated
                                : run.interval                      ? evaluate::Exactness::kSampled
                                : run.cyclesSimulated == run.cycles ? evaluate::Exactness::kSimulated
                                                                    : evaluate::Exactness::kFastForwarded));
}

/// One-dimensional kernels are long; the others have sides whose product is about as much.
kernel::Sizes drawSizes(const kernel::ZooEntry &entry, Rng &rng) {
  std::vector<std::string> names;
  for (const auto &[name, value] : entry.defaults)
    if (name != "batch" && name != "bins") names.push_back(name);
  const int most = names.size() == 1 ? 25 : names.size() == 2 ? 12 : 8;
  const int least = names.size() == 1 ? 8 : 3;
  kernel::Sizes sizes;
  for (const std::string &n : names)
    sizes[n] = (std::int64_t{1} << least) * mapping::spreadEvenly(std::int64_t{1} << (most - least), rng) +
               rng.integer(0, (1 << least) - 1);
  return sizes;
}

/// Values of so many bits, where more bits take longer.
kernel::DataSpec drawData(Rng &rng) {
  kernel::DataSpec spec;
  spec.kind = kernel::DataSpec::Kind::kConst;
  constexpr std::int64_t kBits = 12;  // histograms take no more
  spec.low = static_cast<double>(rng.integer(0, (std::int64_t{1} << rng.integer(0, kBits)) - 1));
  return spec;
}

bool isShort(const mapping::Mapping &m) {
  std::int64_t points = 1;
  const mapping::Subspace &s = m.subspaces.front();
  for (std::size_t d = 0; d < s.factors.back().size(); ++d)
    points = multiplySaturated(
        points, multiplySaturated(s.factors.back()[d], s.factors.size() > 1 ? s.factors[s.factors.size() - 2][d] : 1));
  return points <= kMostPoints;
}

class Draw {
 public:
  Draw(const Setting &setting, const Subject &subject, std::int64_t number)
      : setting_(setting),
        subject_(subject),
        rng_(hashText(fmt::format("{} {} {}", setting.machine.name, subject.name, number), setting.seed)) {}

  Trial run() {
    Trial trial;
    double start = processorSeconds();
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      start = processorSeconds();  // what is thrown away takes no time of an estimate
      if (draw(trial)) break;
    }
    if (compiled_ == nullptr) {
      if (trial.diagnostics.empty())
        trial.diagnostics = {
            unsupported("no-mapping", {},
                        fmt::format("none of {} random mappings of '{}' on {} is legal and short enough", kAttempts,
                                    subject_.name, setting_.machine.name),
                        "exclude it with --kernels")};
      return trial;
    }
    trial.diagnostics.clear();
    trial.compiling = processorSeconds() - start;
    compare(trial);
    return trial;
  }

 private:
  bool draw(Trial &trial) {
    int number = 0;
    std::string what;
    if (subject_.layers.empty()) {
      const kernel::Sizes sizes = drawSizes(*subject_.entry, rng_);
      Result<kernel::Graph> made = kernel::makeZooKernel(subject_.name, sizes, setting_.machine.nativeType);
      if (!made) {
        trial.diagnostics = made.diagnostics();
        return false;
      }
      graph_ = std::make_unique<kernel::Graph>(std::move(*made));
      for (const auto &[name, n] : sizes) what += fmt::format("{}{}={}", what.empty() ? "" : ",", name, n);
    } else {
      number = subject_.layers[rng_.below(subject_.layers.size())];
      what = subject_.network.kernels[static_cast<std::size_t>(number)].name;
    }
    const kernel::Graph &graph = graph_ != nullptr ? *graph_ : subject_.network;
    mapping::Mapping m =
        mapping::randomMapping(graph.kernels[static_cast<std::size_t>(number)], setting_.machine, rng_);
    if (setting_.machine.dpu && rng_.below(2) == 0) m.parameters["buffer"] = std::int64_t{16} << rng_.integer(0, 5);
    m.text = mapping::print(m);
    if (!isShort(m)) return false;
    auto compiled = setting_.target.compile({&graph, number}, m, setting_.machine, "plain", setting_.tools);
    if (!compiled) return false;
    const std::int64_t bound = (*compiled)->bound().cycles.value;
    if (bound > kMostCycles || (subject_.layers.empty() && bound < kLeastCycles)) return false;
    compiled_ = std::move(*compiled);
    if (setting_.target.generatesCode()) {
      values_ = drawData(rng_);
      what += fmt::format(" const:{}", values_->low);
    }
    trial.text = what + " " + m.text;
    return true;
  }

  void compare(Trial &trial) {
    evaluate::RunMode mode;
    mode.values = values_ ? &*values_ : nullptr;
    const auto timed = [&](Said &said, auto &&run) {
      const double start = processorSeconds();
      Result<evaluate::DeviceRun> out = run();
      const double seconds = processorSeconds() - start;
      if (!out) {
        trial.diagnostics = out.diagnostics();
        return evaluate::DeviceRun{};
      }
      said = {out->cycles.value, wayOf(*out), seconds};
      return std::move(*out);
    };
    const evaluate::DeviceRun simulated = timed(trial.simulated, [&] { return compiled_->run(mode); });
    mode.isFastForward = true;
    const evaluate::DeviceRun fast = timed(trial.fast, [&] { return compiled_->run(mode); });
    trial.countsDiffer = fast.counts != simulated.counts || !(fast.actions == simulated.actions);
    timed(trial.sliced, [&]() -> Result<evaluate::DeviceRun> {
      const auto slices = compiled_->slices(mode);
      if (!slices) return slices.diagnostics();
      return evaluate::extrapolate(**slices, setting_.twoSlice);
    });
  }

  const Setting &setting_;
  const Subject &subject_;
  Rng rng_;
  std::unique_ptr<kernel::Graph> graph_;
  std::unique_ptr<evaluate::CompiledPart> compiled_;
  std::optional<kernel::DataSpec> values_;
};

/// The layers that the device takes.
Result<Subject> subjectOf(const std::string &name, const Setting &setting) {
  Subject s;
  s.name = name;
  s.entry = kernel::zooEntry(name);
  Result<kernel::Graph> graph = kernel::makeZooKernel(name, {}, setting.machine.nativeType);
  if (!graph) return graph.diagnostics();
  if (!s.entry->isNetwork) return s;
  s.network = std::move(*graph);
  for (int k = 0; k < static_cast<int>(s.network.kernels.size()); ++k) {
    const auto mapping = setting.target.reference({&s.network, k}, setting.machine, {}, setting.tools);
    if (mapping && setting.target.compile({&s.network, k}, *mapping, setting.machine, "plain", setting.tools))
      s.layers.push_back(k);
  }
  if (s.layers.empty())
    return unsupported("no-mapping", {}, fmt::format("{} cannot run any layer of '{}'", setting.machine.name, name),
                       "exclude it with --kernels");
  return s;
}

void tally(const Trial &t, const machine::Machine &machine, std::set<std::string> &seen, emit::MappingErrors &out) {
  ++out.mappings;
  if (seen.insert(t.text).second) ++out.distinct;
  const auto reference = static_cast<double>(t.simulated.cycles);
  const auto add = [&](emit::KernelErrors &e, const Said &said) {
    e.add(static_cast<double>(said.cycles), reference,
          fmt::format("{}: {} cycles, but {} in simulation", t.text, said.cycles, t.simulated.cycles));
    e.addWay(said.way, said.seconds);
  };
  add(out.fastForward, t.fast);
  add(out.twoSlice, t.sliced);
  if (t.countsDiffer) ++out.countsDiffer;
  out.simulationSeconds += t.simulated.seconds;
  out.compileSeconds += t.compiling;
  constexpr double kPsPerSecond = 1e12;
  out.deviceSeconds += machine.toTime(Cycles(t.simulated.cycles)).value / kPsPerSecond;
}

/// Those that are defined for the machine's type: networks compute in floating point.
std::vector<std::string> usualKernels(const evaluate::Target &target, const machine::Machine &machine) {
  std::vector<std::string> names = {"gemv", "va", "relu", "rnnt", "alexnet", "resnet", "wav2"};
  if (target.generatesCode()) names = {"va", "red", "scan", "hst", "sel", "gemv", "gemm"};
  std::erase_if(names,
                [&](const std::string &name) { return !kernel::zooEntry(name)->isDefinedFor(machine.nativeType); });
  return names;
}

}  // namespace

Result<emit::MappingSuite> validateMappings(const Options &options) {
  if (const Status s = checkAlpha(options); !s) return s.diagnostics();
  const Result<machine::Machine> machine = loadTarget(options, options.target.empty() ? "hbm-pim" : options.target);
  if (!machine) return machine.diagnostics();
  const Result<const evaluate::Target *> target = targets::targetOf(*machine);
  if (!target) return target.diagnostics();
  const std::shared_ptr<const ToolBox> box = options.tools ? options.tools : makeToolBox();
  const evaluate::TwoSlice twoSlice = options.alpha ? evaluate::TwoSlice{*options.alpha} : evaluate::TwoSlice{};
  const Setting setting{*machine, **target, box->tools(), twoSlice, options.seed};
  emit::MappingSuite out;
  out.target = machine->name;
  out.seed = options.seed;
  out.count = options.count;
  out.alpha = twoSlice.alpha;
  std::vector<Subject> subjects;
  std::string plan = fmt::format("{} mappings {} {} {}\n{}", tune::toolIdentity(), options.seed, options.count,
                                 twoSlice.alpha, machine::identity(*machine));
  for (const std::string &name : options.kernels.empty() ? usualKernels(**target, *machine) : options.kernels) {
    Result<Subject> subject = subjectOf(name, setting);
    if (!subject) return subject.diagnostics();
    subjects.push_back(std::move(*subject));
    plan += name + '\n';
  }
  // Task: number of the subject, and of the draw.
  const auto shared = SharedWork::join(options, plan, [&](const std::string &task) {
    const std::size_t blank = task.find(' ');
    const auto s = static_cast<std::size_t>(parseInteger(std::string_view(task).substr(0, blank)).value_or(0));
    return jsonOf(Draw(setting, subjects[s], parseInteger(std::string_view(task).substr(blank + 1)).value_or(0)).run())
        .dump();
  });
  if (!shared) return shared.diagnostics();
  if (shared->isDone()) return out;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    cluster::Tasks tasks;
    for (std::int64_t i = 0; i < options.count; ++i) tasks.now.push_back(fmt::format("{} {}", s, i));
    std::vector<Json> trials(tasks.now.size());
    Progress progress("validating " + subjects[s].name, options.count, !options.isQuiet);
    const Status done =
        shared->ranks().compute(tasks, options.isStopped, [&](std::size_t i, const std::string &result) {
          trials[i] = Json::parse(result);
          progress.advance();
        });
    if (!done) return done.diagnostics();
    emit::MappingErrors errors;
    errors.kernel = subjects[s].name;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      // Once more, to say why it failed.
      if (trials[i].is_null()) return Draw(setting, subjects[s], static_cast<std::int64_t>(i)).run().diagnostics;
      tally(trialIn(trials[i]), *machine, seen, errors);
    }
    out.kernels.push_back(std::move(errors));
  }
  out.sharing = sharingOf(options);
  return out;
}

}  // namespace pimento::driver
