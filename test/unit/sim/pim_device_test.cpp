// HBM-PIM's units on data: modes, registers, every instruction, address-aligned registers, loops.
#include "pimento/sim/pim/pim_device.h"

#include <gtest/gtest.h>

#include "pimento/base/dtype.h"
#include "test/support/pim_bench.h"

namespace pimento::test {
namespace {

using program::Purpose;

Half half(double x) {
  return static_cast<Half>(encodeFloat(DType::kF16, x));
}
double number(Half h) {
  return decodeFloat(DType::kF16, h);
}

// --- modes

TEST(PimModes, InSingleBankModeAWriteReachesItsBankOnly) {
  PimBench b;
  b.write(4, 2, 3, filled(7));
  for (int bank = 0; bank < 16; ++bank) EXPECT_EQ(b.at(bank, 2, 3), bank == 4 ? 7 : 0);
}
TEST(PimModes, InAllBankModeItReachesTheSameBankOfEveryBlock) {
  PimBench b;
  b.enterAllBank();
  b.write(1, 2, 3, filled(7));
  for (int bank = 0; bank < 16; ++bank) EXPECT_EQ(b.at(bank, 2, 3), bank % 2 == 1 ? 7 : 0);
}
TEST(PimModes, ThreeActivatesDoNotEnterAllBankMode) {
  PimBench b;
  for (const int bank : {0, 1, 8}) b.activate(bank, kEnterRow);
  b.activate(9, kEnterRow - 1);
  b.activate(8, kEnterRow);
  b.write(1, 2, 3, filled(7));
  EXPECT_EQ(b.at(3, 2, 3), 0);
  b.activate(9, kEnterRow);
  b.write(1, 2, 4, filled(7));
  EXPECT_EQ(b.at(3, 2, 4), 7);
}
TEST(PimModes, ItEndsWhenBothBanksClosedTheRow) {
  PimBench b;
  b.enterAllBank();
  b.precharge(0, kLeaveRow);
  b.write(1, 2, 3, filled(7));
  EXPECT_EQ(b.at(3, 2, 3), 7);
  b.precharge(1, kLeaveRow);
  b.write(1, 2, 4, filled(7));
  EXPECT_EQ(b.at(3, 2, 4), 0);
}
TEST(PimModes, PimExecutionIsNotLeftByThoseRows) {
  PimBench b;
  b.start("FILL GRF_A, EVEN_BANK\nEXIT");
  b.leaveAllBank();
  b.place(2, 0, 0, half(3));
  b.read(0, 0, 0);
  EXPECT_EQ(number(b.registerOf('a', 0, 1)), 3);
}
TEST(PimModes, RegistersAreDeafInSingleBankMode) {
  PimBench b;
  b.setRegister('a', 2, half(5));
  b.load("NOP 7\nEXIT");
  b.enterAllBank();
  EXPECT_EQ(b.registerOf('a', 2), 0);
}
TEST(PimModes, WithoutPimModeNothingExecutes) {
  PimBench b;
  b.enterAllBank();
  b.load("FILL GRF_A, EVEN_BANK\nEXIT");
  b.place(0, 0, 0, half(3));
  b.readEight(0, 0);
  EXPECT_EQ(b.device.executed(), decltype(b.device.executed()){});
  EXPECT_EQ(b.registerOf('a', 0), 0);
}
TEST(PimModes, ControlRowsDoNotTriggerInstructions) {
  PimBench b;
  b.start("FILL GRF_A, EVEN_BANK\nEXIT");
  b.read(0, kParkRow, 0);
  b.read(1, kRegisterRow, 8);
  EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimRead)], 0);
}
TEST(PimModes, StartingAgainBeginsAtTheFirstInstruction) {
  PimBench b;
  b.start("FILL GRF_A, EVEN_BANK\nMOV GRF_B[0], GRF_A[0]\nEXIT");
  b.place(0, 0, 0, half(3));
  b.read(0, 0, 0);  // one of eight
  b.control(0);
  b.control(1);
  b.readEight(0, 0);
  b.read(0, 0, 0);
  EXPECT_EQ(number(b.registerOf('b', 0)), 3);
}
TEST(PimModes, OtherRanksAreNotTouched) {
  PimBench b(1, {.ranks = 2});
  b.start("FILL GRF_A, EVEN_BANK\nEXIT");
  b.issue(machine::CommandKind::kRead, 16, 0, 0);
  b.issue(machine::CommandKind::kPrecharge, 16, kLeaveRow);
  EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimRead)], 0);
}

