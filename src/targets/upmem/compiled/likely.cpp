#include "pimento/targets/upmem/compiled/likely.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/base/integer.h"
#include "pimento/targets/upmem/compiled/transfers.h"

namespace pimento::targets::upmem::compiled {

namespace {

constexpr std::int64_t kFew = 8;  // values of a dim in the shortest runs, twice as many in others

class Guess {
 public:
  Guess(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine, const KnownValues &values, Cache &shared)
      : scheme_(plan.scheme()),
        image_(image),
        machine_(machine),
        values_(values),
        shared_(shared),
        known_(plan, image, machine, shared, values.constant),
        onZeros_(plan, image, machine, shared, 0) {}

  std::optional<LikelyRun> run() const {
    if (!scheme_.kernel().bounds.empty()) return std::nullopt;  // on zeros their rows are empty
    std::map<Sizes, std::int64_t> shares;
    const Sizes valid = scheme_.mostOf();
    for (std::int64_t t = 0; t < scheme_.threads; ++t) ++shares[scheme_.validOf(valid, t)];
    const auto perPoint = extra();
    if (!perPoint) return std::nullopt;
    LikelyRun out;
    double issued = 0, slowest = 0, ticks = 0;
    for (const auto &[sizes, tasklets] : shares) {
      if (pointsOf(sizes) == 0) continue;
      const auto instructions = instructionsOf(sizes);
      if (!instructions) return std::nullopt;
      const double mine = std::max(1.0, *instructions + *perPoint * static_cast<double>(pointsOf(sizes)));
      const TransfersOf moved = transfersOf(scheme_, sizes, machine_, shared_);
      const double alone = static_cast<double>(machine_.issueInterval.value) * mine +
                           moved.ticks / static_cast<double>(machine_.ticksPerCycle);
      issued += static_cast<double>(tasklets) * mine;
      ticks += static_cast<double>(tasklets) * moved.ticks;
      addTransfers(moved, tasklets, out.counts);
      slowest = std::max(slowest, alone);
    }
    double cycles =
        std::max({issued, slowest, ticks / static_cast<double>(machine_.ticksPerCycle * machine_.transferPorts)});
    for (const Operand &o : scheme_.operands) cycles += static_cast<double>(o.cyclesOfMerge);
    constexpr double kMost = 1e17;
    out.cycles = Cycles(std::llround(std::min(cycles, kMost)));
    out.counts.instructions = std::llround(std::min(issued, kMost));
    out.counts.idleCycles = std::max<std::int64_t>(0, out.cycles.value - out.counts.instructions);
    return out;
  }

 private:
  static void addTransfers(const TransfersOf &moved, std::int64_t tasklets, sim::dpu::Counts &counts) {
    const auto add = [tasklets](std::int64_t &to, std::int64_t one) {
      to = addSaturated(to, multiplySaturated(tasklets, one));
    };
    add(counts.mramReads, moved.reads);
    add(counts.mramWrites, moved.count - moved.reads);
    add(counts.mramReadBytes, moved.readBytes);
    add(counts.mramWriteBytes, moved.writeBytes);
  }

  /// The values of a dim that short runs have, and the weight of each: what a tile costs is linear in between.
  struct Ends {
    std::int64_t low = 0, high = 0;  ///< high 0: the low end alone
    double lowWeight = 1, highWeight = 0;
  };

  Ends endsOf(std::size_t d, std::int64_t size) const {
    const Axis &a = scheme_.axes[d];
    const std::int64_t tile = a.isTiled() ? std::min(a.tile, size) : size;
    const auto values = static_cast<double>(size),
               tiles = static_cast<double>(ceilDiv(size, std::max<std::int64_t>(1, tile)));
    if (!a.isWhole && tile >= 2 * kFew) {
      const double few = static_cast<double>(kFew);
      return {kFew, 2 * kFew, 2 * tiles - values / few, values / few - tiles};
    }
    if (size <= 2 * tile) return {size, 0, 1, 0};
    const double ratio = values / static_cast<double>(tile);
    return {tile, 2 * tile, 2 - ratio, ratio - 1};
  }

  std::optional<double> instructionsOf(const Sizes &sizes) const {
    std::vector<Ends> ends;
    for (std::size_t d = 0; d < sizes.size(); ++d) ends.push_back(endsOf(d, sizes[d]));
    double sum = 0;
    for (std::size_t corner = 0; corner < std::size_t{1} << sizes.size(); ++corner) {
      Sizes some = sizes;
      double weight = 1;
      bool isThere = true;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const bool isHigh = ((corner >> d) & 1) != 0;
        isThere &= !isHigh || ends[d].high > 0;
        some[d] = isHigh ? ends[d].high : ends[d].low;
        weight *= isHigh ? ends[d].highWeight : ends[d].lowWeight;
      }
      if (!isThere) continue;
      const auto instructions = issued(some);
      if (!instructions) return std::nullopt;
      sum += weight * *instructions;
    }
    return sum;
  }

  /// Of one short run, by the first mapping that asks.
  std::optional<double> issued(const Sizes &sizes) const {
    std::string key = "issued ";
    const auto add = [&key](const auto &x) { key.append(reinterpret_cast<const char *>(&x), sizeof x); };
    add(image_.get());
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      add(sizes[d]);
      add(std::min(scheme_.axes[d].tile, 2 * kFew));
    }
    const auto make = [&] {
      auto work = known_.run(sizes);
      if (!work) work = onZeros_.run(sizes);
      return work ? std::optional(static_cast<double>((*work)[kInstructions])) : std::nullopt;
    };
    return *shared_.get<std::optional<double>>(key, key.size(), make);
  }

  /// Instructions that data add to a point. Of a structure, by the first mapping that asks.
  std::optional<double> extra() const {
    std::string key = "extra ";
    const ImagePtr::element_type *const image = image_.get();
    key.append(reinterpret_cast<const char *>(&image), sizeof image);
    const auto make = [&]() -> std::optional<double> {
      const Sizes sizes = scheme_.validOf(scheme_.mostOf(), 0);
      Sizes few = sizes;
      for (std::size_t d = 0; d < few.size(); ++d) few[d] = endsOf(d, sizes[d]).low;
      if (known_.run(few)) return 0;
      if (values_.constant || values_.random == nullptr) return std::nullopt;
      const auto measured = onZeros_.measureExtra(*values_.random);
      return measured ? std::optional(measured->mean) : std::nullopt;
    };
    return *shared_.get<std::optional<double>>(key, key.size(), make);
  }

  const Scheme &scheme_;
  const ImagePtr &image_;
  const machine::Dpu &machine_;
  const KnownValues &values_;
  Cache &shared_;
  ShortRuns known_, onZeros_;
};

}  // namespace

std::optional<LikelyRun> likelyRun(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine,
                                   const KnownValues &values, Cache &shared) {
  return Guess(plan, image, machine, values, shared).run();
}

}  // namespace pimento::targets::upmem::compiled
