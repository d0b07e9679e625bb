// Programs for near-bank units: what they are made of, phase by phase, and what that costs.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/program/loops_cursor.h"
#include "pimento/program/phases.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/dram/spec.h"
#include "pimento/sim/pim/all_bank.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

kernel::Graph zoo(const std::string &name, const kernel::Sizes &sizes, DType type = DType::kF16) {
  const auto graph = kernel::makeZooKernel(name, sizes, type);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return *graph;
}

std::unique_ptr<evaluate::CompiledPart> compiled(const kernel::Graph &graph, const machine::Machine &machine,
                                                 const std::string &map) {
  const evaluate::Target &target = targetOf(machine);
  const mapping::MapSpec spec = mapSpec(map);
  mapping::Mapping m = spec.mapping;
  if (spec.kind == mapping::MapSpec::Kind::kReference) {
    auto reference = target.reference({&graph, 0, 1}, machine, spec, {});
    EXPECT_TRUE(reference.ok()) << reference.diagnostics().front().str();
    m = *reference;
  }
  auto part = target.compile({&graph, 0, 1}, m, machine, "plain", {});
  EXPECT_TRUE(part.ok()) << part.diagnostics().front().str();
  return std::move(*part);
}

evaluate::Report estimate(const kernel::Graph &graph, const machine::Machine &machine, const std::string &map) {
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.maps = {mapSpec(map)};
  auto report = evaluate::evaluate(r);
  EXPECT_TRUE(report.ok()) << report.diagnostics().front().str();
  return std::move(*report);
}

/// Phases with commands of their own, by name.
std::map<std::string, evaluate::Phase> phasesOf(const evaluate::Report &report) {
  std::map<std::string, evaluate::Phase> out;
  for (const evaluate::Phase &p : report.stages.front().phases)
    if (p.commands > 0) out.emplace(p.name, p);
  return out;
}

// A place of a channel: bank, row, column.
using Spot = std::tuple<int, int, int>;

/// The places that plain reads or writes of a phase go to, in one channel of a process, in order.
std::vector<Spot> placesOf(const program::Program &program, const program::Process &process,
                           const machine::Machine &machine, program::PhaseKind kind, bool isWrite) {
  const auto &loops = std::get<program::CommandLoops>(process.body);
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine);
  std::vector<Spot> places;
  for (const program::ProcessPhase &phase : program::phasesOf(loops)) {
    if (phase.kind != kind) continue;
    const program::CommandLoops alone = {loops[static_cast<std::size_t>(phase.node)]};
    const program::FlatLoops code = spec.flatten(alone, program.commands);
    for (program::LoopsCursor at(code); !at.isDone(); at.advance())
      if (const program::Transaction t = at.peek(); t.op == (isWrite ? spec.write : spec.read))
        places.emplace_back(t.bank, t.row, t.column);
  }
  return places;
}

/// Where the host's addresses put bursts `first` to `first` + `count` - 1 of a channel of attacc, by hand: a row of
/// every bank after the other, bank groups first, then ranks, then the banks of a group.
std::set<Spot> hostPlaces(std::int64_t first, std::int64_t count, std::int64_t firstRow) {
  std::set<Spot> places;
  for (std::int64_t k = first; k < first + count; ++k) {
    const auto column = static_cast<int>(k % 32), group = static_cast<int>(k / 32 % 4),
               rank = static_cast<int>(k / 128 % 4), inGroup = static_cast<int>(k / 512 % 4);
    places.emplace(rank * 16 + group * 4 + inGroup, static_cast<int>(firstRow + k / 2048), column);
  }
  return places;
}

TEST(NearBankPhases, ProgramsNameThemAndReportsAddThemUp) {
  const machine::Machine m = load("attacc");
  const kernel::Graph graph = zoo("gemv", {{"m", 512}, {"n", 256}});
  const evaluate::Report r = estimate(graph, m, "reference");
  const auto phases = phasesOf(r);
  ASSERT_EQ(phases.size(), 4u);
  for (const char *name : {"place", "load", "compute", "move"}) {
    ASSERT_TRUE(phases.contains(name)) << name;
    EXPECT_GT(phases.at(name).cycles.value, 0) << name;
  }
  using evaluate::Part;
  const evaluate::Breakdown b = r.breakdown();
  EXPECT_EQ(b[Part::kTransferIn], phases.at("place").cycles + phases.at("load").cycles);
  EXPECT_EQ(b[Part::kCompute], phases.at("compute").cycles);
  EXPECT_EQ(r.cycles, phases.at("compute").cycles);
  EXPECT_EQ(b[Part::kTransferOut], phases.at("move").cycles);
  EXPECT_EQ(b[Part::kRearrangeIn].value, 0) << "on-chip memory rearranges";
  std::int64_t requests = 0;
  for (const auto &[name, p] : phases) requests += p.commands;
  std::int64_t counted = 0;
  for (const char *name : {"RD", "WR", "WRGB", "MACAB", "MVSB", "BARRIER", "buffer_loads", "settings", "results"})
    if (r.counts.contains(name)) counted += r.counts.at(name);
  EXPECT_EQ(counted, requests) << "channels without work move data too";
}

