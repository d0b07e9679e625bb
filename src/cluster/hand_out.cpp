#include "pimento/cluster/hand_out.h"

#include <algorithm>

namespace pimento::cluster {

namespace {

constexpr double kFirstRankSeconds = 0.01;

}  // namespace

void HandOut::join(std::size_t rank, int jobs) {
  Rank &r = ranks_[rank];
  jobs_ += jobs - r.jobs;
  r.jobs = jobs;
}

void HandOut::leave(std::size_t rank) {
  Rank &r = ranks_[rank];
  jobs_ -= r.jobs;
  out_ -= static_cast<std::int64_t>(r.tasks.size());
  now_.insert(now_.begin(), r.tasks.begin(), r.tasks.end());
  r = {};
}

void HandOut::promote(std::int64_t task) {
  if (const auto at = std::ranges::find(later_, task); at != later_.end()) later_.erase(at);
  now_.push_back(task);
}

std::vector<std::int64_t> HandOut::take(std::size_t rank) {
  Rank &r = ranks_[rank];
  if (r.jobs == 0) return {};
  const bool isFirst = rank == 0, isLater = now_.empty() && !isFirst;
  std::deque<std::int64_t> &from = isLater ? later_ : now_;
  if (from.empty()) return {};
  const double mean = meanSeconds(), seconds = isFirst ? kFirstRankSeconds : chunkSeconds_;
  // What a job gets: so much as takes the time, but no more than half of an equal share.
  const double byTime = mean > 0 ? seconds / mean : 1;
  const double half = static_cast<double>(from.size()) / (2.0 * static_cast<double>(jobs_));
  // Tasks that are finished first are short ones: a rank gets no more than twice as many as before.
  const auto each = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(byTime, half)), 1, 2 * r.each);
  // The first rank deals to one of its jobs at a time. The others have a chunk in hand while they ask for another, but
  // not of tasks that are longer than the answer takes.
  const std::int64_t chunk = isFirst ? each : each * r.jobs;
  const auto has = static_cast<std::int64_t>(r.tasks.size());
  std::int64_t most = isFirst ? has + chunk : chunk > r.jobs ? 2 * chunk : chunk;
  if (!isFirst && has > most / 2 && has >= r.jobs) return {};
  std::vector<std::int64_t> out;
  for (; !from.empty() && has + static_cast<std::int64_t>(out.size()) < most; from.pop_front())
    out.push_back(from.front());
  r.each = each;
  r.tasks.insert(out.begin(), out.end());
  out_ += static_cast<std::int64_t>(out.size());
  if (!out.empty()) ++chunks_;
  return out;
}

bool HandOut::finish(std::size_t rank, std::int64_t task, double seconds) {
  ++finished_;
  seconds_ += seconds;
  if (ranks_[rank].tasks.erase(task) > 0) {
    --out_;
    return true;
  }
  // The rank was thought lost: another has the task, or it waits.
  for (Rank &r : ranks_)
    if (r.tasks.erase(task) > 0) {
      --out_;
      return true;
    }
  const auto at = std::ranges::find(now_, task);
  if (at == now_.end()) return false;
  now_.erase(at);
  return true;
}

}  // namespace pimento::cluster
