// Every code that the host library returns, with the reason it gives.
#include <dpu.h>
#include <dpu_log.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "test/support/capi_programs.h"

namespace {

using pimento::test::Dpus;
using pimento::test::kFault;
using pimento::test::kForever;
using pimento::test::kIncrement;
using pimento::test::kMram;

class CapiErrors : public pimento::test::TwoDpus {
 protected:
  dpu_set_t other{};
};

TEST_F(CapiErrors, MoreDpusThanThereAre) {
  EXPECT_FAILS(dpu_alloc(65, "ranks=2", &other), DPU_ERR_ALLOCATION, "65 DPUs requested; 1 of the 2 ranks");
  EXPECT_FAILS(dpu_alloc_ranks(3, "ranks=3", &other), DPU_ERR_ALLOCATION, "3 ranks requested");
  EXPECT_FAILS(dpu_alloc(0, nullptr, &other), DPU_ERR_ALLOCATION, "0 DPUs");
  EXPECT_FAILS(dpu_alloc(DPU_ALLOCATE_ALL, "ranks=1", &other), DPU_ERR_ALLOCATION, "all free DPUs");
}

TEST_F(CapiErrors, SetsThatAreNone) {
  dpu_set_t garbage{};
  garbage.kind = DPU_SET_RANKS;
  garbage.list.nr_ranks = 1;
  garbage.list.ranks = reinterpret_cast<dpu_rank_t **>(0x1234567);
  std::uint32_t n = 0;
  EXPECT_FAILS(dpu_get_nr_dpus(garbage, &n), DPU_ERR_INVALID_DPU_SET, "never allocated");
  garbage.kind = static_cast<dpu_set_kind_t>(7);
  EXPECT_EQ(dpu_launch(garbage, DPU_SYNCHRONOUS), DPU_ERR_INVALID_DPU_SET);
  dpu_set_t freed{};
  ASSERT_EQ(dpu_alloc(1, nullptr, &freed), DPU_OK);
  ASSERT_EQ(dpu_free(freed), DPU_OK);
  EXPECT_FAILS(dpu_free(freed), DPU_ERR_INVALID_DPU_SET, "freed");
  dpu_set_t dpu;
  DPU_FOREACH(freed, dpu) ADD_FAILURE() << "a set that was freed has no DPUs";
}

TEST_F(CapiErrors, APartOfAnAllocationIsNotFreed) {
  EXPECT_FAILS(dpu_free(dpus.at(0)), DPU_ERR_INVALID_DPU_SET, "subset of an allocation");
}

TEST_F(CapiErrors, CopyingFromSeveralDpus) {
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_FAILS(dpu_copy_from(dpus.set, "value", 0, bytes, 4), DPU_ERR_INVALID_DPU_SET, "the set has 2 DPUs");
}

TEST_F(CapiErrors, NothingLoaded) {
  EXPECT_FAILS(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_ERR_NO_PROGRAM_LOADED, "DPU 0 has no program");
  EXPECT_EQ(dpu_launch(dpus.set, DPU_ASYNCHRONOUS), DPU_ERR_NO_PROGRAM_LOADED);
  EXPECT_EQ(dpu_copy_to(dpus.set, "value", 0, bytes, 4), DPU_ERR_NO_PROGRAM_LOADED);
  EXPECT_EQ(dpu_copy_to_symbol(dpus.set, {0, 4}, 0, bytes, 4), DPU_ERR_NO_PROGRAM_LOADED);
  EXPECT_EQ(dpu_log_read(dpus.set, stdout), DPU_ERR_NO_PROGRAM_LOADED);
}

TEST_F(CapiErrors, AnUnknownVariable) {
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, "valeu", 0, bytes, 4), DPU_ERR_UNKNOWN_SYMBOL, "did you mean 'value'?");
  EXPECT_FAILS(dpu_copy_to(dpus.set, "NR_TASKLETS", 0, bytes, 4), DPU_ERR_UNKNOWN_SYMBOL, "no variable 'NR_TASKLETS'");
  EXPECT_EQ(dpu_copy_to(dpus.set, nullptr, 0, bytes, 4), DPU_ERR_UNKNOWN_SYMBOL);
}

TEST_F(CapiErrors, BeyondTheEndOfAVariable) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, "table", 56, bytes, 16), DPU_ERR_INVALID_SYMBOL_ACCESS,
               "'table': 16 bytes at offset 56; the variable has 64 bytes");
}

