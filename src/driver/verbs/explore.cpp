#include "pimento/driver/verbs/explore.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>

#include "pimento/base/checksum.h"
#include "pimento/base/file.h"
#include "pimento/base/overloaded.h"
#include "pimento/base/progress.h"
#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/host_choices.h"
#include "pimento/driver/host_tools.h"
#include "pimento/driver/job.h"
#include "pimento/driver/mapping_problems.h"
#include "pimento/driver/program_run.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/shared_part.h"
#include "pimento/driver/shared_work.h"
#include "pimento/driver/store_option.h"
#include "pimento/driver/verbs/profile.h"
#include "pimento/emit/html/page.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/machine/identity.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/dpu_compiler.h"
#include "pimento/search/pareto.h"
#include "pimento/tune/check.h"
#include "pimento/tune/computation.h"
#include "pimento/tune/explore.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"
#include "pimento/tune/sweep.h"

namespace pimento::driver {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostChecked = 16;  ///< mappings checked per kernel

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// --- output

/// `-o`: what its ending asks for, before anything is computed.
Status checkOutput(const Options &options) {
  if (options.output.empty()) return okStatus();
  const std::filesystem::path path(options.output);
  const std::vector<std::string> endings = {".csv", ".html", ".json"};
  if (std::find(endings.begin(), endings.end(), path.extension().string()) == endings.end())
    return usageError("unknown-output", "-o " + options.output, "the extension is not a result format",
                      suggest(path.extension().string(), endings));
  std::error_code ignored;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, ignored))
    return usageError("unwritable-file", options.output, "its folder does not exist", "create the folder first");
  return okStatus();
}

/// Writes `-o`, and gives what standard output shows.
template <typename Exploration>
Outcome write(const Options &options, const Exploration &e) {
  Outcome out;
  out.isOutputWritten = true;
  out.text = options.isJson ? emit::toJson(e) : emit::toTable(e);
  if (options.output.empty()) return out;
  const std::string ending = std::filesystem::path(options.output).extension().string();
  std::string text = ending == ".csv" ? emit::toCsv(e) : emit::toJson(e);
  if (ending == ".html") {
    Result<std::string> page = emit::html::page({{"explore", text}});
    if (!page) return failure(page.diagnostics());
    text = std::move(*page);
  }
  if (Status s = writeFile(options.output, text); !s) return failure(s.diagnostics());
  return out;
}

std::string aboutOf(const char *what, const emit::ExploreHead &h) {
  std::string sizes;
  for (const auto &[name, extent] : h.sizes) sizes += fmt::format("{}{}={}", sizes.empty() ? " " : ",", name, extent);
  return fmt::format("{} of {}{} {} on {}", what, h.kernel, sizes, h.dtype, h.target);
}

tune::Control controlOf(const Options &options, tune::Store *store, cluster::Ranks &ranks,
                        std::optional<tune::Share> share) {
  tune::Control control{jobCount(options.jobs), store, options.isStopped, !options.isQuiet, ""};
  control.ranks = &ranks;
  control.share = share;
  return control;
}

bool isStopped(const Options &options) {
  return options.isStopped != nullptr && *options.isStopped;
}

// --- mappings

/// The rows to check: the best two, then the front, as many as time allows.
std::vector<std::int64_t> rowsToCheck(const tune::Exploration &found, std::int64_t points) {
  std::vector<std::int64_t> rows = {found.front.front(), found.front.back()};
  rows.insert(rows.end(), found.front.begin(), found.front.end());
  std::vector<std::int64_t> out;
  for (const std::int64_t r : rows)
    if (std::find(out.begin(), out.end(), r) == out.end()) out.push_back(r);
  const std::int64_t most = std::max<std::int64_t>(2, 2 * tune::kMostCheckedPoints / std::max<std::int64_t>(points, 1));
  out.resize(std::min({out.size(), kMostChecked, static_cast<std::size_t>(most)}));
  return out;
}

