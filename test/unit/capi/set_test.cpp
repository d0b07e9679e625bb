// Allocation, iteration, programs.
#include <dpu.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "hosts.h"
#include "test/support/capi_programs.h"

namespace {

using pimento::test::Dpus;
using pimento::test::kIncrement;
using pimento::test::kMram;

const char *const kSum = PIMENTO_SOURCE_DIR "/examples/upmem/sum.s";

std::uint32_t ranksOf(dpu_set_t set) {
  std::uint32_t n = 0;
  EXPECT_EQ(dpu_get_nr_ranks(set, &n), DPU_OK);
  return n;
}
std::uint32_t dpusOf(dpu_set_t set) {
  std::uint32_t n = 0;
  EXPECT_EQ(dpu_get_nr_dpus(set, &n), DPU_OK);
  return n;
}

TEST(DpuSet, AProgramInCGetsTheSumsOfOneDpu) {
  EXPECT_EQ(hostOfSum(kSum, 1), 0);
}
TEST(DpuSet, AProgramInCGetsTheSumsOfAWholeRank) {
  EXPECT_EQ(hostOfSum(kSum, 64), 0);
}
TEST(DpuSet, AProgramInCGetsTheSumsOf130DpusIn3Ranks) {
  EXPECT_EQ(hostOfSum(kSum, 130), 0);
}

TEST(DpuSet, DpusFillRankAfterRank) {
  Dpus dpus(130);
  ASSERT_EQ(dpus.status, DPU_OK) << pimento_dpu_reason();
  EXPECT_EQ(dpusOf(dpus.set), 130U);
  EXPECT_EQ(ranksOf(dpus.set), 3U);
  std::vector<std::uint32_t> sizes, indices;
  dpu_set_t rank;
  unsigned i = 99;
  DPU_RANK_FOREACH(dpus.set, rank, i) {
    indices.push_back(i);
    sizes.push_back(dpusOf(rank));
    EXPECT_EQ(ranksOf(rank), 1U);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{64, 64, 2}));
  EXPECT_EQ(indices, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(i, 3U) << "behind the loop the index is the number of ranks";
}

TEST(DpuSet, LoopsOverOneDpuAndOverItsRankEnd) {
  Dpus dpus(66);
  const dpu_set_t last = dpus.at(65);
  dpu_set_t dpu, rank;
  std::uint32_t i = 9, n = 0;
  DPU_FOREACH(last, dpu, i) {
    ++n;
    EXPECT_EQ(dpu.dpu, last.dpu);
  }
  EXPECT_EQ(n, 1U);
  DPU_RANK_FOREACH(last, rank) EXPECT_EQ(dpusOf(rank), 2U);
  DPU_FOREACH(dpus.set, dpu, i) {
    if (i == 5) break;
  }
  EXPECT_EQ(i, 5U);
}

TEST(DpuSet, RanksAreAllocatedWhole) {
  dpu_set_t set;
  ASSERT_EQ(dpu_alloc_ranks(2, nullptr, &set), DPU_OK);
  EXPECT_EQ(dpusOf(set), 128U);
  EXPECT_EQ(dpu_free(set), DPU_OK);
}

TEST(DpuSet, AllDpusAreThoseThatOtherSetsLeave) {
  const char *profile = "ranks=3";
  Dpus some(65, profile), all(DPU_ALLOCATE_ALL, profile);
  ASSERT_EQ(all.status, DPU_OK);
  EXPECT_EQ(dpusOf(all.set), 64U);
}

TEST(DpuSet, AProfileOverridesNumbersOfTheMachine) {
  Dpus plain(1), slow(1, "backend=simulator, dpu.issue_interval=22, tasklets=2,nrThreadsPerRank=1,someLaterKey=yes");
  ASSERT_EQ(slow.status, DPU_OK) << pimento_dpu_reason();
  pimento_dpu_account_t a, b;
  ASSERT_EQ(plain.load(kIncrement), DPU_OK);
  ASSERT_EQ(slow.load(kIncrement), DPU_OK);
  ASSERT_EQ(dpu_launch(plain.set, DPU_SYNCHRONOUS), DPU_OK);
  ASSERT_EQ(dpu_launch(slow.set, DPU_SYNCHRONOUS), DPU_OK);
  ASSERT_EQ(pimento_dpu_account(plain.set, &a), DPU_OK);
  ASSERT_EQ(pimento_dpu_account(slow.set, &b), DPU_OK);
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_GT(b.kernel_cycles, a.kernel_cycles * 3 / 2);
}

TEST(DpuProgram, SymbolsHaveAddressAndSize) {
  Dpus dpus(1);
  std::string text = kMram;
  dpu_program_t *program = nullptr;
  ASSERT_EQ(dpu_load_from_memory(dpus.set, reinterpret_cast<std::uint8_t *>(text.data()), text.size(), &program),
            DPU_OK);
  dpu_symbol_t table, heap;
  ASSERT_EQ(dpu_get_symbol(program, "table", &table), DPU_OK);
  EXPECT_GE(table.address, 0x08000000U);
  EXPECT_EQ(table.size, 64U);
  ASSERT_EQ(dpu_get_symbol(program, DPU_MRAM_HEAP_POINTER_NAME, &heap), DPU_OK);
  EXPECT_GE(heap.address, table.address + 64);
  EXPECT_EQ(heap.address + heap.size, 0x08000000U + (64U << 20));
}

TEST(DpuProgram, AnEmbeddedProgramIsLoaded) {
  EXPECT_EQ(hostOfEmbeddedProgram(), 0);
}

TEST(DpuProgram, VariablesKeepTheirValuesFromLaunchToLaunch) {
  Dpus dpus(2);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpus.word(1, "total"), 3U);
}

TEST(DpuProgram, AnotherProgramFindsMramAsItWasAndWramFresh) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  const std::uint64_t value = 41;
  ASSERT_EQ(dpu_copy_to(dpus.set, "table", 0, &value, 8), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpus.word(0, "total"), 1U);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_EQ(dpus.word(0, "total"), 0U);
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_EQ(dpus.word(0, "table"), 42U);
}

TEST(DpuProgram, DpusOfASetMayRunDifferentPrograms) {
  Dpus dpus(2);
  ASSERT_EQ(Dpus::loadOn(dpus.at(0), kIncrement), DPU_OK);
  ASSERT_EQ(Dpus::loadOn(dpus.at(1), kMram), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpus.word(0, "result"), 1U);
  EXPECT_EQ(dpus.word(1, "table"), 1U);
}

TEST(DpuLog, IsReadWithTheMainHeaderAlone) {
  std::FILE *file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(hostOfLog(kMram, 2, file), 0);
  std::rewind(file);
  std::string text(200, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_EQ(text, "=== DPU#0x0 ===\nhello\n=== DPU#0x1 ===\nhello\n");
}

}  // namespace
