#include "pimento/tune/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/base/progress.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/cluster/ranks.h"
#include "pimento/evaluate/choose.h"
#include "pimento/evaluate/target.h"
#include "pimento/search/search.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/classes.h"
#include "pimento/tune/computation.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"

namespace pimento::tune {

namespace {

constexpr const char *kRunKind = "run";

/// Candidates are rows. Rows of one program class share its run.
class Explorer final : search::Evaluator {
 public:
  Explorer(const Problem &problem, const ExploreOptions &options, const Control &control)
      : problem_(problem),
        options_(options),
        control_(control),
        classes_(!options.isExhaustive),
        computation_({&problem}) {
    if (control.ranks != nullptr) return;
    own_ = cluster::oneRank();
    (void)own_->join("", [this](const std::string &task) { return computation_.resultOf(task); }, control.jobs);
  }

  Result<Exploration> run() {
    enumerate();
    if (isStopped()) return interrupted(control_, "mappings were");
    ruleOut();
    compileAll();
    if (failed_) return *failed_;
    if (isStopped()) return interrupted(control_, "mappings were");
    addReference();
    classes_.priceBounds(*problem_.machine);
    if (classes_.costs.empty()) {
      if (control_.share) return std::move(out_);
      return noneIsLegal();
    }
    const Result<search::Found> found = estimate();
    if (!found) return found.diagnostics();
    if (isStopped() && (!options_.keepsPartial || found->front.empty())) return interrupted(control_, "mappings were");
    estimateReference();
    fillRows(*found);
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kBlock = 4096;  // candidates compiled at a time

  cluster::Ranks &ranks() const { return own_ != nullptr ? *own_ : *control_.ranks; }

  bool isStopped() const { return control_.isStopped != nullptr && *control_.isStopped; }

  /// Where all are refused for one reason that no size changes: that.
  Diagnostic noneIsLegal() const {
    const auto &errors = classes_.errors();
    const auto isFirsts = [&](const auto &e) { return e.second == errors.begin()->second; };
    if (!errors.empty() && errors.begin()->second.starts_with("unsupported-") &&
        std::ranges::all_of(errors, isFirsts)) {
      const std::string &first = out_.rows[static_cast<std::size_t>(errors.begin()->first)].mapping;
      if (const auto compiled = compile(problem_, mappingOf(first)); !compiled) return compiled.diagnostics().front();
    }
    std::vector<std::string> levels;
    for (const machine::Level &l : problem_.machine->levels) levels.push_back(fmt::format("{} ({})", l.name, l.count));
    return unsupported(
        "no-legal-mapping", problem_.kernel().where,
        fmt::format("kernel '{}' has no legal mapping on {}: {} candidates, {}", problem_.kernel().name,
                    problem_.machine->name, out_.rows.size(),
                    errors.empty() ? "none in the space" : "the first was refused with " + errors.begin()->second),
        fmt::format("use smaller sizes, or more of its levels {}", fmt::join(levels, ", ")));
  }

  std::string progressText(const char *what) const {
    return control_.label.empty() ? what : fmt::format("{} {}", what, control_.label);
  }

  void enumerate() {
    const std::int64_t limit = options_.limit > 0 ? options_.limit : std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> texts;
    if (options_.only != nullptr) texts = *options_.only;
    Candidates candidates(problem_);
    while (options_.only == nullptr && candidates.next()) {
      if (++out_.space <= limit) texts.push_back(candidates.text());
      if (isStopped() || (out_.space > limit && out_.space >= kMostCounted)) break;
    }
    out_.drafts = candidates.counts();
    areListed_ = candidates.areListed();
    if (options_.only != nullptr) out_.space = static_cast<std::int64_t>(texts.size());
    if (out_.space > limit && !isStopped()) texts = everyNth(limit);
    if (control_.share) {
      std::int64_t item = 0;
      std::erase_if(texts, [&](const std::string &) { return !control_.share->has(item++); });
    }
    for (std::string &text : texts) {
      out_.rows.emplace_back();
      out_.rows.back().mapping = std::move(text);
    }
  }

  /// The first candidates of a space are all alike (few channels), so a part of it is spread over the whole.
  std::vector<std::string> everyNth(std::int64_t limit) {
    out_.every = ceilDiv(out_.space, limit);
    std::vector<std::string> texts;
    Candidates candidates(problem_);
    for (std::int64_t i = 0; i < out_.space && !isStopped() && candidates.next(); ++i)
      if (i % out_.every == 0) texts.push_back(candidates.text());
    return texts;
  }

  /// What a good mapping costs: that of `auto`, for one objective. Nothing where its time is not known.
  std::optional<evaluate::Cost> incumbent(evaluate::Objective objective) const {
    evaluate::Request request;
    request.machine = problem_.machine;
    request.target = problem_.target;
    request.graph = problem_.graph;
    request.variant = problem_.variant;
    request.tools = problem_.tools;
    request.values = problem_.values;
    request.objective = objective;
    request.jobs = control_.jobs;
    mapping::MapSpec spec = problem_.part;
    spec.kind = mapping::MapSpec::Kind::kAuto;
    const auto choice = evaluate::chooseMapping(request, problem_.all(), spec);
    if (!choice || !choice->run || (choice->run->isOnMadeValues && !problem_.values)) return std::nullopt;
    return evaluate::costOf(*problem_.machine, choice->compiled->hostWork(), *choice->run);
  }

  /// A lower bound of a row's cost without its program, and whether there is such a thing.
  std::optional<evaluate::Cost> outlined(std::size_t row, const evaluate::LeastCosts *leasts) const {
    const mapping::Mapping m = mappingOf(out_.rows[row].mapping);
    if (leasts != nullptr) {
      const auto least = leasts->of(m);
      return least ? std::optional(evaluate::costOf(*problem_.machine, {}, *least)) : std::nullopt;
    }
    const auto outline = problem_.target->outline(problem_.all(), m, *problem_.machine, problem_.tools);
    if (!outline || *outline == nullptr) return std::nullopt;
    return evaluate::costOf(*problem_.machine, (*outline)->hostWork(), evaluate::DeviceCost{(*outline)->least(), {}});
  }
  bool hasOutlines() const {
    const auto any = problem_.target->outline(problem_.all(), mappingOf(out_.rows.front().mapping), *problem_.machine,
                                              problem_.tools);
    return !any || *any != nullptr;
  }

  /// The best of the rows that promise most by their bounds without programs, for one objective.
  std::optional<evaluate::Cost> bestOfPromising(const std::vector<std::optional<evaluate::Cost>> &leasts,
                                                evaluate::Objective objective) const {
    constexpr std::size_t kTrials = 8;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < leasts.size(); ++i)
      if (leasts[i]) rows.push_back(i);
    const auto promise = [&](std::size_t i) { return std::pair(evaluate::valueOf(*leasts[i], objective), i); };
    const std::size_t count = std::min(kTrials, rows.size());
    std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(count), {}, promise);
    std::vector<std::optional<evaluate::Cost>> costs(count);
    parallelFor(control_.jobs, static_cast<std::int64_t>(count), [&](std::int64_t i) {
      const auto compiled = compile(problem_, mappingOf(out_.rows[rows[static_cast<std::size_t>(i)]].mapping));
      if (!compiled) return;
      const auto run = (*compiled)->run(problem_.mode());
      if (run && !run->isStuck && !run->interval)
        costs[static_cast<std::size_t>(i)] = evaluate::costOf(*problem_.machine, (*compiled)->hostWork(), *run);
    });
    std::optional<evaluate::Cost> best;
    for (const auto &c : costs)
      if (c && (!best || evaluate::valueOf(*c, objective) < evaluate::valueOf(*best, objective))) best = c;
    return best;
  }