TEST_F(CapiErrors, BeyondTheEndOfMemory) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, DPU_MRAM_HEAP_POINTER_NAME, 64U << 20, bytes, 8), DPU_ERR_INVALID_MRAM_ACCESS,
               "MRAM ends at 0x4000000");
  EXPECT_EQ(dpu_copy_to(dpus.set, DPU_MRAM_HEAP_POINTER_NAME, 8, bytes, SIZE_MAX - 7), DPU_ERR_INVALID_MRAM_ACCESS);
  EXPECT_EQ(dpu_copy_to_symbol(dpus.set, {65532, 0}, 0, bytes, 8), DPU_ERR_INVALID_WRAM_ACCESS);
}

TEST_F(CapiErrors, UnalignedAccesses) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, "table", 4, bytes, 8), DPU_ERR_INVALID_MRAM_ACCESS, "multiples of 8");
  EXPECT_FAILS(dpu_copy_to(dpus.set, "table", 0, bytes, 12), DPU_ERR_INVALID_MRAM_ACCESS, "12 bytes at offset 0");
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, "value", 0, bytes, 2), DPU_ERR_INVALID_WRAM_ACCESS, "multiples of 4");
}

TEST_F(CapiErrors, AFunctionIsNoVariable) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, "main", 0, bytes, 8), DPU_ERR_INVALID_IRAM_ACCESS, "'main': a function");
}

TEST_F(CapiErrors, AVariableThatIsElsewhereInAnotherProgram) {
  ASSERT_EQ(Dpus::loadOn(dpus.at(0), kIncrement), DPU_OK);
  ASSERT_EQ(Dpus::loadOn(dpus.at(1), kFault), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, "value", 0, bytes, 4), DPU_ERR_DIFFERENT_DPU_PROGRAMS, "'value' is 4 bytes at");
  EXPECT_EQ(dpu_copy_to(dpus.at(1), "value", 0, bytes, 4), DPU_OK);
}

TEST_F(CapiErrors, TransfersToNowhere) {
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_FAILS(dpu_copy_to(dpus.set, "value", 0, nullptr, 4), DPU_ERR_INVALID_MEMORY_TRANSFER, "is NULL");
  EXPECT_EQ(dpu_copy_from(dpus.at(0), "value", 0, nullptr, 4), DPU_ERR_INVALID_MEMORY_TRANSFER);
  EXPECT_FAILS(dpu_push_xfer(dpus.set, static_cast<dpu_xfer_t>(5), "value", 0, 4, DPU_XFER_DEFAULT),
               DPU_ERR_INVALID_MEMORY_TRANSFER, "5 is not a direction");
}

TEST_F(CapiErrors, APolicyThatIsNone) {
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_FAILS(dpu_launch(dpus.set, static_cast<dpu_launch_policy_t>(9)), DPU_ERR_INVALID_LAUNCH_POLICY, "9 is no");
}

TEST_F(CapiErrors, AFaultNamesDpuTaskletFunctionAndLine) {
  ASSERT_EQ(dpus.load(kFault), DPU_OK);
  const std::uint32_t one = 1;
  ASSERT_EQ(dpu_copy_to(dpus.at(1), "value", 0, &one, 4), DPU_OK);
  EXPECT_FAILS(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_ERR_DPU_FAULT, "program in memory:8: error: DPU 1, tasklet ");
  EXPECT_FAILS(DPU_ERR_DPU_FAULT, DPU_ERR_DPU_FAULT, "in 'main': the program raised fault 7 [dpu-fault]");
  EXPECT_FAILS(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_ERR_DPU_FAULT, "needs a new dpu_load");
  EXPECT_EQ(dpus.word(1, "value"), 1U) << "memory of a DPU in fault can be read";
}

TEST_F(CapiErrors, AProgramThatDoesNotEnd) {
  ::setenv("PIMENTO_MAX_INSTRUCTIONS", "10000", 1);
  Dpus limited(1);
  ::unsetenv("PIMENTO_MAX_INSTRUCTIONS");
  ASSERT_EQ(limited.load(kForever), DPU_OK);
  EXPECT_FAILS(dpu_launch(limited.set, DPU_SYNCHRONOUS), DPU_ERR_TIMEOUT, "10000 instructions");
}