TEST(NearBankPhases, OperandsAreReadAtTheHostsAddressesAndWrittenAtThoseOfTheBanks) {
  const machine::Machine m = load("attacc");
  // Weights: 320 x 256 x 2 B = 163,840 B = 5,120 bursts = 320 of each channel; x: 16 bursts; y: 20 bursts.
  const kernel::Graph graph = zoo("gemv", {{"m", 320}, {"n", 256}});
  const auto part = compiled(graph, m, "M1:{(4,1),(16,1),(5,256)}");
  const program::Program &program = part->program();
  ASSERT_EQ(program.processes.size(), 2u);
  EXPECT_EQ(program.processes[0].instances, 4);
  EXPECT_EQ(program.processes[1].instances, 12) << "the host's data lie in all channels";
  // A bank holds 5 outputs of 16 columns: 80 bursts, in rows 0 to 2; the host's data begin with row 3.
  for (const program::Process &process : program.processes) {
    const auto weights = placesOf(program, process, m, program::PhaseKind::kPlace, false);
    EXPECT_EQ(weights.size(), 320u);
    EXPECT_EQ(std::set<Spot>(weights.begin(), weights.end()), hostPlaces(0, 320, 3));
    const auto x = placesOf(program, process, m, program::PhaseKind::kLoad, false);
    EXPECT_EQ(std::set<Spot>(x.begin(), x.end()), hostPlaces(320, 1, 3));
    const auto y = placesOf(program, process, m, program::PhaseKind::kMove, true);
    EXPECT_EQ(std::set<Spot>(y.begin(), y.end()), hostPlaces(321, 2, 3));
  }
  std::set<Spot> banks;
  for (int bank = 0; bank < 16; ++bank)
    for (int k = 0; k < 80; ++k) banks.emplace(bank, k / 32, k % 32);
  const auto written = placesOf(program, program.processes[0], m, program::PhaseKind::kPlace, true);
  EXPECT_EQ(written.size(), 16u * 80u);
  EXPECT_EQ(std::set<Spot>(written.begin(), written.end()), banks);
  EXPECT_TRUE(placesOf(program, program.processes[1], m, program::PhaseKind::kPlace, true).empty());
}

TEST(NearBankPhases, NeighbouringWritesGoToOtherBankGroups) {
  const machine::Machine m = load("attacc");
  const kernel::Graph graph = zoo("gemv", {{"m", 1024}, {"n", 64}});
  const auto part = compiled(graph, m, "M1:{(16,1),(64,1),(1,64)}");
  const auto written = placesOf(part->program(), part->program().processes[0], m, program::PhaseKind::kPlace, true);
  ASSERT_EQ(written.size(), 64u * 4u);
  for (std::size_t i = 1; i < written.size(); ++i)
    EXPECT_NE(std::get<0>(written[i]) / 4, std::get<0>(written[i - 1]) / 4) << i;
}

TEST(NearBankPhases, WhatExceedsOnChipMemoryMovesBlockByBlock) {
  // 2 MiB of on-chip memory; weights of 8 MiB + 64 KiB: four blocks, and a fifth of one row of every bank.
  const machine::Machine m = load("attacc", {{"near_bank.on_chip", "2 MiB"}});
  const kernel::Graph graph = zoo("gemv", {{"m", 16512}, {"n", 256}});
  const auto part = compiled(graph, m, "reference");
  const program::Process &process = part->program().processes[0];
  const auto reads = placesOf(part->program(), process, m, program::PhaseKind::kPlace, false);
  EXPECT_EQ(reads.size(), 16512u * 256 * 2 / 32 / 16);
  EXPECT_EQ(std::set<Spot>(reads.begin(), reads.end()).size(), reads.size());
  const auto writes = placesOf(part->program(), process, m, program::PhaseKind::kPlace, true);
  EXPECT_EQ(std::set<Spot>(writes.begin(), writes.end()).size(), writes.size());
  const kernel::Graph small = zoo("gemv", {{"m", 4128}, {"n", 64}});
  EXPECT_GT(estimate(graph, m, "reference").breakdown()[evaluate::Part::kTransferIn],
            estimate(graph, load("attacc"), "reference").breakdown()[evaluate::Part::kTransferIn])
      << "reads of a block wait for the writes of the one before";
  kernel::DataSet data = kernel::makeData(small, {});
  EXPECT_TRUE(runBoth(small, m, {}, data).empty());
}

