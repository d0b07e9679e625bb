// Kernels and mappings that compiled UPMEM programs cannot follow: each with its code, by how much, and what to do.
#include <gtest/gtest.h>

#include "pimento/kernel/builder.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/upmem/compiled/build.h"
#include "pimento/targets/upmem/compiled/lower.h"
#include "test/support/dpu_builder.h"

namespace pimento::test {
namespace {

machine::Machine machineOf() {
  machine::Machine m;
  m.name = "hand-upmem";
  m.family = "upmem";
  using enum machine::LevelRole;
  m.levels = {{"rank", 2, true, "host", false, kGroup},
              {"dpu", 8, true, "host", false, kUnit},
              {"tasklet", 24, true, "host", false, kThread}};
  m.dpu = handDpu();
  return m;
}

Diagnostic refusal(const kernel::Graph &graph, const std::string &map, const machine::Machine &machine = machineOf()) {
  const auto spec = mapping::parseMapSpec(map);
  if (!spec) return spec.diagnostics().front();
  Cache cache;
  const auto lowered = targets::upmem::compiled::lower(graph, 0, spec->mapping, machine, nullptr, cache);
  return lowered ? Diagnostic{} : lowered.diagnostics().front();
}

Diagnostic refusal(const std::string &notation, const kernel::Sizes &sizes, const std::string &map,
                   DType type = DType::kI32) {
  const auto graph = kernel::parseNotation(notation, sizes, type);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return refusal(*graph, map);
}

Diagnostic refusalOfZoo(const std::string &name, const kernel::Sizes &sizes, const std::string &map,
                        DType type = DType::kI32) {
  const auto graph = kernel::makeZooKernel(name, sizes, type);
  EXPECT_TRUE(graph.ok()) << graph.diagnostics().front().str();
  return refusal(*graph, map);
}

void expectSays(const Diagnostic &d, const std::string &code, const std::string &message) {
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty()) << d.str();
}

TEST(CompiledErrors, WithoutACompilerThereAreNoPrograms) {
  expectSays(refusalOfZoo("va", {{"n", 64}}, "M1:{(1),(1),(2),(32)}"), "no-dpu-compiler", "built without LLVM");
}

/// Gives the same assembly for whatever it is asked.
class FixedCompiler : public program::DpuCompiler {
 public:
  explicit FixedCompiler(std::string assembly) : assembly_(std::move(assembly)) {}
  Result<std::string> compile(const program::DpuSource & /*source*/) override { return assembly_; }
  Result<std::string> optimised(const program::DpuSource & /*source*/) override { return std::string(); }

