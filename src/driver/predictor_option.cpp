#include "pimento/driver/predictor_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/base/rng.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/job.h"
#include "pimento/driver/mapping_problems.h"
#include "pimento/driver/store_option.h"
#include "pimento/tune/predicted.h"
#include "pimento/tune/predictor.h"

namespace pimento::driver {

namespace {

using evaluate::Objective;
using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

/// Shapes around the given one where the user names none, and drafts of each.
constexpr std::size_t kShapes = 12;
constexpr std::int64_t kDrawn = 64;
constexpr std::size_t kGuessed = 32;

/// A shape that is being taught: its problems point into the job.
struct Lesson {
  std::unique_ptr<Job> job;
  std::vector<KernelProblem> problems;
};

std::string textOf(const Sizes &sizes) {
  std::vector<std::string> parts;
  for (const auto &[name, value] : sizes) parts.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(parts, ","));
}

double productOf(const Sizes &sizes) {
  double product = 1;
  for (const auto &[name, value] : sizes) product *= static_cast<double>(value);
  return product;
}

/// Other sizes of the input, none of them much larger in all; fewer where there are not so many.
std::vector<std::string> shapesAround(const Sizes &given) {
  static constexpr std::array kFactors = {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0};
  constexpr double kLargest = 2;
  constexpr int kTries = 20;
  Rng rng(1);
  std::set<std::string> seen = {textOf(given)};
  std::vector<std::string> shapes;
  for (std::size_t i = 0; i < kTries * kShapes && shapes.size() < kShapes; ++i) {
    Sizes other = given;
    for (auto &[name, value] : other)
      value =
          std::max<std::int64_t>(1, std::llround(static_cast<double>(value) * kFactors[rng.below(kFactors.size())]));
    if (productOf(other) > kLargest * productOf(given)) continue;
    if (seen.insert(textOf(other)).second) shapes.push_back(textOf(other));
  }
  return shapes;
}

/// Teaches a predictor, and counts.
class Teacher {
 public:
  Teacher(const Options &options, Objective objective, Taught &taught)
      : options_(options), objective_(objective), taught_(taught) {}

  /// A shape: drafts drawn from all of its mappings.
  Status teachShape(const std::string &sizes) {
    Options options = options_;
    options.sizes = {sizes};
    Result<std::unique_ptr<Job>> job = loadJob(options, options.target);
    if (!job) return taughtBy(job.diagnostics());
    const Result<mapping::MapSpec> part = partOfSpace(options);
    if (!part) return part.diagnostics();
    std::vector<std::string> warnings;
    Result<std::vector<KernelProblem>> problems = problemsOf(options, **job, *part, warnings);
    if (!problems) return taughtBy(problems.diagnostics());
    for (const KernelProblem &p : *problems)
      if (Status s = teach(p.problem, drawn(p.problem, kDrawn)); !s) return s;
    lessons_.push_back({std::move(*job), std::move(*problems)});
    ++taught_.newShapes;
    return okStatus();
  }

  /// Of the shapes so far, what the predictor thinks best: near there it must be right.
  Status teachBest() {
    for (const Lesson &l : lessons_)
      for (const KernelProblem &p : l.problems)
        if (Status s = teachBestOf(p.problem, kGuessed); !s) return s;
    return okStatus();
  }

  Status teachBestOf(const tune::Problem &problem, std::size_t count) {
    const auto best = tune::guess(problem, *taught_.predictor, objective_, count, control());
    if (!best) return best.diagnostics();
    std::vector<std::string> mappings;
    for (const tune::Guess &g : best->best) mappings.push_back(g.mapping);
    return teach(problem, mappings);
  }

  std::vector<std::string> drawn(const tune::Problem &problem, std::int64_t count) const {
    return tune::drawDrafts(problem, count, options_.seed, control());
  }

  Status teach(const tune::Problem &problem, const std::vector<std::string> &mappings) {
    if (mappings.empty()) return okStatus();
    const auto drafts = tune::runDrafts(problem, mappings, control());
    if (!drafts) return drafts.diagnostics();
    const std::int64_t before = taught_.predictor->drafts();
    taught_.predictor->learn(problem, *drafts);
    taught_.newDrafts += taught_.predictor->drafts() - before;
    return okStatus();
  }

  bool hasLessons() const { return !lessons_.empty(); }

