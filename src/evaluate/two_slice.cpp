#include "pimento/evaluate/two_slice.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace pimento::evaluate {

namespace {

std::int64_t scaled(std::int64_t n, double by) {
  constexpr double kMost = 9.2e18;
  return static_cast<std::int64_t>(std::llround(std::min(kMost, static_cast<double>(n) * by)));
}

/// Pieces that were simulated: the second of one step is often the first of a later one.
class Pieces {
 public:
  explicit Pieces(const Slices &slices) : slices_(slices) {}

  Result<DeviceRun> run(std::int64_t coefficient) {
    if (const auto known = runs_.find(coefficient); known != runs_.end()) return known->second;
    Result<DeviceRun> run = slices_.simulate(coefficient);
    if (!run) return run;
    simulated_ += run->cycles;
    runs_.emplace(coefficient, *run);
    return run;
  }
  void forgetBelow(std::int64_t coefficient) { runs_.erase(runs_.begin(), runs_.lower_bound(coefficient)); }
  Cycles simulated() const { return simulated_; }

 private:
  const Slices &slices_;
  std::map<std::int64_t, DeviceRun> runs_;
  Cycles simulated_{};
};

DeviceRun scaled(DeviceRun run, double by) {
  run.cycles = Cycles(scaled(run.cycles.value, by));
  for (CommandPhase &p : run.phases) p.cycles = Cycles(scaled(p.cycles.value, by)), p.commands = scaled(p.commands, by);
  run.kernelCommands = scaled(run.kernelCommands, by);
  for (auto &[name, n] : run.counts) n = scaled(n, by);
  energy::ActionCounts actions;
  for (const auto &[action, n] : run.actions) actions.add(action, scaled(n, by));
  run.actions = actions;
  return run;
}

}  // namespace

Result<DeviceRun> extrapolate(const Slices &slices, const TwoSlice &options) {
  const double whole = slices.wholeSize();
  Pieces pieces(slices);
  for (std::int64_t c = 1;; ++c) {
    const double size1 = slices.size(c), size2 = slices.size(2 * c);
    // The algorithm would go on to the first piece's being the whole, and answer with the second all the same.
    if (size2 >= whole) {
      return slices.simulateWhole();
    }
    const Result<DeviceRun> first = pieces.run(c), second = first ? pieces.run(2 * c) : first;
    if (!second) return second;
    if (second->isStuck) return second;
    pieces.forgetBelow(c + 1);
    const auto step1 = static_cast<double>(first->cycles.value), step2 = static_cast<double>(second->cycles.value);
    const double ratio = 2 * (step2 / size2) / (step1 / size1);
    if (std::abs(2 - ratio) > options.alpha) continue;
    DeviceRun out = scaled(*second, whole / size2);
    out.cyclesSimulated = pieces.simulated();
    out.isExtrapolated = true;
    out.warnings.push_back(
        fmt::format("extrapolated from two simulated pieces of {:.3g} % and {:.3g} % of the iterations; one-time work "
                    "and irregular events are scaled like the rest",
                    100 * size1 / whole, 100 * size2 / whole));
    return out;
  }
}

}  // namespace pimento::evaluate
