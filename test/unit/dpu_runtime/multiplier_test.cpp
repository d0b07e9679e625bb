// Machines with a multiplier: any program's 32-bit products are one instruction each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../support/linked_dpu.h"
#include "pimento/sim/dpu/product.h"

namespace pimento::test {
namespace {

using sim::dpu::Dpu;
using sim::dpu::RunResult;

constexpr const char *kCall = R"(
        move    r1, r6
        call    r23, __mulsi3
        add     r7, r7, r0
)";

/// As the back end writes products in place: r0 * r6, added to r5 (d4).
constexpr const char *kInPlace = R"(
        jgtu    r0, r6, .Lswapped
        move    r3, r6
        move    r4, r0, true, .Lsteps
.Lswapped:
        move    r3, r0
        move    r4, r6
.Lsteps:
)";

std::string steps() {
  std::string out;
  for (int n = 0; n < 31; ++n) out += "        mul_step d4, r3, d4, " + std::to_string(n) + ", z, .Lmade\n";
  return out + "        mul_step d4, r3, d4, 31\n.Lmade:\n";
}

/// Every tasklet multiplies 48 words of its own MRAM by r6 and leaves the sum in WRAM.
std::string program(const std::string &product) {
  return R"(
        .section .bss,"aw",@nobits
        .globl  buffers
buffers:
        .zero   4608
        .globl  sums
sums:
        .zero   96
        .section .text.main,"ax",@progbits
        .globl  main
main:
        move    r5, 192
        lsl     r10, id8, 4
        lsl_add r10, r10, id8, 3
        move    r8, buffers
        add     r8, r8, r10
        lsl     r11, id8, 8
        ldma    r8, r11, 23
        move    r12, 48
        move    r6, 77777
        move    r5, 0
        move    r7, 0
.Lnext:
        lw      r0, r8, 0
)" + product +
         R"(
        add     r8, r8, 4
        add     r12, r12, -1, nz, .Lnext
        add     r7, r7, r5
        lsl     r10, id, 2
        add     r10, r10, sums
        sw      r10, 0, r7
        stop    true, .
)";
}

Dpu filled(const std::shared_ptr<const sim::dpu::Image> &image, const machine::Dpu &machine) {
  Dpu dpu(image, machine);
  std::vector<std::uint32_t> words(24 * 512);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i * 2654435761U);
  dpu.writeMram(0, std::as_bytes(std::span(words)));
  return dpu;
}

std::vector<std::uint32_t> sumsOf(const Dpu &dpu, const sim::dpu::Image &image) {
  std::vector<std::uint32_t> sums(24);
  dpu.readWram(addressOf(image, "sums"), std::as_writable_bytes(std::span(sums)));
  return sums;
}

machine::Dpu withMultiplier(std::int64_t cycles) {
  machine::Dpu machine = plainDpu();
  machine.multiplier = Cycles(cycles);
  return machine;
}

class Multiplier : public testing::TestWithParam<const char *> {
 public:
  static std::string text() {
    return program(std::string(GetParam()) == "call" ? std::string(kCall) : kInPlace + steps());
  }
};

TEST_P(Multiplier, ProductsAreWhatTheStepsGive) {
  for (const int tasklets : {1, 5, 16, 24}) {
    const auto image = imageOf(text(), tasklets, 64);
    Dpu plain = filled(image, plainDpu()), unit = filled(image, withMultiplier(44));
    const RunResult a = plain.simulate(), b = unit.simulate();
    ASSERT_FALSE(a.fault) << a.fault->str();
    ASSERT_FALSE(b.fault) << b.fault->str();
    EXPECT_EQ(sumsOf(plain, *image), sumsOf(unit, *image));
    EXPECT_NE(sumsOf(unit, *image)[0], 0U);
    EXPECT_EQ(b.counts.multiplySteps, 0);
    EXPECT_LT(b.counts.instructions, a.counts.instructions / 2);
  }
}

TEST_P(Multiplier, EstimatesEqualSimulationsAndNeedNoData) {
  for (const int tasklets : {1, 3, 11, 16, 24})
    for (const std::int64_t cycles : {1, 12, 44, 100}) {
      const auto image = imageOf(text(), tasklets, 64);
      Dpu known = filled(image, withMultiplier(cycles));
      const RunResult simulated = known.simulate();
      for (const bool isKnown : {false, true}) {
        Dpu dpu = isKnown ? filled(image, withMultiplier(cycles)) : Dpu(image, withMultiplier(cycles));
        const auto estimated = dpu.estimate();
        ASSERT_TRUE(estimated) << tasklets << " " << cycles;
        EXPECT_EQ(estimated->cycles, simulated.cycles) << tasklets << " " << cycles;
        EXPECT_EQ(estimated->counts, simulated.counts) << tasklets << " " << cycles;
      }
    }
}

TEST_P(Multiplier, ALoneTaskletWaitsForEveryProduct) {
  const auto image = imageOf(text(), 1, 64);
  const auto cyclesWith = [&](std::int64_t cycles) {
    return Dpu(image, withMultiplier(cycles)).simulate().cycles.value;
  };
  EXPECT_EQ(cyclesWith(44) - cyclesWith(11), 48 * 33);
  EXPECT_EQ(cyclesWith(5), cyclesWith(11));  // an instruction's own interval is the least
}

INSTANTIATE_TEST_SUITE_P(Ways, Multiplier, testing::Values("call", "in_place"),
                         [](const auto &param) { return std::string(param.param); });

TEST(Products, StepsAloneAreNone) {
  std::string text = program("        move r3, r6\n        move r4, r0\n" + steps());
  EXPECT_TRUE(sim::dpu::findProducts(*imageOf(text, 1, 64)).empty());
}

}  // namespace
}  // namespace pimento::test
