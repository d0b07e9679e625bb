// What the verifier must let pass; what it must not is in test/error/kernel.
#include <gtest/gtest.h>

#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

TEST(Verify, ATriangularLoopIsWithinBoundsUnderItsGuard) {
  Graph graph = parsed("y[i] += A[i,j] * x[j]", {{"i", 5}, {"j", 5}});
  graph.kernels[0].loads[0].index[1] = {{1, -1}, 0};  // A[i, i - j]
  EXPECT_FALSE(verify(graph));
  graph.kernels[0].guards = {{{1, -1}, 0}};
  EXPECT_TRUE(verify(graph));
}

TEST(Verify, AnAssignmentUnderAGuardThatPinsTheDimPasses) {
  Graph graph = parsed("y[i] += A[i,j]", {{"i", 5}, {"j", 5}});
  graph.kernels[0].stores[0].combine = Combine::kAssign;
  EXPECT_FALSE(verify(graph));
  graph.kernels[0].guards = {{{0, -1}, 0}};
  EXPECT_TRUE(verify(graph));
}

TEST(Verify, AllFindingsComeAtOnce) {
  Graph graph = parsed("y[i] = x[i]", {{"i", 5}});
  graph.tensors[0].shape = {3};
  graph.tensors[1].shape = {4};
  const Status status = verify(graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.diagnostics().size(), 2u);
}

}  // namespace
}  // namespace pimento::kernel
