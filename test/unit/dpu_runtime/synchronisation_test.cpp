// Barrier, mutex, semaphore, handshake and heap do what they promise for every number of tasklets.
#include "test/unit/dpu_runtime/run.h"

namespace pimento::test {
namespace {

using sim::dpu::Dpu;
using sim::dpu::RunResult;

std::uint32_t wordAt(const Dpu &dpu, std::uint32_t address) {
  std::uint32_t word = 0;
  dpu.readWram(address, std::as_writable_bytes(std::span(&word, 1)));
  return word;
}

TEST(DpuSynchronisation, KeepsOneTo24TaskletsInOrder) {
  const std::string text = sourceOf("test/unit/dpu_runtime/synchronised.s");
  for (std::uint32_t tasklets = 1; tasklets <= 24; ++tasklets) {
    const auto image = imageOf(text, tasklets);
    Dpu dpu(image, plainDpu());
    const std::vector<std::uint32_t> rounds = {20};
    dpu.writeWram(addressOf(*image, "rounds"), bytesOf(rounds));
    const RunResult result = dpu.simulate({.maxInstructions = 10'000'000});
    ASSERT_FALSE(result.fault) << tasklets << " tasklets: " << result.fault->str();
    EXPECT_EQ(wordAt(dpu, addressOf(*image, "counter")), 2 * 20 * tasklets);
  }
}

TEST(DpuSynchronisation, ASecondLaunchFindsTheLocksFree) {
  const auto image = imageOf(sourceOf("test/unit/dpu_runtime/synchronised.s"), 11);
  Dpu dpu(image, plainDpu());
  for (std::uint32_t launch = 1; launch <= 3; ++launch) {
    const std::uint32_t before = wordAt(dpu, addressOf(*image, "counter"));
    const RunResult result = dpu.simulate({.maxInstructions = 10'000'000});
    ASSERT_FALSE(result.fault) << result.fault->str();
    EXPECT_EQ(wordAt(dpu, addressOf(*image, "counter")) - before, 22u);
  }
}

// Its table is in reach of the short offsets of sb_id, wherever the program's own data end.
TEST(DpuSynchronisation, WorksInProgramsWithMuchData) {
  const std::string text = sourceOf("test/unit/dpu_runtime/synchronised.s");
  const auto image = imageOf("        .data\nmuch:   .zero   20000\n" + text, 5);
  const RunResult result = Dpu(image, plainDpu()).simulate({.maxInstructions = 10'000'000});
  EXPECT_FALSE(result.fault) << result.fault->str();
}

// 512 times 8 barriers: what one costs. Hardware measured 110.2, 265.2, 598.7, 1282, 2861 and 5349 cycles.
TEST(DpuSynchronisation, ABarrierCostsWhatItCostsOnHardware) {
  std::string text = "        .text\n        .globl  main\nmain:   move    r14, 512\n.Lround:\n";
  for (int i = 0; i < 8; ++i) text += "        move    r0, all\n        call    r23, barrier_wait\n";
  text +=
      "        add     r14, r14, -1, nz, .Lround\n        stop\n        .data\nall:    .byte   255, NR_TASKLETS, "
      "NR_TASKLETS, lock\n        .section .atomic,\"aw\",@nobits\nlock:   .zero   1\n";
  const std::pair<int, double> measured[] = {{1, 110.2}, {2, 265.2}, {4, 598.7}, {8, 1282}, {16, 2861}, {24, 5349}};
  for (const auto &[tasklets, cycles] : measured) {
    Dpu dpu(imageOf(text, tasklets), plainDpu());
    const RunResult result = dpu.simulate();
    ASSERT_FALSE(result.fault) << result.fault->str();
    EXPECT_NEAR(static_cast<double>(result.cycles.value) / 4096, cycles, 0.06 * cycles) << tasklets << " tasklets";
  }
}

// Every tasklet takes three blocks and fills them with its number.
constexpr const char *kBlocks = R"(
        .text
        .globl  main
main:   sd      r22, 0, d22
        add     r22, r22, 8
        move    r14, 3
.Lblock:
        lw      r0, zero, size
        call    r23, mem_alloc
        and     zero, r0, 7, z, . + 2
        fault   90                      // not aligned
        lw      r2, zero, size
        move    r1, id
        call    r23, memset
        lsl     r1, id, 4               // blocks of this tasklet: one after another, as addresses
        lsl_add r1, r1, r14, 2
        sw      r1, blocks - 4, r0
        add     r14, r14, -1, nz, .Lblock
        ld      d22, r22, -8
        jump    r23
        .data
        .p2align 2
        .globl  size
size:   .long   20
        .bss
        .p2align 2
        .globl  blocks
blocks: .zero   384
)";

TEST(DpuHeap, BlocksAreAlignedAndApart) {
  const auto image = imageOf(kBlocks, 24, 512);
  for (const std::uint32_t size : {1u, 8u, 20u, 24u, 100u}) {
    Dpu dpu(image, plainDpu());
    const std::vector<std::uint32_t> sizes = {size};
    dpu.writeWram(addressOf(*image, "size"), bytesOf(sizes));
    const RunResult result = dpu.simulate();
    ASSERT_FALSE(result.fault) << result.fault->str();
    std::vector<std::byte> wram(64 << 10);
    dpu.readWram(0, wram);
    for (std::uint32_t tasklet = 0; tasklet < 24; ++tasklet) {
      for (std::uint32_t block = 0; block < 3; ++block) {
        const std::uint32_t at = wordAt(dpu, addressOf(*image, "blocks") + 16 * tasklet + 4 * block);
        EXPECT_GE(at, image->code.wramUsed);
        for (std::uint32_t i = 0; i < size; ++i)
          ASSERT_EQ(wram[at + i], std::byte{static_cast<unsigned char>(tasklet)}) << "tasklet " << tasklet;
      }
    }
  }
}

TEST(DpuHeap, ARequestBeyondTheEndFaults) {
  const auto image = imageOf(kBlocks, 2);
  for (const std::uint32_t size : {40000u, 0x7fffffffu, 0xfffffff0u, 0xffffffffu}) {
    Dpu dpu(image, plainDpu());
    const std::vector<std::uint32_t> sizes = {size};
    dpu.writeWram(addressOf(*image, "size"), bytesOf(sizes));
    EXPECT_TRUE(dpu.simulate({.maxInstructions = 1'000'000}).fault) << size;
  }
}

TEST(DpuHeap, ALaunchAfterAFaultFindsItsLockFree) {
  const auto image = imageOf(kBlocks, 2);
  Dpu dpu(image, plainDpu());
  for (const std::uint32_t size : {40000u, 8u}) {
    const std::vector<std::uint32_t> sizes = {size};
    dpu.writeWram(addressOf(*image, "size"), bytesOf(sizes));
    const RunResult result = dpu.simulate({.maxInstructions = 1'000'000});
    EXPECT_EQ(result.fault.has_value(), size == 40000) << size;
  }
}

}  // namespace
}  // namespace pimento::test
