// Transfers and logs.
#include <dpu.h>
#include <dpu_log.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "hosts.h"
#include "test/support/capi_programs.h"

namespace {

using pimento::test::Dpus;
using pimento::test::kIncrement;
using pimento::test::kMram;

const char *const kHeap = DPU_MRAM_HEAP_POINTER_NAME;

TEST(DpuTransfer, LengthsMayDifferFromRankToRank) {
  EXPECT_EQ(hostOfUnequalRanks(PIMENTO_SOURCE_DIR "/examples/upmem/sum.s", 130), 0);
}

TEST(DpuTransfer, OneBufferGoesToAllDpus) {
  Dpus dpus(3);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  const std::uint32_t value = 9;
  ASSERT_EQ(dpu_broadcast_to(dpus.set, "value", 0, &value, 4, DPU_XFER_DEFAULT), DPU_OK);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(dpus.word(i, "value"), 9U);
}

TEST(DpuTransfer, DpusWithoutABufferTakeNoPart) {
  Dpus dpus(2);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  std::uint32_t value = 5;
  ASSERT_EQ(dpu_prepare_xfer(dpus.at(1), &value), DPU_OK);
  ASSERT_EQ(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "value", 0, 4, DPU_XFER_DEFAULT), DPU_OK);
  EXPECT_EQ(dpus.word(0, "value"), 0U);
  EXPECT_EQ(dpus.word(1, "value"), 5U);
  value = 6;
  ASSERT_EQ(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "value", 0, 4, DPU_XFER_DEFAULT), DPU_OK);
  EXPECT_EQ(dpus.word(1, "value"), 5U) << "the transfer before took the buffer";
}

TEST(DpuTransfer, BuffersStayPreparedIfAsked) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  std::uint32_t value = 5, other = 8;
  ASSERT_EQ(dpu_prepare_xfer(dpus.set, &value), DPU_OK);
  ASSERT_EQ(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "value", 0, 4, DPU_XFER_NO_RESET), DPU_OK);
  value = 6;
  ASSERT_EQ(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "value", 0, 4, DPU_XFER_NO_RESET), DPU_OK);
  EXPECT_EQ(dpus.word(0, "value"), 6U);
  ASSERT_EQ(dpu_prepare_xfer(dpus.set, &other), DPU_OK);
  ASSERT_EQ(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "value", 0, 4, DPU_XFER_DEFAULT), DPU_OK);
  EXPECT_EQ(dpus.word(0, "value"), 8U);
}

TEST(DpuTransfer, OffsetsCountFromTheVariable) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  std::array<std::uint64_t, 8> out{}, in{};
  std::iota(out.begin(), out.end(), 1);
  ASSERT_EQ(dpu_copy_to(dpus.set, "table", 0, out.data(), 64), DPU_OK);
  ASSERT_EQ(dpu_copy_from(dpus.set, "table", 24, in.data(), 16), DPU_OK);
  EXPECT_EQ(in, (std::array<std::uint64_t, 8>{4, 5}));
}

TEST(DpuTransfer, LargeTransfersOfManyDpusComeBackWhole) {
  Dpus dpus(8);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  const std::size_t words = 1 << 17;
  std::vector<std::uint64_t> out(8 * words), in(8 * words);
  std::iota(out.begin(), out.end(), 12345);
  dpu_set_t dpu;
  std::uint32_t i;
  for (const bool isBack : {false, true}) {
    DPU_FOREACH(dpus.set, dpu, i) {
      ASSERT_EQ(dpu_prepare_xfer(dpu, (isBack ? in : out).data() + i * words), DPU_OK);
    }
    ASSERT_EQ(
        dpu_push_xfer(dpus.set, isBack ? DPU_XFER_FROM_DPU : DPU_XFER_TO_DPU, kHeap, 8, words * 8, DPU_XFER_DEFAULT),
        DPU_OK);
  }
  EXPECT_TRUE(in == out);
}

/// Block b of DPU d: b + 1 units of 8 bytes; `args`: {host memory, blocks}.
struct Blocks {
  std::uint8_t *memory;
  std::uint32_t count;
};
bool blockOf(sg_block_info *out, std::uint32_t dpu, std::uint32_t block, void *args) {
  const auto *blocks = static_cast<const Blocks *>(args);
  if (block >= blocks->count) return false;
  out->addr = blocks->memory + 256 * dpu + 64 * block;
  out->length = 8 * (block + 1);
  return true;
}

