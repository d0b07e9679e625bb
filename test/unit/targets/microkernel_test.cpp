// CRF programs of HBM-PIM kernels, word for word as the reference streams have them, and what does not fit.
#include "pimento/targets/hbm_pim/microkernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/kernel/notation.h"
#include "test/support/hand_machine.h"

namespace pimento::test {
namespace {

using program::Purpose;
using program::hbm_pim::Instruction;
using program::hbm_pim::print;
using targets::hbm_pim::compileElementwise;
using targets::hbm_pim::ElementwiseCode;
using targets::hbm_pim::matVecMicrokernel;

Result<ElementwiseCode> compile(const std::string &notation, std::int64_t tiles) {
  const auto graph = kernel::parseNotation(notation, {{"i", 4096}}, DType::kF16);
  if (!graph) return graph.diagnostics();
  const machine::Machine machine = handMachine();
  const auto pattern = targets::hbm_pim::recognise(*graph, 0, machine);
  if (!pattern) return pattern.diagnostics();
  return compileElementwise(graph->kernels[0], pattern->elementwise, machine, tiles);
}

std::string assembly(const std::string &notation, std::int64_t tiles) {
  const auto code = compile(notation, tiles);
  return code ? print(code->crf) : code.diagnostics().front().str();
}

std::string twoPasses(const std::string &even, const std::string &odd, std::int64_t tiles) {
  const auto words = std::count(even.begin(), even.end(), '\n') * 2;
  return even + odd + (tiles > 1 ? fmt::format("JUMP {}, {}\n", tiles - 1, words) : std::string()) + "EXIT\n";
}

TEST(ElementwiseMicrokernel, AdditionIsLoadAddStorePerBank) {
  for (const std::int64_t tiles : {1, 2, 100})
    EXPECT_EQ(assembly("y[i] = a[i] + b[i]", tiles),
              twoPasses("FILL GRF_A, EVEN_BANK\nADD GRF_A, GRF_A, EVEN_BANK aam\nNOP 7\n",
                        "FILL GRF_B, ODD_BANK\nADD GRF_B, GRF_B, ODD_BANK aam\nNOP 7\n", tiles));
}
TEST(ElementwiseMicrokernel, AdditionNeedsSevenWordsForOneTileAndEightForMore) {
  EXPECT_EQ(compile("y[i] = a[i] + b[i]", 1)->crf.size(), 7U);
  EXPECT_EQ(compile("y[i] = a[i] + b[i]", 2)->crf.size(), 8U);
  EXPECT_EQ(compile("y[i] = a[i] * b[i]", 512)->crf.size(), 8U);
}
TEST(ElementwiseMicrokernel, ReluIsPartOfTheLoad) {
  for (const std::int64_t tiles : {1, 7})
    EXPECT_EQ(assembly("y[i] = relu(x[i])", tiles),
              twoPasses("FILL GRF_A, EVEN_BANK relu\nNOP 7\n", "FILL GRF_B, ODD_BANK relu\nNOP 7\n", tiles));
}
TEST(ElementwiseMicrokernel, ReluOfAResultIsAMove) {
  EXPECT_EQ(assembly("y[i] = relu(a[i] + b[i])", 1),
            twoPasses("FILL GRF_A, EVEN_BANK\nADD GRF_A, GRF_A, EVEN_BANK aam\nMOV GRF_A, GRF_A aam relu\nNOP 7\n",
                      "FILL GRF_B, ODD_BANK\nADD GRF_B, GRF_B, ODD_BANK aam\nMOV GRF_B, GRF_B aam relu\nNOP 7\n", 1));
}
TEST(ElementwiseMicrokernel, AFactorComesFromTheScalarFile) {
  const auto code = compile("y[i] = 2.5 * x[i] + y[i]", 1);
  ASSERT_TRUE(code.ok()) << code.diagnostics().front().str();
  EXPECT_EQ(code->factor, 2.5);
  EXPECT_FALSE(code->addend.has_value());
  EXPECT_EQ(print(code->crf), twoPasses("MUL GRF_A, EVEN_BANK, SRF_M aam\nADD GRF_A, GRF_A, EVEN_BANK aam\nNOP 7\n",
                                        "MUL GRF_B, ODD_BANK, SRF_M aam\nADD GRF_B, GRF_B, ODD_BANK aam\nNOP 7\n", 1));
}
TEST(ElementwiseMicrokernel, StepsSayWhichRowsAreRead) {
  const auto code = compile("y[i] = a[i] + b[i]", 1);
  ASSERT_EQ(code->steps.size(), 3U);
  EXPECT_EQ(code->regions, 3);
  for (const int i : {0, 1, 2}) {
    EXPECT_EQ(code->steps[static_cast<std::size_t>(i)].region, i);
    EXPECT_EQ(code->steps[static_cast<std::size_t>(i)].isStore, i == 2);
  }
  EXPECT_EQ(code->steps[0].purpose, Purpose::kPimRead);
  EXPECT_EQ(code->steps[1].purpose, Purpose::kPimAlu);
  EXPECT_EQ(code->steps[2].purpose, Purpose::kPimStore);
}
TEST(ElementwiseMicrokernel, EqualOperandsShareARegion) {
  const auto code = compile("y[i] = a[i] * a[i]", 1);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->loads.size(), 1U);
  EXPECT_EQ(code->regions, 2);
}
TEST(ElementwiseMicrokernel, EveryStepIsOneInstructionOfAPass) {
  for (const char *text : {"y[i] = a[i] + b[i]", "y[i] = relu(x[i])", "y[i] = relu(a[i] * b[i] + c[i]) * 3",
                           "y[i] = a[i] * b[i] + c[i] * d[i]"}) {
    const auto code = compile(text, 1);
    ASSERT_TRUE(code.ok()) << text;
    EXPECT_EQ(code->crf.size(), 2 * code->steps.size() + 1) << text;
    EXPECT_TRUE(program::hbm_pim::check(code->crf).ok()) << text;
  }
}
TEST(ElementwiseMicrokernel, ThreeResultsAtOnceAreTooDeep) {
  const auto code = compile(
      "y[i] = (a[i] * b[i] + c[i] * d[i]) * (a[i] * c[i] + b[i] * d[i]) + (a[i] * d[i] + b[i] * c[i]) * (a[i] * a[i] + "
      "b[i] * b[i])",
      1);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.diagnostics().front().code, "too-deep");
}
TEST(ElementwiseMicrokernel, MoreWordsThanTheCrfHoldsAreTooLong) {
  std::string text = "y[i] = a[i]";
  for (int i = 0; i < 16; ++i) text += " + b" + std::to_string(i) + "[i]";
  const auto code = compile(text, 1);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.diagnostics().front().code, "too-long");
}

