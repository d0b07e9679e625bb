#include "pimento/machine/sections/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

row::Rows rows() {
  return {
      row::section("host.dpus", "how the host transfers data to and from DPUs"),
      row::section("host.dpus.write_call", "cost of a transfer call to DPUs, whatever its size", true),
      row::section("host.dpus.write_call.*", "cost for one number of DPUs; interpolated linearly in between"),
      row::integer("host.dpus.write_call.*.dpus", "count", 1, 1024, "DPUs per rank", true),
      row::real("host.dpus.write_call.*.time", "ns|us|ms|ps", 0, row::kAny, "cost of the call"),
      row::section("host.dpus.read_call", "cost of a transfer call from DPUs, whatever its size", true),
      row::section("host.dpus.read_call.*", "cost for one number of DPUs; interpolated linearly in between"),
      row::integer("host.dpus.read_call.*.dpus", "count", 1, 1024, "DPUs per rank", true),
      row::real("host.dpus.read_call.*.time", "ns|us|ms|ps", 0, row::kAny, "cost of the call"),
      row::section("host.dpus.launch", "launching all DPUs and detecting completion", true),
      row::section("host.dpus.launch.*", "cost for one number of DPUs; interpolated linearly in between"),
      row::integer("host.dpus.launch.*.dpus", "count", 1, 1024, "DPUs per rank", true),
      row::real("host.dpus.launch.*.time", "ns|us|ms|ps", 0, row::kAny, "cost of the launch"),
      row::real("host.dpus.rank_call", "ns|us|ms|ps", 0, row::kAny, "what every further rank adds to a call"),
      row::section("host.dpus.write", "parallel transfers to all DPUs of a rank, the same amount to each", true),
      row::section("host.dpus.write.*", "rate for one number of DPUs; interpolated logarithmically in between"),
      row::integer("host.dpus.write.*.dpus", "count", 1, 1024, "DPUs per rank", true),
      row::real("host.dpus.write.*.rate", "GB/s|TB/s|MB/s", 1e-9, row::kAny, "total rate of these DPUs"),
      row::section("host.dpus.read", "parallel transfers from all DPUs of a rank, the same amount from each", true),
      row::section("host.dpus.read.*", "rate for one number of DPUs; interpolated logarithmically in between"),
      row::integer("host.dpus.read.*.dpus", "count", 1, 1024, "DPUs per rank", true),
      row::real("host.dpus.read.*.rate", "GB/s|TB/s|MB/s", 1e-9, row::kAny, "total rate of these DPUs"),
      row::real("host.dpus.write_limit", "GB/s|TB/s|MB/s", 1e-9, row::kAny, "limit for all ranks together"),
      row::real("host.dpus.read_limit", "GB/s|TB/s|MB/s", 1e-9, row::kAny, "limit for all ranks together"),
      row::real("host.dpus.serial_write", "GB/s|TB/s|MB/s", 1e-9, row::kAny, "serial transfers to one DPU at a time"),
      row::real("host.dpus.serial_read", "GB/s|TB/s|MB/s", 1e-9, row::kAny, "serial transfers from one DPU at a time"),
      row::real("host.dpus.broadcast", "GB/s|TB/s|MB/s", 1e-9, row::kAny,
                "broadcast of one copy; bytes count once per DPU"),
  };
}