  /// Candidates whose bounds without programs are no better than a good mapping's cost are not compiled. The good
  /// mapping is the best of those that promise most, where all mappings are listed; else what `auto` finds.
  void ruleOut() {
    using evaluate::Objective;
    outlines_.resize(out_.rows.size());
    if (options_.isExhaustive || options_.isUnbounded || options_.algorithm != nullptr || out_.rows.empty()) return;
    const auto leasts = problem_.target->leastCosts(problem_.all(), *problem_.machine);
    if (leasts == nullptr && !hasOutlines()) return;
    std::vector<std::optional<evaluate::Cost>> least(out_.rows.size());
    parallelFor(control_.jobs, static_cast<std::int64_t>(out_.rows.size()), [&](std::int64_t i) {
      least[static_cast<std::size_t>(i)] = outlined(static_cast<std::size_t>(i), leasts.get());
    });
    std::vector<Objective> objectives = {Objective::kTime, Objective::kEnergy};
    if (options_.objective) objectives = {*options_.objective};
    search::Pareto found;
    for (const Objective objective : objectives)
      if (const auto cost =
              leasts != nullptr && areListed_ ? bestOfPromising(least, objective) : incumbent(objective)) {
        const search::Objectives o = objectivesOf(*cost);
        found.add({o.time, o.energy, std::numeric_limits<std::int64_t>::max()});
      }
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (!least[i]) continue;
      const search::Objectives o = objectivesOf(*least[i]);
      if (found.rulesOut({o.time, o.energy, static_cast<std::int64_t>(i)})) outlines_[i] = least[i];
    }
  }

