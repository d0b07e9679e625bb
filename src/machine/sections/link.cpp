#include "pimento/machine/sections/link.h"

#include <algorithm>
#include <cmath>

#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

row::Rows rows() {
  return {
      row::section("host.dpus", "how the host transfers data to and from DPUs"),
      row::real("host.dpus.launch", "ns|us|ms|ps", 0, row::kAny, "launching all DPUs and detecting completion"),
      row::real("host.dpus.write_latency", "ns|us|ms|ps", 0, row::kAny, "latency of a transfer phase to DPUs"),
      row::real("host.dpus.read_latency", "ns|us|ms|ps", 0, row::kAny, "latency of a transfer phase from DPUs"),
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
  DpuLink l;
  l.write = rates("host.dpus.write");
  l.read = rates("host.dpus.read");
  l.writeLimitGBps = c.real("host.dpus.write_limit");
  l.readLimitGBps = c.real("host.dpus.read_limit");
  l.serialWriteGBps = c.real("host.dpus.serial_write");
  l.serialReadGBps = c.real("host.dpus.serial_read");
  l.broadcastGBps = c.real("host.dpus.broadcast");
  l.writeLatency = c.time("host.dpus.write_latency");
  l.readLatency = c.time("host.dpus.read_latency");
  l.launch = c.time("host.dpus.launch");
  m.host.dpus = std::move(l);
}

void check(const Contents &c, const Machine &m) {
  if (!m.host.dpus) return;
  const DpuLink &l = *m.host.dpus;
  for (const auto &[path, rates] : {std::pair{"host.dpus.write", &l.write}, std::pair{"host.dpus.read", &l.read}}) {
    if (rates->empty()) c.impossible(path, "'" + std::string(path) + "' has no rates", "add at least one");
    for (std::size_t i = 1; i < rates->size(); ++i)
      if ((*rates)[i].dpus <= (*rates)[i - 1].dpus)
        c.impossible(path,
                     "the rate for " + std::to_string((*rates)[i].dpus) + " DPUs is listed after the rate for " +
                         std::to_string((*rates)[i - 1].dpus),
                     "list the rates in ascending order of DPUs, each once");
  }
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

Section section::link() {
  return {rows, build, check};
}

}  // namespace pimento::machine