// --- registers

TEST(PimRegisters, TheColumnsOfTheRegisterRowAreTheFiles) {
  PimBench b;
  b.enterAllBank();
  for (int i = 0; i < 8; ++i) {
    b.setRegister('a', i, half(i + 1));
    b.setRegister('b', i, half(10 + i));
  }
  for (const int block : {0, 5, 7})
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(number(b.registerOf('a', i, block)), i + 1);
      EXPECT_EQ(number(b.registerOf('b', i, block)), 10 + i);
    }
}
TEST(PimRegisters, TheControlBurstClearsFiles) {
  for (const bool isA : {true, false}) {
    PimBench b;
    b.enterAllBank();
    b.setRegister('a', 3, half(5));
    b.setRegister('b', 3, half(6));
    b.control(0, isA, !isA);
    EXPECT_EQ(number(b.registerOf('a', 3, 4)), isA ? 0 : 5);
    EXPECT_EQ(number(b.registerOf('b', 3, 4)), isA ? 6 : 0);
  }
}
TEST(PimRegisters, ScalarsAreEightFactorsAndEightAddends) {
  PimBench b;
  b.enterAllBank();
  Burst scalars{};
  for (int i = 0; i < 16; ++i) scalars[static_cast<std::size_t>(i)] = half(i + 1);
  b.write(1, kRegisterRow, 1, scalars);
  b.setRegister('a', 0, half(100));
  b.load("MUL GRF_B[1], GRF_A[0], SRF_M[2]\nADD GRF_B[2], GRF_A[0], SRF_A[2]\nMOV GRF_B[3], SRF_A[7]\nEXIT");
  b.control(1);
  for (int i = 0; i < 3; ++i) b.read(0, 0, 0);
  EXPECT_EQ(number(b.registerOf('b', 1, 6, 0, 9)), 300);
  EXPECT_EQ(number(b.registerOf('b', 2, 6, 0, 9)), 111);
  EXPECT_EQ(number(b.registerOf('b', 3)), 16);
}
TEST(PimRegisters, ChannelsHaveTheirOwn) {
  PimBench b(2);
  b.enterAllBank();
  b.writeEach(1, kRegisterRow, 8, {filled(half(3)), filled(half(4))});
  b.writeEach(0, 1, 5, {filled(half(5)), filled(half(6))});
  EXPECT_EQ(number(b.registerOf('a', 0, 2, 0)), 3);
  EXPECT_EQ(number(b.registerOf('a', 0, 2, 1)), 4);
  EXPECT_EQ(number(b.at(14, 1, 5, 0)), 5);
  EXPECT_EQ(number(b.at(14, 1, 5, 1)), 6);
}

// --- instructions

class PimInstructions : public ::testing::Test {
 protected:
  PimInstructions() {
    b.enterAllBank();
    for (int i = 0; i < 8; ++i) {
      b.setRegister('a', i, half(10 + i));
      b.setRegister('b', i, half(0.5 * i));
    }
    // Banks hold their block, row and column.
    for (int bank = 0; bank < 16; ++bank)
      for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 32; ++column)
          b.place(bank, row, column, half(bank / 2 + 16 * row + 0.5 * column));
  }
  static double inBank(int block, int row, int column) { return block + 16 * row + 0.5 * column; }
  void execute(std::string_view assembly) {
    b.load(assembly);
    b.control(1);
  }
  double a(int index, int block = 0) { return number(b.registerOf('a', index, block)); }
  double bb(int index, int block = 0) { return number(b.registerOf('b', index, block)); }
  PimBench b;
};

