// What HBM-PIM cannot run, and mappings it cannot follow: each with its code, what is wrong, by how much, and what to
// do instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pimento/kernel/builder.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/program/text.h"
#include "pimento/targets/hbm_pim/host_stream.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/target_of.h"

namespace pimento::test {
namespace {

kernel::Graph parsed(const std::string &text, const kernel::Sizes &sizes, DType type = DType::kF16) {
  const auto graph = kernel::parseNotation(text, sizes, type);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return *graph;
}

/// The first diagnostic of an evaluation that must fail, the same in both evaluators.
Diagnostic refusal(const kernel::Graph &graph, const std::string &map = "reference",
                   const std::string &variant = "plain", const machine::Machine &machine = hbmPim(4)) {
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.tools.cache = sharedCache();
  r.maps = {mapSpec(map)};
  r.variant = variant;
  const auto estimated = evaluate::evaluate(r);
  EXPECT_FALSE(estimated.ok());
  if (estimated) return {};
  if (kernel::scalarOperations(graph) > 1 << 20) return estimated.diagnostics().front();  // no data of gigabytes
  kernel::DataSet data = kernel::makeData(graph, {});
  r.isSimulation = true;
  r.data = &data;
  const auto simulated = evaluate::evaluate(r);
  EXPECT_FALSE(simulated.ok());
  if (simulated) return {};
  const Diagnostic &d = estimated.diagnostics().front();
  EXPECT_EQ(d.str(), simulated.diagnostics().front().str());
  EXPECT_FALSE(d.hint.empty()) << d.str();
  return d;
}

void expectSays(const Diagnostic &d, const std::string &code, const std::vector<std::string> &messageParts,
                const std::string &hintPart) {
  EXPECT_EQ(d.code, code) << d.str();
  for (const std::string &part : messageParts) EXPECT_NE(d.message.find(part), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hintPart), std::string::npos) << d.str();
}

// ---- Too large ----

TEST(HbmPimErrors, WeightsThatDoNotFitSayByHowMuch) {
  // A block of 4 channels holds 64 output tiles x 512 input tiles, a row each and bank parity two: 32,768 rows, and 64
  // of results.
  const kernel::Graph graph = parsed("y[i] += A[i,j] * x[j]", {{"i", 16384}, {"j", 65536}});
  const Diagnostic d = refusal(graph);
  expectSays(d, "capacity", {"'y'", "32832 rows", "free for data are 4096", "28736 too many"}, "channels");
  EXPECT_EQ(refusal(graph, "auto").code, "capacity");
  // On 32 channels 8 x 512 rows of weights fit, and the 8 rows of results do not.
  expectSays(refusal(graph, "reference", "plain", hbmPim(32)), "capacity", {"4104 rows", "8 too many"}, "channels");
  evaluate::Request r;
  const machine::Machine enough = hbmPim(64);
  r.graph = &graph;
  r.machine = &enough;
  r.target = &targetOf(enough);
  r.tools.cache = sharedCache();
  r.maps = {mapSpec("reference")};
  EXPECT_TRUE(evaluate::evaluate(r).ok());
}

TEST(HbmPimErrors, OperandsThatDoNotFitSayByHowMuch) {
  // Per bank and operand 2^27 / (4 * 16 * 16 * 32) = 4096 rows, three operands.
  expectSays(refusal(parsed("z[i] = x[i] + y[i]", {{"i", 1 << 27}})), "capacity", {"12288 rows", "8192 too many"},
             "channels");
}

// ---- Requests ----

TEST(HbmPimErrors, AnUnknownVariantNamesThoseThereAre) {
  expectSays(refusal(parsed("y[i] = x[i] + x[i]", {{"i", 9}}), "reference", "treee"), "unknown-variant",
             {"'treee'", "hbm-pim"}, "plain, tree");
}

TEST(HbmPimErrors, MappingsThatAreNeitherOneNorOnePerKernelAreCounted) {
  const kernel::Graph graph =
      parsed("y[i] += A[i,j] * x[j]; z[i] = relu(y[i]); u[i] = z[i] + z[i]", {{"i", 9}, {"j", 9}});
  const machine::Machine machine = hbmPim(1);
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.tools.cache = sharedCache();
  r.maps = {mapSpec("reference"), mapSpec("auto")};
  const auto report = evaluate::evaluate(r);
  ASSERT_FALSE(report.ok());
  expectSays(report.diagnostics().front(), "map-count", {"2 mappings for 3 kernels"}, "one per kernel");
  r.maps.push_back(mapSpec("reference"));
  EXPECT_TRUE(evaluate::evaluate(r).ok());
}

TEST(HbmPimErrors, AnotherFamilyIsNotCompiledFor) {
  machine::Machine machine = hbmPim(1);
  machine.family = "hbm-pin";
  const auto target = targets::targetOf(machine);
  ASSERT_FALSE(target.ok());
  expectSays(target.diagnostics().front(), "unknown-family", {"'hbm-pin'"}, "hbm-pim");
}

TEST(HbmPimErrors, AMachineWithOtherUnitsIsRefused) {
  const std::vector<void (*)(machine::Machine &)> changes = {
      [](machine::Machine &m) { m.pim->grfEntries = 16; },
      [](machine::Machine &m) { m.pim->lanes = 8; },
      [](machine::Machine &m) { m.pim->crfWords = 8; },
      [](machine::Machine &m) { m.pim->type = DType::kBF16; },
      [](machine::Machine &m) { m.dram->organization.columns = 128; },
      [](machine::Machine &m) { m.levels[1].role = machine::LevelRole::kGroup; },
      [](machine::Machine &m) { m.pim.reset(); },
  };
  for (const auto change : changes) {
    machine::Machine machine = hbmPim(1);
    change(machine);
    expectSays(refusal(parsed("y[i] = x[i]", {{"i", 9}}), "reference", "plain", machine), "unsupported-machine",
               {"hbm-pim", "8 GRF entries"}, "not the unit");
  }
}

TEST(HbmPimErrors, RowsOfAWholeWeightTileAreFine) {
  machine::Machine machine = hbmPim(1);
  machine.dram->organization.columns = 64;  // a weight tile in one row instead of two
  const kernel::Graph graph = parsed("y[i] += A[i,j] * x[j]; z[i] = relu(y[i])", {{"i", 100}, {"j", 300}});
  kernel::DataSet data = kernel::makeData(graph, {});
  EXPECT_TRUE(runBoth(graph, machine, {}, data).empty());
}

// ---- Illegal mappings ----

const char *const kBatched = "Y[b,m] += A[m,n] * X[b,n]";
const kernel::Sizes kBatchedSizes = {{"b", 8}, {"m", 64}, {"n", 256}};

TEST(HbmPimErrors, ABatchCannotBeSplitOverBlocks) {
  expectSays(refusal(parsed(kBatched, kBatchedSizes), "M1:{(1,4,1),(8,1,1),(1,1,16),(1,16,16)}"), "illegal-mapping",
             {"'Y'", "dim 'b'", "blocks", "broadcast"}, "channels");
}

TEST(HbmPimErrors, ABatchCannotBeSplitOverLanes) {
  expectSays(refusal(parsed(kBatched, kBatchedSizes), "M1:{(1,4,1),(1,8,1),(8,1,2),(1,2,128)}"), "illegal-mapping",
             {"'Y'", "dim 'b'", "lanes"}, "channels");
}

TEST(HbmPimErrors, AReductionCannotRunOutsideAnOutput) {
  expectSays(
      refusal(parsed("y[i] += A[i,j] * x[j]", {{"i", 64}, {"j", 256}}), "M1:{(4,1),(8,1),(1,16),(2,16)};order(j,i)"),
      "illegal-mapping", {"'y'", "order(j,i)", "dim 'i'"}, "reduction dims last");
  expectSays(
      refusal(parsed("y[i] += A[i,j] * x[j]", {{"i", 64}, {"j", 256}}), "M1:{(4,1),(8,1),(1,16),(2,16)};merge=device"),
      "unsupported-extension", {"merge= chooses nothing on hbm-pim"}, "omit it; choices: direct=, resident=");
}

TEST(HbmPimErrors, AProductCannotBeTruncated) {
  expectSays(refusal(parsed("y[i] += A[i,j] * x[j]", {{"i", 64}, {"j", 256}}), "reference;tail=truncate"),
             "illegal-mapping", {"'y'", "tail=truncate"}, "omit tail=truncate");
}

TEST(HbmPimErrors, AReductionCannotBeSplitOverBlocks) {
  expectSays(refusal(parsed("y[i] += A[i,j] * x[j]", {{"i", 64}, {"j", 256}}), "M1:{(4,1),(1,8),(1,16),(16,2)}"),
             "mapping-reduction-split", {"dim j", "block"}, "channel, lane");
}

TEST(HbmPimErrors, EveryIllegalMappingOfAGraphNamesItsKernel) {
  const kernel::Graph graph = parsed("y[i] += A[i,j] * x[j]; z[i] = relu(y[i])", {{"i", 64}, {"j", 64}});
  const machine::Machine machine = hbmPim(1);
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.tools.cache = sharedCache();
  r.maps = {mapSpec("reference"), mapSpec("M1:{(1),(8),(16),(1)};order(i)")};
  EXPECT_TRUE(evaluate::evaluate(r).ok());
  r.maps = {mapSpec("reference"), mapSpec("M1:{(1),(9),(16),(1)}")};
  const auto report = evaluate::evaluate(r);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.diagnostics().front().code, "mapping-count");
}

