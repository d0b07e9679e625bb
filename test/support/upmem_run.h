// A small UPMEM machine for tests, and runs of kernels on it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "test/support/dpu_builder.h"
#include "test/support/target_of.h"

namespace pimento::test {

/// Two ranks of eight DPUs with round numbers (handDpu); the host's too.
inline machine::Machine handUpmem() {
  machine::Machine m;
  m.name = "hand-upmem";
  m.family = "upmem";
  m.nativeType = DType::kI32;
  m.clockGHz = 0.35;
  using enum machine::LevelRole;
  m.levels = {{"rank", 2, true, "host", false, kGroup},
              {"dpu", 8, true, "host", false, kUnit},
              {"tasklet", 24, true, "host", false, kThread}};
  m.dpu = handDpu();
  m.host.linkGBps = 20;
  m.host.memoryGBps = 10;
  m.host.mergeGops = 1;
  m.host.peakGflops = 100;
  machine::DpuLink &link = m.host.dpus.emplace();
  link.write = {{1, 0.5}, {8, 2}};
  link.read = {{1, 0.1}, {8, 1}};
  link.serialWriteGBps = 0.5;
  link.serialReadGBps = 0.1;
  link.broadcastGBps = 16;
  link.writeCall = {{1, Picoseconds(80e6)}};
  link.readCall = {{1, Picoseconds(380e6)}};
  link.launch = {{1, Picoseconds(30e6)}};
  return m;
}

/// The same with memories of usual sizes, for compiled programs.
inline machine::Machine handUpmemWithRoom() {
  machine::Machine m = handUpmem();
  m.dpu->wram = Bytes(65536);
  m.dpu->mram = Bytes(1 << 24);
  m.dpu->instructions = 4096;
  return m;
}

/// One kernel of the zoo on a hand machine.
struct UpmemRun {
  std::string kernel;
  kernel::Sizes sizes;
  DType type = DType::kI32;
  std::string map = "reference", variant = "plain";
  kernel::DataSpec data = {};
  machine::Machine machine = handUpmem();

  kernel::Graph graph() const {
    auto g = kernel::makeZooKernel(kernel, sizes, type, variant);
    EXPECT_TRUE(g.ok()) << g.diagnostics().front().str();
    return *g;
  }
  evaluate::Request request(const kernel::Graph &g) const {
    evaluate::Request r;
    r.graph = &g;
    r.machine = &machine;
    r.target = &targetOf(machine);
    r.tools.cache = sharedCache();
    const auto spec = mapping::parseMapSpec(map);
    EXPECT_TRUE(spec.ok()) << spec.diagnostics().front().str();
    r.maps = {*spec};
    if (spec->kind == mapping::MapSpec::Kind::kExplicit) r.maps[0].mapping.text = mapping::print(*spec);
    return r;
  }
  Result<evaluate::Report> simulate() const {
    const kernel::Graph g = graph();
    evaluate::Request r = request(g);
    kernel::DataSet contents = kernel::makeData(g, data);
    r.isSimulation = true;
    r.data = &contents;
    return evaluate::evaluate(r);
  }
  Result<evaluate::Report> estimate(bool knowsData = true) const {
    const kernel::Graph g = graph();
    evaluate::Request r = request(g);
    if (knowsData) r.values = data;
    return evaluate::evaluate(r);
  }
};

inline kernel::DataSpec constantData(double value) {
  return {kernel::DataSpec::Kind::kConst, value, value, 1};
}
inline kernel::DataSpec uniformData(double low, double high, std::uint64_t seed = 1) {
  return {kernel::DataSpec::Kind::kUniform, low, high, seed};
}

}  // namespace pimento::test
