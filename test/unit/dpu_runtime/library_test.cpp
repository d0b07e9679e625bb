// The rest of the run-time library: counts of bits, blocks of one size, values in MRAM, the counter.
#include <bit>
#include <set>

#include "test/unit/dpu_runtime/run.h"

namespace pimento::test {
namespace {

std::uint32_t resultOf(Callee &callee, const std::string &name, std::uint64_t d0) {
  std::vector<Callee::Case> cases = {{d0, 0, ""}};
  callee.call(name, cases);
  return static_cast<std::uint32_t>(cases[0].d0 >> 32);
}

TEST(DpuBits, CountsAsTheHost) {
  Callee callee({"__popcountsi2", "__popcountdi2", "__paritysi2", "__paritydi2", "__clzsi2", "__clzdi2", "__ctzsi2",
                 "__ctzdi2", "__ffssi2", "__ffsdi2", "__bswapsi2", "__bswapdi2"});
  std::vector<std::uint64_t> values = {
      0, 1, 0x80000000, 0x100000000, 0x8000000000000000, ~std::uint64_t{0}, 0x0123456789abcdef};
  for (int i = 0; i < 64; ++i) values.push_back(std::uint64_t{0x9e3779b97f4a7c15} * values.back() >> (i % 60));
  for (const std::uint64_t x : values) {
    const auto word = static_cast<std::uint32_t>(x >> 32);  // r0
    const auto is = [&](const char *name) { return static_cast<int>(resultOf(callee, name, x)); };
    EXPECT_EQ(is("__popcountsi2"), std::popcount(word)) << x;
    EXPECT_EQ(is("__popcountdi2"), std::popcount(x)) << x;
    EXPECT_EQ(is("__paritysi2"), std::popcount(word) % 2) << x;
    EXPECT_EQ(is("__paritydi2"), std::popcount(x) % 2) << x;
    EXPECT_EQ(is("__clzsi2"), std::countl_zero(word)) << x;
    EXPECT_EQ(is("__clzdi2"), std::countl_zero(x)) << x;
    EXPECT_EQ(is("__ctzsi2"), std::countr_zero(word)) << x;
    EXPECT_EQ(is("__ctzdi2"), std::countr_zero(x)) << x;
    EXPECT_EQ(is("__ffssi2"), word == 0 ? 0 : std::countr_zero(word) + 1) << x;
    EXPECT_EQ(is("__ffsdi2"), x == 0 ? 0 : std::countr_zero(x) + 1) << x;
    EXPECT_EQ(resultOf(callee, "__bswapsi2", x), __builtin_bswap32(word)) << x;
    std::vector<Callee::Case> cases = {{x, 0, ""}};
    callee.call("__bswapdi2", cases);
    EXPECT_EQ(cases[0].d0, __builtin_bswap64(x));
  }
}

// Tasklets take all blocks of one allocator, fill them, check them and give them back, again and again.
constexpr const char *kBlocks = R"(
        .text
        .globl  main
main:   sd      r22, 0, d22
        add     r22, r22, 8
        jneq    id, 0, .Lready
        move    r0, 12
        move    r1, 7
        call    r23, fsb_alloc
        sw      zero, blocks, r0
.Lready:
        move    r0, all
        call    r23, barrier_wait
        move    r14, 50
.Lround:
        lw      r0, zero, blocks
        call    r23, fsb_get
        jeq     r0, 0, .Lround
        move    r15, r0
        and     zero, r0, 7, z, . + 2
        fault   90
        move    r1, id
        move    r2, 12
        call    r23, memset
        lbu     r1, r15, 11
        jeq     id, r1, . + 2
        fault   91                      // somebody else has it too
        lw      r0, zero, blocks
        move    r1, r15
        call    r23, fsb_free
        add     r14, r14, -1, nz, .Lround
        move    r0, all
        call    r23, barrier_wait
        jneq    id, 0, .Ldone
        move    r14, 7                  // all seven are there
.Lagain:
        lw      r0, zero, blocks
        call    r23, fsb_get
        jneq    r0, 0, . + 2
        fault   92
        add     r14, r14, -1, nz, .Lagain
        lw      r0, zero, blocks
        call    r23, fsb_get
        jeq     r0, 0, . + 2
        fault   93                      // an eighth
.Ldone:
        ld      d22, r22, -8
        jump    r23
        .data
        .p2align 2
blocks: .long   0
all:    .byte   255, NR_TASKLETS, NR_TASKLETS, lock
        .section .atomic,"aw",@nobits
lock:   .zero   1
)";

TEST(DpuFixedSizeBlocks, AreHandedOutToOneTaskletAtATime) {
  for (const int tasklets : {1, 3, 11, 24}) {
    const auto result = sim::dpu::Dpu(imageOf(kBlocks, tasklets), plainDpu()).simulate({.maxInstructions = 10'000'000});
    EXPECT_FALSE(result.fault) << tasklets << " tasklets: " << result.fault->str();
  }
}

TEST(DpuMramValues, AreReadAndWrittenAlone) {
  std::string text = "        .text\n        .globl  main\nmain:   sd      r22, 0, d22\n        add     r22, r22, 8\n";
  const auto at = [](int offset) { return "        move    r0, there + " + std::to_string(offset) + "\n"; };
  const auto call = [](const std::string &name) { return "        call    r23, " + name + "\n"; };
  text += at(3) + "        move    r1, 0x1ff\n" + call("__mram_store8");
  text += at(6) + "        move    r1, 0x12345\n" + call("__mram_store16");
  text += at(12) + "        move    r1, 0xdeadbeef\n" + call("__mram_store32");
  text += at(16) + "        move    r2, 1\n        move    r3, 2\n" + call("__mram_store64");
  text += at(3) + call("__mram_load8") + "        sw      zero, seen, r0\n";
  text += at(6) + call("__mram_load16") + "        sw      zero, seen + 4, r0\n";
  text += at(12) + call("__mram_load32") + "        sw      zero, seen + 8, r0\n";
  text += at(16) + call("__mram_load64") + "        sd      zero, seen + 16, d0\n";
  text += "        ld      d22, r22, -8\n        jump    r23\n        .section .dpu_host,\"aw\",@progbits\n";
  text +=
      "        .globl  seen\nseen:   .zero   24\n        .section .mram.mine,\"aw\",@progbits\n        .p2align 3\n";
  text += "        .globl  there\nthere:  .fill   24, 1, 7\n";
  const auto image = imageOf(text, 1);
  sim::dpu::Dpu dpu(image, plainDpu());
  const auto result = dpu.simulate();
  ASSERT_FALSE(result.fault) << result.fault->str();
  std::vector<std::uint32_t> seen(6);
  dpu.readWram(addressOf(*image, "seen"), std::as_writable_bytes(std::span(seen)));
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0xff, 0x2345, 0xdeadbeef, 0, 2, 1}));
  const std::vector<std::uint8_t> expected = {7,    7,    7,    0xff, 7, 7, 0x45, 0x23, 7, 7, 7, 7,
                                              0xef, 0xbe, 0xad, 0xde, 2, 0, 0,    0,    1, 0, 0, 0};
  EXPECT_EQ(fromMram<std::uint8_t>(dpu, addressOf(*image, "there") - program::kMramBase, 24), expected);
}

