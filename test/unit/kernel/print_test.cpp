#include <gtest/gtest.h>

#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

TEST(Print, AGraphReadsAsItsLoopsAndBodies) {
  EXPECT_EQ(print(fromZoo("gemvrelu", {{"m", 3}, {"n", 4}}, DType::kF16)),
            "graph gemvrelu {\n"
            "  input A : f16[3, 4]\n"
            "  input x : f16[4]\n"
            "  temporary y : f16[3]\n"
            "  input b : f16[3]\n"
            "  output z : f16[3]\n"
            "  kernel y (m: parallel 3, n: reduction 4) {\n"
            "    %0 = load A[m, n] : f16\n"
            "    %1 = load x[n] : f16\n"
            "    %2 = mul %0, %1 : f16\n"
            "    y[m] add= %2\n"
            "  }\n"
            "  kernel z (m: parallel 3) {\n"
            "    %0 = load y[m] : f16\n"
            "    %1 = load b[m] : f16\n"
            "    %2 = add %0, %1 : f16\n"
            "    %3 = relu %2 : f16\n"
            "    z[m] = %3\n"
            "  }\n"
            "}\n");
}

TEST(Print, IndirectAndSelectingStoresShowTheirForm) {
  const std::string hst = print(fromZoo("hst", {{"n", 8}}, DType::kU16));
  EXPECT_NE(hst.find("kernel hst indirect (n: reduction 8)"), std::string::npos) << hst;
  EXPECT_NE(hst.find("h[%5] add= %6"), std::string::npos) << hst;
  const std::string sel = print(fromZoo("sel", {{"n", 8}}, DType::kU16));
  EXPECT_NE(sel.find("append y = %0 if %4"), std::string::npos) << sel;
}

TEST(Print, AffineFormsAndGuardsKeepTheirSigns) {
  Graph graph = parsed("o[i] = x[2*i + 1] - y[9 - i] * -0.5", {{"i", 5}});
  graph.kernels[0].guards = {{{-3}, 7}, {{0}, 0}};
  const std::string text = print(graph);
  for (const char *part : {"x[2*i + 1]", "y[-i + 9]", "where -3*i + 7 >= 0", "where 0 >= 0", "%2 = -0.5 : f32"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace pimento::kernel
