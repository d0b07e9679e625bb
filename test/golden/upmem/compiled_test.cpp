// Programs compiled for DPUs compute what the reference interpreter does, bit for bit, in the mapping's order.
#include "test/support/compiled_test.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/base/rng.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "test/support/triangle_graph.h"

namespace pimento::test {
namespace {

class Compiled : public CompiledTest {
 protected:
  static kernel::DataSpec dataOf(const kernel::ZooEntry &entry) {
    kernel::DataSpec spec;
    if (entry.data.empty()) return spec;
    spec.kind = kernel::DataSpec::Kind::kUniform;
    spec.high = 4095;
    return spec;
  }
};

TEST_F(Compiled, ResultsThatNoPointWritesAreNotTouched) {
  using kernel::Role;
  for (const char *map : {"M1:{(1,1),(3,1),(2,2),(7,20)}", "M1:{(2,1),(1,2),(1,3),(21,7)}", "reference"})
    for (const Role role : {Role::kInOut, Role::kOutput})
      for (const bool isInRow : {false, true})
        for (const auto combine : {kernel::Combine::kAdd, kernel::Combine::kMax, kernel::Combine::kMul}) {
          const kernel::Graph graph = triangleGraph(40, DType::kF32, combine, role, isInRow);
          expectRight(graph, map, {kernel::DataSpec::Kind::kConst, -0.0, 0, 1});
        }
}

TEST_F(Compiled, RowsAtAnIndexFromDataAreCutAnyWay) {
  for (const char *map : {"M1:{(1,1),(1,1),(1,3),(9,2)}", "M1:{(1,1),(2,1),(3,2),(2,3)}",
                          "M1:{(1,2),(3,1),(1,3),(3,1)}", "M1:{(1,1),(1,5),(3,1),(3,1)}", "reference"})
    for (const DType type : {DType::kI8, DType::kI32, DType::kF64})
      expectRight("y[i,j] = x[p[i],j] - 2", {{"i", 9}, {"j", 5}, {"x_1", 7}}, type, map);
}

// ---- Rows that data bound

const std::vector<const char *> kRowMaps = {"auto;dpus=1;tasklets=1", "auto;dpus=3;tasklets=5", "reference"};

TEST_F(Compiled, RowsOfSparseMatrices) {
  for (const DType type : {DType::kI8, DType::kI64, DType::kF16, DType::kF32})
    for (const char *map : kRowMaps)
      for (const char *text :
           {"y[i] += v[e] * x[c[e]] for e in p[i]..p[i+1]", "y[i] = b[i]; y[i] += v[e] * x[c[e]] for e in p[i]..p[i+1]",
            "m[i] max= v[e] for e in p[i]..p[i+1]", "C[i,j] += v[e] * B[c[e],j] for e in p[i]..p[i+1]",
            "C[i,j] = B[c[i],j]; C[i,j] += v[e] * B[c[e],j] for e in p[i]..p[i+1]",
            "y[i] += A[i,e] * x[e] for e in 0..p[i]", "y[i] += v[e] * x[e+1] for e in p[i]..600"}) {
        const std::string t = text;
        kernel::Sizes sizes{{"i", 101}, {"e", 600}};
        if (t.find("x[c") != t.npos) sizes["x"] = 77;
        if (t.find("B[") != t.npos) sizes.insert({{"j", 11}, {"B_1", 77}});
        expectRight(t, sizes, type, map);
      }
}

TEST_F(Compiled, RowsOfRowsAndOfFrontiers) {
  for (const char *map : kRowMaps) {
    expectRight("y[i] += w[e] for e in p[f[i]]..p[f[i]+1]", {{"i", 60}, {"e", 300}, {"p", 41}}, DType::kI32, map);
    expectRight("y[i] += v[e] * w[f] for e in p[i]..p[i+1], f in q[c[e]]..q[c[e]+1]",
                {{"i", 30}, {"e", 90}, {"f", 70}, {"q", 21}}, DType::kI32, map);
    expectRight("y[i] += A[i,k] * D[e,k] for e in p[i]..p[i+1] where k <= i", {{"i", 30}, {"e", 90}, {"k", 12}},
                DType::kI16, map);
    expectRight("y[i] += v[e] * e for e in p[i]..p[i+1]", {{"i", 40}, {"e", 1}}, DType::kI32, map);
    expectRight("s[] += v[e] * x[i] for e in p[i]..p[i+1]", {{"i", 40}, {"e", 90}}, DType::kI32, map);
  }
}

TEST_F(Compiled, ResultsInRowsThatDataBound) {
  for (const DType type : {DType::kI8, DType::kI32, DType::kF32, DType::kF16})
    for (const char *map : {"auto", "reference"}) {
      expectRight("o[e] += v[e] * x[i] for e in p[i]..p[i+1]", {{"i", 40}, {"e", 90}}, type, map);
      expectRight("o[e] = v[e] * x[i] for e in p[i]..p[i+1]", {{"i", 40}, {"e", 90}}, type, map);
      expectRight("o[e] += A[i,k] * B[c[e],k] for e in p[i]..p[i+1]", {{"i", 20}, {"e", 40}, {"k", 6}, {"B_1", 9}},
                  type, map);
      expectRight("h[c[e]] += v[e] * x[i] for e in p[i]..p[i+1]", {{"i", 40}, {"e", 90}, {"h", 30}}, type, map);
    }
}

TEST_F(Compiled, RowsWithoutPointsKeepWhatTheyHeld) {
  for (const char *map : kRowMaps)
    for (const kernel::Combine combine : {kernel::Combine::kAdd, kernel::Combine::kMin, kernel::Combine::kMul}) {
      auto graph = kernel::parseNotation("y[i] += v[e] for e in p[i]..p[i+1]", {{"i", 90}, {"e", 40}}, DType::kF32);
      ASSERT_TRUE(graph.ok());
      graph->kernels[0].stores[0].combine = combine;
      graph->tensors[static_cast<std::size_t>(graph->tensorNamed("y"))].role = kernel::Role::kInOut;
      ASSERT_TRUE(kernel::verify(*graph));
      for (const double held : {-0.0, std::nan("")}) {
        const machine::Machine machine = handUpmemWithRoom();
        const auto all = targets::upmem::compiled::mappingSpace(*graph, 0, machine, *mapping::parseMapSpec(map));
        ASSERT_FALSE(all.empty());
        kernel::DataSet data = kernel::makeData(*graph, {});
        for (std::int64_t i = 0; i < 90; ++i)
          data[static_cast<std::size_t>(graph->tensorNamed("y"))].setDouble(i, held);
        EXPECT_EQ(runCompiled(*graph, 0, all.front(), machine, &compiler_, data), "") << map;
      }
    }
}

const std::vector<DType> &types() {
  static const std::vector<DType> kTypes = {DType::kI8,  DType::kI16, DType::kI32, DType::kI64,
                                            DType::kU8,  DType::kU16, DType::kU32, DType::kU64,
                                            DType::kF32, DType::kF64, DType::kF16, DType::kBF16};
  return kTypes;
}

kernel::Sizes smallSizes(const kernel::ZooEntry &entry) {
  kernel::Sizes sizes = entry.defaults;
  for (auto &[name, n] : sizes)
    n = name == "n" && sizes.size() < 3 ? 203 : name == "batch" ? 2 : name == "bins" ? 64 : 13;
  return sizes;
}

TEST_F(Compiled, EveryKernelOfTheZooInEveryType) {
  for (const kernel::ZooEntry &entry : kernel::zoo()) {
    if (entry.isNetwork || entry.name == "attn") continue;
    for (const DType type : types()) {
      if (std::find(entry.types.begin(), entry.types.end(), type) == entry.types.end()) continue;
      if (entry.name == "hst" && sizeOf(type).value < 2) continue;  // no room for 12 bits
      const bool isOrdered = entry.name == "scan" && isFloat(type);
      const auto graph = kernel::makeZooKernel(entry.name, smallSizes(entry), type, "");
      ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
      expectRight(*graph, isOrdered ? "auto;dpus=1;tasklets=1" : "auto;dpus=2;tasklets=5", dataOf(entry));
      if (!isOrdered) expectRight(*graph, "auto;dpus=2;tasklets=5;merge=device", dataOf(entry));
    }
  }
}

TEST_F(Compiled, KernelsTooLargeForADpuAreSpreadOverAsFewAsHoldThem) {
  machine::Machine machine = handUpmemWithRoom();
  machine.dpu->mram = Bytes(1 << 14);
  evaluate::Tools tools;
  tools = {&compiler_, sharedCache()};
  const auto dpusFor = [&](std::int64_t n, const std::string &map) -> std::int64_t {
    const auto graph = kernel::parseNotation("z[i] = x[i] * y[i]", {{"i", n}}, DType::kF32);
    const auto spec = mapping::parseMapSpec(map);
    if (!graph || !spec) return -1;
    const auto m = targetOf(machine).reference({&*graph}, machine, *spec, tools);
    return m ? m->subspaces[0].factors[0][0] * m->subspaces[0].factors[1][0] : -1;
  };
  EXPECT_EQ(dpusFor(1000, "reference"), 1);
  EXPECT_EQ(dpusFor(2000, "reference"), 2);
  EXPECT_EQ(dpusFor(4000, "auto"), 4);
  EXPECT_EQ(dpusFor(4000, "reference;dpus=2"), -1) << "who names a number gets it";
  EXPECT_EQ(dpusFor(1'000'000, "reference"), -1) << "more than the machine has";
}

TEST_F(Compiled, MathematicalFunctionsOfNumbersOfEveryKind) {
  constexpr std::int64_t kCount = 1000;
  for (const DType type : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    for (const char *value : {"exp(x[i])", "log(x[i])", "tanh(x[i])", "sqrt(x[i])", "x[i] % z[i]"}) {
      // Series are rounded to floats; as doubles they differ in the last places.
      if (type == DType::kF64 && value[0] != 's' && value[0] != 'x') continue;
      const auto graph = kernel::parseNotation(std::string("y[i] = ") + value, {{"i", kCount}}, type);
      ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
      kernel::DataSet data = kernel::makeData(*graph, {});
      Rng random(7);
      for (std::size_t t = 0; t < data.size(); ++t) {
        if (graph->tensors[t].name == "y") continue;
        // Any bits, and numbers of moderate size, that are what exp and tanh tell apart.
        for (std::int64_t i = 0; i < kCount; ++i) {
          if (i % 2 == 0)
            data[t].setDouble(i, std::ldexp(static_cast<double>(random.integer(-1000, 1000)), -6));
          else
            for (std::int64_t b = 0; b < sizeOf(type).value; ++b)
              data[t].bytes[static_cast<std::size_t>(i * sizeOf(type).value + b)] =
                  static_cast<std::byte>(random.below(256));
        }
      }
      const auto m = mapping::parseMapSpec("M1:{(1),(2),(11),(46)}");
      ASSERT_TRUE(m.ok());
      EXPECT_EQ(runCompiled(*graph, 0, m->mapping, handUpmemWithRoom(), &compiler_, data), "")
          << value << " " << name(type);
    }
  }
}

TEST_F(Compiled, AttentionIsAGraphOfSeven) {
  const auto graph =
      kernel::makeZooKernel("attn", {{"batch", 2}, {"heads", 2}, {"dhead", 6}, {"len", 11}}, DType::kF32, "");
  ASSERT_TRUE(graph.ok());
  expectRight(*graph, "auto;dpus=4;tasklets=3");
}

TEST_F(Compiled, PartialSumsMergeOverTaskletsDpusAndRanks) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kI32})
    for (const std::string merge : {";merge=host", ";merge=device"}) {
      expectRight("s[0] += x[n]", {{"n", 1000}}, type, "M1:{(2),(4),(3),(42)}" + merge);
      expectRight("y[i] += A[i,j] * x[j]", {{"i", 9}, {"j", 50}}, type, "M1:{(1,2),(2,2),(2,3),(3,5)}" + merge);
    }
}

