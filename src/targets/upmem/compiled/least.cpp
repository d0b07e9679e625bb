#include "pimento/targets/upmem/compiled/least.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/sim/dpu/dma.h"
#include "pimento/targets/upmem/counts.h"

namespace pimento::targets::upmem::compiled {

using sim::dpu::Counts;

namespace {

using Sizes = std::vector<std::int64_t>;
using ImagePtr = std::shared_ptr<const sim::dpu::Image>;

/// What a run did, as numbers that are multilinear: cycles, ticks of the engine, counts.
using Work = std::vector<std::int64_t>;
constexpr std::size_t kCycles = 0, kTicks = 1, kCounts = 2;

/// Do all points take the same on constants? Not where the index is a factor, nor where what was computed before
/// decides: the product of so many, the exponent of a floating-point sum, the step before in a sequential dim.
bool isSteady(const kernel::Kernel &k) {
  const auto isPlain = [](const kernel::Value &v) { return v.op != kernel::Op::kIndex && !isFloat(v.type); };
  const auto isSum = [](const kernel::Store &s) { return s.combine != kernel::Combine::kMul && s.follows < 0; };
  const auto isFree = [](const kernel::Dim &d) { return d.kind != kernel::DimKind::kSequential; };
  return std::all_of(k.body.begin(), k.body.end(), isPlain) && std::all_of(k.stores.begin(), k.stores.end(), isSum) &&
         std::all_of(k.dims.begin(), k.dims.end(), isFree);
}

class Counter {
 public:
  Counter(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine, Cache &cache,
          std::optional<double> constant)
      : plan_(plan),
        scheme_(plan.scheme()),
        image_(image),
        machine_(machine),
        cache_(cache),
        constant_(constant),
        refreshInterval_(machine.refreshInterval.value),
        refreshTime_(machine.refreshTime.value) {
    machine_.refreshInterval = Cycles(0);
    addToKey(image_.get());
    for (const auto *table : {&machine.reads, &machine.writes})
      for (const machine::Dpu::Transfer &t : *table) {
        addToKey(t.size.value);
        addToKey(t.latency);
        addToKey(t.occupancy);
      }
    for (const std::int64_t n :
         {machine.issueInterval.value, machine.ticksPerCycle, machine.wram.value, machine.mram.value,
          machine.transferUnit.value, machine.transferMax.value, machine.transferPorts, machine.multiplier.value})
      addToKey(n);
    addToKey(constant_.has_value());
    if (constant_) addToKey(*constant_);
    addToKey(machine.mramModel == "constant" ? machine.constantTransfer : -1.0);
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

  std::optional<Cycles> likely() const {
    if (!isCountable()) return std::nullopt;
    std::int64_t instructions = 0, longest = 0, ticks = 0;
    for (const auto &[sizes, tasklets] : sharesOf(0)) {
      const auto one = work(sizes);
      if (!one) return std::nullopt;
      instructions = addSaturated(instructions, multiplySaturated(tasklets, (*one)[kCounts]));
      ticks = addSaturated(ticks, multiplySaturated(tasklets, (*one)[kTicks]));
      longest = std::max(longest, (*one)[kCycles]);
    }
    std::int64_t merging = 0;
    for (const Operand &o : scheme_.operands) merging = addSaturated(merging, o.cyclesOfMerge);
    return Cycles(addSaturated(merging, std::max({instructions, longest, engineCycles(ticks)})));
  }

  /// What a point issues more on random data than on those of short runs: the mean of many, and how far the mean of all
  /// may be below it.
  struct Extra {
    double mean = 0, margin = 0;
  };
  std::optional<Extra> extraOn(const kernel::DataSpec &values) const {
    if (!isCountable()) return std::nullopt;
    struct Known {
      ImagePtr image;
      std::optional<Extra> extra;
    };
    std::string key = key_;
    for (const double x : {static_cast<double>(values.kind), values.low, values.high, static_cast<double>(values.seed)})
      key.append(reinterpret_cast<const char *>(&x), sizeof x);
    return cache_.get<Known>(key, key.size(), [&] { return Known{image_, measureExtra(values)}; })->extra;
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

  std::optional<Extra> measureExtra(const kernel::DataSpec &values) const {
    constexpr int kRuns = 8;
    constexpr std::int64_t kMostPoints = 2048;
    const auto shares = sharesOf(0);
    if (shares.empty()) return std::nullopt;
    Sizes sizes = shares.rbegin()->first;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (scheme_.axes[d].isTiled()) sizes[d] = std::min(sizes[d], scheme_.axes[d].tile);
    for (const int d : scheme_.nest) {
      std::int64_t &n = sizes[static_cast<std::size_t>(d)];
      if (pointsOf(sizes) > kMostPoints && !scheme_.axis(d).isWhole)
        n = std::max<std::int64_t>(1, n * kMostPoints / pointsOf(sizes));
    }
    const auto base = run(sizes);
    if (!base) return std::nullopt;
    std::vector<double> extra;
    for (int r = 0; r < kRuns; ++r) {
      const auto issued = runOnRandom(sizes, values, r);
      if (!issued) return std::nullopt;
      extra.push_back(static_cast<double>(*issued - (*base)[kCounts]) / static_cast<double>(pointsOf(sizes)));
    }
    Extra out;
    for (const double e : extra) out.mean += e / kRuns;
    double squares = 0;
    for (const double e : extra) squares += (e - out.mean) * (e - out.mean);
    constexpr double kErrors = 4, kLeast = 0.01;  // of the mean
    out.margin = std::max(kErrors * std::sqrt(squares / (kRuns - 1) / kRuns), kLeast * std::abs(out.mean));
    return out;
  }

  static std::int64_t pointsOf(const Sizes &sizes) {
    std::int64_t points = 1;
    for (const std::int64_t n : sizes) points = multiplySaturated(points, n);
    return points;
  }

  /// Instructions of one tasklet on values of run number `number`.
  std::optional<std::int64_t> runOnRandom(const Sizes &sizes, const kernel::DataSpec &values, int number) const {
    constexpr std::int64_t kElements = 1 << 12, kMostBytes = 1 << 19;
    sim::dpu::Dpu dpu(fresh());
    const auto at = plan_.fills(0, true);  // where operands begin
    std::size_t f = 0;
    for (const Operand &o : scheme_.operands) {
      if (!o.isPlaced()) continue;
      const auto made = kernel::makeElements(*scheme_.graph, o.tensor, values, kElements,
                                             static_cast<std::uint64_t>(number));
      if (made.type != o.type) return std::nullopt;
      const Fill &to = at[f++];
      const std::int64_t end = std::min({o.home.bytes, kMostBytes, machine_.mram.value - to.offset});
      const auto size = static_cast<std::int64_t>(made.bytes.size());
      for (std::int64_t b = 0; b < end; b += size)
        dpu.writeMram(static_cast<std::uint32_t>(to.offset + b),
                      std::span(made.bytes).first(static_cast<std::size_t>(std::min(size, end - b))));
    }
    const program::Code::Segment arguments = plan_.alone(sizes, ranges());
    dpu.writeWram(arguments.address, std::as_bytes(std::span(arguments.bytes)));
    const auto done = dpu.simulate();
    if (done.fault) return std::nullopt;
    return done.counts.instructions - done.counts.failedAttempts;
  }

  /// Runs on so many tiles and one more are extrapolated, if they tell what `kExact` tiles do; the first tile differs.
  static constexpr std::int64_t kFirst = 2, kExact = 4;
  static constexpr int kMostTiled = 4;

  template <typename T>
  void addToKey(const T &x) {
    key_.append(reinterpret_cast<const char *>(&x), sizeof x);
  }

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
    const auto none = run(without(split, sizes));
    if (!none) return false;
    least = most = *none;
    for (std::size_t i = 0; i < split.size() && split.size() > 1; ++i) {
      const auto some = run(without({split[i]}, sizes));
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
    std::optional<Work> out = many.empty() ? run(sizes) : manyTiles(sizes, many);
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
      auto w = run(some);
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
    const auto checked = run(sizes);
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

  /// Those of all short runs are equal, and no larger than the mapping's: what a product with a range takes hangs on
  /// its bits.
  Sizes ranges() const {
    Sizes out = scheme_.sizesPerThread();
    for (std::size_t d = 0; d < out.size(); ++d)
      if (scheme_.axes[d].isTiled()) out[d] = std::min(out[d], (kExact + 1) * scheme_.axes[d].tile);
    return out;
  }

  /// A DPU whose operands, where short runs have them, hold the constant.
  sim::dpu::Dpu fresh() const {
    sim::dpu::Dpu dpu(image_, machine_);
    if (!constant_) return dpu;
    for (const Fill &f : plan_.fills(*constant_, true))
      if (f.offset + f.size <= machine_.mram.value)
        dpu.fillMram(static_cast<std::uint32_t>(f.offset), f.size, f.pattern);
    return dpu;
  }

  /// One short run, or what it gave before.
  std::optional<Work> run(const Sizes &sizes) const {
    struct Known {
      ImagePtr image;  // keys name it by address
      std::optional<Work> work;
    };
    const program::Code::Segment arguments = plan_.alone(sizes, ranges());
    std::string key = key_;
    key.append(arguments.bytes.begin(), arguments.bytes.end());
    constexpr std::size_t kBytes = 256;
    return cache_.get<Known>(key, kBytes, [&] { return Known{image_, runNow(arguments)}; })->work;
  }

  std::optional<Work> runNow(const program::Code::Segment &arguments) const {
    if (!fresh_) fresh_.emplace(fresh());
    sim::dpu::Dpu dpu(*fresh_);
    dpu.writeWram(arguments.address, std::as_bytes(std::span(arguments.bytes)));
    const auto done = dpu.estimate();
    if (!done || done->fault) return std::nullopt;
    Work out{done->cycles.value, done->engineTicks};
    for (const CountMember member : countMembers()) out.push_back(done->counts.*member);
    // Who comes to a barrier when decides how often its lock is asked for.
    out[kCounts] -= done->counts.failedAttempts;
    return out;
  }

  /// Of the port that has most. A refresh comes first in each interval, so so much work takes the refreshes of the
  /// intervals that it fills; the last transfer may end after the program does.
  std::int64_t engineCycles(std::int64_t ticks) const {
    const std::int64_t last = ceilDiv(sim::dpu::Dma::mostOccupancy(machine_), machine_.ticksPerCycle);
    const std::int64_t work = ticks / machine_.ticksPerCycle / machine_.transferPorts,
                       left = refreshInterval_ - refreshTime_;
    const std::int64_t paused = refreshInterval_ > 0 && left > 0 ? work / left * refreshTime_ : 0;
    return std::max<std::int64_t>(0, work + paused - last - refreshTime_ - 1);
  }

  const Plan &plan_;
  const Scheme &scheme_;
  const ImagePtr &image_;
  machine::Dpu machine_;  // without refreshes
  Cache &cache_;
  std::optional<double> constant_;
  double perPoint_ = 0;
  std::int64_t refreshInterval_, refreshTime_;
  std::string key_;
  mutable std::optional<sim::dpu::Dpu> fresh_;  // what runs begin with
};

/// And do all points take the same on average where operands are independent?
bool isSteadyOnAverage(const kernel::Kernel &k) {
  const auto isSum = [](const kernel::Store &s) {
    return s.combine == kernel::Combine::kAssign || s.combine == kernel::Combine::kAdd;
  };
  const auto isDirect = [](const kernel::Access &a) { return !a.isIndirect(); };
  return isSteady(k) && std::ranges::all_of(k.stores, isSum) && std::ranges::all_of(k.loads, isDirect);
}

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

std::optional<Cycles> likelyCycles(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine, Cache &cache,
                                   const KnownValues &values) {
  const Counter counter(plan, image, machine, cache, values.constant);
  if (const auto likely = counter.likely()) return likely;
  if (values.constant || values.random == nullptr) return std::nullopt;
  Counter onZeros(plan, image, machine, cache, 0);
  const auto extra = onZeros.extraOn(*values.random);
  if (!extra) return std::nullopt;
  onZeros.addPerPoint(extra->mean);
  return onZeros.likely();
}

}  // namespace pimento::targets::upmem::compiled
