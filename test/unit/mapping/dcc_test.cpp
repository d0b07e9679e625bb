// DCC's representation: printed as its Table 2 has it, read back exactly, and what follows from tiles must be right.
#include "pimento/mapping/dcc.h"

#include <gtest/gtest.h>

#include <sstream>

#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "test/support/cases.h"
#include "test/support/random_affine_graph.h"
#include "test/support/same_module.h"

namespace pimento::mapping {
namespace {

machine::Machine machineCalled(const std::string &name) {
  return *machine::loadMachine(name, {PIMENTO_SOURCE_DIR "/machines"});
}

CnmModule moduleFor(kernel::Graph graph, const machine::Machine &machine, const std::string &map) {
  CnmModule m;
  m.graph = std::move(graph);
  m.target = machine.name;
  for (const machine::Level &l : machine.levels) m.levels.push_back(l.name);
  m.mappings.resize(m.graph.kernels.size());
  if (!map.empty()) m.mappings[0] = *parseMapSpec(map);
  return m;
}

std::string textOf(const CnmModule &module, const machine::Machine &machine) {
  const Result<std::string> text = printDcc(module, machine);
  EXPECT_TRUE(text) << (text ? "" : text.diagnostics().front().str());
  return text ? *text : "";
}

void expectRoundTrip(const CnmModule &module, const machine::Machine &machine) {
  const std::string text = textOf(module, machine);
  const Result<CnmModule> back = parseDcc(text, "t.dcc");
  ASSERT_TRUE(back.ok()) << back.diagnostics().front().str() << "\n" << text;
  EXPECT_TRUE(verify(*back, machine).ok() || !verify(module, machine).ok()) << text;
  const std::string again = textOf(*back, machine);
  EXPECT_EQ(again, text);
  const Result<CnmModule> twice = parseDcc(again, "t.dcc");
  ASSERT_TRUE(twice.ok());
  EXPECT_TRUE(test::isSame(*back, *twice)) << text;
  EXPECT_EQ(dccTarget(text), back->target);
}

// Fig. 6 of the paper, with small sizes: the bias inside the sum, as printed there.
TEST(DccText, SaysTheKernelOfFigure6InTable2sConstructs) {
  const machine::Machine machine = machineCalled("attacc");
  const auto graph =
      kernel::parseNotation("y[b,i] += x[b,j] * weight[i,j] + bias[j]", {{"b", 2}, {"i", 8}, {"j", 32}}, DType::kF16);
  ASSERT_TRUE(graph);
  const CnmModule module = moduleFor(*graph, machine, "M1:{(2,1,2),(1,4,1),(1,2,16)};order(i,b,j)");
  constexpr const char *kText = R"dcc(@hardware_platform[16, 64] attacc channel bank
func @y(%x: <2x32xf16>, %weight: <8x32xf16>, %bias: <32xf16>): (%y: <2x8xf16>) {
  complex_dimset %b {%b[0], %b[1]} parallel
  %b[0] = %x.dim[0] -> b [representative]
  %b[1] = %y.dim[0] -> b
  %b.range = (0, 2, 1)
  complex_dimset %i {%i[0], %i[1]} parallel
  %i[0] = %weight.dim[0] -> i [representative]
  %i[1] = %y.dim[1] -> i
  %i.range = (0, 8, 1)
  complex_dimset %j {%j[0], %j[1], %j[2]} reduction
  %j[0] = %x.dim[1] -> j [representative]
  %j[1] = %weight.dim[1] -> j
  %j[2] = %bias.dim[0] -> j
  %j.range = (0, 32, 1)
  data_tile %dt_b: (2, 1) -> (2, 1, 1)
  data_tile %dt_i: (1, 4) -> (1, 4, 2)
  data_tile %dt_j: (2, 1) -> (2, 1, 16)
  compute_tile %ct_b: (2, 1, 1) -> [[0:1], [1:2]]
  compute_tile %ct_i: (1, 4, 2) -> [[0:2, 2:4, 4:6, 6:8]]
  compute_tile %ct_j: (2, 1, 16) -> [[0:16], [16:32]]
  tensor_tile %tt_bias[0]: %ct_j -> [[0:16], [16:32]]
  tensor_tile %tt_weight[0]: %ct_i -> [[0:2, 2:4, 4:6, 6:8]]
  tensor_tile %tt_weight[1]: %ct_j -> [[0:16], [16:32]]
  tensor_tile %tt_x[0]: %ct_b -> [[0:1], [1:2]]
  tensor_tile %tt_x[1]: %ct_j -> [[0:16], [16:32]]
  tensor_tile %tt_y[0]: %ct_b -> [[0:1], [1:2]]
  tensor_tile %tt_y[1]: %ct_i -> [[0:2, 2:4, 4:6, 6:8]]
  %x_core = rearrange %x -> %tt_x [to_PIM_core]
  %weight_core = rearrange %weight -> %tt_weight [to_PIM_core]
  %bias_core = rearrange %bias -> %tt_bias [to_PIM_core]
  parallel_PIM (16, 64) with "order(i,b,j)" {
    loop (b, i, j) in (%ct_b, %ct_i, %ct_j) {
      @0 = read x_core[b,j]
      @1 = read weight_core[i,j]
      @2 = read bias_core[j]
      %0 = load f16 @0
      %1 = load f16 @1
      %2 = mul f16 %0 %1
      %3 = load f16 @2
      %4 = add f16 %2 %3
      store add y_core[b,i] %4
    }
  }
  %y = rearrange %y_core -> %tt_y [to_host]
}
)dcc";
  EXPECT_EQ(textOf(module, machine), kText);
  expectRoundTrip(module, machine);
}

// Fig. 5 of the paper (our completion of its kernel): references with offsets and strides, and halos.
TEST(DccText, ReferencesOfOneDimensionShareATile) {
  const machine::Machine machine = machineCalled("attacc");
  const auto graph = kernel::parseNotation("D[b,i] += B[i,k] * C[b,k] + A[b,i] * A[b+1,i*2]",
                                           {{"b", 11}, {"i", 8}, {"k", 16}}, DType::kF16);
  ASSERT_TRUE(graph);
  const CnmModule module = moduleFor(*graph, machine, "M1:{(1,1,1),(4,2,1),(3,4,16)}");
  const std::string text = textOf(module, machine);
  for (const char *line : {"complex_dimset %b {%b[0], %b[1], %b[2], %b[3]} parallel", "= %A.dim[0] -> b+1\n",
                           "= %A.dim[1] -> i*2\n", "compute_tile %ct_b: (1, 4, 3) -> [[0:3, 3:6, 6:9, 9:11]]",
                           "tensor_tile %tt_A[0]: %ct_b -> [[0:4, 3:7, 6:10, 9:12]]",
                           "tensor_tile %tt_A[1]: %ct_i -> [[0:5+6:7, 4:9+10:15:2]]"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  expectRoundTrip(module, machine);
}

// The first draft of Fig. 5, [A0^(b+1)], [A1^(i*2)], [B1^k], on more cores.
TEST(DccText, ARepresentativeWithOffsetOrStrideIsMarked) {
  const machine::Machine machine = machineCalled("attacc");
  const auto graph = kernel::parseNotation("D[b,i] += B[i,k] * C[b,k] + A[b,i] * A[b+1,i*2]",
                                           {{"b", 11}, {"i", 8}, {"k", 16}}, DType::kF16);
  ASSERT_TRUE(graph);
  const CnmModule module =
      moduleFor(*graph, machine, "M1:{(1,2,1),(4,3,1),(3,2,16)};by(b: A[0]=b+1);by(i: A[1]=2*i);order(b,i,k)");
  const std::string text = textOf(module, machine);
  for (const char *line :
       {"= %A.dim[0] -> b+1 [representative]\n", "= %A.dim[1] -> i*2 [representative]\n",
        "data_tile %dt_b: (1, 4) -> (1, 4, 3)\n", "data_tile %dt_i: (2, 3) -> (2, 3, 3)\n",
        "compute_tile %ct_b: (1, 4, 3) -> [[0:2, 2:5, 5:8, 8:11]]\n",
        "compute_tile %ct_i: (2, 3, 2) -> [[0:2, 2:3, 3:5], [5:6, 6:8, -]]\n",
        "tensor_tile %tt_A[0]: %ct_b -> [[0:3, 2:6, 5:9, 8:12]]\n",
        "tensor_tile %tt_C[0]: %ct_b -> [[0:2, 2:5, 5:8, 8:11]]\n", "parallel_PIM (16, 64) with \"order(b,i,k)\" {\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  expectRoundTrip(module, machine);
  const auto back = parseDcc(text, "t.dcc");
  ASSERT_TRUE(back);
  EXPECT_EQ(print(*back->mappings[0]), print(*module.mappings[0]));

  // A range that is longer than the longest tile, and a representative that cuts as the loop does.
  const CnmModule longer = moduleFor(*graph, machine, "M1:{(1,1,1),(4,1,1),(5,8,16)};by(b: A[0]=b+1)");
  EXPECT_NE(textOf(longer, machine).find("data_tile %dt_b: (1, 4) -> (1, 4, 3) by bank 4 range 5\n"), std::string::npos)
      << textOf(longer, machine);
  expectRoundTrip(longer, machine);
  const CnmModule same = moduleFor(*graph, machine, "M1:{(1,1,1),(4,1,1),(3,8,16)};by(b: C[0]=b)");
  EXPECT_EQ(textOf(same, machine), textOf(moduleFor(*graph, machine, "M1:{(1,1,1),(4,1,1),(3,8,16)}"), machine));
}

TEST(DccText, CoresThatShareATileHaveNoBorders) {
  const machine::Machine machine = machineCalled("upmem");
  const auto graph = kernel::parseNotation("y[i] = x[i+1]", {{"i", 100}}, DType::kI32);
  ASSERT_TRUE(graph);
  const CnmModule module = moduleFor(*graph, machine, "M1:{(2),(4),(1),(14)};by(i: x[0]=i+1)");
  expectRoundTrip(module, machine);
  const auto shared = printDcc(moduleFor(*graph, machine, "M1:{(2),(4),(2),(7)};by(i: x[0]=i+1)"), machine);
  ASSERT_FALSE(shared);
  EXPECT_EQ(shared.diagnostics().front().code, "unsupported-dcc");
  // As text, where the last level is one of units.
  std::string text = textOf(module, machine);
  const auto swap = [&text](const std::string &what, const std::string &instead) {
    ASSERT_NE(text.find(what), std::string::npos) << what << text;
    text.replace(text.find(what), what.size(), instead);
  };
  swap("by rank 2 dpu 4 range 14", "by rank 2 tasklet 4 range 14");
  const auto read = parseDcc(text, "t.dcc");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  const Status s = verify(*read, machine);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics().front().code, "dcc-tile") << s.diagnostics().front().str();
}

TEST(DccText, LanesAndLevelsAreSaid) {
  const machine::Machine machine = machineCalled("hbm-pim");
  const CnmModule module = moduleFor(*kernel::makeZooKernel("gemv", {{"m", 64}, {"n", 100}}, DType::kF16), machine,
                                     "M1:{(2,1),(8,1),(1,16),(4,7)}");
  const std::string text = textOf(module, machine);
  EXPECT_NE(text.find("@hardware_platform[64, 8] hbm-pim channel block lane\n"), std::string::npos) << text;
  EXPECT_NE(text.find("data_tile %dt_m: (2, 8) -> (2, 8, 4) by channel 2 block 8 range 4\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("data_tile %dt_n: (1, 1) -> (1, 1, 112) by lane 16 range 7\n"), std::string::npos) << text;
  expectRoundTrip(module, machine);
  const CnmModule cyclic = moduleFor(*kernel::makeZooKernel("va", {{"n", 4096}}, DType::kF16), machine,
                                     "M1:{(2),(8),(16),(16)};cyclic(block,32)");
  const std::string chunks = textOf(cyclic, machine);
  EXPECT_EQ(chunks.find("compute_tile"), std::string::npos);
  EXPECT_NE(chunks.find("parallel_PIM (64, 8) with \"cyclic(block,32)\" {\n"), std::string::npos) << chunks;
  expectRoundTrip(cyclic, machine);
}

TEST(DccText, ThePlatformIsThatOfTheMachine) {
  const machine::Machine machine = machineCalled("attacc");
  const CnmModule module = moduleFor(*kernel::makeZooKernel("gemv", {{"m", 64}, {"n", 64}}, DType::kF16), machine,
                                     "M1:{(2,1),(4,1),(8,64)}");
  std::string text = textOf(module, machine);
  for (const char *what : {"[16, 64]", "(16, 64)"})
    text.replace(text.find(what), 8, what[0] == '[' ? "[2, 64]" : "(2, 64)");
  const auto read = parseDcc(text, "t.dcc");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  const Status verified = verify(*read, machine);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.diagnostics().front().code, "dcc-platform");
  EXPECT_EQ(verified.diagnostics().front().where.line, 1);
}

TEST(DccText, KernelsAreOpenOrOnTheHost) {
  const machine::Machine machine = machineCalled("upmem");
  CnmModule module =
      moduleFor(*kernel::makeZooKernel("mlp", {{"m", 16}, {"n", 16}, {"hidden", 32}}, DType::kF32), machine, "");
  module.target.clear();
  module.levels.clear();
  module.mappings[1] = *parseMapSpec("host");
  const std::string text = textOf(module, machine);
  EXPECT_EQ(text.find("@hardware"), std::string::npos);
  EXPECT_NE(text.find("@host\nfunc @h("), std::string::npos) << text;
  EXPECT_NE(text.find("  loop (hidden, n) {\n"), std::string::npos) << text;
  expectRoundTrip(module, machine);
}

TEST(DccText, WhatFollowsFromTilesMayBeLeftOut) {
  const machine::Machine machine = machineCalled("attacc");
  const auto graph = kernel::parseNotation("y[b,i] += x[b,j] * w[i,j]", {{"b", 2}, {"i", 8}, {"j", 32}}, DType::kF16);
  const std::string whole = textOf(moduleFor(*graph, machine, "M1:{(2,1,2),(1,4,1),(1,2,16)}"), machine);
  std::string left;
  std::istringstream lines(whole);
  std::int64_t dropped = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool follows = line.find(".dim[") != std::string::npos || line.find("compute_tile") != std::string::npos ||
                         line.find("tensor_tile") != std::string::npos || line.find("rearrange") != std::string::npos;
    dropped += follows ? 1 : 0;
    if (!follows) left += line + "\n";
  }
  EXPECT_GT(dropped, 12);
  const Result<CnmModule> read = parseDcc(left, "t.dcc");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  EXPECT_EQ(textOf(*read, machine), whole);
}

TEST(DccText, RandomKernelsComeBack) {
  const machine::Machine machine = machineCalled("upmem");
  std::int64_t printed = 0;
  const std::int64_t cases = test::caseCount(1000);
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    test::RandomAffineGraph random(rng, seed % 2 == 0 ? DType::kI32 : DType::kF32);
    const kernel::Graph graph = random.make();
    CnmModule module = moduleFor(graph, machine, "");
    MapSpec spec;
    spec.kind = MapSpec::Kind::kExplicit;
    spec.mapping = random.mappingOf(graph.kernels[0], 4);
    spec.mapping.cyclic.clear();
    module.mappings[0] = spec;
    if (!kernel::verify(graph) || !printDcc(module, machine)) continue;
    expectRoundTrip(module, machine);
    ++printed;
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GE(printed, cases / 2);
}

}  // namespace
}  // namespace pimento::mapping
