#include "pimento/tune/predicted.h"

#include <algorithm>
#include <numeric>

#include "pimento/base/rng.h"
#include "pimento/evaluate/target.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/explore.h"
#include "pimento/tune/predictor.h"
#include "pimento/tune/problem.h"

namespace pimento::tune {

namespace {

constexpr std::size_t kChunk = 8192;
/// Kept for each that is asked for: the predictor does not know which are legal.
constexpr std::size_t kSpare = 32;

bool isStopped(const Control &control) {
  return control.isStopped != nullptr && *control.isStopped;
}

/// The best of what it is shown.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) {}

  void add(const mapping::Mapping &m, double cost) {
    const std::int64_t number = count_++;
    if (kept_.size() >= most_ && !(cost < kept_.back().cost)) return;
    // Behind those of equal cost: these were shown before.
    const auto at = std::ranges::upper_bound(kept_, cost, {}, &Kept::cost);
    kept_.insert(at, {cost, number, mapping::print(m)});
    if (kept_.size() > most_) kept_.pop_back();
  }

  struct Kept {
    double cost = 0;
    std::int64_t number = 0;
    std::string mapping;
  };
  const std::vector<Kept> &kept() const { return kept_; }

 private:
  std::size_t most_;
  std::int64_t count_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace

Result<Guesses> guess(const Problem &problem, const Predictor &predictor, evaluate::Objective objective,
                      std::size_t count, const Control &control) {
  Guesses out;
  Best best(count * kSpare);
  Candidates candidates(problem);
  for (bool isMore = true; isMore;) {
    std::vector<mapping::Mapping> chunk;
    while (chunk.size() < kChunk && (isMore = candidates.next())) chunk.push_back(candidates.mapping());
    if (isStopped(control)) return interrupted(control, "mappings were");
    if (chunk.empty()) break;
    const auto costs = predictor.predict(problem, chunk, objective, control.jobs);
    if (!costs) return costs.diagnostics();
    for (std::size_t i = 0; i < chunk.size(); ++i) best.add(chunk[i], (*costs)[i]);
    out.space += static_cast<std::int64_t>(chunk.size());
  }
  out.drafts = candidates.counts();
  Diagnostics refused;
  for (const Best::Kept &k : best.kept()) {
    if (out.best.size() == count) break;
    if (const auto compiled = compile(problem, mappingOf(k.mapping)); compiled) {
      out.best.push_back({k.mapping, k.cost});
    } else {
      if (refused.empty()) refused = compiled.diagnostics();
      ++out.illegal;
    }
  }
  if (out.best.empty() && !refused.empty()) return refused;
  if (out.best.empty())
    return unsupported("no-legal-mapping", problem.kernel().where,
                       "kernel '" + problem.kernel().name + "' has no mapping on " + problem.machine->name,
                       "use smaller sizes, or a larger machine");
  return out;
}

Result<std::vector<Draft>> runDrafts(const Problem &problem, const std::vector<std::string> &mappings,
                                     const Control &control) {
  ExploreOptions all;
  all.isUnbounded = true;
  all.only = &mappings;
  const Result<Exploration> found = explore(problem, all, control);
  if (!found) return found.diagnostics();
  std::vector<Draft> drafts;
  for (const Row &r : found->rows)
    if (r.how == search::Fate::kEstimated || r.how == search::Fate::kEqual)
      drafts.push_back({mappingOf(r.mapping), r.cost});
  return drafts;
}

std::vector<std::string> drawDrafts(const Problem &problem, std::int64_t count, std::uint64_t seed,
                                    const Control &control) {
  // Reservoir sampling (Vitter's algorithm R): one pass, and how many there are need not be known.
  Rng rng(seed);
  std::vector<std::pair<std::int64_t, std::string>> kept;
  Candidates candidates(problem);
  for (std::int64_t i = 0; i < kMostCounted && !isStopped(control) && candidates.next(); ++i) {
    if (i < count) {
      kept.emplace_back(i, candidates.text());
    } else if (const auto at = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(i) + 1)); at < count) {
      kept[static_cast<std::size_t>(at)] = {i, candidates.text()};
    }
  }
  std::ranges::sort(kept);
  std::vector<std::string> out;
  for (auto &[number, text] : kept) out.push_back(std::move(text));
  return out;
}

}  // namespace pimento::tune
