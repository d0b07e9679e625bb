#include "pimento/targets/upmem/compiled/least.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/sim/dpu/dma.h"
#include "pimento/targets/upmem/counts.h"

namespace pimento::targets::upmem::compiled {

using sim::dpu::Counts;

namespace {

class Counter {
 public:
  Counter(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine, Cache &cache,
          std::optional<double> constant)
      : plan_(plan), scheme_(plan.scheme()), runs_(plan, image, machine, cache, constant), machine_(machine) {}

  std::optional<ShortRuns::Extra> extraOn(const kernel::DataSpec &values) const {
    return isCountable() ? runs_.extraOn(values) : std::nullopt;
  }
  /// Every point issues so many instructions more than short runs say.
  void addPerPoint(double instructions) { perPoint_ = instructions; }

  std::optional<LeastRun> least(std::int64_t dpu) const {
    if (!isCountable()) return std::nullopt;
    Work all, idle;  // idle: the most that tasklets with nothing to do take
    std::int64_t longest = 0;
    for (const auto &[sizes, tasklets] : sharesOf(dpu)) {
      const auto one = work(sizes);
      if (!one) return std::nullopt;
      if (all.empty()) {
        all = idle = Work(one->size(), 0);
        if (!addIdle(sizes, all, idle)) return std::nullopt;
      }
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += tasklets * std::max<std::int64_t>(0, (*one)[i] - idle[i]);
      // Each instruction of the others delays the one that works by a cycle at most.
      longest = std::max(longest, (*one)[kCycles] - idle[kCounts] - idle[failedAttempts()]);
    }
    if (all.empty()) return LeastRun{};  // nothing to do
    LeastRun out;
    const auto members = countMembers();
    for (std::size_t c = 0; c < members.size(); ++c) out.counts.*members[c] = all[kCounts + c];
    out.counts.idleCycles = out.counts.syncAttempts = out.counts.failedAttempts = 0;
    out.cycles = Cycles(std::max({out.counts.instructions, longest, engineCycles(all[kTicks])}));
    return out;
  }

 private:
  /// How many tasklets have so much, those with nothing to do left out.
  std::map<Sizes, std::int64_t> sharesOf(std::int64_t dpu) const {
    std::map<Sizes, std::int64_t> shares;
    const Sizes valid = scheme_.validOf(dpu);
    for (std::int64_t t = 0; t < scheme_.threads; ++t) {
      const Sizes sizes = scheme_.validOf(valid, t);
      if (std::find(sizes.begin(), sizes.end(), 0) == sizes.end()) ++shares[sizes];
    }
    return shares;
  }

  /// Runs on so many tiles and one more are extrapolated, if they tell what `kExact` tiles do; the first tile differs.
  static constexpr std::int64_t kFirst = 2, kExact = 4;
  static constexpr int kMostTiled = 4;

  bool isCountable() const {
    if (scheme_.isScan || scheme_.kernel().form != kernel::Form::kAffine || !scheme_.kernel().guards.empty())
      return false;
    if (!scheme_.kernel().bounds.empty()) return false;
    if (machine_.mramModel == "dram-rows" || machine_.registerHazard != "none") return false;
    return std::all_of(scheme_.operands.begin(), scheme_.operands.end(), [](const Operand &o) {
      return o.isAligned && !o.isInMram && o.use != Use::kSelected && o.use != Use::kTable && !o.hasCarry;
    });
  }

  /// What a DPU takes that has nothing to do: the least into `least`, the most into `most`. Tasklets ask dim by dim
  /// whether they have some, so it hangs on which dim says no.
  bool addIdle(const Sizes &sizes, Work &least, Work &most) const {
    std::vector<std::size_t> split;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (scheme_.axes[d].threads() > 1) split.push_back(d);
    if (split.empty()) return true;
    const auto none = runs_.run(without(split, sizes));
    if (!none) return false;
    least = most = *none;
    for (std::size_t i = 0; i < split.size() && split.size() > 1; ++i) {
      const auto some = runs_.run(without({split[i]}, sizes));
      if (!some) return false;
      for (std::size_t n = 0; n < least.size(); ++n) {
        least[n] = std::min(least[n], (*some)[n]);
        most[n] = std::max(most[n], (*some)[n]);
      }
    }
    return true;
  }

  Sizes without(const std::vector<std::size_t> &dims, Sizes sizes) const {
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (scheme_.axes[d].isTiled()) sizes[d] = std::min(sizes[d], scheme_.axes[d].tile);
    for (const std::size_t d : dims) sizes[d] = 0;
    return sizes;
  }

  /// Of a tasklet with so many values of each dim, and others with nothing to do.
  std::optional<Work> work(const Sizes &sizes) const {
    std::vector<std::size_t> many;  // dims with so many tiles that they are extrapolated
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (scheme_.axes[d].isTiled() && sizes[d] / scheme_.axes[d].tile > kExact) many.push_back(d);
    std::optional<Work> out = many.empty() ? runs_.run(sizes) : manyTiles(sizes, many);
    if (!out || perPoint_ == 0) return out;
    const auto more = static_cast<std::int64_t>(std::floor(perPoint_ * static_cast<double>(pointsOf(sizes))));
    (*out)[kCounts] += more;
    (*out)[kCycles] += machine_.issueInterval.value * more;
    return out;
  }