TEST_F(Compiled, TaskletsMergeWhatTheyShare) {
  for (const DType type : types()) {
    const bool isOneOfMany = type != DType::kI32 && type != DType::kU64 && type != DType::kF32;
    for (const char *combine : {"+=", "min=", "max=", "*="}) {
      if (isOneOfMany && std::string(combine) != "+=") continue;
      // Numbers: in WRAM; the last tasklets have nothing, and of the last DPU none has.
      expectRight(fmt::format("s[0] {} x[n]", combine), {{"n", 100}}, type, "M1:{(1),(3),(7),(7)};merge=device");
      // Arrays, shared along two dims.
      expectRight(fmt::format("y[j] {} A[i,j,k]", combine), {{"i", 7}, {"j", 19}, {"k", 11}}, type,
                  "M1:{(1,1,1),(2,1,1),(2,2,3),(5,4,4)};merge=device");
    }
    // Results that leave WRAM tile by tile.
    expectRight("y[i] += A[i,j] * x[j]", {{"i", 700}, {"j", 40}}, type,
                "M1:{(1,1),(1,1),(1,10),(700,4)};merge=device;buffer=8");
    expectRight("C[i,j] += A[i,k] * B[k,j]", {{"i", 13}, {"j", 21}, {"k", 50}}, type,
                "M1:{(1,1,1),(2,1,2),(2,1,5),(4,24,5)};merge=device");
  }
}