TEST(NearBankPhases, InferenceHasItsOperandsInOnChipMemory) {
  const machine::Machine m = load("attacc");
  const kernel::Graph graph = zoo("bgemv", {{"heads", 32}, {"len", 128}, {"dhead", 64}});
  const auto kernelMode = phasesOf(estimate(graph, m, "reference;mode=kernel")),
             inference = phasesOf(estimate(graph, m, "reference;mode=inference"));
  EXPECT_TRUE(kernelMode.contains("load"));
  EXPECT_FALSE(inference.contains("load"));
  EXPECT_EQ(kernelMode.at("place").commands, inference.at("place").commands);
}

TEST(NearBankPublished, PartsOfAStreamTakeWhatTheStudysCommandsTakeAlone) {
  const machine::Machine m = load("attacc-published");
  const kernel::Graph red = zoo("red", {{"batch", 1}, {"n", 1024}});
  const auto cycles = [&](const std::string &part) {
    return estimate(red, m, "M1:{(1,16),(1,16),(1,4)};program=published" + part).breakdown().total().value;
  };
  EXPECT_EQ(cycles(""), 215) << "validation/dcc/sim_2d_exhaustive.csv: cycles";
  EXPECT_EQ(cycles(";part=compute"), 40) << "compute_only_cycles";
  EXPECT_LT(cycles(";part=movement"), cycles("")) << "the host waits for no unit";
}

TEST(NearBankPhases, ConstantsArePlacedOnceByCommands) {
  const machine::Machine m = load("attacc");
  kernel::Graph graph = zoo("gemv", {{"m", 512}, {"n", 256}});
  const evaluate::Report each = estimate(graph, m, "reference");
  graph.tensors[static_cast<std::size_t>(graph.kernels[0].loads[0].tensor)].isConstant = true;
  const evaluate::Report once = estimate(graph, m, "reference");
  EXPECT_FALSE(phasesOf(once).contains("place"));
  EXPECT_GT(once.setup.value, 0);
  EXPECT_EQ(each.setup.value, 0);
  EXPECT_LE(std::abs(once.setup.value - phasesOf(each).at("place").cycles.value), 200)
      << "as where the program does it, but for refreshes and rows left open";
  EXPECT_LT(once.breakdown().total(), each.breakdown().total());
  EXPECT_GT(once.setupEnergy.total.value, 0);
}

// K[r,l,d]: the last key of every head is new. A key of 64 elements is four bursts of one bank.
TEST(NearBankPhases, AppendingARowCostsItsBursts) {
  const machine::Machine m = load("attacc");
  const kernel::Graph keys = zoo("bgemv", {{"heads", 32}, {"len", 128}, {"dhead", 64}});
  const std::string map = "M1:{(16,1,1),(1,1,64),(2,64,2)}";
  const evaluate::Report r = estimate(keys, m, map + ";append=1");
  const auto phases = phasesOf(r);
  EXPECT_FALSE(phases.contains("place"));
  ASSERT_TRUE(phases.contains("append"));
  const auto part = compiled(keys, m, map + ";append=1");
  const program::Program &program = part->program();
  const auto written = placesOf(program, program.processes[0], m, program::PhaseKind::kAppend, true);
  EXPECT_EQ(written.size(), 2u * 4u) << "two heads in a channel";
  for (const Spot &s : written) EXPECT_EQ(std::get<0>(s), 63) << "the last keys are in the last bank";
  // New keys come from the host: 32 of 128 B, in 16 channels.
  EXPECT_EQ(placesOf(program, program.processes[0], m, program::PhaseKind::kAppend, false).size(), 8u);
  EXPECT_LT(phases.at("append").cycles.value * 5, phasesOf(estimate(keys, m, map)).at("place").cycles.value);
}

// V lies along the sum: a new row is an element of a burst for each output, which must be read first.
TEST(NearBankPhases, AppendingAlongASumReadsWhatItChanges) {
  const machine::Machine m = load("attacc");
  const auto graph =
      kernel::parseNotation("y[r,d] += V[r,l,d] * p[r,l]", {{"r", 16}, {"l", 40}, {"d", 8}}, DType::kF16, "<test>");
  ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  const auto part = compiled(*graph, m, "M1:{(16,1,1),(1,1,1),(1,8,40)};append=2");
  const program::Program &program = part->program();
  const auto written = placesOf(program, program.processes[0], m, program::PhaseKind::kAppend, true);
  EXPECT_EQ(written.size(), 8u) << "rows 38 and 39 are in the third column of every output";
  const auto read = placesOf(program, program.processes[0], m, program::PhaseKind::kAppend, false);
  for (const Spot &s : written) EXPECT_NE(std::find(read.begin(), read.end(), s), read.end());
}