TEST(DpuTransfer, BlocksAreGatheredAndScattered) {
  Dpus dpus(2, "sgXferEnable=true,tasklets=2");
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  std::vector<std::uint8_t> out(512), in(512);
  std::iota(out.begin(), out.end(), std::uint8_t{1});
  Blocks from{out.data(), 3}, to{in.data(), 3};
  get_block_t gather{blockOf, &from, sizeof from}, scatter{blockOf, &to, sizeof to};
  ASSERT_EQ(dpu_push_sg_xfer(dpus.set, DPU_XFER_TO_DPU, "table", 0, 48, &gather, DPU_SG_XFER_DEFAULT), DPU_OK);
  std::array<std::uint8_t, 48> row{};
  ASSERT_EQ(dpu_copy_from(dpus.at(1), "table", 0, row.data(), 48), DPU_OK);
  EXPECT_EQ(row[0], out[256]);
  EXPECT_EQ(row[8], out[256 + 64]);
  EXPECT_EQ(row[47], out[256 + 128 + 23]);
  ASSERT_EQ(dpu_push_sg_xfer(dpus.set, DPU_XFER_FROM_DPU, "table", 0, 48, &scatter, DPU_SG_XFER_ASYNC), DPU_OK);
  to.count = 0;  // the arguments were copied
  ASSERT_EQ(dpu_sync(dpus.set), DPU_OK);
  for (std::size_t d = 0; d < 2; ++d)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t i = 0; i < 64; ++i)
        EXPECT_EQ(in[256 * d + 64 * b + i], i < 8 * (b + 1) ? out[256 * d + 64 * b + i] : 0);
}

TEST(DpuTransfer, ZerosFollowBlocksThatAreTooShort) {
  Dpus dpus(1, "sgXferEnable=true,tasklets=2");
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  std::array<std::uint64_t, 8> row;
  row.fill(~0ULL);
  ASSERT_EQ(dpu_copy_to(dpus.set, "table", 0, row.data(), 64), DPU_OK);
  std::vector<std::uint8_t> out(256, 1);
  Blocks from{out.data(), 1};
  get_block_t gather{blockOf, &from, sizeof from};
  ASSERT_EQ(dpu_push_sg_xfer(dpus.set, DPU_XFER_TO_DPU, "table", 0, 24, &gather, DPU_SG_XFER_DISABLE_LENGTH_CHECK),
            DPU_OK);
  ASSERT_EQ(dpu_copy_from(dpus.set, "table", 0, row.data(), 64), DPU_OK);
  EXPECT_EQ(row[0], 0x0101010101010101ULL);
  EXPECT_EQ(row[1], 0U);
  EXPECT_EQ(row[2], 0U);
  EXPECT_EQ(row[3], ~0ULL);
}

std::string logOf(dpu_set_t set, dpu_error_t expected = DPU_OK) {
  char *text = nullptr;
  std::size_t size = 0;
  std::FILE *stream = open_memstream(&text, &size);
  EXPECT_EQ(dpu_log_read(set, stream), expected);
  std::fclose(stream);
  const std::string all(text, size);
  std::free(text);
  return all;
}

TEST(DpuLog, EveryDpuPrintsUnderItsName) {
  Dpus dpus(2);
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_EQ(logOf(dpus.set), "=== DPU#0x0 ===\nhello\n=== DPU#0x1 ===\nhello\n");
  EXPECT_EQ(logOf(dpus.at(1)), "=== DPU#0x1 ===\n") << "what was read is gone";
}

TEST(DpuLog, AProgramThatCannotPrintHasPrintedNothing) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_EQ(logOf(dpus.set), "=== DPU#0x0 ===\n");
}

TEST(DpuLog, WhatDidNotFitIsSaidBehindWhatDid) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(pimento::test::kTalkative), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_GT(logOf(dpus.set, DPU_ERR_LOG_BUFFER_TOO_SMALL).size(), 65536U);
  EXPECT_NE(std::string(pimento_dpu_reason()).find("4464 bytes of the log of DPU 0"), std::string::npos)
      << pimento_dpu_reason();
}

}  // namespace
