#include "pimento/mapping/cnm.h"

#include <gtest/gtest.h>

#include <limits>

#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "test/support/random_affine_graph.h"
#include "test/support/random_cnm_module.h"
#include "test/support/same_module.h"

namespace pimento::mapping {
namespace {

machine::Machine machineCalled(const std::string &name) {
  return *machine::loadMachine(name, {PIMENTO_SOURCE_DIR "/machines"});
}

CnmModule moduleFor(kernel::Graph graph, const machine::Machine &machine) {
  CnmModule m;
  m.graph = std::move(graph);
  m.target = machine.name;
  for (const machine::Level &l : machine.levels) m.levels.push_back(l.name);
  m.mappings.resize(m.graph.kernels.size());
  return m;
}

void expectRoundTrip(const CnmModule &module) {
  const std::string text = print(module);
  const Result<CnmModule> back = parseCnm(text, "t.cnm");
  ASSERT_TRUE(back.ok()) << back.diagnostics().front().str() << "\n" << text;
  EXPECT_TRUE(test::isSame(module, *back)) << text << "---\n" << print(*back);
  EXPECT_EQ(print(*back), text);
}

TEST(CnmText, SaysOperandsInductionVariablesRequestsOperationsAndLoops) {
  const machine::Machine machine = machineCalled("hbm-pim");
  CnmModule m = moduleFor(*kernel::makeZooKernel("gemv", {{"m", 4096}, {"n", 1024}}, DType::kF16), machine);
  m.mappings[0] = *parseMapSpec("M1:{(64,1),(8,1),(1,16),(8,64)};cyclic(lane,1);order(m,n)");
  EXPECT_EQ(print(m), R"(cnm gemv
target hbm-pim channel block lane
operand A f16[4096,1024] input
operand x f16[1024] input
operand y f16[4096] output
kernel gemv {
  induction m 4096 parallel
  induction n 1024 reduction
  @0 = read A[m,n]
  @1 = read x[n]
  %0 = load f16 @0
  %1 = load f16 @1
  %2 = mul f16 %0 %1
  store add y[m] %2
  space M1 {
    loop m channel 64 block 8 range 8
    loop n lane 16 range 64
  }
  order m n
  cyclic lane 1
}
)");
  expectRoundTrip(m);
  EXPECT_TRUE(verify(m, machine).ok());
}

TEST(CnmText, IsReadBackExactlyWhateverAModuleSays) {
  Rng rng(6);
  for (int i = 0; i < 1000 && !HasFailure(); ++i) expectRoundTrip(test::RandomCnmModule(rng).make());
}

TEST(CnmText, OfVerifiedKernelsWithMappingsIsReadBackAndVerifies) {
  const machine::Machine machine = machineCalled("upmem");
  Rng rng(7);
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const DType type = allDTypes()[rng.below(allDTypes().size())];
    test::RandomAffineGraph random(rng, type);
    CnmModule m = moduleFor(random.make(), machine);
    m.mappings[0] = MapSpec{MapSpec::Kind::kExplicit, random.mappingOf(m.graph.kernels[0], 8)};
    expectRoundTrip(m);
    const Result<CnmModule> back = parseCnm(print(m));
    EXPECT_EQ(verify(m, machine).ok(), verify(*back, machine).ok());
    EXPECT_TRUE(verify(*back).ok());
  }
}

TEST(CnmText, HoldsTheZooWithMappingsOfEveryMachine) {
  for (const std::string &name : machine::listMachines({PIMENTO_SOURCE_DIR "/machines"})) {
    const machine::Machine machine = machineCalled(name);
    for (const kernel::ZooEntry &entry : kernel::zoo()) {
      CnmModule m = moduleFor(*kernel::makeZooKernel(entry.name, {}, entry.types.front()), machine);
      for (std::size_t k = 0; k < m.graph.kernels.size(); ++k) {
        MappingSpace space(m.graph.kernels[k], machine, {{machine.levels.back().name, {1, 2}}});
        std::optional<Mapping> mapping = space.next();
        for (std::size_t skip = 0; mapping && skip < k; ++skip)
          if (std::optional<Mapping> other = space.next()) mapping = std::move(other);
        if (mapping) m.mappings[k] = MapSpec{MapSpec::Kind::kExplicit, std::move(*mapping)};
      }
      expectRoundTrip(m);
      EXPECT_TRUE(verify(*parseCnm(print(m)), machine).ok()) << entry.name << " on " << name;
    }
  }
}

TEST(CnmText, CommentsBlankLinesAndAnyOrderOfLoopsAreRead) {
  const Result<CnmModule> m = parseCnm(R"(
; a vector, scaled
cnm scale   # its name

target three rank dpu
operand x i32[8] input
operand y i32[8] output
kernel scale affine {
  induction i 4 parallel
  induction j 2 parallel
  @0=read x[j + i*2]
  %0 = load i32 @0   ; one element
  store assign y[2*i+j] %0
  space M2 {
    loop j range 2
    loop i dpu 2 range 2
  }
  order j i
  tail pad
}
)");
  ASSERT_TRUE(m.ok()) << m.diagnostics().front().str();
  ASSERT_TRUE(m->mappings[0]);
  EXPECT_EQ(print(*m->mappings[0]), "M2:{(1,1),(2,1),(2,2)};order(j,i)");
  EXPECT_EQ(m->graph.kernels[0].loads[0].index[0].coefficients, (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(verify(*m).ok());
}

TEST(CnmText, AMappingMayBeAWordWithExtensionsOrBeLeftOpen) {
  const auto mappingOf = [](const std::string &statements) {
    const Result<CnmModule> m =
        parseCnm("cnm t\noperand x i32[] inout\nkernel t {\n@0 = read x[]\n%0 = load i32 @0\nstore assign x[] %0\n" +
                 statements + "}\n");
    EXPECT_TRUE(m.ok()) << m.diagnostics().front().str();
    return m->mappings[0] ? print(*m->mappings[0]) : "open";
  };
  EXPECT_EQ(mappingOf(""), "open");
  EXPECT_EQ(mappingOf("mapping auto\n"), "auto");
  EXPECT_EQ(mappingOf("mapping host\n"), "host");
  EXPECT_EQ(mappingOf("mapping reference\ndpus 64\ntail truncate\n"), "reference;dpus=64;tail=truncate");
  EXPECT_EQ(mappingOf("mapping auto\nprogram compiled\n"), "auto;program=compiled");
}

TEST(CnmText, TheTargetIsFoundWithoutReadingTheRest) {
  EXPECT_EQ(cnmTarget("; c\ncnm x\ntarget \"my machine.yaml\" lane\nnonsense"), "my machine.yaml");
  Location where;
  EXPECT_EQ(cnmTarget("cnm x\n  target t lane\n", &where), "t");
  EXPECT_EQ(where.line, 2);
  EXPECT_EQ(where.column, 10);
  EXPECT_EQ(cnmTarget("cnm x\nkernel k {\ntarget late\n"), "");
  EXPECT_EQ(cnmTarget(""), "");
}

TEST(CnmText, PlacesAreThoseOfTheStatements) {
  const Result<CnmModule> m = parseCnm(
      "cnm t\ntarget one lane\noperand x i32[4] inout\nkernel t {\n  induction i 4 parallel\n  guard i\n"
      "  @0 = read x[i]\n  %0 = load i32 @0\n  store assign x[i] %0\n  space M1 {\n    loop i lane 4 range 1\n  }\n"
      "  cyclic lane 1\n}\n",
      "t.cnm");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->graph.kernels[0].where.str(), "t.cnm:4:1");
  EXPECT_EQ(m->places.kernels[0].dims[0].str(), "t.cnm:5:3");
  EXPECT_EQ(m->places.kernels[0].loads[0].str(), "t.cnm:7:3");
  EXPECT_EQ(m->mappings[0]->mapping.subspaces[0].where.str(), "t.cnm:10:9");
  EXPECT_EQ(m->mappings[0]->mapping.subspaces[0].rowsWhere[0].str(), "t.cnm:11:12");
  EXPECT_EQ(m->mappings[0]->mapping.where.at("cyclic(lane)").str(), "t.cnm:13:3");
}

TEST(CnmSizes, NamesStandWhereNumbersDo) {
  const std::string text = R"(cnm t
size n
size m 3
size rounds 2
operand a i32[n+2,2*m] input
operand o i32[n,m] output
for t rounds {
kernel k {
  induction t rounds counter
  induction i n parallel
  induction m m-1 parallel
  guard n-i-t
  @0 = read a[i+2,m+1]
  %0 = load i32 @0
  %1 = constant i32 4*n-1
  %2 = add i32 %0 %1
  store assign o[n-1-i,m] %2
}
}
)";
  const std::string numbers = R"(cnm t
operand a i32[7,6] input
operand o i32[5,3] output
for t 2 {
kernel k {
  induction t 2 counter
  induction i 5 parallel
  induction m 2 parallel
  guard 5-i-t
  @0 = read a[i+2,m+1]
  %0 = load i32 @0
  %1 = constant i32 19
  %2 = add i32 %0 %1
  store assign o[4-i,m] %2
}
}
)";
  const Result<CnmModule> named = parseCnm(text, "t.cnm", {{"n", 5}}), written = parseCnm(numbers, "t.cnm");
  ASSERT_TRUE(named.ok()) << named.diagnostics().front().str();
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(print(*named), print(*written));
  const Result<CnmModule> larger = parseCnm(text, "t.cnm", {{"n", 50}, {"m", 8}, {"rounds", 4}});
  ASSERT_TRUE(larger.ok());
  EXPECT_EQ(larger->graph.tensors[0].shape, (std::vector<std::int64_t>{52, 16}));
  EXPECT_EQ(larger->graph.loops[0].extent, 4);
  EXPECT_TRUE(verify(*larger).ok());
}

}  // namespace
}  // namespace pimento::mapping
