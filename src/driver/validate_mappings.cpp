#include "pimento/driver/validate_mappings.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <set>

#include "pimento/base/rng.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/input.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/tool_box.h"
#include "pimento/emit/format.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/two_slice.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"
#include "pimento/mapping/random.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

namespace {

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

/// One mapping, and what the three ways said of it.
struct Trial {
  std::string text;  ///< sizes or layer, data, mapping
  evaluate::DeviceRun simulated, fast, sliced;
  double simulation = 0, fastForward = 0, twoSlice = 0, compiling = 0;  ///< seconds
  Diagnostics diagnostics;
};

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
    const auto timed = [&](double &seconds, auto &&run) {
      const double start = processorSeconds();
      Result<evaluate::DeviceRun> out = run();
      seconds = processorSeconds() - start;
      if (out) return std::move(*out);
      trial.diagnostics = out.diagnostics();
      return evaluate::DeviceRun{};
    };
    trial.simulated = timed(trial.simulation, [&] { return compiled_->run(mode); });
    mode.isFastForward = true;
    trial.fast = timed(trial.fastForward, [&] { return compiled_->run(mode); });
    trial.sliced = timed(trial.twoSlice, [&]() -> Result<evaluate::DeviceRun> {
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

std::string wayOf(const evaluate::DeviceRun &run) {
  return std::string(emit::name(run.isExtrapolated                  ? evaluate::Exactness::kExtrapolated
                                : run.interval                      ? evaluate::Exactness::kSampled
                                : run.cyclesSimulated == run.cycles ? evaluate::Exactness::kSimulated
                                                                    : evaluate::Exactness::kFastForwarded));
}

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
  const auto reference = static_cast<double>(t.simulated.cycles.value);
  const auto add = [&](emit::KernelErrors &e, const evaluate::DeviceRun &run, double seconds) {
    e.add(static_cast<double>(run.cycles.value), reference,
          fmt::format("{}: {} cycles, but {} in simulation", t.text, run.cycles.value, t.simulated.cycles.value));
    e.addWay(wayOf(run), seconds);
  };
  add(out.fastForward, t.fast, t.fastForward);
  add(out.twoSlice, t.sliced, t.twoSlice);
  if (t.fast.counts != t.simulated.counts || !(t.fast.actions == t.simulated.actions)) ++out.countsDiffer;
  out.simulationSeconds += t.simulation;
  out.compileSeconds += t.compiling;
  constexpr double kPsPerSecond = 1e12;
  out.deviceSeconds += machine.toTime(t.simulated.cycles).value / kPsPerSecond;
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
  for (const std::string &name : options.kernels.empty() ? usualKernels(**target, *machine) : options.kernels) {
    const Result<Subject> subject = subjectOf(name, setting);
    if (!subject) return subject.diagnostics();
    std::vector<Trial> trials(static_cast<std::size_t>(options.count));
    parallelFor(jobCount(options.jobs), options.count,
                [&](std::int64_t i) { trials[static_cast<std::size_t>(i)] = Draw(setting, *subject, i).run(); });
    emit::MappingErrors errors;
    errors.kernel = name;
    std::set<std::string> seen;
    for (const Trial &t : trials) {
      if (!t.diagnostics.empty()) return t.diagnostics;
      tally(t, *machine, seen, errors);
    }
    out.kernels.push_back(std::move(errors));
  }
  return out;
}

}  // namespace pimento::driver
