#include "pimento/targets/cim/sample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/base/rng.h"
#include "pimento/base/statistics.h"

namespace pimento::targets::cim {

namespace {

constexpr std::int64_t kShort = 8 << 20;                         ///< points that run as a whole
constexpr std::int64_t kWarmUp = 384 << 10, kPiece = 192 << 10;  ///< points: enough to fill the caches many times over
constexpr int kPieces = 6;
/// What pieces cannot tell, of the cycles: a piece ends in the middle of what the core overlaps, and refreshes come at
/// other times than in a whole run.
constexpr double kEdges = 0.002;

/// to += times * (a - b)
void add(Measured &to, double times, const Measured &a, const Measured &b) {
  to.cycles += times * (a.cycles - b.cycles);
  for (std::size_t i = 0; i < to.counts.size(); ++i) to.counts[i] += times * (a.counts[i] - b.counts[i]);
}

}  // namespace

Sampled planOf(std::int64_t outermost, std::int64_t points) {
  if (points <= kShort || outermost < 1) return {};
  const std::int64_t each = std::max<std::int64_t>(1, points / outermost);
  Sampled plan{ceilDiv(kWarmUp, each), ceilDiv(kPiece, each), kPieces};
  const std::int64_t needed = plan.warmUp + plan.pieces * (2 * plan.warmUp + plan.length);
  return needed < outermost ? plan : Sampled{};
}

Result<Estimate> estimate(const Sampled &plan, std::int64_t outermost, std::uint64_t seed,
                          const std::function<Result<Measured>(std::int64_t first, std::int64_t end)> &measure) {
  const Result<Measured> beginning = measure(0, plan.warmUp);
  if (!beginning) return beginning.diagnostics();
  Estimate out;
  out.mean = *beginning;
  out.simulated = beginning->cycles;
  const std::int64_t rest = outermost - plan.warmUp;
  Rng rng(hashText("pieces", seed));
  std::vector<double> rates;  // cycles of an iteration
  for (int p = 0; p < plan.pieces; ++p) {
    // The stratum; its piece begins anywhere in it.
    const std::int64_t low = plan.warmUp + rest * p / plan.pieces,
                       high = plan.warmUp + rest * (p + 1) / plan.pieces - plan.length;
    const std::int64_t first = rng.integer(low, std::max(low, high));
    const Result<Measured> warmUp = measure(first - plan.warmUp, first);
    if (!warmUp) return warmUp.diagnostics();
    const Result<Measured> both = measure(first - plan.warmUp, first + plan.length);
    if (!both) return both.diagnostics();
    const auto length = static_cast<double>(plan.length);
    add(out.mean, static_cast<double>(rest) / static_cast<double>(plan.pieces) / length, *both, *warmUp);
    out.simulated += warmUp->cycles + both->cycles;
    rates.push_back((both->cycles - warmUp->cycles) / length);
  }
  double mean = 0, squares = 0;
  for (const double r : rates) mean += r / static_cast<double>(rates.size());
  for (const double r : rates) squares += (r - mean) * (r - mean);
  const auto n = static_cast<double>(rates.size());
  const double error = std::sqrt(squares / (n - 1) / n) * static_cast<double>(rest);
  const double half =
      studentQuantile(0.5 + kLevel / 2, static_cast<int>(rates.size()) - 1) * error + kEdges * out.mean.cycles;
  out.low = std::max(0.0, out.mean.cycles - half);
  out.high = out.mean.cycles + half;
  return out;
}

}  // namespace pimento::targets::cim
