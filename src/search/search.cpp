#include "pimento/search/search.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::search {

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::kOpen:
      return "open";
    case Fate::kEstimated:
      return "estimated";
    case Fate::kEqual:
      return "equal";
    case Fate::kBounded:
      return "bounded";
    case Fate::kIllegal:
      break;
  }
  return "illegal";
}

std::string_view name(Stop stop) {
  switch (stop) {
    case Stop::kDone:
      return "done";
    case Stop::kBudget:
      return "budget";
    case Stop::kStopped:
      break;
  }
  return "stopped";
}

std::int64_t Found::count(Fate fate) const {
  return std::ranges::count(verdicts, fate, &Verdict::fate);
}

Proof proofOf(const Found &found) {
  Proof proof;
  if (found.front.empty()) return proof;
  const auto gap = [](double best, double bound) { return bound < best ? 1 - bound / best : 0.0; };
  for (const Verdict &v : found.verdicts) {
    if (v.fate != Fate::kOpen) continue;
    proof.gap.time = std::max(proof.gap.time, gap(found.front.front().time, v.cost.time));
    proof.gap.energy = std::max(proof.gap.energy, gap(found.front.back().energy, v.cost.energy));
  }
  return proof;
}

std::string proofText(const Proof &proof, std::string_view what, std::string_view where) {
  if (proof.isOptimal()) return fmt::format("optimal {}", where);
  constexpr double kPercent = 100;
  const std::string time = proof.gap.time > 0 ? fmt::format("is more than {:.1f} % faster", kPercent * proof.gap.time)
                                              : "",
                    energy = proof.gap.energy > 0
                                 ? fmt::format("takes over {:.1f} % less energy", kPercent * proof.gap.energy)
                                 : "";
  if (time.empty() && energy.empty()) return fmt::format("the best {} by sampled times, not proved optimal", where);
  return fmt::format("not proved optimal: {}no {} {} {}{}{}", proof.isSampled ? "by sampled times, " : "", what, where,
                     time, time.empty() || energy.empty() ? "" : " or ", energy);
}

}  // namespace pimento::search