/// Every tasklet reads 8 bytes at odd addresses, three times, and waits for a lock that stays taken where `stuck` is
/// not 0.
const char *const kOdd = R"(
        .text
        .globl  main
        .type   main,@function
main:
        move    r2, 3
.Lnext:
        move    r0, buffer + 4
        move    r1, table + 3
        ldma    r0, r1, 0
        add     r2, r2, -1, nz, .Lnext
        lw      r0, zero, stuck
        jeq     r0, 0, .Ldone
        acquire zero, 77, nz, .
        acquire zero, 77, nz, .
.Ldone:
        jump    r23
        .size   main, . - main
        .section .bss.buffer,"aw",@nobits
        .p2align 3
buffer: .zero   16
        .section .dpu_host,"aw",@progbits
        .globl  stuck
        .type   stuck,@object
        .p2align 3
stuck:  .long   0
        .size   stuck, 4
        .section .mram.table,"aw",@progbits
        .p2align 3
table:  .zero   16
)";

TEST_F(CapiErrors, TransfersAtOddAddressesWarnOnceAProgram) {
  ASSERT_EQ(dpus.load(kOdd), DPU_OK);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("program in memory:10: warning: instruction "), 0U) << said;
  EXPECT_EQ(said.find("[dpu-dma-alignment]"), said.rfind("[dpu-dma-alignment]")) << said;
  Dpus strict(1, "dpu.strict_dma=on");
  ASSERT_EQ(strict.load(kOdd), DPU_OK);
  EXPECT_FAILS(dpu_launch(strict.set, DPU_SYNCHRONOUS), DPU_ERR_DPU_FAULT, "[dpu-dma-alignment]");
}

TEST_F(CapiErrors, TaskletsThatWaitForeverAreAFault) {
  ASSERT_EQ(dpus.load(kOdd), DPU_OK);
  const std::uint32_t one = 1;
  ASSERT_EQ(dpu_copy_to(dpus.at(1), "stuck", 0, &one, 4), DPU_OK);
  EXPECT_FAILS(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_ERR_DPU_FAULT, "waits for atomic bit 77");
  EXPECT_FAILS(DPU_ERR_DPU_FAULT, DPU_ERR_DPU_FAULT, "[dpu-deadlock]");
}

TEST_F(CapiErrors, FilesThatAreNoPrograms) {
  EXPECT_FAILS(dpu_load(dpus.set, "/no/such/program", nullptr), DPU_ERR_ELF_NO_SUCH_FILE, "/no/such/program");
  EXPECT_EQ(dpu_load(dpus.set, nullptr, nullptr), DPU_ERR_ELF_NO_SUCH_FILE);
  EXPECT_FAILS(dpus.load("  move r99, 1\n"), DPU_ERR_ELF_INVALID_FILE, "program in memory:1");
  EXPECT_FAILS(dpus.load("\177ELF nonsense"), DPU_ERR_ELF_INVALID_FILE, "program in memory");
  std::uint8_t byte = 0;
  EXPECT_FAILS(dpu_load_from_memory(dpus.set, &byte, 0, nullptr), DPU_ERR_INVALID_BUFFER_SIZE, "no bytes");
  EXPECT_EQ(dpu_load_from_incbin(dpus.set, nullptr, nullptr), DPU_ERR_INVALID_BUFFER_SIZE);
  EXPECT_EQ(dpu_get_symbol(nullptr, "x", nullptr), DPU_ERR_NO_PROGRAM_LOADED);
}

TEST_F(CapiErrors, ProfilesThatSayNothingSensible) {
  const auto fails = [&](const char *profile, const char *text) {
    EXPECT_FAILS(dpu_alloc(1, profile, &other), DPU_ERR_INVALID_PROFILE, text);
  };
  fails("rnaks=3", "did you mean 'ranks'?");
  fails("ranks", "is not an assignment");
  fails("ranks=many", "many");
  fails("dpu.nonsense=1", "nonsense");
  fails("machine=upmen", "did you mean 'upmem'?");
  fails("machine=hbm-pim", "has no ranks of DPUs");
  fails("sgXferEnable=maybe", "must be true or false");
  fails("parallelXfer=1", "parallelXfer=1 must be true or false");
  fails("sgXferMaxBlocksPerDpu=0", "is not a number of at least 1");
  ::setenv("PIMENTO_JOBS", "no", 1);
  fails(nullptr, "PIMENTO_JOBS=no");
  ::unsetenv("PIMENTO_JOBS");
  ::setenv("PIMENTO_TIMING", "maybe", 1);
  fails(nullptr, "PIMENTO_TIMING=maybe must be on or off");
  ::unsetenv("PIMENTO_TIMING");
  ::setenv("UPMEM_PROFILE_BASE", "tasklet=3", 1);
  fails(nullptr, "did you mean 'tasklets'?");
  ::unsetenv("UPMEM_PROFILE_BASE");
}