/// Runs the mappings called best on data. Rows that are not checked are said in a warning.
Status checkBest(const Options &options, const KernelProblem &part, const tune::Control &control, bool isAlone,
                 emit::ExploredKernel &out, std::vector<std::string> &warnings) {
  const std::string lead = isAlone ? "" : part.kernel + ": ";
  if (options.isUnchecked) {
    warnings.push_back(lead + "not checked on data (--no-check)");
    return okStatus();
  }
  const auto best = tune::compile(
      part.problem, tune::mappingOf(out.found.rows[static_cast<std::size_t>(out.found.front.front())].mapping));
  if (const std::string why = best ? (*best)->whyUnchecked() : std::string(); !why.empty()) {
    for (const std::int64_t row : {out.found.front.front(), out.found.front.back()}) out.checked[row] = false;
    warnings.push_back(fmt::format("{}not checked on data: {}", lead, why));
    return okStatus();
  }
  const tune::CheckSize size = tune::checkSize(part.problem);
  if (size.points > tune::kMostCheckedPoints || size.bytes > tune::kMostCheckedBytes) {
    for (const std::int64_t row : {out.found.front.front(), out.found.front.back()}) out.checked[row] = false;
    warnings.push_back(fmt::format(
        "{}not checked on data: {} points on {} MiB of operands take too long; 'simulate --map ...' checks one mapping",
        lead, size.points, size.bytes.value >> 20));
    return okStatus();
  }
  const std::vector<std::int64_t> rows = rowsToCheck(out.found, size.points);
  if (rows.size() < out.found.front.size())
    warnings.push_back(fmt::format("{}{} of the {} mappings on the front were checked on data", lead, rows.size(),
                                   out.found.front.size()));
  Progress progress(lead + "checking mappings", static_cast<std::int64_t>(rows.size()), control.showsProgress);
  const auto rowAt = [&](std::int64_t row) -> const tune::Row & {
    return out.found.rows[static_cast<std::size_t>(row)];
  };
  const auto keyOf = [&](std::int64_t row) {
    return fmt::format("{}{} seed {}", lead, rowAt(row).mapping, options.seed);
  };
  cluster::Tasks tasks;
  std::vector<std::int64_t> checked;  // rows that are tasks
  for (const std::int64_t row : rows) {
    if (control.store != nullptr && control.store->find("check", keyOf(row))) {
      out.checked[row] = true;
      progress.advance();
      continue;
    }
    checked.push_back(row);
    tasks.now.push_back(tune::checkTask(control.problem, rowAt(row).cost.kernel, options.seed, rowAt(row).mapping));
  }
  Diagnostics failed;
  const Status done = control.ranks->compute(tasks, options.isStopped, [&](std::size_t n, const std::string &result) {
    const std::int64_t row = checked[n];
    progress.advance();
    if (result.empty()) {  // once more, to say what is wrong
      kernel::DataSpec data;
      data.seed = options.seed;
      if (Status s = tune::check(part.problem, rowAt(row).mapping, rowAt(row).cost.kernel, data); !s)
        failed = s.diagnostics();
      return;
    }
    out.checked[row] = true;
    if (control.store == nullptr) return;
    if (Status s = control.store->put("check", keyOf(row), result); !s) failed = s.diagnostics();
  });
  if (!done) return done;
  if (!failed.empty()) return failed;
  if (isStopped(options)) return tune::interrupted(control, "checks were");
  return okStatus();
}

/// A compiler that knows how long it took.
class TimedCompiler final : public program::DpuCompiler {
 public:
  explicit TimedCompiler(std::unique_ptr<program::DpuCompiler> compiler) : compiler_(std::move(compiler)) {}

  Result<std::string> compile(const program::DpuSource &source) override {
    const Clock::time_point start = Clock::now();
    Result<std::string> assembly = compiler_->compile(source);
    nanoseconds_ += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    return assembly;
  }
  Result<std::string> optimised(const program::DpuSource &source) override { return compiler_->optimised(source); }
  /// Of all threads.
  double seconds() const { return static_cast<double>(nanoseconds_) * 1e-9; }

 private:
  std::unique_ptr<program::DpuCompiler> compiler_;
  std::atomic<std::int64_t> nanoseconds_ = 0;
};

/// `compiler`: where there is one.
std::shared_ptr<const ToolBox> timedTools(const TimedCompiler *&compiler) {
  auto box = std::make_shared<ToolBox>();
  if (std::unique_ptr<program::DpuCompiler> own = makeDpuCompiler()) {
    auto timed = std::make_unique<TimedCompiler>(std::move(own));
    compiler = timed.get();
    box->dpuCompiler = std::move(timed);
  }
  box->hostTools = makeHostTools();
  return box;
}

