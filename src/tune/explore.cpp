#include "pimento/tune/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>

#include "pimento/base/integer.h"
#include "pimento/base/progress.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/counts.h"
#include "pimento/evaluate/target.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/classes.h"
#include "pimento/tune/pareto.h"
#include "pimento/tune/store.h"

namespace pimento::tune {

namespace {

constexpr const char *kRunKind = "run";

/// A run as the store keeps it: cycles, then its actions.
std::string textOf(const evaluate::DeviceCost &run) {
  std::string out = std::to_string(run.cycles.value);
  for (const auto &[action, n] : run.actions) out += fmt::format(" {}={}", action, n);
  return out;
}

/// `names`: of all actions there are.
std::optional<evaluate::DeviceCost> runOf(const std::string &text, const std::vector<std::string_view> &names) {
  const std::vector<std::string_view> parts = split(text, ' ');
  const auto cycles = parseInteger(parts.front());
  if (!cycles || *cycles < 0) return std::nullopt;
  evaluate::DeviceCost run;
  run.cycles = Cycles(*cycles);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t eq = parts[i].find('=');
    const auto name = std::find(names.begin(), names.end(), parts[i].substr(0, eq));
    const auto n = eq == std::string_view::npos ? std::nullopt : parseInteger(parts[i].substr(eq + 1));
    if (!n || *n < 0 || name == names.end()) return std::nullopt;
    run.actions.add(*name, *n);
  }
  return run;
}

class Explorer {
 public:
  Explorer(const Problem &problem, const ExploreOptions &options, const Control &control)
      : problem_(problem),
        options_(options),
        control_(control),
        classes_(problem, !options.isExhaustive, !options.isExhaustive && !options.isUnbounded) {}

  Result<Exploration> run() {
    enumerate();
    if (isStopped()) return interrupted(control_, "mappings were");
    compileAll();
    if (isStopped()) return interrupted(control_, "mappings were");
    addReference();
    if (classes_.costs.empty()) return noneIsLegal();
    estimateBestFirst();
    if (failed_) return *failed_;
    if (isStopped()) return interrupted(control_, "mappings were");
    estimateReference();
    fillRows();
    for (const Pareto::Point &p : front_.front()) out_.front.push_back(p.number);
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kBlock = 1024;  // candidates compiled at a time
  // Classes estimated before bounds are compared again: few, as each may rule out most of the others.
  static constexpr std::size_t kFirstBatch = 4, kLargestBatch = 8;

  bool isStopped() const { return control_.isStopped != nullptr && *control_.isStopped; }

  Diagnostic noneIsLegal() const {
    const auto &errors = classes_.errors();
    std::vector<std::string> levels;
    for (const machine::Level &l : problem_.machine->levels) levels.push_back(fmt::format("{} ({})", l.name, l.count));
    return unsupported(
        "no-legal-mapping", problem_.kernel().where,
        fmt::format("kernel '{}' has no legal mapping on {}: {} candidates, {}", problem_.kernel().name,
                    problem_.machine->name, out_.rows.size(),
                    errors.empty() ? "none in the space" : "the first refused with " + errors.begin()->second),
        fmt::format("use smaller sizes, or more of its levels {}", fmt::join(levels, ", ")));
  }

  std::string progressText(const char *what) const {
    return control_.label.empty() ? what : fmt::format("{} {}", what, control_.label);
  }

  void enumerate() {
    const std::int64_t limit = options_.limit > 0 ? options_.limit : std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> texts;
    Candidates candidates(problem_);
    while (std::optional<std::string> text = candidates.next()) {
      if (++out_.space <= limit) texts.push_back(std::move(*text));
      if (isStopped() || (out_.space > limit && out_.space >= kMostCounted)) break;
    }
    if (out_.space > limit && !isStopped()) texts = everyNth(limit);
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
    for (std::int64_t i = 0; i < out_.space && !isStopped(); ++i) {
      std::optional<std::string> text = candidates.next();
      if (i % out_.every == 0) texts.push_back(std::move(*text));
    }
    return texts;
  }

  void compileAll() {
    const std::size_t count = out_.rows.size();
    Progress progress(progressText("compiling mappings"), static_cast<std::int64_t>(count), control_.showsProgress);
    for (std::size_t begin = 0; begin < count && !isStopped(); begin += kBlock) {
      std::vector<std::string> texts;
      for (std::size_t i = begin; i < std::min(begin + kBlock, count); ++i) texts.push_back(out_.rows[i].mapping);
      classes_.add(texts, control_.jobs);
      progress.advance(static_cast<std::int64_t>(texts.size()));
    }
  }

  /// The reference mapping is a candidate: the last one, unless one of the space has its stream and host work.
  void addReference() {
    if (problem_.isPart()) return;
    const auto compiled = compile(problem_, problem_.reference);
    if (!compiled || classes_.has(**compiled)) return;
    out_.rows.emplace_back();
    out_.rows.back().mapping = problem_.reference.text;
    ++out_.space;
    classes_.add({problem_.reference.text}, 1);
  }

  /// The run of a program class: from the store, or by fast-forward (and then into the store).
  void runProgram(ProgramClass &program) {
    if (isStopped()) return;
    const std::string &text = out_.rows[static_cast<std::size_t>(program.first)].mapping;
    if (control_.store != nullptr)
      if (const auto kept = control_.store->find(kRunKind, control_.scope + text))
        program.run = runOf(*kept, evaluate::actionsOf(problem_.target->counts()));
    if (program.run) return;
    const auto compiled = compile(problem_, mappingOf(text));
    PIMENTO_CHECK(compiled.ok());
    Result<evaluate::DeviceRun> run = (*compiled)->run(problem_.mode());
    if (!run) {
      const std::lock_guard<std::mutex> lock(mutex_);
      failed_ = run.diagnostics();
      return;
    }
    program.run = std::move(*run);
    if (control_.store == nullptr) return;
    if (Status s = control_.store->put(kRunKind, control_.scope + text, textOf(*program.run)); !s) {
      const std::lock_guard<std::mutex> lock(mutex_);
      failed_ = s.diagnostics();
    }
  }

  static Pareto::Point pointOf(const evaluate::Cost &cost, std::int64_t number) {
    return {static_cast<double>(cost.total.value), cost.energy.value, number};
  }

  void estimateBestFirst() {
    std::vector<std::size_t> order(classes_.costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const CostClass &x = classes_.costs[a], &y = classes_.costs[b];
      return std::tuple(x.bound.total, x.bound.energy, x.first) < std::tuple(y.bound.total, y.bound.energy, y.first);
    });
    costs_.resize(order.size());
    ruledOutBy_.assign(order.size(), -1);
    Progress progress(progressText("estimating mappings"), static_cast<std::int64_t>(order.size()),
                      control_.showsProgress);
    std::size_t size = kFirstBatch;
    for (std::size_t next = 0; next < order.size() && !isStopped() && !failed_;
         size = std::min(2 * size, kLargestBatch)) {
      const std::size_t begin = next;
      std::vector<std::size_t> batch, programs;
      for (; next < order.size() && batch.size() < size; ++next) {
        const CostClass &c = classes_.costs[order[next]];
        const bool isRun = classes_.programs[c.program].run.has_value();
        const auto by = options_.isExhaustive || options_.isUnbounded || isRun
                            ? std::nullopt
                            : front_.rulesOut(pointOf(c.bound, c.first));
        if (by) {
          ruledOutBy_[order[next]] = *by;
          continue;
        }
        batch.push_back(order[next]);
        if (!isRun) programs.push_back(c.program);
      }
      std::sort(programs.begin(), programs.end());
      programs.erase(std::unique(programs.begin(), programs.end()), programs.end());
      parallelFor(control_.jobs, static_cast<std::int64_t>(programs.size()),
                  [&](std::int64_t i) { runProgram(classes_.programs[programs[static_cast<std::size_t>(i)]]); });
      if (isStopped() || failed_) return;
      for (const std::size_t n : batch) {
        const CostClass &c = classes_.costs[n];
        costs_[n] = evaluate::costOf(*problem_.machine, c.work, *classes_.programs[c.program].run);
        front_.add(pointOf(*costs_[n], c.first));
      }
      progress.advance(static_cast<std::int64_t>(next - begin));
    }
  }

