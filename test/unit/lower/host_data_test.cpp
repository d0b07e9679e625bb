#include "pimento/lower/host_data.h"

#include <gtest/gtest.h>

#include "test/unit/mapping/fixtures.h"

namespace pimento::lower::test {
namespace {

using namespace mapping::test;
using kernel::DimKind;

machine::Machine twoByTwo() {
  machine::Machine m;
  m.levels = {{"unit", 2, true, "host", false}, {"thread", 2, true, "host", false}};
  return m;
}

/// y[i - 1] += x[j] where i >= 1, over i < 5 and j < 4, with the arrays of its result.
struct Shifted {
  kernel::Graph graph;
  Scheme scheme;
  Operand y;

  explicit Shifted(const std::string &map) {
    kernel::Kernel k = nest({{"i", 5, DimKind::kParallel}, {"j", 4, DimKind::kReduction}});
    graph.tensors = {{"x", DType::kI32, {4}, kernel::Role::kInput}, {"y", DType::kI32, {4}, kernel::Role::kOutput}};
    k.loads = {{0, {index({0, 1})}}};
    k.guards = {index({1, 0}, -1)};
    k.body.resize(1);
    k.body[0].op = kernel::Op::kLoad;
    k.body[0].type = DType::kI32;
    k.body[0].access = 0;
    k.stores = {{{1, {index({1, 0}, -1)}}, 0, kernel::Combine::kAdd, -1}};
    graph.kernels = {k};
    scheme = Scheme(graph, 0, placed(parsed(map), k, twoByTwo()), 0, twoByTwo());
    scheme.loads = {{1, {}}};
    scheme.stores = {{0, {}}};
    y.use = Use::kPartial;
    y.tensor = 1;
    y.store = 0;
    y.type = DType::kI32;
    y.positions = positionsOf(k.stores[0].target, graph.tensors[1], true);
    y.home.home = TensorPlace::Home::kThread;
    Operand x;
    x.tensor = 0;
    x.positions = positionsOf(k.loads[0], graph.tensors[0], true);
    std::vector<Operand> operands = {y, x};
    settle(scheme, operands);
    y = operands[0];
    y.home.fit(y.positions, scheme.sizesOf(y), 4, 4);
  }
};

TEST(Collector, PartialResultsOfAllThreadsAddUpAndThoseOfFalseGuardsAreNeverWritten) {
  const Shifted k("M1:{(2,1),(1,2),(3,2)}");
  kernel::DataSet data = {kernel::TensorData(DType::kI32, {4}), kernel::TensorData(DType::kI32, {4})};
  Collector collector(k.scheme, data);
  for (std::int64_t unit = 0; unit < 2; ++unit) {
    kernel::TensorData arrays(DType::kI32, {2 * k.y.home.bytes / 4});
    for (std::int64_t e = 0; e < arrays.elements(); ++e) arrays.setInteger(e, 100 * (unit + 1) + e);
    collector.add(k.y, arrays.bytes.data());
    collector.closeUnit();
  }
  collector.finish();
  // Unit 0 has i = 0 to 2, each thread an element of each: that of i = 0 does not exist. Unit 1 has i = 3 and 4.
  const std::vector<std::int64_t> expected = {101 + 104, 102 + 105, 200 + 203, 201 + 204};
  for (std::int64_t e = 0; e < 4; ++e) EXPECT_EQ(data[1].asInteger(e), expected[static_cast<std::size_t>(e)]) << e;
}

TEST(Collector, ThreadsWithoutWorkLeaveNothing) {
  Shifted k("M1:{(1,2),(1,2),(5,2)}");  // the second unit has nothing of j
  kernel::DataSet data = {kernel::TensorData(DType::kI32, {4}), kernel::TensorData(DType::kI32, {4})};
  Collector collector(k.scheme, data);
  for (std::int64_t unit = 0; unit < 2; ++unit) {
    kernel::TensorData arrays(DType::kI32, {2 * k.y.home.bytes / 4});
    for (std::int64_t e = 0; e < arrays.elements(); ++e) arrays.setInteger(e, unit == 0 ? e : 777);
    collector.add(k.y, arrays.bytes.data());
    collector.closeUnit();
  }
  collector.finish();
  for (std::int64_t e = 0; e < 4; ++e) EXPECT_EQ(data[1].asInteger(e), e + 1 + e + 6) << e;
}

TEST(Gather, ElementsBeyondTheTensorStayAsTheyAre) {
  kernel::Tensor t{"x", DType::kI32, {4}, kernel::Role::kInput};
  Operand o;
  o.positions = positionsOf({0, {index({1}, -2)}}, t, true);
  o.home.fit(o.positions, {8}, 4, 4);
  kernel::TensorData data(DType::kI32, {4}), array(DType::kI32, {8});
  for (std::int64_t e = 0; e < 4; ++e) data.setInteger(e, 10 + e);
  for (std::int64_t e = 0; e < 8; ++e) array.setInteger(e, -1);
  gather(o, {0}, {8}, data, array.bytes.data());
  const std::vector<std::int64_t> expected = {-1, -1, 10, 11, 12, 13, -1, -1};
  for (std::int64_t e = 0; e < 8; ++e) EXPECT_EQ(array.asInteger(e), expected[static_cast<std::size_t>(e)]) << e;
}

}  // namespace
}  // namespace pimento::lower::test