Result<ExploreAnswer> exploreMappings(const Options &options) {
  const Clock::time_point start = Clock::now();
  Result<mapping::MapSpec> spacePart = partOfSpace(options);
  if (!spacePart) return spacePart.diagnostics();
  Options timed = options;
  const TimedCompiler *compiler = nullptr;
  timed.tools = timedTools(compiler);
  const Result<std::unique_ptr<Job>> loaded = loadJob(timed, options.target);
  if (!loaded) return loaded.diagnostics();
  const Job &job = **loaded;
  if (job.input.program)
    return usageError("explore-program", options.input, "a device program already has a mapping",
                      "explore a kernel: an .mlir file, index notation or a kernel name");
  if (Status s = evaluate::checkExtensions(*job.target, job.machine, spacePart->mapping); !s) return s.diagnostics();
  emit::MappingExploration e;
  e.head = headOf(VerbId::kExplore, options, job);
  for (const kernel::Kernel &k : job.input.graph->kernels) e.graphKernels.push_back(k.name);
  if (isOneProgram(options, job)) e.graphKernels.resize(1);
  e.clockGHz = job.machine.clockGHz;
  Result<std::vector<KernelProblem>> parts = problemsOf(options, job, *spacePart, e.head.warnings);
  if (!parts) return parts.diagnostics();
  if (job.input.graph && !job.input.graph->loops.empty())
    e.head.warnings.push_back("kernels in loops are explored for their first rounds only");
  std::string identity;
  for (const KernelProblem &p : *parts) identity += tune::identity(p.problem);
  const auto share = shareOf(options);
  if (!share) return share.diagnostics();
  std::vector<const tune::Problem *> problems;
  for (const KernelProblem &p : *parts) problems.push_back(&p.problem);
  tune::Computation computation(problems);
  const auto shared =
      SharedWork::join(options, identity, [&](const std::string &task) { return computation.resultOf(task); });
  if (!shared) return shared.diagnostics();
  if (shared->isDone()) return ExploreAnswer{};
  auto store = namedStore(options, identity, aboutOf("mappings", e.head));
  if (!store) return store.diagnostics();
  if (*share)
    if (Status s = (*store)->beginShare((*share)->number, (*share)->of); !s) return s.diagnostics();
  const tune::Share numbers = share->value_or(tune::Share{});
  SharedPart part{fmt::format("mappings of {} on {}", e.head.kernel, e.head.target),
                  numbers.number,
                  numbers.of,
                  0,
                  0,
                  options.store};
  const bool isAlone = parts->size() == 1;
  std::optional<evaluate::Objective> objective;
  if (!options.objective.empty()) objective = job.objective;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const KernelProblem &kernel = (*parts)[i];
    tune::Control control = controlOf(options, store->get(), shared->ranks(), *share);
    control.problem = static_cast<std::int64_t>(i);
    control.scope = fmt::format("{}: ", i);
    if (!isAlone) control.label = fmt::format("{} ({} of {})", kernel.kernel, i + 1, parts->size());
    Result<tune::Exploration> found = tune::explore(
        kernel.problem, {options.isExhaustive, options.limit, options.isUnbounded, options.budget, nullptr, objective},
        control);
    if (!found) return found.diagnostics();
    part.items += static_cast<std::int64_t>(found->rows.size());
    part.kept += found->deviceRuns;
    if (found->every > 1)
      e.head.warnings.push_back(
          fmt::format("{}the space was sampled evenly: 1 in {} of {}{} mappings explored; --limit 0 explores all",
                      isAlone ? "" : kernel.kernel + ": ", found->every,
                      found->space >= tune::kMostCounted ? "the first " : "", found->space));
    e.kernels.push_back({kernel.kernel, kernel.same, std::move(*found), {}});
  }
  if (*share) {
    if (Status s = (*store)->endShare((*share)->number, (*share)->of); !s) return s.diagnostics();
    return ExploreAnswer(std::make_shared<const SharedPart>(std::move(part)));
  }
  e.head.sharing = sharingOf(options);
  e.head.seconds = secondsSince(start);  // of the exploration; checks on data come after it
  if (compiler) e.head.compileSeconds = compiler->seconds();
  for (std::size_t i = 0; i < parts->size(); ++i) {
    tune::Control control = controlOf(options, store->get(), shared->ranks(), {});
    control.problem = static_cast<std::int64_t>(i);
    if (Status s = checkBest(options, (*parts)[i], control, isAlone, e.kernels[i], e.head.warnings); !s)
      return s.diagnostics();
  }
  return ExploreAnswer(std::move(e));
}

// --- sweeps

/// Sizes that are only swept get their first value, so that a kernel without other sizes can be loaded at all.
Options withFirstSizes(const Options &options) {
  Options out = options;
  for (const std::string &s : options.sweeps) {
    constexpr std::string_view kPrefix = "size.";
    const std::size_t eq = s.find('=');
    if (s.rfind(kPrefix, 0) != 0 || eq == std::string::npos) continue;
    const std::string value = s.substr(eq + 1, s.find_first_of(".,", eq + 1) - eq - 1);
    if (const auto n = parseSizes({s.substr(kPrefix.size(), eq - kPrefix.size()) + "=" + value}))
      out.sizes.push_back(s.substr(kPrefix.size(), eq - kPrefix.size()) + "=" + value);
  }
  return out;
}