TEST_F(PimInstructions, FillLoadsEightRegistersFromEightColumns) {
  execute("FILL GRF_A, EVEN_BANK\nEXIT");
  b.readEight(0, 2, 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(a(i, 3), inBank(3, 2, 8 + i));
  EXPECT_EQ(bb(1), 0.5) << "the other file keeps its values";
}
TEST_F(PimInstructions, FillFromTheOddBank) {
  b.place(7, 1, 0, half(99));
  execute("FILL GRF_B, ODD_BANK\nEXIT");
  b.readEight(1, 1, 0);
  EXPECT_EQ(bb(0, 3), 99);
}
TEST_F(PimInstructions, FillPicksTheRegisterByTheColumnNotByTheOrder) {
  execute("FILL GRF_A, EVEN_BANK\nEXIT");
  for (const int column : {5, 3, 7, 0, 1, 2, 4, 6}) b.read(0, 0, column);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(a(i), inBank(0, 0, i));
}
TEST_F(PimInstructions, ReluClearsWhateverHasTheSignBit) {
  const Half values[8] = {half(1), half(-1), 0x8000, 0x0000, 0xfc00, 0x7c00, 0xfe00, 0x8001};
  for (int i = 0; i < 8; ++i) b.place(2, 3, i, values[i]);
  execute("FILL GRF_A, EVEN_BANK relu\nEXIT");
  b.readEight(0, 3);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(b.registerOf('a', i, 1), (values[i] & 0x8000) != 0 ? Half{0} : values[i]) << i;
}
TEST_F(PimInstructions, MovCopiesRegisters) {
  b.setRegister('a', 4, half(-2));
  execute("MOV GRF_B[6], GRF_A[4]\nMOV GRF_B[5], GRF_A[4] relu\nEXIT");
  b.read(0, 0, 0);
  b.read(0, 0, 0);
  EXPECT_EQ(bb(6, 2), -2);
  EXPECT_EQ(bb(5, 2), 0);
}
TEST_F(PimInstructions, MovAlignedCopiesEight) {
  execute("MOV GRF_B, GRF_A aam\nEXIT");
  b.readEight(0, 0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bb(i), 10 + i);
}
TEST_F(PimInstructions, AddTakesRegistersAndTheBank) {
  execute("ADD GRF_A[1], GRF_A[2], GRF_B[4]\nADD GRF_B[0], GRF_A[1], EVEN_BANK\nEXIT");
  b.read(0, 0, 0);
  b.read(0, 1, 6);
  EXPECT_EQ(a(1, 5), 14);
  EXPECT_EQ(bb(0, 5), 14 + inBank(5, 1, 6));
}
TEST_F(PimInstructions, AddAlignedUsesTheLowColumnBits) {
  execute("ADD GRF_A, GRF_A, EVEN_BANK aam\nEXIT");
  b.readEight(0, 1, 24);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(a(i, 1), 10 + i + inBank(1, 1, 24 + i));
}
TEST_F(PimInstructions, MulMultiplies) {
  execute("MUL GRF_B, GRF_A, GRF_B aam\nEXIT");
  b.readEight(0, 0, 0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bb(i), (10 + i) * 0.5 * i);
}
TEST_F(PimInstructions, MacAddsToItsDestination) {
  execute("MAC GRF_B[3], GRF_A[2], EVEN_BANK\nEXIT");
  b.read(0, 1, 4);
  EXPECT_EQ(bb(3, 2), 1.5 + 12 * inBank(2, 1, 4));
}
TEST_F(PimInstructions, MacAlignedTakesItsInputFromRowAndColumn) {
  // 64 columns from an even row: eight slots (GRF_B) for each of eight inputs (GRF_A).
  execute("MAC GRF_B, GRF_A, EVEN_BANK aam\nJUMP 7, 1\nEXIT");
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 32; column += 8) b.readEight(0, 2 + row, column);
  for (int slot = 0; slot < 8; ++slot) {
    Half sum = half(0.5 * slot);
    for (int input = 0; input < 8; ++input)
      sum = f16Add(sum, f16Mul(half(10 + input), half(inBank(6, 2 + input / 4, input % 4 * 8 + slot))));
    EXPECT_EQ(b.registerOf('b', slot, 6), sum);
  }
}
TEST_F(PimInstructions, MacAlignedAtAnOddRowStartsWithInputFour) {
  execute("MAC GRF_B, GRF_A, EVEN_BANK aam\nEXIT");
  b.readEight(0, 1, 16);  // row bit 1, column bits 4..3 = 2: input 6
  EXPECT_EQ(bb(1), 0.5 + 16 * inBank(0, 1, 17));
}
TEST_F(PimInstructions, MadAddsItsThirdOperand) {
  Burst scalars{};
  for (int i = 0; i < 8; ++i) {
    scalars[static_cast<std::size_t>(i)] = half(2);
    scalars[static_cast<std::size_t>(8 + i)] = half(i);
  }
  b.write(1, kRegisterRow, 1, scalars);
  execute("MAD GRF_B, GRF_A, SRF_M, SRF_A aam\nEXIT");
  b.readEight(0, 0, 0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bb(i, 7), 2 * (10 + i) + i);
}
TEST_F(PimInstructions, MadRoundsItsProduct) {
  b.setRegister('a', 0, 0x3c01);
  b.setRegister('b', 1, 0xbc00);
  b.setRegister('b', 0, 0x3c01);
  Burst scalars{};
  scalars.fill(0x3c01);
  scalars[8] = 0xbc00;
  b.write(1, kRegisterRow, 1, scalars);
  execute("MAD GRF_B[2], GRF_A[0], SRF_M[0], SRF_A[0]\nEXIT");
  b.read(0, 0, 0);
  EXPECT_EQ(b.registerOf('b', 2), 0x1800);
}
TEST_F(PimInstructions, LanesAreIndependent) {
  Burst x{};
  for (std::size_t l = 0; l < kLanes; ++l) x[l] = half(static_cast<double>(l));
  b.write(1, kRegisterRow, 8, x);
  execute("ADD GRF_A[0], GRF_A[0], GRF_A[0]\nEXIT");
  b.read(0, 0, 0);
  for (int l = 0; l < kLanes; ++l) EXPECT_EQ(number(b.registerOf('a', 0, 0, 0, l)), 2 * l);
}
TEST_F(PimInstructions, NopAndAWriteStoreGrfAToTheEvenBanks) {
  execute("NOP 7\nEXIT");
  for (int i = 0; i < 8; ++i) b.trigger(0, 5, 8 + i);
  for (int block = 0; block < 8; ++block)
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(number(b.at(2 * block, 5, 8 + i)), 10 + i);
      EXPECT_EQ(b.at(2 * block + 1, 5, 8 + i), 0);
    }
}
TEST_F(PimInstructions, NopAndAWriteStoreGrfBToTheOddBanks) {
  execute("NOP 7\nEXIT");
  for (int i = 0; i < 8; ++i) b.trigger(1, 5, i);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(number(b.at(15, 5, i)), 0.5 * i);
    EXPECT_EQ(b.at(14, 5, i), 0);
  }
}
TEST_F(PimInstructions, NopAndAReadStoreNothing) {
  execute("NOP 7\nEXIT");
  b.readEight(0, 5);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(b.at(0, 5, i), 0);
}
TEST(PimNop, OccupiesOneCommandMoreThanItSays) {
  for (const int n : {0, 1, 6, 2047}) {
    PimBench b;
    b.enterAllBank();
    b.setRegister('a', 0, half(10));
    b.load(fmt::format("NOP {}\nMOV GRF_B[0], GRF_A[0]\nEXIT", n));
    b.control(1);
    for (int i = 0; i <= n; ++i) b.read(0, 0, 0, Purpose::kPimMove);
    b.read(0, 0, 0);
    EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimMove)], n + 1);
    EXPECT_EQ(number(b.registerOf('b', 0)), 10);
  }
}