// --- matrix times vector

TEST(MatVecMicrokernel, CountsItsTilesPerBank) {
  EXPECT_EQ(print(matVecMicrokernel(3, 2, false)),
            "MAC GRF_B, GRF_A, EVEN_BANK aam\nJUMP 23, 1\nMAC GRF_B, GRF_A, ODD_BANK aam\nJUMP 15, 1\nNOP 7\nEXIT\n");
}
TEST(MatVecMicrokernel, NeedsSixWords) {
  for (const std::int64_t tiles : {1, 4, 100}) EXPECT_EQ(matVecMicrokernel(tiles, tiles, false).size(), 6U);
}
TEST(MatVecMicrokernel, LeavesTheOddBankOutWhenItHasNoTile) {
  EXPECT_EQ(print(matVecMicrokernel(1, 0, false)), "MAC GRF_B, GRF_A, EVEN_BANK aam\nJUMP 7, 1\nNOP 7\nEXIT\n");
}
TEST(MatVecMicrokernel, AsATreeStoresAndClearsAfterEveryTile) {
  const std::string text = print(matVecMicrokernel(4, 4, true));
  EXPECT_EQ(matVecMicrokernel(4, 4, true).size(), 10U);
  EXPECT_EQ(matVecMicrokernel(1, 1, true).size(), 9U);
  EXPECT_TRUE(text.starts_with("MAC GRF_B, GRF_A, EVEN_BANK aam\nJUMP 7, 1\nNOP 7\n")) << text;
  EXPECT_NE(text.find("MAC GRF_B, GRF_A, ODD_BANK aam\nJUMP 7, 1\nNOP 7\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("JUMP 3, 8\nEXIT\n")) << text;
}
TEST(MatVecMicrokernel, IsAlwaysALegalProgram) {
  for (std::int64_t even = 1; even < 40; ++even)
    for (const std::int64_t odd : {even - 1, even})
      for (const bool isTree : {false, true})
        EXPECT_TRUE(program::hbm_pim::check(matVecMicrokernel(even, odd, isTree)).ok()) << even << " " << odd;
}

}  // namespace
}  // namespace pimento::test
