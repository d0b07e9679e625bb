#include "pimento/driver/verbs/tune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <map>

#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/job.h"
#include "pimento/driver/mapping_problems.h"
#include "pimento/driver/predictor_option.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/rules_option.h"
#include "pimento/driver/shared_work.h"
#include "pimento/driver/store_option.h"
#include "pimento/driver/verbs/estimate.h"
#include "pimento/driver/verbs/simulate.h"
#include "pimento/emit/explore_texts.h"
#include "pimento/emit/tune.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/rounds.h"
#include "pimento/tune/check.h"
#include "pimento/tune/computation.h"
#include "pimento/tune/predictor.h"
#include "pimento/tune/store.h"
#include "pimento/tune/tuning.h"

namespace pimento::driver {

namespace {

using Clock = std::chrono::steady_clock;

/// The best mapping of every kernel that has one.
std::map<std::string, std::string> bestOf(const emit::Tuning &t) {
  std::map<std::string, std::string> best;
  for (const emit::TunedKernel &k : t.kernels) {
    best[k.kernel] = k.found.best.mapping;
    for (const std::string &name : k.same) best[name] = k.found.best.mapping;
  }
  return best;
}

/// Whether the whole is small enough to be run on data.
bool isSmall(const std::vector<KernelProblem> &problems) {
  std::int64_t points = 0, bytes = 0;
  for (const KernelProblem &p : problems) {
    const tune::CheckSize size = tune::checkSize(p.problem);
    points += size.points * static_cast<std::int64_t>(1 + p.same.size());
    bytes += size.bytes.value;
  }
  return points <= tune::kMostCheckedPoints && bytes <= tune::kMostCheckedBytes.value;
}

/// Runs what was found, on data where that is asked for and can be done, and fills in how long it takes.
Status runBest(const Options &given, const Job &job, const std::vector<KernelProblem> &problems, bool isKnown,
               emit::Tuning &t, Evaluated &best) {
  Options options = given;
  options.engine.clear();
  options.maps = {t.map};
  options.objective.clear();
  Result<Evaluated> estimated = estimateOn(VerbId::kEstimate, options, options.target);
  if (!estimated) return estimated.diagnostics();
  best = std::move(*estimated);
  const evaluate::Report &report = best.report;
  t.isChecked = isKnown && std::ranges::all_of(t.kernels, [](const emit::TunedKernel &k) { return k.found.isChecked; });
  if (t.isChecked) return okStatus();
  if (options.isUnchecked) {
    t.head.warnings.emplace_back("not checked on data (--no-check)");
    return okStatus();
  }
  const auto compiled = tune::compile(problems.front().problem, tune::mappingOf(t.kernels.front().found.best.mapping));
  if (const std::string why = compiled ? (*compiled)->whyUnchecked() : std::string(); !why.empty()) {
    t.head.warnings.push_back("not checked on data: " + why);
    return okStatus();
  }
  if (!isSmall(problems)) {
    t.head.warnings.emplace_back("not checked on data: it takes too long; 'simulate --map ...' checks a mapping");
    return okStatus();
  }
  const Result<Evaluated> run = simulateOn(VerbId::kSimulate, options);
  if (!run) return run.diagnostics();
  const bool isOne = job.graph()->kernels.size() == 1;
  if (isOne && !report.interval && run->report.cycles != report.cycles)
    return tune::wrongCycles(t.map, report.cycles, run->report.cycles);
  t.isChecked = run->report.isChecked;
  return okStatus();
}

/// What the answer says of it.
emit::UsedPredictor usedPredictor(const Taught &taught, Engine engine) {
  return {std::string(name(engine)),
          taught.file,
          taught.predictor->version(),
          taught.predictor->shapes(),
          taught.predictor->drafts(),
          taught.newShapes,
          taught.newDrafts,
          taught.seconds};
}

/// What a caller asks for.
enum class Wanted : std::uint8_t {
  kAnswer,
  kMap,   ///< no more than the mappings: no run of those that the store has
  kKept,  ///< only mappings that the store has; an answer of nothing otherwise
};

Result<TuneAnswer> tuneOrFind(const Options &given, Wanted wanted) {
  const Clock::time_point start = Clock::now();
  Options options = withTarget(given);
  const Result<Engine> engine = tuneEngineOf(options);
  if (!engine) return engine.diagnostics();
  options.engine.clear();  // those of the runs are their own
  const Result<mapping::MapSpec> spacePart = partOfSpace(options);
  if (!spacePart) return spacePart.diagnostics();
  const Result<std::optional<mapping::DraftRules>> rules = parseRules(options);
  if (!rules) return rules.diagnostics();
  const Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target);
  if (!loaded) return loaded.diagnostics();
  const Job &job = **loaded;
  if (!job.input.graph)
    return usageError("explore-program", options.input, "a device program already has a mapping",
                      "tune a kernel: an .mlir file, a C file, index notation or a kernel name");
  if (Status s = evaluate::checkExtensions(*job.target, job.machine, spacePart->mapping); !s) return s.diagnostics();
  auto found = std::make_shared<emit::Tuning>();
  auto best = std::make_shared<Evaluated>();
  emit::Tuning &t = *found;
  t.head = headOf(VerbId::kTune, withTarget(given), job);
  t.clockGHz = job.machine.clockGHz;
  t.objective = job.objective;
  t.space = options.space.empty() ? "own" : options.space;
  Result<std::vector<KernelProblem>> problems = problemsOf(options, job, *spacePart, t.head.warnings);
  if (!problems) return problems.diagnostics();
  if (!job.input.graph->loops.empty())
    t.head.warnings.emplace_back("kernels in loops are tuned for their first rounds only");
  tune::TuneOptions how;
  how.objective = job.objective;
  how.isExhaustive = options.isExhaustive;
  how.budget = options.budget;
  for (KernelProblem &p : *problems) p.problem.rules = *rules;
  const auto share = shareOf(options);
  if (!share) return share.diagnostics();
  if (*share && *engine != Engine::kExact)
    return usageError("engine-option", "--share", "a predictor is taught by one process", "omit --share, or --engine");
  std::string plan;
  std::vector<const tune::Problem *> all;
  for (const KernelProblem &p : *problems) {
    plan += tune::identity(p.problem);
    all.push_back(&p.problem);
  }
  tune::Computation computation(all);
  const auto shared =
      SharedWork::join(options, plan, [&](const std::string &task) { return computation.resultOf(task); });
  if (!shared) return shared.diagnostics();
  if (shared->isDone()) return TuneAnswer{};
  std::optional<Taught> taught;
  if (*engine != Engine::kExact) {
    Result<Taught> made = taughtPredictor(options, job, *problems);
    if (!made) return made.diagnostics();
    taught = std::move(*made);
    how.predictor = taught->predictor.get();
    if (*engine == Engine::kPredictorOnly) how.predicted = 1;
    if (Status s = keepPredictor(*taught); !s) return s.diagnostics();
    t.predictor = usedPredictor(*taught, *engine);
  }
  const tune::Share numbers = share->value_or(tune::Share{});
  SharedPart part{fmt::format("mappings of {} on {}", t.head.kernel, t.head.target),
                  numbers.number,
                  numbers.of,
                  0,
                  0,
                  options.store};
  bool isKnown = true;
  std::vector<std::unique_ptr<tune::Store>> stores;
  std::vector<tune::Control> controls;
  for (KernelProblem &p : *problems) {
    auto store = usualStore(options, tune::identity(p.problem), fmt::format("{} on {}", p.kernel, t.head.target),
                            t.head.warnings);
    if (!store) return store.diagnostics();
    stores.push_back(std::move(*store));
    tune::Control control{jobCount(options.jobs), stores.back().get(), options.isStopped, !options.isQuiet, "", ""};
    control.ranks = &shared->ranks();
    control.problem = static_cast<std::int64_t>(stores.size()) - 1;
    control.share = *share;
    if (problems->size() > 1) control.label = fmt::format("{} ({} of {})", p.kernel, stores.size(), problems->size());
    emit::TunedKernel k{p.kernel, p.same, {}, false};
    if (*share) {
      tune::Store &store = *stores.back();
      if (Status s = store.beginShare((*share)->number, (*share)->of); !s) return s.diagnostics();
      const Result<tune::Tuned> tuned = tune::tune(p.problem, how, control);
      if (!tuned) return tuned.diagnostics();
      part.items += tuned->drafts.all;
      part.kept += tuned->deviceRuns;
      if (Status s = store.endShare((*share)->number, (*share)->of); !s) return s.diagnostics();
      continue;
    }
    if (auto known = tune::knownAnswer(how, control)) {
      k.found = std::move(*known);
      k.isKnown = true;
    } else if (wanted == Wanted::kKept) {
      return TuneAnswer{};
    } else {
      Result<tune::Tuned> tuned = tune::tune(p.problem, how, control);
      if (!tuned) return tuned.diagnostics();
      k.found = std::move(*tuned);
      isKnown = false;
    }
    t.kernels.push_back(std::move(k));
    controls.push_back(std::move(control));
  }
  if (*share) {
    TuneAnswer answer;
    answer.part = part;
    return answer;
  }
  if (stores.front()) t.store = stores.front()->path();
  t.head.sharing = sharingOf(options);
  t.head.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::vector<std::string> graphKernels;
  for (const kernel::Kernel &k : job.input.graph->kernels) graphKernels.push_back(k.name);
  if (isOneProgram(options, job)) graphKernels.resize(1);
  t.map = emit::mapText(bestOf(t), graphKernels);
  const bool isKept =
      isKnown && std::ranges::all_of(t.kernels, [](const emit::TunedKernel &k) { return k.found.isChecked; });
  if (wanted == Wanted::kKept && !isKept) return TuneAnswer{};
  if (isKept && wanted != Wanted::kAnswer) return TuneAnswer{std::move(found), nullptr};
  if (Status s = runBest(options, job, *problems, isKnown, t, *best); !s) return s.diagnostics();
  for (std::size_t k = 0; k < t.kernels.size(); ++k) {
    if (t.kernels[k].isKnown && t.kernels[k].found.isChecked) continue;
    t.kernels[k].found.isChecked = t.isChecked;
    if (Status s = tune::keep(t.kernels[k].found, how, controls[k]); !s) return s.diagnostics();
  }
  return TuneAnswer{std::move(found), std::move(best)};
}

}  // namespace

Result<TuneAnswer> tuneMappings(const Options &given) {
  return tuneOrFind(given, Wanted::kAnswer);
}

Result<std::string> tunedMap(const Options &given) {
  const Result<TuneAnswer> answer = tuneOrFind(given, Wanted::kMap);
  if (!answer) return answer.diagnostics();
  return answer->found->map;
}

Result<std::optional<std::string>> keptMap(const Options &given) {
  const Result<TuneAnswer> answer = tuneOrFind(given, Wanted::kKept);
  if (!answer) return answer.diagnostics();
  return answer->found != nullptr ? std::optional(answer->found->map) : std::nullopt;
}

Outcome show(const TuneAnswer &answer, const Options &options) {
  if (answer.part) return show(*answer.part, options);
  const Evaluated &best = *answer.best;
  return show(
      options.isJson ? emit::toJson(*answer.found, best.report, best.run) : emit::toTable(*answer.found, best.report),
      options);
}

}  // namespace pimento::driver