  bool isRuledOut(std::size_t row) const { return row < outlines_.size() && outlines_[row].has_value(); }

  void compileAll() {
    const std::size_t count = out_.rows.size();
    Progress progress(progressText("compiling mappings"), static_cast<std::int64_t>(count), control_.showsProgress);
    for (std::size_t begin = 0; begin < count && !isStopped(); begin += kBlock) {
      cluster::Tasks tasks;
      std::vector<std::size_t> rows;
      const std::size_t end = std::min(begin + kBlock, count);
      std::vector<CompiledFacts> facts(end - begin);
      for (std::size_t i = begin; i < end; ++i) {
        if (isRuledOut(i) || takeKept(i, facts[i - begin])) continue;
        tasks.now.push_back(compileTask(control_.problem, hasBounds(), out_.rows[i].mapping));
        rows.push_back(i);
      }
      Store::Batches batches(control_.store);
      const auto take = [&](std::size_t n, const std::string &result) {
        auto read = compiledFactsIn(result, problem_);
        PIMENTO_CHECK(read.has_value());
        facts[rows[n] - begin] = std::move(*read);
        progress.advance();
        if (!control_.share || control_.store == nullptr)
          return;  // to compile takes less than to keep and to read, but not on another machine
        if (Status s = control_.store->put(compiledKind(), control_.scope + out_.rows[rows[n]].mapping, result); !s)
          failed_ = s.diagnostics();
      };
      const auto flush = [&] {
        if (Status s = batches.flush(); !s) failed_ = s.diagnostics();
      };
      const Status done = ranks().compute(tasks, control_.isStopped, {take, flush});
      if (!done) failed_ = done.diagnostics();
      if (failed_) return;
      classes_.add(facts);
      progress.advance(static_cast<std::int64_t>(end - begin - rows.size()));
    }
    if (!hasBounds() || isStopped()) return;
    // Of a stream of which another task's store has kept the bound with a candidate that is ruled out here.
    for (ProgramClass &p : classes_.programs)
      if (!p.bound) p.bound = factsOf(problem_, mappingOfFirst(p), true).bound;
  }

  /// What shares compile is kept; with bounds it is another kind of result.
  const char *compiledKind() const { return hasBounds() ? "compiled, bounded" : "compiled"; }

  bool takeKept(std::size_t row, CompiledFacts &facts) const {
    if (control_.store == nullptr) return false;
    const auto kept = control_.store->find(compiledKind(), control_.scope + out_.rows[row].mapping);
    auto read = kept ? compiledFactsIn(*kept, problem_) : std::nullopt;
    if (!read) return false;
    facts = std::move(*read);
    return true;
  }

  /// The reference mapping is a candidate: the last one, unless one of the space has its stream and host work.
  void addReference() {
    if (problem_.isPart() || options_.only != nullptr) return;
    if (control_.share) return;
    const CompiledFacts facts = factsOf(problem_, problem_.reference.text, hasBounds());
    if (!facts.error.empty() || classes_.has(facts)) return;
    out_.rows.emplace_back();
    out_.rows.back().mapping = problem_.reference.text;
    ++out_.space;
    classes_.add({facts});
  }

  bool hasBounds() const { return !options_.isExhaustive && !options_.isUnbounded; }