  void estimateReference() {
    out_.referenceMapping = problem_.reference.text;
    const auto compiled = compile(problem_, problem_.reference);
    if (!compiled) return;
    if (const auto run = (*compiled)->run(problem_.mode()))
      out_.reference = evaluate::costOf(*problem_.machine, (*compiled)->hostWork(), *run);
  }

  void fillRows() {
    for (const ProgramClass &p : classes_.programs) out_.deviceRuns += p.run ? 1 : 0;
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      Row &row = out_.rows[i];
      const auto number = static_cast<std::int64_t>(i);
      const std::int64_t c = classes_.classOf()[i];
      if (c < 0) {
        row.error = classes_.errors().at(number);
        ++out_.illegal;
        continue;
      }
      const CostClass &cost = classes_.costs[static_cast<std::size_t>(c)];
      if (const auto &known = costs_[static_cast<std::size_t>(c)]) {
        const bool isFirst = cost.first == number;
        row.how = isFirst ? How::kEstimated : How::kEqual;
        row.cost = *known;
        row.like = isFirst ? -1 : cost.first;
        ++(isFirst ? out_.estimated : out_.equal);
      } else {
        row.how = How::kBounded;
        row.cost = cost.bound;
        row.like = ruledOutBy_[static_cast<std::size_t>(c)];
        ++out_.bounded;
      }
    }
  }

  const Problem &problem_;
  const ExploreOptions &options_;
  const Control &control_;
  Classes classes_;
  Exploration out_;
  Pareto front_;
  std::vector<std::optional<evaluate::Cost>> costs_;  // by cost class
  std::vector<std::int64_t> ruledOutBy_;              // by cost class
  std::mutex mutex_;
  std::optional<Diagnostics> failed_;
};

}  // namespace

std::string_view name(How how) {
  switch (how) {
    case How::kEstimated:
      return "estimated";
    case How::kEqual:
      return "equal";
    case How::kBounded:
      return "bounded";
    case How::kIllegal:
      break;
  }
  return "illegal";
}

Diagnostic interrupted(const Control &control, std::string_view what) {
  const std::string hint =
      control.store != nullptr
          ? fmt::format("what was finished is in {}: repeat the command to go on", control.store->path())
          : "with --store FILE.db the same command goes on where it was stopped";
  return error("interrupted", {}, fmt::format("stopped before all {} done", what), hint);
}

Result<Exploration> explore(const Problem &problem, const ExploreOptions &options, const Control &control) {
  return Explorer(problem, options, control).run();
}

}  // namespace pimento::tune
