#include <gtest/gtest.h>

#include <cmath>

#include "pimento/machine/schema.h"
#include "pimento/program/text.h"
#include "pimento/program/virtual.h"
#include "test/support/random_unit_program.h"

namespace pimento::program {
namespace {

TEST(VirtualText, AThousandRandomProgramsComeBackUnchanged) {
  int masked = 0, moves = 0, indexed = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    Rng rng(n);
    test::UnitProgramMaker make(rng);
    const machine::Machine m = make.machine();
    const Program p{m.name, {}, {make.process(m, 1000), make.process(m, 10)}};
    const std::string text = print(p);
    const Result<Program> back = parse(text, "p.llvcnm");
    ASSERT_TRUE(back) << text << "\n" << back.diagnostics().front().str();
    ASSERT_EQ(*back, p) << text;
    ASSERT_EQ(print(*back), text);
    ASSERT_TRUE(verify(*back, m)) << text << verify(*back, m).diagnostics().front().str();
    masked += text.find(" if %") != std::string::npos;
    moves += text.find("MOVE") != std::string::npos;
    indexed += text.find(" of ") != std::string::npos && text.find(" by ") != std::string::npos;
  }
  EXPECT_GT(masked, 50);
  EXPECT_GT(moves, 500);
  EXPECT_GT(indexed, 50);
}

TEST(VirtualText, TheTextReadsLikeTheHeaderSays) {
  const std::string text =
      "program cnm-pipeline\n"
      "process unit x128 threads 16 {\n"
      "  array x bank f32[4096] shared\n"
      "  array y bank f32[256]\n"
      "  array x_tile scratchpad f32[64]\n"
      "  array y_tile scratchpad f32[64]\n"
      "  param first_i 3841\n"
      "  SET f32 %0 0.5\n"
      "  loop t 4 {\n"
      "    MOVE x_tile[0] x[first_i+64*t] 64\n"
      "    loop i 64 {\n"
      "      LOAD %1 x_tile[i]\n"
      "      MUL f32 %1 %1 %0\n"
      "      CAST i32 %2 %1\n"
      "      INDEX i32 %3 first_i+64*t+i\n"
      "      CMP_LT u8 %4 %2 %3\n"
      "      SELECT f32 %1 %4 %0 %1\n"
      "      TEST %5 -first_i-64*t-i+4095\n"
      "      LOAD %1 x[0, %3 of 4096] if %5\n"
      "      LOAD %1 y[t, %2 of 3 by 64]\n"
      "      STORE y_tile[i, %2 of 1] %1 if %5\n"
      "      STORE y_tile[i] %1 if %5\n"
      "    }\n"
      "    MOVE y[64*t] y_tile[0] 64\n"
      "  }\n"
      "}\n";
  const Result<Program> p = parse(text);
  ASSERT_TRUE(p) << p.diagnostics().front().str();
  EXPECT_EQ(print(*p), text);
  machine::Machine m = test::unitMachine(machine::Compute::Mode::kPipeline, 16);
  m.levels[0].count = 16;
  const Status s = verify(*p, m);
  EXPECT_TRUE(s) << s.diagnostics().front().str();
}

TEST(VirtualText, ConstantsComeBackToTheLastBit) {
  for (const double x : {0.1, -0.0, 1e300, 5e-324, 1.7976931348623157e308, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Instruction i;
    i.kind = Instruction::Kind::kSet;
    i.type = DType::kF64;
    i.result = 0;
    i.constant = x;
    Program p{"m", {}, {{"unit", 1, UnitLoops{{}, {i}}}}};
    const Result<Program> back = parse(print(p));
    ASSERT_TRUE(back) << print(p);
    EXPECT_EQ(*back, p) << print(p);
  }
}

TEST(VirtualText, MachineFilesNameTheOperationsThatThereAre) {
  for (const machine::SchemaRow &row : machine::schema())
    if (row.path == "compute.operations.*.operations") {
      std::vector<std::string> choices = row.choices;
      choices.insert(choices.begin(), "loop");
      EXPECT_EQ(choices, operationNames());
      return;
    }
  FAIL() << "no such row";
}

}  // namespace
}  // namespace pimento::program