// ---- Unsupported kernels ----

struct Unsupported {
  std::string text, code;
  std::vector<std::string> says;
  std::string hint;
};

TEST(HbmPimErrors, UnsupportedKernelsNameTheOperationAndAnAlternative) {
  const std::vector<Unsupported> cases = {
      {"y[i] = exp(x[i])", "unsupported-op", {"'y'", "'exp'"}, "relu"},
      {"y[i] = x[i] / z[i]", "unsupported-op", {"'div'"}, "host"},
      {"y[i] = max(x[i], z[i])", "unsupported-op", {"'max'"}, "host"},
      {"y[i] = x[i] > 0 ? x[i] : z[i]", "unsupported-op", {"'select'"}, "relu"},
      {"y[i] = f16(f32(x[i]))", "unsupported-op", {"'cast'"}, "host"},
      {"y[i] max= x[i]", "unsupported-op", {"'max'"}, "host"},
      {"y[i] max= A[i,j]", "unsupported-op", {"reduces by 'max'"}, "host"},
      {"y[i] += exp(A[i,j])", "unsupported-op", {"'exp'"}, "host"},
      {"y[i] *= A[i,j] + 1", "unsupported-pattern", {"not 1 where its operands are"}, "host"},
      {"y[i + 1] = y[i] + x[i]", "unsupported-form", {"sequential", "'i'"}, "host"},
  };
  for (const Unsupported &c : cases) {
    SCOPED_TRACE(c.text);
    kernel::Sizes sizes{{"i", 12}};
    for (const char *dim : {"j", "b"})
      if (c.text.find(std::string(",") + dim) != std::string::npos ||
          c.text.find(std::string("[") + dim) != std::string::npos)
        sizes[dim] = 20;
    const kernel::Graph graph = parsed(c.text, sizes);
    const Diagnostic d = refusal(graph);
    expectSays(d, c.code, c.says, c.hint);
    EXPECT_EQ(d.where.file, "<notation>");
    EXPECT_GE(d.where.line, 1);
    EXPECT_EQ(refusal(graph, "auto").code, c.code);
  }
}

