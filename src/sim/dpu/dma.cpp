#include "pimento/sim/dpu/dma.h"

#include <algorithm>
#include <cmath>

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

void Dma::encode(std::int64_t now, StateWords &out) const {
  for (const std::int64_t port : free_) out.put(std::max<std::int64_t>(0, port - now * ticks_));
  if (refreshInterval_ != 0) out.put(now * ticks_ % refreshInterval_);
  if (hasRows_) out.put(openRow_);
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

double Dma::leastOccupancy(const machine::Dpu &machine, bool isRead, std::int64_t bytes) {
  if (machine.mramModel == "constant") return machine.constantTransfer;
  const machine::Dpu::Rows &rows = machine.rows;
  if (machine.mramModel == "dram-rows")
    return rows.overhead + rows.column * static_cast<double>(bytes / rows.columnBytes.value);
  double least = 0;
  for (const machine::Dpu::Transfer &t : isRead ? machine.reads : machine.writes)
    if (t.size.value <= bytes) least = std::max(least, t.occupancy);
  return least;
}

double Dma::mostOccupancy(const machine::Dpu &machine) {
  if (machine.mramModel == "constant") return machine.constantTransfer;
  double most = 0;
  for (const auto *table : {&machine.reads, &machine.writes})
    for (const machine::Dpu::Transfer &t : *table) most = std::max(most, t.occupancy);
  return most;
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
  std::int64_t &port = *std::ranges::min_element(free_);
  const std::int64_t begin = std::max(cycle * ticks_, port);
  port = after(begin, c.occupancy);
  work_ += c.occupancy;
  const auto cycles = [&](std::int64_t ticks) { return (ticks + ticks_ / 2) / ticks_; };
  return {cycles(begin), cycles(port), cycles(after(begin, c.latency))};
}

}  // namespace pimento::sim::dpu