TEST_F(Compiled, SeveralResultsAreMergedEachInItsOwnWay) {
  using kernel::DimKind;
  for (const DType type : {DType::kI32, DType::kI8, DType::kF32, DType::kU64}) {
    kernel::Graph graph;
    graph.name = "several";
    graph.tensors = {{"x", type, {7, 50, 9}, kernel::Role::kInput},
                     {"sum", type, {50}, kernel::Role::kInOut},
                     {"least", type, {50}, kernel::Role::kOutput}};
    kernel::KernelBuilder k(
        "several", {{"i", 7, DimKind::kReduction}, {"j", 50, DimKind::kParallel}, {"l", 9, DimKind::kReduction}});
    const int x = k.load(0, type, {k.index(0), k.index(1), k.index(2)});
    k.store(1, {k.index(1)}, x, kernel::Combine::kAdd);
    k.store(2, {k.index(1)}, x, kernel::Combine::kMin);
    graph.kernels.push_back(k.take());
    ASSERT_TRUE(kernel::verify(graph)) << kernel::verify(graph).diagnostics().front().str();
    for (const char *map : {"M1:{(1,1,1),(1,2,1),(3,2,2),(3,13,5)};merge=device",
                            "M1:{(1,1,1),(1,1,2),(4,1,1),(2,50,5)};merge=device;buffer=8",
                            "M1:{(2,1,1),(1,2,1),(2,2,2),(2,16,5)};merge=device"})
      expectRight(graph, map);
  }
}