TEST(HbmPimErrors, OtherElementTypesNameTheTensor) {
  for (const DType type : {DType::kF32, DType::kBF16, DType::kF64, DType::kI8, DType::kI32, DType::kF8E4M3}) {
    const std::string name(pimento::name(type));
    expectSays(refusal(parsed("y[i] = x[i] + x[i]", {{"i", 9}}, type)), "unsupported-type", {"'x'", name, "f16"},
               "--dtype f16");
    expectSays(refusal(parsed("y[i] += A[i,j] * x[j]", {{"i", 9}, {"j", 9}}, type)), "unsupported-type",
               {"'A'", name, "f16"}, "--dtype f16");
  }
}

TEST(HbmPimErrors, StructuredFormsAreNamed) {
  const auto sel = kernel::makeZooKernel("sel", {{"n", 100}}, DType::kI32);
  expectSays(refusal(*sel), "unsupported-form", {"selection"}, "host");
  const auto hst = kernel::makeZooKernel("hst", {{"n", 100}, {"bins", 8}}, DType::kI32);
  expectSays(refusal(*hst), "unsupported-form", {"stores at an index read from data"}, "host");
  const auto refused = [](const char *text, const kernel::Sizes &sizes) { return refusal(parsed(text, sizes)); };
  expectSays(refused("y[i] = x[p[i]]", {{"i", 9}, {"x", 8}}), "unsupported-form", {"reads at an index from data"},
             "host");
  expectSays(refused("y[p[i]] = x[i]", {{"i", 9}, {"y", 8}}), "unsupported-form", {"stores at an index"}, "host");
  expectSays(refused("m[i] min= x[i,j] with b[i] = j", {{"i", 9}, {"j", 8}}), "unsupported-form",
             {"minimum or maximum with its index"}, "host");
  expectSays(refused("o[i] append= x[i,j] if x[i,j] > 0 limit 2", {{"i", 9}, {"j", 8}}), "unsupported-form",
             {"selection"}, "host");
  expectSays(refused("y[i] = y[i-1] + x[i] where i >= 1", {{"i", 9}}), "unsupported-form", {"'i' is sequential"},
             "host");
}