Result<tune::PointResult> evaluatePoint(const Options &options, const std::vector<tune::Axis> &axes,
                                        const std::vector<std::string> &values) {
  Options here = options;
  here.jobs = 1;
  for (std::size_t a = 0; a < axes.size(); ++a)
    (axes[a].isSize ? here.sizes : here.sets).push_back(axes[a].name + "=" + values[a]);
  const Result<std::unique_ptr<Job>> job = loadJob(here, here.target);
  if (!job) return job.diagnostics();
  const Result<evaluate::Report> r = evaluate::evaluate((*job)->request(here));
  if (!r) return r.diagnostics();
  return tune::PointResult{
      r->mapping, {r->cycles, r->breakdown().total(), r->energy.total, r->kernelEnergy.total}, r->timeNs, {}};
}

/// Evaluates all points, and finds the best ones; or those of a share.
Result<ExploreAnswer> runSweep(const Options &options, const std::string &identity, const tune::EvaluatePoint &evaluate,
                               Clock::time_point start, emit::SweepExploration e) {
  const auto share = shareOf(options);
  if (!share) return share.diagnostics();
  std::string axes;
  for (const tune::Axis &a : e.axes) axes += fmt::format("{} {}\n", a.path, fmt::join(a.values, ","));
  const auto shared = SharedWork::join(options, identity + axes, tune::sweepWork(e.axes, evaluate));
  if (!shared) return shared.diagnostics();
  if (shared->isDone()) return ExploreAnswer{};
  auto store = namedStore(options, identity, aboutOf("a sweep", e.head));
  if (!store) return store.diagnostics();
  if (*share)
    if (Status s = (*store)->beginShare((*share)->number, (*share)->of); !s) return s.diagnostics();
  auto rows = tune::sweep(e.axes, evaluate, controlOf(options, store->get(), shared->ranks(), *share));
  if (!rows) return rows.diagnostics();
  if (*share) {
    if (Status s = (*store)->endShare((*share)->number, (*share)->of); !s) return s.diagnostics();
    const auto count = static_cast<std::int64_t>(rows->size());
    return ExploreAnswer(
        std::make_shared<const SharedPart>(SharedPart{fmt::format("sweep of {} on {}", e.head.kernel, e.head.target),
                                                      (*share)->number, (*share)->of, count, count, options.store}));
  }
  e.rows = std::move(*rows);
  search::Pareto front;
  std::int64_t errors = 0;
  for (std::size_t i = 0; i < e.rows.size(); ++i) {
    const tune::SweepRow &r = e.rows[i];
    if (r.error.empty())
      front.add({r.result.timeNs, r.result.cost.energy.value, static_cast<std::int64_t>(i)});
    else
      ++errors;
  }
  for (const search::Pareto::Point &p : front.front()) e.front.push_back(p.number);
  if (errors > 0)
    e.head.warnings.push_back(fmt::format("{} of {} points have no result: see their 'error'", errors, e.rows.size()));
  e.head.sharing = sharingOf(options);
  e.head.seconds = secondsSince(start);
  return ExploreAnswer(std::move(e));
}

/// What a saved trace takes on a machine with some of its numbers changed.
Result<tune::PointResult> evaluateProgram(const Options &options, const std::vector<tune::Axis> &axes,
                                          const std::vector<std::string> &values) {
  Options here = options;
  for (std::size_t a = 0; a < axes.size(); ++a) here.sets.push_back(axes[a].name + "=" + values[a]);
  const Result<ProfileAnswer> answer = profile(here);
  if (!answer) return answer.diagnostics();
  const evaluate::Profile &p = answer->profile();
  const auto costOf = [](std::int64_t cycles, Picojoules energy) {
    return evaluate::Cost{Cycles(cycles), Cycles(cycles), energy, energy};
  };
  const auto timeOf = [&](std::int64_t cycles) { return answer->machine().toTime(Cycles(cycles)).value / 1000; };
  tune::PointResult out{"", costOf(p.cycles, p.energy.total), timeOf(p.cycles), {}};
  if (!p.resimulated) return out;
  const auto cycles = static_cast<std::int64_t>(p.resimulated->cycles);
  out.base = out.cost;
  out.cost = costOf(cycles, p.resimulated->energy ? p.resimulated->energy->total : p.energy.total);
  out.timeNs = timeOf(cycles);
  return out;
}

