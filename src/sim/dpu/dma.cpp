#include "pimento/sim/dpu/dma.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "pimento/base/integer.h"

namespace pimento::sim::dpu {

Dma::Dma(const machine::Dpu &machine)
    : unit_(machine.transferUnit.value),
      ticks_(machine.ticksPerCycle),
      refreshInterval_(machine.refreshInterval.value * machine.ticksPerCycle),
      refreshTime_(machine.refreshTime.value * machine.ticksPerCycle),
      reads_(std::make_shared<const Costs>(costsOf(machine, true))),
      writes_(std::make_shared<const Costs>(costsOf(machine, false))),
      free_(static_cast<std::size_t>(machine.transferPorts)),
      hasRows_(machine.mramModel == "dram-rows"),
      rows_(machine.rows) {}

void Dma::reset() {
  std::ranges::fill(free_, 0);
  work_ = 0;
  openRow_ = -1;
}

void Dma::encodePorts(std::int64_t now, StateWords &out) const {
  PIMENTO_CHECK(!hasRows_);
  std::vector<std::int64_t> busy;
  for (const std::int64_t port : free_)
    if (port > now * ticks_) busy.push_back(port - now * ticks_);
  std::ranges::sort(busy);
  for (const std::int64_t port : busy) out.put(port);
}

void Dma::restorePorts(std::int64_t now, StateReader &in) {
  std::ranges::fill(free_, 0);
  // The last ones, in order of time: a heap.
  for (std::size_t i = free_.size() - in.left(); i < free_.size(); ++i) free_[i] = now * ticks_ + in.get();
}

std::int64_t Dma::ticks(double cycles) const {
  return std::llround(cycles * static_cast<double>(ticks_));
}

Dma::Cost Dma::rowCost(std::int64_t bytes, std::uint32_t mramAddress) {
  std::int64_t cost = ticks(rows_.overhead);
  const std::int64_t end = mramAddress + bytes;
  for (std::int64_t at = mramAddress; at < end; at += rows_.columnBytes.value) {
    const std::int64_t row = at / rows_.rowBytes.value;
    if (row != openRow_) cost += ticks(rows_.rowMiss);
    openRow_ = row;
    cost += ticks(rows_.column);
  }
  return {cost, cost};
}

Dma::Costs Dma::costs(const std::vector<machine::Dpu::Transfer> &table, const machine::Dpu &machine) {
  const std::int64_t unit = machine.transferUnit.value;
  Costs out(static_cast<std::size_t>(machine.transferMax.value / unit + 1));
  for (std::size_t n = 0; n < out.size(); ++n) {
    const auto size = static_cast<double>(static_cast<std::int64_t>(n) * unit);
    std::size_t i = 1;
    while (i + 1 < table.size() && static_cast<double>(table[i].size.value) < size) ++i;
    const machine::Dpu::Transfer &low = table[i - 1], &high = table[std::min(i, table.size() - 1)];
    const auto from = static_cast<double>(low.size.value), span = static_cast<double>(high.size.value) - from;
    const double share = span == 0 ? 0 : (size - from) / span;
    const auto at = [&](double a, double b) {
      return std::llround((a + share * (b - a)) * static_cast<double>(machine.ticksPerCycle));
    };
    out[n] = {at(low.latency, high.latency), at(low.occupancy, high.occupancy)};
  }
  return out;
}

Dma::Costs Dma::costsOf(const machine::Dpu &machine, bool isRead) {
  if (machine.mramModel == "constant")
    return costs({{Bytes(machine.transferUnit), machine.constantTransfer, machine.constantTransfer}}, machine);
  return costs(isRead ? machine.reads : machine.writes, machine);
}

std::int64_t Dma::mostOccupancy(const machine::Dpu &machine) {
  std::int64_t most = 0;
  for (const bool isRead : {true, false})
    for (const Cost &c : costsOf(machine, isRead)) most = std::max(most, c.occupancy);
  if (machine.mramModel != "dram-rows") return most;
  Dma rows(machine);  // every column of another row
  const std::int64_t columns = ceilDiv(machine.transferMax.value, machine.rows.columnBytes.value) + 1;
  return rows.ticks(machine.rows.overhead) +
         columns * (rows.ticks(machine.rows.rowMiss) + rows.ticks(machine.rows.column));
}

LeastOccupancy::LeastOccupancy(const machine::Dpu &machine, bool isRead) : unit_(machine.transferUnit.value) {
  const Dma dma(machine);
  Dma::Costs costs = Dma::costsOf(machine, isRead);
  if (machine.mramModel == "dram-rows")
    for (std::size_t n = 1; n < costs.size(); ++n)
      costs[n].occupancy = dma.ticks(machine.rows.overhead) +
                           ceilDiv(static_cast<std::int64_t>(n) * unit_, machine.rows.columnBytes.value) *
                               dma.ticks(machine.rows.column);
  perUnit_ = std::numeric_limits<double>::infinity();
  least_.assign(costs.size(), 0);
  for (std::size_t units = 1; units < costs.size(); ++units) {
    least_[units] = std::numeric_limits<std::int64_t>::max();
    for (std::size_t n = 1; n < costs.size(); ++n)
      least_[units] = std::min(least_[units], costs[n].occupancy + least_[units - std::min(n, units)]);
    perUnit_ = std::min(perUnit_, static_cast<double>(costs[units].occupancy) / static_cast<double>(units));
  }
}

double LeastOccupancy::ticks(std::int64_t bytes) const {
  const std::int64_t units = ceilDiv(bytes, unit_);
  if (units < static_cast<std::int64_t>(least_.size()))
    return static_cast<double>(least_[static_cast<std::size_t>(units)]);
  return std::max(static_cast<double>(least_.back()), perUnit_ * static_cast<double>(units));
}

std::int64_t Dma::after(std::int64_t begin, std::int64_t work) const {
  if (refreshInterval_ == 0) return begin + work;
  // In each interval the refresh comes first.
  std::int64_t t = begin;
  for (;;) {
    const std::int64_t start = t / refreshInterval_ * refreshInterval_;
    t = std::max(t, start + refreshTime_);
    const std::int64_t left = start + refreshInterval_ - t;
    if (work <= left) return t + work;
    work -= left;
    t += left;
  }
}

TransferTime Dma::issue(std::int64_t cycle, bool isRead, std::int64_t bytes, std::uint32_t mramAddress) {
  const Cost c =
      hasRows_ ? rowCost(bytes, mramAddress) : (isRead ? *reads_ : *writes_)[static_cast<std::size_t>(bytes / unit_)];
  std::ranges::pop_heap(free_, std::greater{});
  const std::int64_t begin = std::max(cycle * ticks_, free_.back()), end = after(begin, c.occupancy);
  free_.back() = end;
  std::ranges::push_heap(free_, std::greater{});
  work_ += c.occupancy;
  const auto cycles = [&](std::int64_t ticks) { return (ticks + ticks_ / 2) / ticks_; };
  return {cycles(begin), cycles(end), cycles(after(begin, c.latency))};
}

}  // namespace pimento::sim::dpu
