#include <algorithm>
#include <tuple>

#include "pimento/search/search.h"

namespace pimento::search {

namespace {

/// One search: the candidates that are evaluated or ruled out, in order, and what is known so far.
class Run {
 public:
  Run(std::span<const Candidate> candidates, Evaluator &evaluator, const Budget &budget, bool isPruned)
      : candidates_(candidates), evaluator_(evaluator), budget_(budget), isPruned_(isPruned) {
    found_.verdicts.resize(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate &c = candidates[i];
      found_.verdicts[i] = {c.isLegal ? Fate::kOpen : Fate::kIllegal, c.bound, c.like};
      if (c.isLegal && c.like < 0 && !c.isSetAside) order_.push_back(static_cast<std::int64_t>(i));
    }
    if (!isPruned) return;
    std::ranges::sort(order_, {}, [&](std::int64_t i) {
      const Objectives &b = at(i).bound;
      return std::tuple(std::max(b.time, at(i).guess), b.energy, i);
    });
  }

  Result<Found> search(std::size_t first, std::size_t largest) {
    for (std::size_t size = first; next_ < order_.size() && found_.stop != Stop::kStopped;
         size = std::min(2 * size, largest)) {
      if (budget_.isStopped != nullptr && *budget_.isStopped) {
        found_.stop = Stop::kStopped;
        break;
      }
      const std::size_t begin = next_;
      if (Status s = evaluate(nextBatch(size)); !s) return s.diagnostics();
      evaluator_.advance(static_cast<std::int64_t>(next_ - begin));
    }
    settle();
    found_.front = front_.front();
    found_.proof = proofOf(found_);
    found_.proof.isSampled = !evaluator_.isExact();
    return std::move(found_);
  }

 private:
  const Candidate &at(std::int64_t i) const { return candidates_[static_cast<std::size_t>(i)]; }
  Verdict &verdict(std::int64_t i) { return found_.verdicts[static_cast<std::size_t>(i)]; }

  /// The next candidates to evaluate; those on the way that their bounds rule out get their fate.
  std::vector<std::int64_t> nextBatch(std::size_t size) {
    std::vector<std::int64_t> batch;
    for (; next_ < order_.size() && batch.size() < size; ++next_) {
      const std::int64_t i = order_[next_];
      const bool isKnown = evaluator_.isKnown(i);
      if (isPruned_ && !isKnown)
        if (const auto by = front_.rulesOut({at(i).bound.time, at(i).bound.energy, i})) {
          verdict(i) = {Fate::kBounded, at(i).bound, *by};
          continue;
        }
      if (!isKnown && found_.evaluations >= budget_.evaluations && !at(i).isReserved) {
        found_.stop = Stop::kBudget;
        continue;
      }
      if (!isKnown && !at(i).isReserved && !evaluator_.isWorth(i)) {
        found_.stop = Stop::kBudget;
        continue;
      }
      found_.evaluations += isKnown ? 0 : 1;
      batch.push_back(i);
    }
    return batch;
  }

  /// Candidates behind the batch, as it looks before the batch is evaluated.
  std::vector<std::int64_t> following(std::size_t most) const {
    std::vector<std::int64_t> out;
    for (std::size_t n = next_; n < order_.size() && out.size() < most; ++n) {
      const std::int64_t i = order_[n];
      if (evaluator_.isKnown(i)) continue;
      if (!isPruned_ || !front_.rulesOut({at(i).bound.time, at(i).bound.energy, i})) out.push_back(i);
    }
    return out;
  }

  Status evaluate(const std::vector<std::int64_t> &batch) {
    if (batch.empty()) return okStatus();
    if (const std::size_t most = evaluator_.ahead(); most > 0) evaluator_.expect(following(most));
    const auto costs = evaluator_.evaluate(batch);
    if (!costs) return costs.diagnostics();
    if (costs->size() < batch.size()) found_.stop = Stop::kStopped;
    for (std::size_t n = 0; n < std::min(batch.size(), costs->size()); ++n) {
      const std::int64_t i = batch[n];
      const std::optional<Objectives> &cost = (*costs)[n];
      verdict(i) = {cost ? Fate::kEstimated : Fate::kIllegal, cost.value_or(Objectives{}), -1};
      if (cost) front_.add({cost->time, cost->energy, i});
    }
    return okStatus();
  }

  /// What is still open may be ruled out by now, and a candidate that equals another shares its fate.
  void settle() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate &c = candidates_[i];
      Verdict &v = found_.verdicts[i];
      if (v.fate != Fate::kOpen || c.like >= 0 || !isPruned_) continue;
      if (const auto by = front_.rulesOut({c.bound.time, c.bound.energy, static_cast<std::int64_t>(i)}))
        v = {Fate::kBounded, c.bound, *by};
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate &c = candidates_[i];
      if (!c.isLegal || c.like < 0) continue;
      const Verdict &other = verdict(c.like);
      found_.verdicts[i] = other.fate == Fate::kEstimated ? Verdict{Fate::kEqual, other.cost, c.like} : other;
    }
    if (found_.stop == Stop::kBudget && found_.count(Fate::kOpen) == 0) found_.stop = Stop::kDone;
  }

  std::span<const Candidate> candidates_;
  Evaluator &evaluator_;
  const Budget &budget_;
  bool isPruned_;
  std::vector<std::int64_t> order_;
  std::size_t next_ = 0;
  Pareto front_;
  Found found_;
};

}  // namespace

Result<Found> BestFirst::run(std::span<const Candidate> candidates, Evaluator &evaluator, const Budget &budget) const {
  return Run(candidates, evaluator, budget, true).search(first_, largest_);
}

Result<Found> Exhaustive::run(std::span<const Candidate> candidates, Evaluator &evaluator, const Budget &budget) const {
  constexpr std::size_t kBatch = 64;
  return Run(candidates, evaluator, budget, false).search(kBatch, kBatch);
}

}  // namespace pimento::search
