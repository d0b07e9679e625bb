#include "pimento/sim/cache/prefetcher.h"

#include <algorithm>
#include <bit>

#include "pimento/base/diagnostics.h"

namespace pimento::sim::cache {

void StridePrefetcher::saw(std::uint64_t instruction, std::uint64_t line, std::vector<std::uint64_t> &out) {
  auto at = std::ranges::find(streams_, instruction, &Stream::instruction);
  const auto now = static_cast<std::int64_t>(line);
  if (at == streams_.end()) {
    const Stream fresh{instruction, now, 0, 0, ++clock_};
    if (streams_.size() < numbers_.streams)
      streams_.push_back(fresh);
    else
      *std::ranges::min_element(streams_, {}, &Stream::used) = fresh;
    return;
  }
  Stream &s = *at;
  s.used = ++clock_;
  const std::int64_t stride = now - s.last;
  if (stride == 0) return;  // the same line
  s.last = now;
  s.ahead = std::max<std::int64_t>(0, s.ahead - 1);
  if (stride != s.stride) {
    s.stride = stride;
    s.ahead = 0;
    return;
  }
  for (; s.ahead < numbers_.depth; ++s.ahead)
    if (const std::int64_t next = now + stride * (s.ahead + 1); next >= 0)
      out.push_back(static_cast<std::uint64_t>(next));
}

Bingo::Bingo(const Numbers &numbers)
    : numbers_(numbers),
      shift_(std::countr_zero(static_cast<unsigned>(numbers.regionLines))),
      history_(numbers.sets * numbers.ways) {
  PIMENTO_CHECK(std::has_single_bit(static_cast<unsigned>(numbers.regionLines)) && numbers.regionLines <= 64);
  PIMENTO_CHECK(std::has_single_bit(numbers.sets) && numbers.active > 0);
}

std::size_t Bingo::setOf(std::uint64_t instruction, int first) const {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  const std::uint64_t hash = (instruction * kMix) ^ (static_cast<std::uint64_t>(first + 1) * (kMix >> 7));
  return static_cast<std::size_t>(hash >> 32) & (numbers_.sets - 1);
}

/// A region is over: its footprint is kept.
void Bingo::learn(const Region &r) {
  const auto begin = history_.begin() + static_cast<std::ptrdiff_t>(setOf(r.instruction, r.first) * numbers_.ways);
  const auto end = begin + static_cast<std::ptrdiff_t>(numbers_.ways);
  auto at = std::find_if(begin, end, [&](const Entry &e) {
    return e.isUsed && e.instruction == r.instruction && e.region == r.region && e.first == r.first;
  });
  if (at == end) at = std::min_element(begin, end, [](const Entry &a, const Entry &b) { return a.used < b.used; });
  *at = {r.instruction, r.region, r.footprint, ++clock_, r.first, true};
}

std::uint64_t Bingo::predicted(std::uint64_t instruction, std::uint64_t region, int first) {
  const std::size_t set = setOf(instruction, first) * numbers_.ways;
  std::vector<std::uint64_t> alike;
  for (std::size_t i = set; i < set + numbers_.ways; ++i) {
    Entry &e = history_[i];
    if (!e.isUsed || e.instruction != instruction || e.first != first) continue;
    if (e.region == region) {
      e.used = ++clock_;
      return e.footprint;
    }
    alike.push_back(e.footprint);
  }
  std::uint64_t lines = 0;
  for (int line = 0; line < numbers_.regionLines && !alike.empty(); ++line) {
    const auto votes = std::ranges::count_if(alike, [line](std::uint64_t f) { return (f >> line & 1) != 0; });
    if (votes > 0 && static_cast<double>(votes) >= numbers_.share * static_cast<double>(alike.size()))
      lines |= std::uint64_t{1} << line;
  }
  return lines;
}

void Bingo::saw(std::uint64_t instruction, std::uint64_t line, std::vector<std::uint64_t> &out) {
  const std::uint64_t region = line >> shift_;
  const int place = static_cast<int>(line & (static_cast<std::uint64_t>(numbers_.regionLines) - 1));
  if (const auto at = std::ranges::find(active_, region, &Region::region); at != active_.end()) {
    at->footprint |= std::uint64_t{1} << place;
    at->used = ++clock_;
    return;
  }
  const Region fresh{region, instruction, place, std::uint64_t{1} << place, ++clock_};
  if (active_.size() < numbers_.active) {
    active_.push_back(fresh);
  } else {
    Region &over = *std::ranges::min_element(active_, {}, &Region::used);
    learn(over);
    over = fresh;
  }
  std::uint64_t lines = predicted(instruction, region, place) & ~(std::uint64_t{1} << place);
  for (; lines != 0; lines &= lines - 1)
    out.push_back(region << shift_ | static_cast<std::uint64_t>(std::countr_zero(lines)));
}

}  // namespace pimento::sim::cache
