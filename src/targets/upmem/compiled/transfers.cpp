#include "pimento/targets/upmem/compiled/transfers.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/sim/dpu/dma.h"

namespace pimento::targets::upmem::compiled {

using sim::dpu::RunResult;

namespace {

/// Transfers of one operand in the whole tiles of a tasklet, each of which moves the operand's box piece by piece: how
/// many there are at least, and for how many ticks they occupy the engine.
struct LeastTransfers {
  std::int64_t count = 0, bytes = 0;
  double ticks = 0;
};

LeastTransfers transfersOf(const Scheme &scheme, const Operand &o, const std::vector<std::int64_t> &sizes,
                           const sim::dpu::LeastOccupancy &occupancy) {
  std::int64_t pieces = 1;
  for (std::size_t n = 0; n < scheme.nest.size() && static_cast<int>(n) <= o.level; ++n) {
    const auto d = static_cast<std::size_t>(scheme.nest[n]);
    if (scheme.axes[d].isTiled()) pieces = multiplySaturated(pieces, sizes[d] / scheme.axes[d].tile);
  }
  std::vector<std::int64_t> tile = scheme.sizesPerTile();
  for (std::size_t d = 0; d < tile.size(); ++d) tile[d] = std::min(tile[d], sizes[d]);
  for (std::size_t p = 0; p < o.block; ++p) pieces = multiplySaturated(pieces, o.positions[p].extent(tile));
  std::int64_t bytes = kUnit;
  if (!o.positions.empty()) {
    const std::int64_t pitch = o.block + 1 == o.positions.size() ? o.size() : o.home.pitch[o.block];
    bytes = multiplySaturated(o.positions[o.block].extent(tile), pitch);
  }
  return {multiplySaturated(pieces, ceilDiv(bytes, kLargestTransfer)), multiplySaturated(pieces, bytes),
          static_cast<double>(pieces) * occupancy.ticks(bytes)};
}

/// Elements that points with so many values of each dim touch at least: per position one per value of a dim that no
/// position before it hangs on, so that their indices tell those values.
std::int64_t elementsOf(const Operand &o, const std::vector<std::int64_t> &sizes) {
  std::int64_t elements = 1;
  std::vector<bool> isUsed(sizes.size());
  for (const auto &p : o.positions) {
    std::int64_t most = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (p.coefficient[d] != 0 && !isUsed[d]) most = std::max(most, sizes[d]);
    elements = multiplySaturated(elements, most);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (p.coefficient[d] != 0) isUsed[d] = true;
  }
  return elements;
}

struct Tables {
  sim::dpu::LeastOccupancy reads, writes;
  std::int64_t most;  ///< ticks that one transfer occupies a port

  explicit Tables(const machine::Dpu &dpu)
      : reads(dpu, true), writes(dpu, false), most(sim::dpu::Dma::mostOccupancy(dpu)) {}
};

std::shared_ptr<const Tables> tablesOf(const machine::Dpu &dpu, Cache &cache) {
  std::string key;
  const auto add = [&key](const auto &x) { key.append(reinterpret_cast<const char *>(&x), sizeof x); };
  for (const auto *table : {&dpu.reads, &dpu.writes})
    for (const machine::Dpu::Transfer &t : *table) {
      add(t.size.value);
      add(t.latency);
      add(t.occupancy);
    }
  for (const std::int64_t n : {dpu.ticksPerCycle, dpu.transferUnit.value, dpu.transferMax.value}) add(n);
  add(dpu.constantTransfer);
  key += dpu.mramModel;
  if (dpu.mramModel == "dram-rows")
    return std::make_shared<const Tables>(dpu);  // its key would need all of a row's times
  constexpr std::size_t kBytes = 8192;
  return cache.get<Tables>(key, kBytes, [&] { return Tables(dpu); });
}

TransfersOf transfersOf(const Scheme &scheme, const std::vector<std::int64_t> &sizes, const Tables &tables) {
  TransfersOf out;
  for (const Operand &o : scheme.operands) {
    if ((o.use != Use::kInput && o.use != Use::kWrite) || o.isInMram) continue;
    const LeastTransfers least = transfersOf(scheme, o, sizes, o.isShared() ? tables.reads : tables.writes);
    out.ticks += least.ticks;
    out.count = addSaturated(out.count, least.count);
    if (o.isShared()) out.reads = addSaturated(out.reads, least.count);
    std::int64_t &bytes = o.isShared() ? out.readBytes : out.writeBytes;
    bytes = addSaturated(bytes, least.bytes);
    if (!o.isShared()) out.stores = addSaturated(out.stores, multiplySaturated(elementsOf(o, sizes), o.size()) / kUnit);
  }
  return out;
}

}  // namespace

TransfersOf transfersOf(const Scheme &scheme, const std::vector<std::int64_t> &sizes, const machine::Dpu &machine,
                        Cache &cache) {
  return transfersOf(scheme, sizes, *tablesOf(machine, cache));
}

// Of the DPU that has most. Proof. The engine: every tile's box is moved, whatever is computed. A port is busy
// for what its transfers take, one after the other from cycle 0 on, and refreshes only add to that; the program ends no
// sooner than the last transfer begins, so no sooner than all have taken their time but the longest one. Of several
// ports the busiest has their mean at least. Issue: a transfer is an instruction; so is a store of at most eight bytes,
// and every element of a result is stored before it is moved. One issues per cycle, and those of a tasklet an interval
// apart. Loads do not count: a compiler may leave some out.
RunResult leastByTransfers(const Scheme &scheme, const machine::Machine &machine, Cache &cache) {
  const auto valid = scheme.mostOf();
  const std::shared_ptr<const Tables> tables = tablesOf(*machine.dpu, cache);
  const bool isPlain = scheme.kernel().guards.empty() && scheme.kernel().bounds.empty();
  double ticks = 0;
  std::int64_t all = 0, longest = 0;
  std::map<std::vector<std::int64_t>, std::int64_t> shares;  // how many tasklets have so much
  for (std::int64_t t = 0; isPlain && t < scheme.threads; ++t) ++shares[scheme.validOf(valid, t)];
  for (const auto &[sizes, tasklets] : shares) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) continue;
    const TransfersOf one = transfersOf(scheme, sizes, *tables);
    const std::int64_t mine = addSaturated(one.count, one.stores);
    ticks += static_cast<double>(tasklets) * one.ticks;
    longest = std::max(longest, mine);
    all = addSaturated(all, multiplySaturated(tasklets, mine));
  }
  const machine::Dpu &dpu = *machine.dpu;
  RunResult r;
  r.counts.instructions = all;
  const std::int64_t issue =
      std::max(all, multiplySaturated(dpu.issueInterval.value, std::max<std::int64_t>(0, longest - 1)));
  const double busy = ticks / static_cast<double>(dpu.transferPorts) - static_cast<double>(tables->most);
  r.cycles = Cycles(std::max(issue, static_cast<std::int64_t>(busy / static_cast<double>(dpu.ticksPerCycle)) - 1));
  return r;
}

}  // namespace pimento::targets::upmem::compiled