 private:
  /// These sizes are those of --train.
  static Diagnostics taughtBy(Diagnostics found) {
    for (Diagnostic &d : found)
      if (d.where.file == "--size") d.where.file = "--train";
    return found;
  }

  tune::Control control() const {
    tune::Control control;
    control.jobs = jobCount(options_.jobs);
    control.isStopped = options_.isStopped;
    return control;
  }

  const Options &options_;
  Objective objective_;
  Taught &taught_;
  std::vector<Lesson> lessons_;
};

bool isStopped(const Options &options) {
  return options.isStopped != nullptr && *options.isStopped;
}

}  // namespace

Result<Engine> tuneEngineOf(const Options &options) {
  Result<Engine> engine =
      engineOf(options, Engine::kExact, {Engine::kExact, Engine::kPredictor, Engine::kPredictorOnly});
  if (!engine) return engine;
  const auto refuse = [](const char *option, const char *why) {
    return usageError("engine-option", option, why, fmt::format("omit {}, or use another --engine", option));
  };
  if (*engine == Engine::kExact) {
    if (!options.model.empty()) return refuse("--model", "exact evaluation uses no predictor");
    if (!options.trains.empty()) return refuse("--train", "exact evaluation trains no predictor");
    if (options.retrain > 0) return refuse("--retrain", "exact evaluation trains no predictor");
    return engine;
  }
  if (options.isExhaustive) return refuse("--exhaustive", "a predictor runs few drafts");
  if (options.budget > 0) return refuse("--budget", "a predictor runs few drafts");
  return engine;
}

Result<Taught> taughtPredictor(const Options &options, const Job &job, const std::vector<KernelProblem> &problems) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const Objective objective = job.objective;
  Taught taught;
  taught.predictor = std::make_shared<tune::Predictor>();
  taught.file = modelFile(options);
  std::error_code ignored;
  if (!taught.file.empty() && std::filesystem::exists(taught.file, ignored)) {
    Result<tune::Predictor> read = tune::Predictor::read(taught.file);
    if (!read) return read.diagnostics();
    *taught.predictor = std::move(*read);
  }
  const bool wasFitted = taught.predictor->isFitted(objective);
  Teacher teacher(options, objective, taught);
  const bool knowsAll =
      std::ranges::all_of(problems, [&](const KernelProblem &p) { return taught.predictor->knows(p.problem); });
  for (const std::string &sizes : options.trains)
    if (Status s = teacher.teachShape(sizes); !s) return s.diagnostics();
  if (options.trains.empty() && !knowsAll) {
    for (const std::string &sizes : shapesAround({job.input.sizes.begin(), job.input.sizes.end()})) {
      // Sizes that the machine cannot hold, or that the kernel cannot have, teach nothing.
      (void)teacher.teachShape(sizes);
      if (isStopped(options)) return tune::interrupted({}, "mappings were");
    }
    if (!teacher.hasLessons())
      for (const KernelProblem &p : problems)
        if (Status s = teacher.teach(p.problem, teacher.drawn(p.problem, 4 * kDrawn)); !s) return s.diagnostics();
  }
  if (taught.newDrafts > 0 || !taught.predictor->isFitted(objective)) {
    if (Status s = taught.predictor->fit(objective); !s) return s.diagnostics();
    const std::int64_t before = taught.newDrafts;
    if (Status s = teacher.teachBest(); !s) return s.diagnostics();
    if (taught.newDrafts > before)
      if (Status s = taught.predictor->refine(objective); !s) return s.diagnostics();
  }
  if (options.retrain > 0) {
    for (const KernelProblem &p : problems) {
      const auto half = options.retrain / 2;
      if (Status s = teacher.teach(p.problem, teacher.drawn(p.problem, options.retrain - half)); !s)
        return s.diagnostics();
      if (half == 0) continue;
      if (Status s = teacher.teachBestOf(p.problem, static_cast<std::size_t>(half)); !s) return s.diagnostics();
    }
    if (Status s = taught.predictor->refine(objective); !s) return s.diagnostics();
  }
  taught.isChanged = taught.newDrafts > 0 || !wasFitted;
  taught.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return taught;
}

Status keepPredictor(const Taught &taught) {
  return taught.file.empty() || !taught.isChanged ? okStatus() : taught.predictor->write(taught.file);
}

}  // namespace pimento::driver