TEST_F(Compiled, StencilsShareAnArray) {
  for (const DType type : {DType::kI8, DType::kI32, DType::kF64})
    expectRight("C[i,j] += A[i+r,j+s] * W[r,s]", {{"i", 20}, {"j", 17}, {"r", 3}, {"s", 3}}, type,
                "M1:{(1,1,1,1),(2,1,1,1),(2,2,1,1),(5,9,3,3)}");
}

TEST_F(Compiled, TransposedAndStridedOperandsAreGathered) {
  expectRight("y[j,i] = x[i,j]", {{"i", 33}, {"j", 20}}, DType::kI8, "M1:{(1,1),(2,1),(2,2),(5,17)}");
  expectRight("y[i] = x[2*i] + x[2*i+1]", {{"i", 50}}, DType::kI16, "M1:{(1),(2),(3),(9)}");
}

TEST_F(Compiled, TilesOfAnySizeGiveTheSame) {
  for (const char *buffer : {"1", "8", "17", "64", "1000"})
    expectRight("y[i] += A[i,j] * x[j]", {{"i", 11}, {"j", 130}}, DType::kI32,
                std::string("M1:{(1,1),(1,1),(2,1),(6,130)};buffer=") + buffer);
}

TEST_F(Compiled, SelectionsKeepTheirOrderAcrossDpus) {
  for (const DType type : {DType::kI8, DType::kU16, DType::kI32, DType::kU64}) {
    const auto graph = kernel::makeZooKernel("sel", {{"n", 999}}, type, "");
    ASSERT_TRUE(graph.ok());
    expectRight(*graph, "M1:{(2),(2),(7),(36)}");
  }
}