 private:
  std::string assembly_;
};

TEST(CompiledErrors, AProgramThatTakesMoreStackThanThereIsIsRefused) {
  Cache cache;
  FixedCompiler deep("\t.text\n\t.globl main\nmain:\n\t.set stack_size.main, 720\n\tjump r23\n"),
      endless("\t.text\n\t.globl main\nmain:\n\tcall r23, main\n\tjump r23\n");
  const auto refused = targets::upmem::compiled::buildProgram("deep", 4, 512, &deep, cache);
  ASSERT_FALSE(refused.ok());
  expectSays(refused.diagnostics().front(), "dpu-stack", "720 bytes of stack, 208 more than the 512");
  EXPECT_TRUE(targets::upmem::compiled::buildProgram("deep", 4, 720, &deep, cache).ok());
  const auto unknown = targets::upmem::compiled::buildProgram("endless", 4, 512, &endless, cache);
  ASSERT_FALSE(unknown.ok());
  expectSays(unknown.diagnostics().front(), "dpu-stack", "'main' calls itself");
}

TEST(CompiledErrors, FortyBrokenMappings) {
  struct Case {
    const char *map, *code, *message;
  };
  const std::vector<Case> ofMatrix = {
      {"M1:{(1,1),(1,1),(1,1),(7,8)}", "mapping-incomplete", "cover"},
      {"M1:{(1,1),(1,1),(1,1),(8,7)}", "mapping-incomplete", "cover"},
      {"M1:{(1,1),(1,1),(8,8)}", "mapping-levels", ""},
      {"M1:{(1,1),(1,1),(1,1),(1,1),(8,8)}", "mapping-levels", ""},
      {"M1:{(1),(1),(1),(8)}", "mapping-dims", ""},
      {"M1:{(1,1,1),(1,1,1),(1,1,1),(8,8,1)}", "mapping-dims", ""},
      {"M1:{(0,1),(1,1),(1,1),(8,8)}", "map-number", ""},
      {"M1:{(1,1),(1,1),(1,0),(8,8)}", "map-number", ""},
      {"M1:{(3,1),(1,1),(1,1),(8,8)}", "mapping-count", ""},
      {"M1:{(1,1),(9,1),(1,1),(8,8)}", "mapping-count", ""},
      {"M1:{(1,1),(1,1),(25,1),(8,8)}", "mapping-count", ""},
      {"M1:{(1,1),(1,1),(5,5),(8,8)}", "mapping-count", ""},
      {"M1:{(1,1),(3,3),(1,1),(8,8)}", "mapping-count", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)},M2:{(1,1),(1,1),(2,1),(4,8)}", "mapping-unused-subspace", ""},
      {"M1:{(1,1),(1,1),(1,1),(4,8)},M2:{(1,1),(1,1),(1,1),(4,8)}", "illegal-mapping", "2 subspaces"},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};cyclic(tasklet,2)", "illegal-mapping", "contiguous slice"},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};cyclic(bank,2)", "mapping-unknown-level", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};cyclic(tasklet,3)", "mapping-cyclic-chunk", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};order(i,k)", "mapping-unknown-dim", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};order(i)", "mapping-order", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};dpus=2", "illegal-mapping", "dpus= repeats what the factors"},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};tasklets=2", "illegal-mapping", "tasklets= repeats what the factors"},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};buffer=0", "map-number", "buffer is 0"},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};tail=truncate", "illegal-mapping", "computes all"},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};tail=cut", "map-unknown-value", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};speed=2", "map-unknown-extension", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)", "map-syntax", ""},
      {"M1:{(1,1),(1,1),(2,1),(4)}", "map-ragged", ""},
      {"M1:{(1,1),(1,1),(2,x),(4,8)}", "map-syntax", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,99999999999999999999)}", "map-number", ""},
      {"M1:{(1,1),(1,1),(2,1),(-4,8)}", "map-character", ""},
      {"M2", "map-syntax", ""},
      {"", "map-empty", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};buffer=-1", "map-character", ""},
      {"M1:{(1,1),(1,1),(2,1),(4,8)};order(i,i)", "map-duplicate", ""},
      {"M1:{(2,2),(8,8),(24,24),(1,1)}", "mapping-count", ""},
  };
  for (const Case &c : ofMatrix) {
    const Diagnostic d = refusal("y[i] += A[i,j] * x[j]", {{"i", 8}, {"j", 8}}, c.map);
    EXPECT_EQ(d.code, c.code) << c.map << ": " << d.str();
    EXPECT_NE(d.message.find(c.message), std::string::npos) << d.str();
  }
  // Memories.
  expectSays(refusalOfZoo("va", {{"n", 1 << 26}}, "M1:{(1),(1),(16),(4194304)}"), "capacity", "too many");
  expectSays(refusalOfZoo("hst", {{"n", 64}, {"bins", 1 << 21}}, "M1:{(1),(1),(16),(4)}"), "capacity",
             "bytes of MRAM in each of 1 DPUs; a DPU has 67108864");
  // Orders.
  expectSays(refusalOfZoo("scan", {{"n", 64}}, "M1:{(1),(2),(1),(32)}", DType::kF32), "mapping-sequential-split", "");
  expectSays(refusalOfZoo("scan", {{"n", 64}}, "M1:{(1),(1),(2),(32)}", DType::kF64), "mapping-sequential-split", "");
}

