#include "pimento/sim/sram/transposed_access.h"

#include <algorithm>

namespace pimento::sim::sram {

using Verdict = LayoutTable::Verdict;

TransposedAccess::TransposedAccess(const machine::Sram &sram, LayoutTable &table, Arrays &arrays)
    : sram_(sram), table_(table), arrays_(arrays), units_(sram) {}

/// The whole line passes, so that each way that it lies in works on it.
std::int64_t TransposedAccess::throughUnits(int region, std::uint64_t address, std::int64_t now) {
  const int bits = 8 * table_.region(region).elementBytes;
  std::int64_t done = now;
  for (const LayoutTable::BankWays &b : table_.waysOf(region, address, sram_.line.value))
    for (const int way : b.ways) done = std::max(done, units_.pass(b.bank, way, bits, now));
  return done;
}

std::optional<TransposedAccess::Answer> TransposedAccess::answered(std::int64_t now, const Request &q) {
  const Verdict verdict = q.isStream ? table_.stream(q.address) : table_.core(q.address);
  if (verdict == Verdict::kWaits) return std::nullopt;
  if (verdict == Verdict::kNormal) return Answer{q.token, now, true, 0};
  const int region = *table_.find(q.address);
  const LayoutTable::Place p = table_.placeOf(region, q.address);
  const int bits = 8 * table_.region(region).elementBytes;
  const std::int64_t bitline = p.tile * sram_.bitlines + p.bitline;
  Answer answer{q.token, throughUnits(region, q.address, now), false, 0};
  if (q.isWrite) {
    arrays_.store(p.wordline, bits, bitline, {&q.value, 1});
  } else {
    arrays_.load(p.wordline, bits, bitline, {&answer.value, 1});
  }
  return answer;
}

std::optional<TransposedAccess::Answer> TransposedAccess::ask(std::int64_t now, const Request &q) {
  // Order per region: a load does not pass a store that waits.
  const std::optional<int> region = table_.find(q.address);
  const bool isBehind = region && !q.isStream && std::ranges::any_of(waiting_, [&](const Request &w) {
                          return !w.isStream && table_.find(w.address) == region;
                        });
  std::optional<Answer> answer;
  if (!isBehind) answer = answered(now, q);
  if (!answer) waiting_.push_back(q);
  return answer;
}

std::vector<TransposedAccess::Answer> TransposedAccess::changed(std::int64_t now) {
  std::vector<Answer> out;
  std::deque<Request> still;
  for (const Request &q : waiting_) {
    if (const std::optional<Answer> answer = answered(now, q))
      out.push_back(*answer);
    else
      still.push_back(q);
  }
  waiting_ = std::move(still);
  return out;
}

}  // namespace pimento::sim::sram
