#include "pimento/machine/sections/host.h"

#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

row::Rows rows() {
  return {
      row::section("host", "the host that drives the device", true),
      row::text("host.name", "host name", true),
      row::real("host.link_bandwidth", "GB/s|TB/s|MB/s|B/cycle", 1e-9, row::kAny,
                "peak of one link; B/cycle: per device cycle"),
      row::formula("host.links", "count", 1, row::kMostCount, "links to the device; 1 if omitted", false),
      row::real("host.write_efficiency", "ratio|%", 1e-6, 1, "fraction of the peak reached when writing operands"),
      row::real("host.read_efficiency", "ratio|%", 1e-6, 1, "fraction of the peak reached when reading results"),
      row::real("host.link_latency", "ns|us|ms|ps", 0, row::kAny, "latency before the first byte of a transfer phase"),
      row::real("host.memory_bandwidth", "GB/s|TB/s|MB/s", 1e-9, row::kAny, "host memory bandwidth, for rearranging"),
      row::real("host.merge_rate", "Gop/s", 1e-9, row::kAny, "rate of adding partial results"),
      row::real("host.peak", "GFLOP/s|TFLOP/s", 1e-9, row::kAny, "peak host performance in the native type"),
  };
}

void build(const Contents &c, Machine &m) {
  Host &h = m.host;
  h.name = c.text("host.name");
  h.linkGBps = c.real("host.link_bandwidth") * static_cast<double>(c.integer("host.links", 1));
  h.writeEfficiency = c.real("host.write_efficiency");
  h.readEfficiency = c.real("host.read_efficiency");
  h.linkLatency = c.time("host.link_latency");
  h.memoryGBps = c.real("host.memory_bandwidth");
  h.mergeGops = c.real("host.merge_rate");
  h.peakGflops = c.real("host.peak");
}

}  // namespace

Section section::host() {
  return {rows, build, nullptr};
}

}  // namespace pimento::machine