TEST(CompiledErrors, SelectionsAreSplitAlongTheirFirstDimAlone) {
  kernel::KernelBuilder b("sel", {{"i", 4, kernel::DimKind::kParallel}, {"j", 8, kernel::DimKind::kParallel}});
  const int x = b.load(0, DType::kI32, {b.index(0), b.index(1)});
  b.store(1, {b.index(0, 8)}, x);
  b.select(b.op(kernel::Op::kCmpGt, DType::kU8, x, b.integer(DType::kI32, 0)));
  kernel::Graph graph;
  graph.kernels.push_back(b.take());
  graph.tensors = {{"x", DType::kI32, {4, 8}, kernel::Role::kInput}, {"y", DType::kI32, {32}, kernel::Role::kOutput}};
  expectSays(refusal(graph, "M1:{(1,1),(1,1),(1,2),(4,4)}"), "illegal-mapping", "keeps its order");
}

TEST(CompiledErrors, SmallFloatsOfEightBitsAreNotComputed) {
  expectSays(refusalOfZoo("va", {{"n", 64}}, "M1:{(1),(1),(2),(32)}", DType::kF8E4M3), "unsupported-type", "f8e4m3");
}

TEST(CompiledErrors, TheLastBitOfAnExponentialIsTheHosts) {
  expectSays(refusal("y[i] = exp(x[i])", {{"i", 64}}, "M1:{(1),(1),(2),(32)}", DType::kF64), "unsupported-op", "exp");
}

TEST(CompiledErrors, FloatingHistogramsHaveOneOrder) {
  kernel::KernelBuilder b("h", {{"i", 16, kernel::DimKind::kReduction}});
  const int x = b.load(0, DType::kI32, {b.index(0)});
  const int w = b.load(1, DType::kF32, {b.index(0)});
  b.store({2, {b.at(0)}, 0, x}, w, kernel::Combine::kAdd);
  kernel::Graph graph;
  graph.kernels.push_back(b.take());
  graph.tensors = {{"x", DType::kI32, {16}, kernel::Role::kInput},
                   {"w", DType::kF32, {16}, kernel::Role::kInput},
                   {"h", DType::kF32, {8}, kernel::Role::kOutput}};
  expectSays(refusal(graph, "M1:{(1),(1),(2),(8)}"), "illegal-mapping", "fixed order");
}

TEST(CompiledErrors, AMachineWithoutDpusIsNoTarget) {
  machine::Machine m = machineOf();
  m.dpu.reset();
  const auto graph = kernel::makeZooKernel("va", {{"n", 64}}, DType::kI32);
  expectSays(refusal(*graph, "M1:{(1),(1),(2),(32)}", m), "unsupported-machine", "no ranks of DPUs");
}

TEST(CompiledErrors, RowsThatDataBoundAreNotSplitNorSelectedFrom) {
  const kernel::Sizes sizes{{"i", 64}, {"e", 90}};
  const std::string rows = " for e in p[i]..p[i+1]";
  EXPECT_EQ(refusal("y[i] += v[e]" + rows, sizes, "M1:{(1,1),(1,2),(1,1),(64,45)}").code, "mapping-bounded-split");
  const Diagnostic d = refusal("o[] append= v[e] if v[e] > 0" + rows, sizes, "M1:{(1,1),(1,1),(1,1),(64,90)}");
  EXPECT_EQ(d.code, "unsupported-form");
  EXPECT_NE(d.message.find("dim 'e', whose bounds come from data"), std::string::npos) << d.message;
  EXPECT_EQ(refusal("o[e] = v[e] * x[i]" + rows, sizes, "M1:{(1,1),(1,1),(2,1),(32,90)}").code,
            "mapping-sequential-split");
  EXPECT_EQ(refusal("o[e] += v[e] * x[i]" + rows, sizes, "M1:{(1,1),(1,1),(2,1),(32,90)}").code, "illegal-mapping");
}

}  // namespace
}  // namespace pimento::test