// --- flow

TEST_F(PimInstructions, JumpIsTakenAsOftenAsItSays) {
  b.setRegister('b', 0, 0);
  execute("ADD GRF_B[0], GRF_B[0], GRF_A[0]\nJUMP 3, 1\nEXIT");
  for (int i = 0; i < 20; ++i) b.read(0, 0, 0);
  EXPECT_EQ(bb(0), 4 * 10);
}
TEST_F(PimInstructions, AJumpOfZeroTimesIsPassed) {
  b.setRegister('b', 0, 0);
  execute("ADD GRF_B[0], GRF_B[0], GRF_A[0]\nJUMP 0, 1\nEXIT");
  for (int i = 0; i < 5; ++i) b.read(0, 0, 0);
  EXPECT_EQ(bb(0), 10);
}
TEST_F(PimInstructions, AnInnerLoopIsArmedAgainInEveryOuterIteration) {
  b.setRegister('b', 0, 0);
  b.setRegister('b', 1, 0);
  execute("ADD GRF_B[0], GRF_B[0], GRF_A[0]\nJUMP 2, 1\nADD GRF_B[1], GRF_B[1], GRF_A[1]\nJUMP 4, 3\nEXIT");
  for (int i = 0; i < 100; ++i) b.read(0, 0, 0);
  EXPECT_EQ(bb(0), 5 * 3 * 10);
  EXPECT_EQ(bb(1), 5 * 11);
}
TEST_F(PimInstructions, AJumpToAJumpTakesThatOneAgain) {
  b.setRegister('b', 0, 0);
  execute("ADD GRF_B[0], GRF_B[0], GRF_A[0]\nJUMP 1, 1\nJUMP 3, 1\nEXIT");
  for (int i = 0; i < 20; ++i) b.read(0, 0, 0);
  EXPECT_EQ(bb(0), 50) << "twice, and once more for each of three";
}
TEST_F(PimInstructions, LoopsOfNothingCostNothing) {
  b.setRegister('b', 0, 0);
  execute("ADD GRF_B[0], GRF_B[0], GRF_A[0]\nJUMP 0, 1\nJUMP 100000, 1\nJUMP 100000, 2\nJUMP 1, 4\nEXIT");
  for (int i = 0; i < 9; ++i) b.read(0, 0, 0);
  EXPECT_EQ(bb(0), 20);
}
TEST_F(PimInstructions, ExitEndsExecution) {
  execute("MOV GRF_B[0], GRF_A[0]\nEXIT\nMOV GRF_B[0], GRF_A[1]");
  for (int i = 0; i < 9; ++i) b.read(0, 0, 0);
  EXPECT_EQ(bb(0), 10);
  EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimRead)], 1);
}
TEST_F(PimInstructions, AFullCrfMayEndWithoutExit) {
  std::string code;
  for (int i = 0; i < 32; ++i) code += fmt::format("MOV GRF_B[{}], GRF_A[{}]\n", i % 8, (i + 1) % 8);
  execute(code);
  for (int i = 0; i < 40; ++i) b.read(0, 0, 0);
  EXPECT_EQ(bb(7), 10);
  EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimRead)], 32);
}
TEST_F(PimInstructions, WordsThatAreNoInstructionsEndExecution) {
  b.loadWords({0x50000000});
  b.control(1);
  b.read(0, 0, 0);
  b.control(0);
  b.loadWords({0xe0000801});  // JUMP 1, 1: before the first instruction
  b.control(1);
  b.read(0, 0, 0);
  EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimRead)], 0);
}
TEST_F(PimInstructions, ExecutionsAreCountedByPurpose) {
  execute("MAC GRF_B, GRF_A, EVEN_BANK aam\nNOP 7\nEXIT");
  for (int i = 0; i < 8; ++i) b.read(0, 0, i, Purpose::kPimMac);
  for (int i = 0; i < 8; ++i) b.trigger(1, 5, i);
  b.read(0, 0, 0, Purpose::kPimMac);  // after EXIT
  EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimMac)], 8);
  EXPECT_EQ(b.device.executed()[static_cast<std::size_t>(Purpose::kPimStore)], 8);
}

// --- whole microkernels

TEST(PimMicrokernel, AdditionOfTwoTilesInBothBanks) {
  PimBench b;
  for (int bank = 0; bank < 16; ++bank)
    for (int column = 0; column < 16; ++column) {
      b.place(bank, 0, column, half(bank + column));
      b.place(bank, 1, column, half(100 * column));
    }
  b.start(
      "FILL GRF_A, EVEN_BANK\nADD GRF_A, GRF_A, EVEN_BANK aam\nNOP 7\n"
      "FILL GRF_B, ODD_BANK\nADD GRF_B, GRF_B, ODD_BANK aam\nNOP 7\nJUMP 1, 6\nEXIT");
  for (int tile = 0; tile < 2; ++tile)
    for (const int bank : {0, 1}) {
      b.readEight(bank, 0, 8 * tile);
      b.readEight(bank, 1, 8 * tile);
      for (int i = 0; i < 8; ++i) b.trigger(bank, 2, 8 * tile + i);
    }
  for (int bank = 0; bank < 16; ++bank)
    for (int column = 0; column < 16; ++column) EXPECT_EQ(number(b.at(bank, 2, column)), bank + 101 * column);
}

}  // namespace
}  // namespace pimento::test
