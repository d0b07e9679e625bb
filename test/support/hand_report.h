// A report written by hand, with every field set, so that views can be compared with what stands here.
#pragma once

#include "pimento/emit/mapping_suite.h"
#include "pimento/emit/suite.h"
#include "pimento/evaluate/report.h"

namespace pimento::test {

/// Two dynamic terms and one background term; the energy's sums are those of the rows.
inline energy::EnergyReport handEnergy() {
  energy::EnergyRow access;
  access.term = "segment_cell";
  access.component = "dram";
  access.count = 1000;
  access.formula = "8 * organization.burst * near_bank_reads";
  access.unitCost = 0.25;
  access.unit = "pJ/bit";
  access.energy = Picojoules(250);
  access.low = Picojoules(125);
  access.high = Picojoules(500);
  access.source = "a paper, table 3";
  access.confidence = machine::Confidence::kPaper;
  energy::EnergyRow mac;
  mac.term = "mac";
  mac.component = "pim";
  mac.count = 4096;
  mac.formula = "macs";
  mac.unitCost = 0.5;
  mac.unit = "pJ";
  mac.energy = Picojoules(2048);
  mac.low = Picojoules(1024);
  mac.high = Picojoules(4096);
  mac.source = "a guess";
  energy::EnergyRow standby;
  standby.term = "standby_stack";
  standby.component = "dram";
  standby.isBackground = true;
  standby.count = 4;
  standby.formula = "time";
  standby.unitCost = 940;
  standby.unit = "mW";
  standby.energy = Picojoules(47000000);
  standby.low = Picojoules(0);
  standby.high = Picojoules(47000000);
  standby.source = "a datasheet";
  standby.confidence = machine::Confidence::kDatasheet;

  energy::EnergyReport e;
  for (const energy::EnergyRow &r : {access, mac, standby}) {
    energy::ComponentEnergy &c = e.components[r.component];
    (r.isBackground ? c.background : c.dynamic) += r.energy;
    (r.isBackground ? e.background : e.dynamic) += r.energy;
    e.total += r.energy;
    e.low += r.low;
    e.high += r.high;
    e.rows.push_back(r);
  }
  e.duration = Picoseconds(12500000);
  e.covers = "HBM stacks with base dies, all of them for the whole time; no processor standby, no board";
  return e;
}

/// A part of a run as a phase, on a clock of 1 GHz unless `ns` says otherwise.
inline evaluate::Phase handPhase(evaluate::Part part, std::int64_t cycles, double ns = 1) {
  return {std::string(evaluate::infoOf(part).title),           part, Cycles(cycles), "device", Cycles(cycles),
          Picoseconds(1000 * ns * static_cast<double>(cycles))};
}

inline constexpr evaluate::SimulatedUnit kChannels{"channel", "channels", "channels"}, kDpus{"DPU", "DPUs", "dpus"};

/// A kernel that stays on the host.
inline evaluate::Stage hostStage(const std::string &kernel) {
  evaluate::Stage stage;
  stage.kernel = kernel;
  stage.isOnHost = true;
  stage.why = "the unit has no 'tanh'";
  stage.phases = {handPhase(evaluate::Part::kHost, 70)};
  stage.energy = Picojoules(900);
  stage.operations = 4096;
  stage.bytes = Bytes(16384);
  stage.hostCycles = Cycles(70);
  return stage;
}

inline evaluate::Report handReport() {
  evaluate::Report r;
  r.kernel = "gemv";
  r.sizes = {{"m", 4096}, {"n", 1024}, {"batch", 1}};
  r.dtype = "f16";
  r.target = "hbm-pim";
  r.mapping = "M1:{(64,1),(8,1),(1,16),(8,1024)}";
  r.cycles = Cycles(10000);
  r.cyclesSimulated = Cycles(2500);
  r.timeNs = 12500;
  r.exact = evaluate::Exactness::kFastForwarded;
  r.energy = handEnergy();
  r.kernelEnergy.dynamic = Picojoules(2000);
  r.kernelEnergy.background = Picojoules(37600000);
  r.kernelEnergy.total = Picojoules(37602000);
  r.kernelEnergy.low = Picojoules(1000);
  r.kernelEnergy.high = Picojoules(37604000);
  r.counts = {{"ACT", 1234567}, {"RD", 42}};
  r.isChecked = true;
  r.unit = kChannels;
  r.unitsIdentical = 64;
  evaluate::Stage stage;
  stage.kernel = "gemv";
  stage.mapping = r.mapping;
  stage.cycles = r.cycles;
  using evaluate::Part;
  stage.phases = {handPhase(Part::kRearrangeIn, 100), handPhase(Part::kTransferIn, 1600),
                  handPhase(Part::kCompute, 10000),   handPhase(Part::kTransferOut, 600),
                  handPhase(Part::kMerge, 150),       handPhase(Part::kRearrangeOut, 50)};
  stage.energy = r.energy.total;
  stage.operations = 8388608;
  stage.bytes = Bytes(8398848);
  stage.hostCycles = Cycles(9000);
  stage.offloadedCycles = stage.breakdown().total();
  r.stages = {stage};
  r.wallUs = 321;
  r.compileUs = 7;
  r.warnings = {"models the vendor's public simulator, not hardware: REF does not wait for tRP and fences are free"};
  return r;
}

/// What a DPU program left; numbers by hand.
inline evaluate::Report handProgram() {
  evaluate::Report r;
  r.kernel = "sum";
  r.sizes = {{"tasklets", 2}};
  r.target = "hand";
  r.hasKernel = false;
  r.cycles = r.cyclesSimulated = Cycles(5000);
  evaluate::Stage stage;
  stage.kernel = r.kernel;
  stage.cycles = r.cycles;
  stage.phases = {handPhase(evaluate::Part::kCompute, 5000, 2)};
  r.stages = {stage};
  r.timeNs = 10000;
  r.unit = kDpus;
  r.counts = {{"instructions", 803}};
  evaluate::Attribution p;
  p.columns = {{"slots", "slots", "", true, true},
               {"dma_wait_cycles", "DMA waits", "cycle", true, false},
               {"tasklet_cycles", "time", "cycle", false, true}};
  p.functions = {
      {"add_up", "", 0, "", {800, 0, 8800}}, {"main", "", 0, "", {2, 1200, 1222}}, {"", "", 0, "", {1, 0, 11}}};
  p.lines = {{"add_up", "sum.s", 17, "add     r2, r2, r3              // the sum", {400, 0, 4400}},
             {"add_up", "sum.s", 18, "add     r1, r1, -1, nz, .Lnext_word_of_this_buffer", {400, 0, 4400}},
             {"main", "sum.s", 40, "\tldma    r14, r0, 127", {2, 1200, 1222}},
             {"", "", 0, "", {1, 0, 11}}};
  p.totals = {803, 1200, 10033};
  p.about =
      "time: 11 cycles per issue slot, plus waiting for transfers, over all tasklets; waiting for a turn or for other "
      "tasklets is not attributed to lines";
  r.outcome.profile = std::move(p);
  r.outcome.log = "hello\n\"world\"\n";
  r.outcome.readouts = {{"result:u32[2]", DType::kU32, {std::byte{1}, {}, {}, {}, {}, {}, {}, std::byte{0xff}}},
                        {"ratio:f32", DType::kF32, {{}, {}, std::byte{0xc0}, std::byte{0x3f}}},
                        {"ratio:f32", DType::kF32, {{}, {}, std::byte{0x80}, std::byte{0xff}}},
                        {"delta:i16", DType::kI16, {std::byte{0xfe}, std::byte{0xff}}}};
  r.outcome.fault = error("dpu-wram-bounds", {"sum.s", 17, 0}, "DPU 0, tasklet 1 at instruction 30 in 'add_up': ...");
  return r;
}

/// A target that ran and one that could not.
inline std::vector<emit::ComparisonRow> handComparison() {
  return {{"hbm-pim", handReport()},
          {"upmem",
           std::nullopt,
           {error("unsupported-type", {},
                  "kernel 'gemv' multiplies f16 numbers, which this target has no instruction for")}}};
}

/// One kernel, two mappings: fast-forward exact, two-slice off by 10 % on the second.
inline emit::MappingSuite handMappings() {
  emit::MappingSuite s;
  s.target = "hbm-pim";
  s.seed = 7;
  s.count = 2;
  s.alpha = 0.05;
  emit::MappingErrors k;
  k.kernel = "va";
  k.mappings = k.distinct = 2;
  for (const double cycles : {1000.0, 2000.0}) {
    k.fastForward.add(cycles, cycles, "fast");
    k.fastForward.addWay("fast-forwarded", 0.25);
  }
  k.twoSlice.add(1000, 1000, "first");
  k.twoSlice.addWay("simulated", 1);
  k.twoSlice.add(2200, 2000, "second");
  k.twoSlice.addWay("extrapolated", 2);
  k.simulationSeconds = 4;
  k.deviceSeconds = 0.125;
  s.kernels = {k};
  return s;
}

inline emit::SuiteResult handSuite() {
  emit::SuiteResult s;
  s.suite = "hbm-pim";
  s.add("gemv", 100, 100, "gemv.csv:2");
  s.add("gemv", 110, 100, "gemv.csv:3");
  s.add("add", 80, 100, "add.csv:2");
  s.add("gemv", 100, 100, "gemv.csv:4");
  s.warnings = {"one point is not like the others"};
  return s;
}

}  // namespace pimento::test
