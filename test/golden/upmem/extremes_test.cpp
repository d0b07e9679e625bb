// Minima and maxima with their index, compiled for DPUs: the first of equals wins, whoever finds it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pimento/kernel/builder.h"
#include "pimento/mapping/cnm.h"
#include "test/support/compiled_test.h"

namespace pimento::test {
namespace {

class Extremes : public CompiledTest {
 protected:
  static kernel::DataSpec few() { return {kernel::DataSpec::Kind::kUniform, 0, 3, 5}; }
};

TEST_F(Extremes, TheFirstOfEqualsWinsInEveryType) {
  for (const DType type : {DType::kI8, DType::kI32, DType::kU64, DType::kF16, DType::kF32})
    for (const char *notation : {"m[i] min= x[i,j] with b[i] = j", "m[i] max= x[i,j] with b[i] = j"})
      for (const char *map : {"M1:{(1,1),(1,1),(1,1),(7,90)}", "M1:{(2,1),(2,1),(2,1),(1,90)}",
                              "M1:{(1,1),(1,2),(2,5),(4,9)}", "M1:{(1,2),(2,2),(1,4),(4,6)};buffer=8"})
        expectRight(notation, {{"i", 7}, {"j", 90}}, type, map, few());
}

TEST_F(Extremes, OfAWholeArray) {
  for (const DType type : {DType::kI16, DType::kF32})
    for (const char *map : {"M1:{(2),(3),(4),(42)}", "M1:{(1),(5),(16),(13)};buffer=8", "auto", "auto;merge=device"}) {
      expectRight("m[] min= x[i] with b[] = i", {{"i", 1000}}, type, map, few());
      expectRight("m[] max= x[i] * y[i] with b[] = p[i]", {{"i", 1000}}, type, map, few());
    }
}

TEST_F(Extremes, OverSeveralDimsOnlyTheOutermostIsCut) {
  const kernel::Sizes sizes = {{"i", 5}, {"j", 6}, {"k", 40}};
  const std::string notation = "m[i] min= x[j,i,k] with b[i] = j * 40 + k";
  for (const char *map : {"M1:{(1,1,1),(2,1,1),(2,3,1),(2,2,40)}", "M1:{(1,1,1),(1,2,1),(5,3,1),(1,1,40)};buffer=8"})
    expectRight(notation, sizes, DType::kI32, map, few());
  const auto graph = kernel::parseNotation(notation, sizes, DType::kI32);
  ASSERT_TRUE(graph.ok());
  const auto inner = mapping::parseMapSpec("M1:{(1,1,1),(1,1,1),(1,1,4),(5,6,10)}");
  EXPECT_NE(runCompiled(*graph, 0, inner->mapping, handUpmemWithRoom(), &compiler_, kernel::makeData(*graph, few()))
                .find("[illegal-mapping]"),
            std::string::npos);
}

TEST_F(Extremes, GuardsLeavePointsOut) {
  expectRight("m[i] max= x[i,j] with b[i] = j where j > i", {{"i", 20}, {"j", 20}}, DType::kI32,
              "M1:{(1,1),(2,1),(2,4),(5,5)}", few());
  expectRight("m[i] min= x[i,j] with b[i] = j where i >= 3", {{"i", 9}, {"j", 30}}, DType::kF32,
              "M1:{(1,1),(1,1),(3,2),(3,15)}", few());
}

/// m, b and c of every row, onto what is given: two stores follow the minimum.
kernel::Graph given(DType type, kernel::DimKind inner) {
  kernel::Graph graph;
  graph.tensors = {{"x", type, {6, 50}, kernel::Role::kInput},
                   {"m", type, {6}, kernel::Role::kInOut},
                   {"b", DType::kI32, {9}, kernel::Role::kInOut},
                   {"c", DType::kI8, {6}, kernel::Role::kInOut}};
  kernel::KernelBuilder k("least", {{"i", 6, kernel::DimKind::kParallel}, {"j", 50, inner}});
  const int x = k.load(0, type, {k.index(0), k.index(1)});
  k.store(1, {k.index(0)}, x, kernel::Combine::kMin);
  k.storeWith(2, k.indexValue(1, DType::kI32));
  kernel::Kernel kernel = k.take();
  kernel.stores.push_back(kernel.stores.back());
  kernel.stores.back().target.tensor = 3;
  kernel.body.push_back(kernel.body.back());
  kernel.body.back().op = kernel::Op::kCast;
  kernel.body.back().type = DType::kI8;
  kernel.body.back().args = {kernel.stores[1].value, -1, -1};
  kernel.stores.back().value = static_cast<int>(kernel.body.size()) - 1;
  graph.kernels.push_back(std::move(kernel));
  return graph;
}

TEST_F(Extremes, WhatIsThereComesFirstAndNaNNeverWins) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const DType type : {DType::kF16, DType::kF32})
    for (const kernel::DimKind inner : {kernel::DimKind::kReduction, kernel::DimKind::kSequential}) {
      const kernel::Graph graph = given(type, inner);
      ASSERT_TRUE(kernel::verify(graph)) << kernel::verify(graph).diagnostics().front().str();
      kernel::DataSet data = kernel::makeData(graph, few());
      for (std::int64_t e = 0; e < 300; e += 7) data[0].setDouble(e, kNaN);
      for (std::int64_t e = 1; e < 300; e += 11) data[0].setDouble(e, -0.0);
      data[1].setDouble(0, kNaN);  // nothing is less
      data[1].setDouble(1, 0);
      data[1].setDouble(2, -5);
      data[1].setDouble(3, std::numeric_limits<double>::infinity());
      const bool isCut = inner == kernel::DimKind::kReduction;
      const auto m = mapping::parseMapSpec(isCut ? "M1:{(1,1),(2,2),(1,6),(3,5)}" : "M1:{(1,1),(2,1),(3,1),(1,50)}");
      EXPECT_EQ(runCompiled(graph, 0, m->mapping, handUpmemWithRoom(), &compiler_, data), "") << name(type);
    }
}

TEST_F(Extremes, OfCnmIrToo) {
  const auto graph = kernel::parseNotation("m[i] min= x[i,j] with b[i] = j", {{"i", 7}, {"j", 90}}, DType::kI32);
  ASSERT_TRUE(graph.ok());
  const std::string text = mapping::print(mapping::CnmModule{*graph, "", {}, {}, {}, {}});
  EXPECT_NE(text.find("with 0"), std::string::npos) << text;
  const auto read = mapping::parseCnm(text, "a.cnm");
  ASSERT_TRUE(read.ok()) << read.diagnostics().front().str();
  expectRight(read->graph, "M1:{(1,1),(1,2),(2,5),(4,9)}", few());
}

}  // namespace
}  // namespace pimento::test
