// Planning and running above a target that is made here: what it compiles, how often, and in which parts of the graph.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>

#include "pimento/evaluate/choose.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/notation.h"

namespace pimento::evaluate {
namespace {

/// What the target was asked to compile.
struct Calls {
  std::atomic<int> compiled{0};
  std::atomic<int> run{0};
  std::set<int> lengths;  ///< kernels per part that ran on data
};

/// The interpreter as a device. A mapping takes as many cycles as its inner range is long.
class InterpretedPart final : public CompiledPart {
 public:
  InterpretedPart(const GraphPart &part, mapping::PlacedMapping placed, Calls &calls)
      : part_(part), placed_(std::move(placed)), calls_(calls) {}

  const program::Program &program() const override { return program_; }
  HostWork hostWork() const override { return {}; }
  Result<DeviceRun> run(const RunMode &) const override {
    ++calls_.run;
    return ran();
  }
  DerivationPtr explainCycles(const std::string &, const DeviceRun &, MachineNumbers &, std::int64_t) const override {
    return nullptr;
  }
  const mapping::PlacedMapping &placed() const override { return placed_; }
  kernel::Order order() const override { return {}; }
  std::vector<Residence> residences() const override { return residencesOf(part_, placed_.mapping); }
  Bytes footprint() const override { return Bytes(1); }
  DeviceRun bound(const kernel::DataSpec *) const override { return ran(); }
  Result<DeviceRun> runOn(kernel::DataSet &data, const RunMode &) const override {
    calls_.lengths.insert(part_.count);
    for (int k = part_.first; k < part_.first + part_.count; ++k)
      if (Status s = kernel::interpretKernel(*part_.graph, k, data); !s) return s.diagnostics();
    return ran();
  }

 private:
  DeviceRun ran() const {
    DeviceRun run;
    run.cycles = run.cyclesSimulated = Cycles(placed_.mapping.subspaces.front().range(0));
    return run;
  }

  GraphPart part_;
  mapping::PlacedMapping placed_;
  Calls &calls_;
  program::Program program_{.target = "hbm-pim", .images = {}, .processes = {}};
};

/// Wants `most` kernels at a time.
class InterpretingTarget final : public Target {
 public:
  explicit InterpretingTarget(int most) : most_(most) {}

  std::string_view family() const override { return "hbm-pim"; }
  SimulatedUnit unit() const override { return {"channel", "channels", "channels"}; }
  const CountTable &counts() const override {
    static const CountTable kNone;
    return kNone;
  }
  Stages stages() const override { return {"commands", {}}; }
  Bytes capacity(const machine::Machine &) const override { return Bytes(1 << 30); }
  int runLength(const kernel::Graph &, int, const machine::Machine &) const override { return most_; }
  Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine, const mapping::MapSpec &,
                                     const Tools &) const override {
    mapping::MappingSpace space(part.kernel(), machine);
    return *space.next();
  }
  Result<std::unique_ptr<CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &m,
                                                const machine::Machine &machine, std::string_view,
                                                const Tools &) const override {
    ++calls.compiled;
    auto placed = mapping::place(m, part.kernel(), machine);
    if (!placed) return placed.diagnostics();
    return std::unique_ptr<CompiledPart>(std::make_unique<InterpretedPart>(part, std::move(*placed), calls));
  }
  Result<std::unique_ptr<Runnable>> load(const program::Program &, const machine::Machine &,
                                         const ProgramRequest &) const override {
    return unsupported("unsupported-program", {}, "no programs", "");
  }

  mutable Calls calls;

 private:
  int most_;
};

class PlanTest : public testing::Test {
 protected:
  void SetUp() override {
    auto machine = machine::loadMachine("hbm-pim", {PIMENTO_SOURCE_DIR "/machines"});
    ASSERT_TRUE(machine);
    machine_ = std::move(*machine);
    auto graph =
        kernel::parseNotation("b[i] = a[i] + a[i]; c[i] = b[i] * a[i]; d[i] = c[i] - a[i]", {{"i", 4096}}, DType::kF16);
    ASSERT_TRUE(graph);
    graph_ = std::move(*graph);
  }

  Request request(const Target &target, mapping::MapSpec::Kind kind) {
    Request r;
    r.machine = &machine_;
    r.target = &target;
    r.graph = &graph_;
    r.maps.resize(1);
    r.maps.front().kind = kind;
    return r;
  }

