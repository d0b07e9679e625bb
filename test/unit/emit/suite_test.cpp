#include "pimento/emit/suite.h"

#include <gtest/gtest.h>

#include "test/support/hand_report.h"

namespace pimento::emit {
namespace {

TEST(Suite, ErrorsAreTalliedPerKernelInOrderOfAppearance) {
  const SuiteResult s = test::handSuite();
  EXPECT_EQ(s.points, 4);
  ASSERT_EQ(s.kernels.size(), 2u);
  const KernelErrors &gemv = s.kernels[0];
  EXPECT_EQ(gemv.kernel, "gemv");
  EXPECT_EQ(gemv.rows, 3);
  EXPECT_EQ(gemv.exact, 2);
  EXPECT_DOUBLE_EQ(gemv.meanAbsErrorPct(), 10.0 / 3);
  EXPECT_DOUBLE_EQ(gemv.worstAbsErrorPct, 10);
  EXPECT_EQ(gemv.worstRow, "gemv.csv:3");
  EXPECT_DOUBLE_EQ(gemv.within15Pct(), 100);
  EXPECT_DOUBLE_EQ(s.kernels[1].within15Pct(), 0);
}

TEST(Suite, AnUnderestimateCountsAsMuchAsAnOverestimate) {
  SuiteResult s;
  s.add("k", 85, 100, "low");
  s.add("k", 115, 100, "high");
  EXPECT_DOUBLE_EQ(s.kernels[0].worstAbsErrorPct, 15);
  EXPECT_EQ(s.kernels[0].worstRow, "low");
  EXPECT_EQ(s.kernels[0].within15, 2);
}

}  // namespace
}  // namespace pimento::emit