TEST(NearBankPrograms, AiMMultipliesAndAddsAtItsAnnouncedRate) {
  // In a row, refreshes left out: what a MAC of every bank of both channels does until the next one can.
  class Gaps final : public evaluate::Observer, public sim::dram::CommandObserver {
   public:
    explicit Gaps(int multiply) : multiply_(multiply) {}
    void onCommand(const sim::dram::IssuedCommand &c) override {
      if (c.op != multiply_) return;
      if (c.row == row_) ++gaps, cycles += c.time - last_;
      row_ = c.row;
      last_ = c.time;
    }
    std::int64_t gaps = 0, cycles = 0;

   private:
    int multiply_;
    std::int64_t row_ = -1, last_ = 0;
  };
  const machine::Machine m = load("aim", {{"refresh.policy", "none"}});
  const kernel::Graph graph = zoo("gemv", {{"m", 4096}, {"n", 1024}}, DType::kBF16);
  const auto part = compiled(graph, m, "reference");
  EXPECT_EQ(part->program().processes[0].instances, 2);
  Gaps gaps(m.nearBank->multiply);
  ASSERT_TRUE(part->run({.observer = &gaps}).ok());
  ASSERT_GT(gaps.gaps, 5000);
  const double nsPerMac = static_cast<double>(gaps.cycles) / static_cast<double>(gaps.gaps) / m.clockGHz;
  const double flopPerMac = 2.0 * 16 * 16 * 2;  // multiply and add, lanes, banks, channels
  EXPECT_NEAR(flopPerMac / nsPerMac / 1000, 1.02, 0.01) << "TFLOP/s; announced: 1";
}

// The study takes pJ per bit for pJ per byte on the path, and counts bits of cells: by hand, from its constants.
TEST(NearBankEnergy, TheStudysSetMixesBitsAndBytesAsItDoes) {
  const machine::Machine study = load("attacc", {{"energy.set", "study"}}), ours = load("attacc");
  const kernel::Graph graph = zoo("gemv", {{"m", 512}, {"n", 256}});
  const evaluate::Report r = estimate(graph, study, "reference"), o = estimate(graph, ours, "reference");
  EXPECT_EQ(r.counts, o.counts);
  const auto count = [&](const char *name) { return static_cast<double>(r.counts.at(name)); };
  const double host = count("RD") + count("WR"), moves = count("WRGB") + count("buffer_loads") + count("results"),
               columns = count("MACAB") * 64;
  ASSERT_GT(host, 0);
  ASSERT_GT(moves, 0);
  ASSERT_GT(columns, 0);
  const auto of = [](const evaluate::Report &report, const std::string &term) {
    for (const energy::EnergyRow &row : report.energy.rows)
      if (row.term == term) return row.energy.value;
    ADD_FAILURE() << term;
    return 0.0;
  };
  const auto expect = [&](const char *term, double pj) { EXPECT_NEAR(of(r, term), pj, 1e-6 * pj) << term; };
  expect("activation", 0.11 * 8 * 32 * (host + columns));
  expect("segment_cell", 0.44 * 8 * 32 * (host + columns));
  expect("segment_bg", 1.01 * 32 * (host + moves));
  expect("segment_gio", 1.23 * 32 * (host + moves));
  expect("segment_tsv", 0.5 * 32 * (host + moves));
  expect("segment_io", 0.3 * 32 * host);
  expect("mac", 0.32 * 16 * columns);
  EXPECT_EQ(of(r, "refresh"), 0);
  EXPECT_EQ(of(r, "standby_stack"), 0);
  // Bits for bits, HBM3's path is 0.92 of HBM2's.
  EXPECT_NEAR(of(o, "segment_bg") / of(r, "segment_bg"), 8 * 0.92, 0.01);
}

TEST(NearBankElements, UnitsMultiplyInGroupsAndAddOntoWhatIsLoaded) {
  const machine::Machine m = load("aim");
  const kernel::Graph mul = zoo("mul", {{"n", 4096}}, DType::kBF16), add = zoo("va", {{"n", 512}}, DType::kBF16),
                      relu = zoo("relu", {{"n", 512}}, DType::kBF16);
  // Two channels of four groups: 512 elements each, 32 bursts.
  EXPECT_EQ(estimate(mul, m, "reference").counts.at("element_multiplies"), 2 * 32);
  // Two channels of 16 units: 16 elements each.
  const evaluate::Report sums = estimate(add, m, "reference"), functions = estimate(relu, m, "reference");
  EXPECT_EQ(sums.counts.at("multiplies"), 2 * 16);
  EXPECT_EQ(sums.counts.at("results"), 2 * 16);
  EXPECT_EQ(functions.counts.at("functions"), 2 * 16);
  EXPECT_EQ(functions.counts.at("multiplies"), 0);
}

}  // namespace
}  // namespace pimento::test