  machine::Machine machine_;
  kernel::Graph graph_;
};

TEST_F(PlanTest, KernelsThatATargetWantsTogetherAreOnePartAndAreCheckedTogether) {
  const InterpretingTarget target(2);
  Request r = request(target, mapping::MapSpec::Kind::kReference);
  kernel::DataSet data = kernel::makeData(graph_, {});
  r.data = &data;
  r.isSimulation = true;
  const auto done = evaluateRecorded(r);
  ASSERT_TRUE(done.ok()) << done.diagnostics().front().str();
  ASSERT_EQ(done->compiled.size(), 2u);
  EXPECT_EQ(done->compiled[0].count, 2);
  EXPECT_EQ(done->compiled[1].first, 2);
  EXPECT_EQ(done->compiled[1].count, 1);
  EXPECT_EQ(target.calls.compiled, 2);
  EXPECT_EQ(target.calls.lengths, (std::set<int>{1, 2}));
  EXPECT_EQ(done->report.stages.size(), 2u);
  EXPECT_NE(done->report.stages[0].kernel.find('+'), std::string::npos) << done->report.stages[0].kernel;
  EXPECT_TRUE(done->report.isChecked);
  EXPECT_EQ(done->compiled[0].compiled->residences().size(), 3u);  // a, b, c
}

TEST_F(PlanTest, ARequestWithoutATargetIsAnError) {
  Request r = request(InterpretingTarget(1), mapping::MapSpec::Kind::kReference);
  r.target = nullptr;
  const auto done = evaluate(r);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.diagnostics().front().code, "no-target");
}

TEST_F(PlanTest, AMappingOfItsOwnForEveryKernelKeepsThemApart) {
  const InterpretingTarget target(3);
  Request r = request(target, mapping::MapSpec::Kind::kReference);
  r.maps.resize(3);
  const auto plan = compile(r);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->size(), 3u);
}

TEST_F(PlanTest, WhatAutoChoosesIsNotCompiledAgain) {
  const InterpretingTarget target(3);
  const Request r = request(target, mapping::MapSpec::Kind::kAuto);
  auto plan = compile(r);
  ASSERT_TRUE(plan.ok());
  std::size_t space = 1;  // the reference, and those of the space
  mapping::MappingSpace all(graph_.kernels.front(), machine_);
  while (space < static_cast<std::size_t>(kAutoCandidates) && all.next()) ++space;
  EXPECT_EQ(static_cast<std::size_t>(target.calls.compiled), space);
  EXPECT_LE(target.calls.run, kAutoEstimated + 1);
  const auto done = evaluateRecorded(r, std::move(*plan));
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(static_cast<std::size_t>(target.calls.compiled), space);
}

TEST_F(PlanTest, RoundsOfOneMagnitudeShareAChoiceThatIsNotWorseThanTheReference) {
  graph_.kernels.resize(1);
  const InterpretingTarget one(1), target(1);
  Request first = request(one, mapping::MapSpec::Kind::kAuto);
  kernel::Unrolled rounds{graph_, {0}, {0}};
  first.rounds = &rounds;
  ASSERT_TRUE(compile(first).ok());
  for (const std::int64_t extent : {4000, 3000, 4000}) {
    graph_.kernels.push_back(graph_.kernels.front());
    graph_.kernels.back().dims.front().extent = extent;
    rounds.runs.push_back(static_cast<int>(rounds.runs.size()));
    rounds.origins.push_back(0);
  }
  graph_.kernels.front().dims.front().extent = 4095;
  rounds.graph = graph_;
  Request all = request(target, mapping::MapSpec::Kind::kAuto);
  all.rounds = &rounds;
  const auto plan = compile(all);
  ASSERT_TRUE(plan.ok());
  // Both mappings where the extents are new, one where they are known.
  EXPECT_LE(target.calls.compiled, one.calls.compiled + 2 + 2 + 1);
  for (const PlannedPart &p : *plan) {
    const auto reference = target.reference({&graph_, p.first, 1}, machine_, {}, {});
    EXPECT_LE(p.mapping.subspaces[0].range(0), reference->subspaces[0].range(0)) << p.mapping.text;
    EXPECT_TRUE(mapping::place(p.mapping, graph_.kernels[static_cast<std::size_t>(p.first)], machine_));
  }
}

}  // namespace
}  // namespace pimento::evaluate