bool endless(sg_block_info *out, std::uint32_t, std::uint32_t, void *args) {
  out->addr = static_cast<std::uint8_t *>(args);
  out->length = 4;
  return true;
}

TEST_F(CapiErrors, ScatterAndGather) {
  get_block_t blocks{endless, bytes, 0};
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_push_sg_xfer(dpus.set, DPU_XFER_TO_DPU, "table", 0, 64, &blocks, DPU_SG_XFER_DEFAULT),
               DPU_ERR_SG_NOT_ACTIVATED, "sgXferEnable=true");
  Dpus sg(1, "sgXferEnable=true,sgXferMaxBlocksPerDpu=3,tasklets=2");
  ASSERT_EQ(sg.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_push_sg_xfer(sg.set, DPU_XFER_TO_DPU, "table", 0, 64, &blocks, DPU_SG_XFER_DEFAULT),
               DPU_ERR_SG_TOO_MANY_BLOCKS, "more than 3 blocks");
  EXPECT_EQ(dpu_push_sg_xfer(sg.set, DPU_XFER_TO_DPU, "table", 0, 8, nullptr, DPU_SG_XFER_DEFAULT),
            DPU_ERR_INVALID_MEMORY_TRANSFER);
  blocks.f = [](sg_block_info *out, std::uint32_t, std::uint32_t index, void *args) {
    out->addr = static_cast<std::uint8_t *>(args);
    out->length = 4;
    return index < 1;
  };
  EXPECT_FAILS(dpu_push_sg_xfer(sg.set, DPU_XFER_TO_DPU, "table", 0, 8, &blocks, DPU_SG_XFER_DEFAULT),
               DPU_ERR_SG_LENGTH_MISMATCH, "total 4 bytes, the transfer 8");
  ASSERT_EQ(sg.load(kIncrement), DPU_OK);
  EXPECT_FAILS(dpu_push_sg_xfer(sg.set, DPU_XFER_TO_DPU, "value", 0, 4, &blocks, DPU_SG_XFER_DEFAULT),
               DPU_ERR_SG_NOT_MRAM_SYMBOL, "MRAM");
}

TEST_F(CapiErrors, ANonblockingCallbackThatIsWaitedFor) {
  const auto nothing = [](dpu_set_t, std::uint32_t, void *) { return DPU_OK; };
  EXPECT_FAILS(dpu_callback(dpus.set, nothing, nullptr, DPU_CALLBACK_NONBLOCKING), DPU_ERR_NONBLOCKING_SYNC_CALLBACK,
               "needs DPU_CALLBACK_ASYNC");
}

TEST_F(CapiErrors, AReportThatCannotBeWritten) {
  EXPECT_FAILS(pimento_dpu_report("/no/such/folder/report.json"), DPU_ERR_SYSTEM, "/no/such/folder/report.json");
}

TEST_F(CapiErrors, EveryCodeHasWords) {
  std::set<std::string> texts;
  int codes = 0;
  for (int code = DPU_OK; code <= DPU_ERR_SG_NOT_MRAM_SYMBOL; ++code, ++codes)
    texts.insert(dpu_error_to_string(static_cast<dpu_error_t>(code)));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(codes));
  EXPECT_FALSE(texts.contains("unknown code"));
  EXPECT_STREQ(dpu_error_to_string(static_cast<dpu_error_t>(1000)), "unknown code");
}

TEST_F(CapiErrors, AssertNamesPlaceCallAndReasonAndEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(DPU_ASSERT(dpu_load(dpus.set, "/no/such/program", NULL)), testing::ExitedWithCode(EXIT_FAILURE),
              "errors_test.cpp:[0-9]+: dpu_load\\(dpus.set, \"/no/such/program\".*\n.*cannot read '/no/such/program'");
}

}  // namespace