  /// Runs of program classes: from the store, or by fast-forward (and then into the store). Those in `later` are likely
  /// to follow. Where it is stopped, not all of them.
  void runPrograms(const std::vector<std::size_t> &programs, const std::vector<std::size_t> &later) {
    cluster::Tasks tasks;
    std::vector<std::size_t> needed;
    for (const std::size_t p : programs) {
      if (takeKept(classes_.programs[p])) continue;
      needed.push_back(p);
      tasks.now.push_back(taskOf(classes_.programs[p]));
    }
    for (const std::size_t p : later)
      if (!isKept(classes_.programs[p])) tasks.later.push_back(taskOf(classes_.programs[p]));
    if (needed.empty() || isStopped()) return;
    Store::Batches batches(control_.store);
    const auto take = [&](std::size_t n, const std::string &result) { takeRun(classes_.programs[needed[n]], result); };
    const auto flush = [&] {
      if (Status s = batches.flush(); !s) failed_ = s.diagnostics();
    };
    const Status done = ranks().compute(tasks, control_.isStopped, {take, flush});
    if (!done) failed_ = done.diagnostics();
  }

  const std::string &mappingOfFirst(const ProgramClass &program) const {
    return out_.rows[static_cast<std::size_t>(program.first)].mapping;
  }
  std::string taskOf(const ProgramClass &program) const { return runTask(control_.problem, mappingOfFirst(program)); }
  std::string nameOf(const ProgramClass &program) const { return control_.scope + program.stream; }

  bool isKept(const ProgramClass &program) const {
    return control_.store != nullptr && control_.store->find(kRunKind, nameOf(program)).has_value();
  }

  bool takeKept(ProgramClass &program) const {
    if (control_.store == nullptr) return false;
    const auto kept = control_.store->find(kRunKind, nameOf(program));
    if (kept) program.run = timingIn(*kept, problem_);
    return program.run.has_value();
  }

  void takeRun(ProgramClass &program, const std::string &result) {
    if (result.empty()) {  // it failed: once more, to say why
      const auto compiled = compile(problem_, mappingOf(mappingOfFirst(program)));
      PIMENTO_CHECK(compiled.ok());
      const auto run = (*compiled)->run(problem_.mode());
      PIMENTO_CHECK(!run.ok());
      failed_ = run.diagnostics();
      return;
    }
    program.run = timingIn(result, problem_);
    PIMENTO_CHECK(program.run.has_value());
    if (control_.store == nullptr) return;
    if (Status s = control_.store->put(kRunKind, nameOf(program), result); !s) failed_ = s.diagnostics();
  }

  const CostClass &classAt(std::int64_t row) const {
    return classes_.costs[static_cast<std::size_t>(classes_.classOf()[static_cast<std::size_t>(row)])];
  }

  search::Objectives objectivesOf(const evaluate::Cost &cost) const {
    if (!options_.objective) return {static_cast<double>(cost.total.value), cost.energy.value};
    const double value = evaluate::valueOf(cost, *options_.objective);
    return *options_.objective == evaluate::Objective::kEnergy ? search::Objectives{0, value}
                                                               : search::Objectives{value, 0};
  }

  bool isExact() const override {
    return std::ranges::none_of(classes_.programs, [](const ProgramClass &p) {
      return (p.run && p.run->isSampled) || (p.bound && p.bound->isSampled);
    });
  }

  bool isKnown(std::int64_t row) const override { return classes_.programs[classAt(row).program].run.has_value(); }

  Result<std::vector<std::optional<search::Objectives>>> evaluate(std::span<const std::int64_t> rows) override {
    runPrograms(programsOf(rows), programsOf(expected_));
    if (failed_) return *failed_;
    std::vector<std::optional<search::Objectives>> costs;
    for (const std::int64_t row : rows) {
      if (!isKnown(row)) break;  // it was stopped
      costs.emplace_back(objectivesOf(costAt(row)));
    }
    return costs;
  }

  /// Other ranks begin what follows while they wait.
  std::size_t ahead() const override {
    constexpr std::size_t kAhead = 4;
    return ranks().count() > 1 ? kAhead * ranks().count() : 0;
  }
  void expect(std::span<const std::int64_t> rows) override { expected_.assign(rows.begin(), rows.end()); }

  /// Those that rows need and that have no run yet, each once.
  std::vector<std::size_t> programsOf(std::span<const std::int64_t> rows) const {
    std::set<std::size_t> needed;
    for (const std::int64_t row : rows)
      if (!isKnown(row)) needed.insert(classAt(row).program);
    return {needed.begin(), needed.end()};
  }