TEST(HbmPimErrors, RowsThatDataBoundAreRefused) {
  expectSays(refusal(parsed("y[i] += v[e] for e in p[i]..p[i+1]", {{"i", 9}, {"e", 30}}, DType::kF16)),
             "unsupported-form", {"the bounds of dim 'e' come from data"}, "host");
}

TEST(HbmPimErrors, PaddingMeetsNoInfinity) {
  kernel::KernelBuilder b("y", {{"i", 8, kernel::DimKind::kParallel}, {"j", 8, kernel::DimKind::kReduction}});
  const int w = b.load(0, DType::kF16, {b.index(0), b.index(1)}), x = b.load(1, DType::kF16, {b.index(1)});
  b.store(2, {b.index(0)}, b.op(kernel::Op::kMul, DType::kF16, w, x), kernel::Combine::kAdd);
  b.guard({{1, -1}, 0});  // the lower triangle
  kernel::Graph graph;
  graph.tensors = {{"A", DType::kF16, {8, 8}, kernel::Role::kInput},
                   {"x", DType::kF16, {8}, kernel::Role::kInput},
                   {"y", DType::kF16, {8}, kernel::Role::kOutput}};
  graph.kernels.push_back(b.take());
  ASSERT_TRUE(kernel::verify(graph).ok());
  kernel::DataSet data = kernel::makeData(graph, {});
  EXPECT_TRUE(runBoth(graph, hbmPim(1), {}, data).empty());
  data[1].setDouble(5, std::numeric_limits<double>::infinity());
  const machine::Machine machine = hbmPim(1);
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.maps = {mapSpec("reference;resident=1")};
  r.isSimulation = true;
  r.data = &data;
  const auto report = evaluate::evaluate(r);
  ASSERT_FALSE(report.ok());
  expectSays(report.diagnostics().front(), "padding-not-finite", {"element 5 of 'x'", "padding"}, "finite data");
}

