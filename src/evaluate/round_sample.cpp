#include "pimento/evaluate/round_sample.h"

#include <algorithm>
#include <cmath>

#include "pimento/base/rng.h"
#include "pimento/base/statistics.h"

namespace pimento::evaluate {

namespace {

/// Where stretch number `s` of `rounds` rounds ends.
std::int64_t endOf(std::int64_t s, std::int64_t rounds) {
  constexpr std::int64_t kSingle = 2, kEqual = 8;
  static_assert(kSingle + 2 + kEqual == RoundSample::kStretches);
  if (s < kSingle) return s + 1;
  const double early = static_cast<double>(rounds) / 16;
  if (s == kSingle) return static_cast<std::int64_t>(std::sqrt(kSingle * early));
  const std::int64_t first = rounds / 16, equal = s - kSingle - 1;
  return first + (rounds - first) * equal / kEqual;
}

}  // namespace

RoundSample::RoundSample(std::int64_t rounds) {
  const std::int64_t stretches = std::min(rounds, kStretches);
  Rng rng(static_cast<std::uint64_t>(rounds));
  std::int64_t begin = 0;
  for (std::int64_t s = 0; s < stretches; ++s) {
    // At least one round each.
    const std::int64_t end = std::clamp(endOf(s, rounds), begin + 1, rounds - (stretches - 1 - s));
    stretches_.push_back(
        {end - begin, begin + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(end - begin)))});
    begin = end;
  }
}

std::int64_t RoundSample::next() {
  ++at_;
  if (nextStretch_ == stretches_.size() || stretches_[nextStretch_].timed != at_) return 0;
  return stretches_[nextStretch_++].rounds;
}

Cycles RoundSample::margin(double level) const {
  double variance = 0;
  for (std::size_t s = 0; s < cycles_.size(); ++s) {
    const double rounds = static_cast<double>(stretches_[s].rounds);
    double squares = 0, neighbours = 0;
    const auto compare = [&](std::size_t other) {
      const double step = static_cast<double>((cycles_[s] - cycles_[other]).value);
      squares += step * step;
      ++neighbours;
    };
    if (s > 0) compare(s - 1);
    if (s + 1 < cycles_.size()) compare(s + 1);
    if (neighbours > 0) variance += rounds * rounds * (1 - 1 / rounds) * squares / (2 * neighbours);
  }
  // Of eight equal stretches; neighbours share differences, which leaves about two thirds of the degrees of freedom.
  constexpr int kFreedom = 5;
  const double t = studentQuantile((1 + level) / 2, kFreedom);
  return Cycles(static_cast<std::int64_t>(std::ceil(t * std::sqrt(variance))));
}

}  // namespace pimento::evaluate