  evaluate::Cost costAt(std::int64_t row) const {
    const CostClass &c = classAt(row);
    return evaluate::costOf(*problem_.machine, c.work, classes_.programs[c.program].run->cost);
  }

  void advance(std::int64_t candidates) override { estimating_->advance(candidates); }

  Result<search::Found> estimate() {
    std::vector<search::Candidate> candidates(out_.rows.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      search::Candidate &c = candidates[i];
      const auto row = static_cast<std::int64_t>(i);
      if (isRuledOut(i)) {
        c.isSetAside = true;  // the end of the search finds what rules it out
        c.bound = objectivesOf(*outlines_[i]);
        continue;
      }
      c.isLegal = classes_.classOf()[i] >= 0;
      if (!c.isLegal) continue;
      c.bound = objectivesOf(classAt(row).bound);
      if (classAt(row).first != row) c.like = classAt(row).first;
    }
    estimating_.emplace(progressText("estimating mappings"), static_cast<std::int64_t>(classes_.costs.size()),
                        control_.showsProgress);
    const bool isWhole = options_.isExhaustive || options_.isUnbounded;
    const search::Algorithm &usual = isWhole ? static_cast<const search::Algorithm &>(exhaustive_) : bestFirst_;
    const search::Algorithm &algorithm = options_.algorithm != nullptr ? *options_.algorithm : usual;
    search::Budget budget;
    if (options_.budget > 0) budget.evaluations = options_.budget;
    budget.isStopped = control_.isStopped;
    auto found = algorithm.run(candidates, *this, budget);
    estimating_.reset();
    return found;
  }

  void estimateReference() {
    out_.referenceMapping = problem_.reference.text;
    const auto compiled = compile(problem_, problem_.reference);
    if (!compiled) return;
    if (const auto run = (*compiled)->run(problem_.mode()))
      out_.reference = evaluate::costOf(*problem_.machine, (*compiled)->hostWork(), *run);
  }

  void fillRows(const search::Found &found) {
    using search::Fate;
    for (const ProgramClass &p : classes_.programs) out_.deviceRuns += p.run ? 1 : 0;
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      Row &row = out_.rows[i];
      const auto number = static_cast<std::int64_t>(i);
      row.how = found.verdicts[i].fate;
      row.like = found.verdicts[i].by;
      if (row.how == Fate::kIllegal) {
        row.error = classes_.errors().at(number);
        ++out_.illegalBy[row.error];
      } else if (isRuledOut(i)) {
        row.cost = *outlines_[i];
      } else {
        row.cost = row.how == Fate::kEstimated || row.how == Fate::kEqual ? costAt(number) : classAt(number).bound;
      }
    }
    out_.estimated = found.count(Fate::kEstimated);
    out_.equal = found.count(Fate::kEqual);
    out_.bounded = found.count(Fate::kBounded);
    out_.illegal = found.count(Fate::kIllegal);
    out_.open = found.count(Fate::kOpen);
    out_.stop = found.stop;
    out_.proof = found.proof;
    for (const search::Pareto::Point &p : found.front) out_.front.push_back(p.number);
  }

  const Problem &problem_;
  const ExploreOptions &options_;
  const Control &control_;
  Classes classes_;
  bool areListed_ = false;                               // the target lists all mappings
  std::vector<std::optional<evaluate::Cost>> outlines_;  // by row: lower bounds of what is ruled out by them
  Computation computation_;
  std::unique_ptr<cluster::Ranks> own_;  // null: there are others
  std::vector<std::int64_t> expected_;   // rows that are likely to be evaluated next
  Exploration out_;
  const search::BestFirst bestFirst_{};
  const search::Exhaustive exhaustive_{};
  std::optional<Progress> estimating_;
  std::optional<Diagnostics> failed_;
};

}  // namespace

Diagnostic interrupted(const Control &control, std::string_view what) {
  const std::string hint =
      control.store != nullptr
          ? fmt::format("finished results are in {}: repeat the command to continue", control.store->path())
          : "with --store FILE.db the same command continues where it stopped";
  return error("interrupted", {}, fmt::format("stopped before all {} finished", what), hint);
}

Result<Exploration> explore(const Problem &problem, const ExploreOptions &options, const Control &control) {
  return Explorer(problem, options, control).run();
}

}  // namespace pimento::tune