void build(const Contents &c, Machine &m) {
  if (!c.has("host.dpus")) return;
  const auto rates = [&](const std::string &path) {
    std::vector<DpuLink::Rate> table;
    for (const Entry &e : c.entries(path))
      if (c.get(path + "." + e.key + ".dpus") != nullptr)
        table.push_back({c.integer(path + "." + e.key + ".dpus"), c.real(path + "." + e.key + ".rate")});
    return table;
  };
  const auto costs = [&](const std::string &path) {
    std::vector<DpuLink::Cost> table;
    for (const Entry &e : c.entries(path))
      if (c.get(path + "." + e.key + ".dpus") != nullptr)
        table.push_back({c.integer(path + "." + e.key + ".dpus"), c.time(path + "." + e.key + ".time")});
    return table;
  };
  DpuLink l;
  l.write = rates("host.dpus.write");
  l.read = rates("host.dpus.read");
  l.writeLimitGBps = c.real("host.dpus.write_limit");
  l.readLimitGBps = c.real("host.dpus.read_limit");
  l.serialWriteGBps = c.real("host.dpus.serial_write");
  l.serialReadGBps = c.real("host.dpus.serial_read");
  l.broadcastGBps = c.real("host.dpus.broadcast");
  l.writeCall = costs("host.dpus.write_call");
  l.readCall = costs("host.dpus.read_call");
  l.launch = costs("host.dpus.launch");
  l.rankCall = c.time("host.dpus.rank_call");
  m.host.dpus = std::move(l);
}

/// Rates and costs are listed by ascending DPUs, and there is one at least.
template <typename Row>
void checkAscending(const Contents &c, const std::string &path, std::string_view what, const std::vector<Row> &rows) {
  if (rows.empty()) c.impossible(path, fmt::format("'{}' has no {}s", path, what), "add at least one");
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].dpus <= rows[i - 1].dpus)
      c.impossible(
          path,
          fmt::format("the {} for {} DPUs is listed after the {} for {}", what, rows[i].dpus, what, rows[i - 1].dpus),
          fmt::format("list the {}s in ascending order of DPUs, each once", what));
}

void check(const Contents &c, const Machine &m) {
  if (!m.host.dpus) return;
  const DpuLink &l = *m.host.dpus;
  checkAscending(c, "host.dpus.write", "rate", l.write);
  checkAscending(c, "host.dpus.read", "rate", l.read);
  checkAscending(c, "host.dpus.write_call", "cost", l.writeCall);
  checkAscending(c, "host.dpus.read_call", "cost", l.readCall);
  checkAscending(c, "host.dpus.launch", "cost", l.launch);
}

}  // namespace

double DpuLink::rateOf(const std::vector<Rate> &rates, double limit, std::int64_t dpus, std::int64_t ranks) {
  if (rates.empty() || ranks < 1) return limit;
  const double n = static_cast<double>(dpus) / static_cast<double>(ranks);
  std::size_t i = 1;
  while (i + 1 < rates.size() && static_cast<double>(rates[i].dpus) < n) ++i;
  double rate = rates.back().gbps;
  if (rates.size() == 1 || n <= static_cast<double>(rates.front().dpus)) {
    rate = rates.front().gbps;
  } else if (n < static_cast<double>(rates.back().dpus)) {
    const Rate &low = rates[i - 1], &high = rates[i];
    const double span = std::log(static_cast<double>(high.dpus) / static_cast<double>(low.dpus));
    const double at = std::log(n / static_cast<double>(low.dpus)) / span;
    rate = low.gbps * std::pow(high.gbps / low.gbps, at);
  }
  const double all = rate * static_cast<double>(ranks);
  return limit > 0 ? std::min(all, limit) : all;
}

Picoseconds DpuLink::costOf(const std::vector<Cost> &costs, std::int64_t dpus, std::int64_t ranks) const {
  if (costs.empty() || ranks < 1) return {};
  const double n = static_cast<double>(dpus) / static_cast<double>(ranks);
  double one = costs.back().time.value;
  if (n <= static_cast<double>(costs.front().dpus)) {
    one = costs.front().time.value;
  } else if (n < static_cast<double>(costs.back().dpus)) {
    std::size_t i = 1;
    while (static_cast<double>(costs[i].dpus) < n) ++i;
    const Cost &low = costs[i - 1], &high = costs[i];
    const double at = (n - static_cast<double>(low.dpus)) / static_cast<double>(high.dpus - low.dpus);
    one = low.time.value + at * (high.time.value - low.time.value);
  }
  return Picoseconds(one + static_cast<double>(ranks - 1) * rankCall.value);
}

Section section::link() {
  return {rows, build, check};
}

}  // namespace pimento::machine