  std::optional<Work> manyTiles(const Sizes &sizes, const std::vector<std::size_t> &many) const {
    if (static_cast<int>(many.size()) > kMostTiled) return std::nullopt;
    const auto isTimeLinear = findsTimesOfTiles(sizes, many);
    const auto corners = cornersOf(sizes, many);
    if (!isTimeLinear || !corners) return std::nullopt;
    Work out = extrapolated(*corners, many, sizes);
    if (!*isTimeLinear) out[kCycles] = machine_.issueInterval.value * (out[kCounts] - corners->back()[kCounts]);
    return out;
  }

  /// Runs with `kFirst` tiles and one more of each dim, and what those leave over.
  std::optional<std::vector<Work>> cornersOf(const Sizes &sizes, const std::vector<std::size_t> &many) const {
    std::vector<Work> corners;
    for (std::size_t corner = 0; corner < std::size_t{1} << many.size(); ++corner) {
      Sizes some = sizes;
      for (std::size_t i = 0; i < many.size(); ++i)
        some[many[i]] = sizeAt(sizes, many[i], kFirst + ((corner >> i) & 1));
      auto w = runs_.run(some);
      if (!w) return std::nullopt;
      corners.push_back(std::move(*w));
    }
    return corners;
  }

  /// Whether whole tiles tell the time of more of them, too; nothing where not even the counts. Tried without what the
  /// tiles leave over, so that mappings with equal tiles share these runs.
  std::optional<bool> findsTimesOfTiles(Sizes sizes, const std::vector<std::size_t> &many) const {
    for (const std::size_t d : many) sizes[d] -= sizes[d] % scheme_.axes[d].tile;
    const auto corners = cornersOf(sizes, many);
    for (const std::size_t d : many) sizes[d] = sizeAt(sizes, d, kExact);
    const auto checked = runs_.run(sizes);
    if (!corners || !checked) return std::nullopt;
    const Work predicted = extrapolated(*corners, many, sizes);
    for (std::size_t i = kTicks; i < predicted.size(); ++i)
      if (dpuCountOf(i) != &Counts::idleCycles && predicted[i] != (*checked)[i]) return std::nullopt;
    return predicted[kCycles] == (*checked)[kCycles];
  }

  /// Where they are among the numbers of a Work; instructions are without them.
  static std::size_t failedAttempts() {
    std::size_t i = kCounts;
    while (dpuCountOf(i) != &Counts::failedAttempts) ++i;
    return i;
  }

  static std::int64_t Counts::*dpuCountOf(std::size_t i) { return i < kCounts ? nullptr : countMembers()[i - kCounts]; }

  std::int64_t sizeAt(const Sizes &sizes, std::size_t d, std::size_t tiles) const {
    const std::int64_t tile = scheme_.axes[d].tile;
    return static_cast<std::int64_t>(tiles) * tile + sizes[d] % tile;
  }

  Work extrapolated(const std::vector<Work> &corners, const std::vector<std::size_t> &many, const Sizes &sizes) const {
    Work out(corners.front().size(), 0);
    for (std::size_t corner = 0; corner < corners.size(); ++corner) {
      std::int64_t weight = 1;
      for (std::size_t i = 0; i < many.size(); ++i) {
        const std::int64_t tiles = sizes[many[i]] / scheme_.axes[many[i]].tile;
        weight *= ((corner >> i) & 1) != 0 ? tiles - kFirst : kFirst + 1 - tiles;
      }
      for (std::size_t n = 0; n < out.size(); ++n) out[n] += weight * corners[corner][n];
    }
    return out;
  }

  /// Of the port that has most. A refresh comes first in each interval, so so much work takes the refreshes of the
  /// intervals that it fills; the last transfer may end after the program does.
  std::int64_t engineCycles(std::int64_t ticks) const {
    const std::int64_t last = ceilDiv(sim::dpu::Dma::mostOccupancy(machine_), machine_.ticksPerCycle);
    const std::int64_t interval = machine_.refreshInterval.value, time = machine_.refreshTime.value;
    const std::int64_t work = ticks / machine_.ticksPerCycle / machine_.transferPorts, left = interval - time;
    const std::int64_t paused = interval > 0 && left > 0 ? work / left * time : 0;
    return std::max<std::int64_t>(0, work + paused - last - time - 1);
  }

  const Plan &plan_;
  const Scheme &scheme_;
  ShortRuns runs_;
  const machine::Dpu &machine_;
  double perPoint_ = 0;
};

}  // namespace

std::optional<LeastRun> leastRun(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine, std::int64_t dpu,
                                 Cache &cache, const KnownValues &values) {
  const kernel::Kernel &k = plan.scheme().kernel();
  const auto constant = isSteady(k) ? values.constant : std::nullopt;
  const auto least = Counter(plan, image, machine, cache, constant).least(dpu);
  if (least || constant || values.random == nullptr || !isSteadyOnAverage(k)) return least;
  Counter onZeros(plan, image, machine, cache, 0);
  const auto extra = onZeros.extraOn(*values.random);
  if (!extra) return std::nullopt;
  onZeros.addPerPoint(extra->mean - extra->margin);
  auto sampled = onZeros.least(dpu);
  if (sampled) sampled->isSampled = true;
  return sampled;
}

}  // namespace pimento::targets::upmem::compiled