TEST_F(Compiled, PrefixSumsHaveTaskletsWithOneElementAndWithNone) {
  for (const char *mapping : {"M1:{(2),(2),(1),(1)}", "M1:{(1),(2),(3),(1)}", "M1:{(1),(1),(15),(1)};buffer=16"}) {
    const auto graph = kernel::makeZooKernel("scan", {{"n", 3}}, DType::kI64, "");
    ASSERT_TRUE(graph.ok());
    expectRight(*graph, mapping);
  }
}

TEST_F(Compiled, RunningProductsAndExtremesStartFromTheirIdentity) {
  for (const DType type : {DType::kI8, DType::kU64, DType::kF16, DType::kF32})
    for (const auto combine :
         {kernel::Combine::kAdd, kernel::Combine::kMul, kernel::Combine::kMin, kernel::Combine::kMax})
      for (const kernel::Role role : {kernel::Role::kTemporary, kernel::Role::kInOut}) {
        kernel::Graph graph;
        graph.tensors = {
            {"x", type, {70}, kernel::Role::kInput}, {"y", type, {70}, kernel::Role::kOutput}, {"c", type, {1}, role}};
        kernel::KernelBuilder k("running", {{"i", 70, kernel::DimKind::kSequential}});
        const int x = k.load(0, type, {k.index(0)}), c = k.load(2, type, {k.at(0)});
        k.store(2, {k.at(0)}, x, combine);
        k.store(1, {k.index(0)}, k.op(kernel::opOf(combine), type, c, x));
        graph.kernels.push_back(k.take());
        ASSERT_TRUE(kernel::verify(graph)) << kernel::verify(graph).diagnostics().front().str();
        expectRight(graph, "auto;dpus=1;tasklets=1");
        if (!isFloat(type)) expectRight(graph, "M1:{(1),(2),(3),(12)}");
      }
}

TEST_F(Compiled, TensorsMayHaveNamesThatProgramsUse) {
  expectRight("y[i] = bytes[i] + bytes_y[i] + pitch_y_0[i]", {{"i", 100}}, DType::kI32, "M1:{(1),(1),(4),(25)}");
  expectRight("y[k] = k[k] + 1", {{"k", 100}}, DType::kI32, "M1:{(1),(1),(4),(25)};buffer=4");
}

TEST_F(Compiled, LargeHistogramsLieInMram) {
  const auto graph = kernel::makeZooKernel("hst", {{"n", 500}, {"bins", 4096}}, DType::kU32, "");
  ASSERT_TRUE(graph.ok());
  kernel::DataSpec spec{kernel::DataSpec::Kind::kUniform, 0, 4095, 3};
  expectRight(*graph, "M1:{(1),(2),(16),(16)}", spec);
}

}  // namespace
}  // namespace pimento::test