TEST(DpuMramSections, WithoutContentsStandBehindThoseWithThem) {
  const auto image = imageOf(
      "        .text\n        .globl  main\nmain:   stop    true, .\n"
      "        .section .mram.noinit,\"aw\",@progbits\n        .globl  plain\nplain:  .zero   16777216\n"
      "        .section .mram,\"aw\",@progbits\n        .globl  given\ngiven:  .long   1\n"
      "        .section .mram.noinit_keep,\"aw\",@progbits\n        .globl  kept\nkept:   .zero   64\n",
      1);
  EXPECT_EQ(addressOf(*image, "kept"), program::kMramBase);
  EXPECT_EQ(addressOf(*image, "given"), program::kMramBase + 64);
  EXPECT_EQ(addressOf(*image, "plain"), program::kMramBase + 72);
  for (const program::Code::Segment &segment : image->code.segments) EXPECT_LT(segment.bytes.size(), 1000u);
}

// 1,600 cycles or so between two readings; `estimate` knows them too and can use them as it likes.
TEST(DpuCounter, CountsInStepsOf16TheSameInEstimateAndSimulation) {
  const auto text = [](int setting) {
    return "        .text\n        .globl  main\nmain:   move    r0, " + std::to_string(setting) +
           "\n        time_cfg r0, r0\n        time    r3\n        move    r1, 1000\n"
           "        add     r1, r1, -1, nz, .\n        time    r2\n        sub     r2, r2, r3\n"
           "        sw      zero, took, r2\n.Lloop: add     r2, r2, -1, nz, .Lloop\n        stop    true, .\n"
           "        .section .dpu_host,\"aw\",@progbits\n        .globl  took\ntook:   .long   0\n";
  };
  for (const auto &[setting, least] : {std::pair{3, 11 * 1000 / 16}, {5, 1000 / 16}}) {
    const auto image = imageOf(text(setting), 1);
    sim::dpu::Dpu dpu(image, plainDpu());
    const auto result = dpu.simulate();
    ASSERT_FALSE(result.fault);
    std::uint32_t took = 0;
    dpu.readWram(addressOf(*image, "took"), std::as_writable_bytes(std::span(&took, 1)));
    EXPECT_GE(took, static_cast<std::uint32_t>(least));
    EXPECT_LE(took, static_cast<std::uint32_t>(least) + 3);
    const auto estimated = sim::dpu::Dpu(image, plainDpu()).estimate();
    ASSERT_TRUE(estimated);
    EXPECT_EQ(estimated->cycles.value, result.cycles.value);
    EXPECT_EQ(estimated->executed, result.executed);
  }
}

}  // namespace
}  // namespace pimento::test