TEST(HbmPimErrors, AWayToKeepOperandsThatThereIsNotNamesThoseThereAre) {
  expectSays(refusal(parsed(kBatched, kBatchedSizes), "reference;resident=3"), "illegal-mapping", {"'Y'", "resident=3"},
             "choices: resident=1, resident=2");
  expectSays(refusal(parsed("y[i] = x[i] + x[i]", {{"i", 9}}), "reference;resident=1"), "illegal-mapping", {"'y'"},
             "omit resident=");
}

TEST(HbmPimErrors, AGroupCannotBeSplitOverBlocks) {
  expectSays(refusal(parsed("Y[b,i,k] += A[b,i,j] * X[b,j,k]", {{"b", 8}, {"i", 8}, {"j", 16}, {"k", 2}}),
                     "M1:{(1,1,1,1),(8,1,1,1),(1,1,1,16),(1,8,2,1)};resident=1"),
             "illegal-mapping", {"'Y'", "dim 'b'", "blocks"}, "channels");
}

TEST(HbmPimErrors, ASumOfDeepExpressionsIsTooDeep) {
  expectSays(refusal(parsed("y[i] += (A[i,j] + x[j]) * (A[i,j] - x[j])", {{"i", 9}, {"j", 8}})), "too-deep",
             {"'y'", "one intermediate result"}, "two statements");
}

TEST(HbmPimErrors, ExpressionsWithTooManyIntermediateResultsAreTooDeep) {
  expectSays(refusal(parsed("y[i] = ((a[i] + b[i]) * (c[i] + d[i])) + ((e[i] + f[i]) * (g[i] + h[i]))", {{"i", 9}})),
             "too-deep", {"'y'", "two intermediate results"}, "two statements");
}

TEST(HbmPimErrors, ExpressionsWithTooManyInstructionsSayHowMany) {
  std::string nested = "x[i]";
  for (int k = 0; k < 20; ++k) nested = "(" + nested + " + a[i])";
  expectSays(refusal(parsed("y[i] = " + nested, {{"i", 9}})), "too-long", {"'y'", "45 instructions", "32"},
             "several statements");
}

TEST(HbmPimErrors, ASingleScalarIsForTheHost) {
  expectSays(refusal(parsed("s = a + b", {})), "unsupported-form", {"scalar"}, "host");
}

// ---- Programs and streams of the host ----

TEST(HbmPimErrors, AProgramWhoseNextCommandNeverIssuesIsStuck) {
  // All-bank mode takes activates of banks 0 and 1 alone; this one waits for bank 2.
  std::string text = "program hbm-pim\nprocess p x4 {\n";
  for (const char *bank : {"0", "1", "8", "9"})
    text += std::string("WR rank 0 bank ") + bank + " row 6143 column 31 barrier control\n";
  text += "RD rank 0 bank 2 row 5 column 0 host_read\n}\n";
  const auto program = program::parse(text, "p.llvcnm");
  ASSERT_TRUE(program.ok()) << program.diagnostics().front().str();
  for (const bool isSimulation : {false, true}) {
    const auto report = evaluateProgram(*program, hbmPim(4), isSimulation);
    ASSERT_FALSE(report.ok());
    expectSays(report.diagnostics().front(), "program-stuck", {"is stuck after cycle"}, "all-bank");
  }
}

TEST(HbmPimErrors, StreamsOfTheHostFollowOneAddressMap) {
  machine::Machine machine = hbmPim(4);
  auto &map = machine.dram->organization.addressMap;
  std::reverse(map.begin(), map.end());
  const auto program = targets::hbm_pim::hostStream(machine, Bytes(1 << 20), false);
  ASSERT_FALSE(program.ok());
  expectSays(program.diagnostics().front(), "unsupported-address-map", {"bank, bankgroup, column, row"}, "address_map");
}

}  // namespace
}  // namespace pimento::test