/// Machines for a saved trace of a program.
Result<ExploreAnswer> exploreProgram(const Options &options) {
  const Clock::time_point start = Clock::now();
  if (options.sweeps.empty())
    return usageError("trace-sweep", options.input, "a saved trace has no mappings to explore",
                      "vary numbers of the machine: --sweep caches.l2.latency=8,12,16");
  for (const OptionGroup group : {OptionGroup::kMappings, OptionGroup::kKernel})
    if (const OptionRow *given = firstGiven(group, options))
      return usageError("sweep-option", "--" + std::string(given->name),
                        namesOf(group) + " apply to kernels, not to saved traces", "omit it");
  const Result<machine::Machine> machine = loadHost(options);
  if (!machine) return machine.diagnostics();
  emit::SweepExploration e;
  Result<std::vector<tune::Axis>> axes = tune::parseAxes(options.sweeps, tune::sweepNames(*machine, {}));
  if (!axes) return axes.diagnostics();
  e.axes = std::move(*axes);
  e.head.kernel = std::filesystem::path(options.input).stem().string();
  e.head.target = machine->name;
  e.head.run = runOf(VerbId::kExplore, options, *machine);
  e.head.warnings = machine->notes;
  const Result<std::string> bytes = readFile(options.input);
  if (!bytes) return bytes.diagnostics();
  const std::string identity =
      fmt::format("{}\nsweep of a trace {:x} {} {} {} {} {}\n{}", tune::toolIdentity(), crc32(*bytes), options.levels,
                  options.caches, options.technology, options.arrays, options.locality, machine::identity(*machine));
  const auto evaluate = [&, axes = e.axes](const std::vector<std::string> &values) {
    return evaluateProgram(options, axes, values);
  };
  return runSweep(options, identity, evaluate, start, std::move(e));
}

Result<ExploreAnswer> exploreSweep(const Options &options) {
  const Clock::time_point start = Clock::now();
  if (const OptionRow *given = firstGiven(OptionGroup::kMappings, options))
    return usageError("sweep-option", "--" + std::string(given->name),
                      namesOf(OptionGroup::kMappings) + " apply to explorations of mappings, not to sweeps",
                      "omit it; --map sets the mapping of every point of a sweep");
  Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target);
  if (!loaded) loaded = loadJob(withFirstSizes(options), options.target);
  if (!loaded) return loaded.diagnostics();
  const Job &job = **loaded;
  std::vector<std::string> sizes;
  for (const auto &[name, extent] : job.input.sizes) sizes.push_back(name);
  Result<std::vector<tune::Axis>> axes = tune::parseAxes(options.sweeps, tune::sweepNames(job.machine, sizes));
  if (!axes) return axes.diagnostics();
  emit::SweepExploration e;
  e.head = headOf(VerbId::kExplore, options, job);
  for (const tune::Axis &a : *axes)
    if (a.isSize) e.head.sizes.erase(a.name);
  std::string identity =
      fmt::format("{}\nsweep {} {} {} {} {} {} {} {}\n", tune::toolIdentity(), options.variant, options.function,
                  fmt::join(options.includes, ","), fmt::join(options.defines, ","), fmt::join(options.maps, "|"),
                  fmt::join(options.sizes, ","), static_cast<int>(job.offload), options.objective);
  identity += job.input.graph ? kernel::print(*job.input.graph) : options.input;
  e.axes = std::move(*axes);
  const auto evaluate = [&, axes = e.axes](const std::vector<std::string> &values) {
    return evaluatePoint(options, axes, values);
  };
  return runSweep(options, identity + machine::identity(job.machine), evaluate, start, std::move(e));
}

}  // namespace

Result<ExploreAnswer> explore(const Options &given) {
  const bool isTrace = isSavedTrace(given.input);
  const Options options = isTrace ? given : withTarget(given);
  if (Status s = checkOutput(options); !s) return s.diagnostics();
  if (isTrace) return exploreProgram(options);
  if (const OptionRow *given = firstGiven(OptionGroup::kHost, options))
    return usageError("host-option", "--" + std::string(given->name),
                      namesOf(OptionGroup::kHost) + " apply to saved traces of programs, not to kernels",
                      "omit it, or give a FILE.ptrace");
  return options.sweeps.empty() ? exploreMappings(options) : exploreSweep(options);
}

Outcome show(const ExploreAnswer &answer, const Options &options) {
  return std::visit(overloaded{[&](const std::shared_ptr<const SharedPart> &part) { return show(*part, options); },
                               [&](const auto &e) { return write(options, e); }},
                    answer);
}

}  // namespace pimento::driver
