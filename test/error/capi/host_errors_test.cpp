// Wrong host programs: each gets a code, and words that name what is wrong.
#include <dpu.h>
#include <dpu_management.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "test/support/capi_programs.h"

namespace {

using pimento::test::Dpus;
using pimento::test::kFault;
using pimento::test::kIncrement;
using pimento::test::kMram;

class HostErrors : public pimento::test::TwoDpus {};

TEST_F(HostErrors, APushWithoutBuffersIsWarnedOfOnce) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  ASSERT_EQ(dpu_prepare_xfer(dpus.set, bytes), DPU_OK);
  ASSERT_EQ(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "table", 0, 8, DPU_XFER_DEFAULT), DPU_OK);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "table", 0, 8, DPU_XFER_DEFAULT), DPU_OK) << "as on hardware";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: dpu_push_xfer transfers nothing: no DPU of the set has a buffer [dpu-xfer-unprepared]\n"
            "  hint: call dpu_prepare_xfer before every dpu_push_xfer, or use DPU_XFER_NO_RESET\n");
}

TEST_F(HostErrors, APushBeyondAVariableNamesItAndItsSize) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  ASSERT_EQ(dpu_prepare_xfer(dpus.set, bytes), DPU_OK);
  EXPECT_FAILS(dpu_push_xfer(dpus.set, DPU_XFER_FROM_DPU, "table", 0, 72, DPU_XFER_DEFAULT),
               DPU_ERR_INVALID_SYMBOL_ACCESS, "'table': 72 bytes at offset 0; the variable has 64 bytes");
  EXPECT_FAILS(dpu_push_xfer(dpus.set, DPU_XFER_FROM_DPU, "table", 4, 8, DPU_XFER_DEFAULT), DPU_ERR_INVALID_MRAM_ACCESS,
               "must be multiples of 8");
  EXPECT_FAILS(dpu_push_xfer(dpus.set, DPU_XFER_FROM_DPU, "tabel", 0, 8, DPU_XFER_DEFAULT), DPU_ERR_UNKNOWN_SYMBOL,
               "did you mean 'table'?");
  EXPECT_FAILS(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, 65UL << 20, DPU_XFER_DEFAULT),
               DPU_ERR_INVALID_MRAM_ACCESS, "MRAM ends at 0x4000000");
}

TEST_F(HostErrors, NothingWorksWithASetThatWasFreed) {
  dpu_set_t freed{};
  {
    Dpus gone(1);
    ASSERT_EQ(gone.load(kIncrement), DPU_OK);
    freed = gone.set;
  }
  const char *const reason = "the set was never allocated or has been freed";
  EXPECT_FAILS(dpu_launch(freed, DPU_SYNCHRONOUS), DPU_ERR_INVALID_DPU_SET, reason);
  EXPECT_FAILS(dpu_copy_to(freed, "value", 0, bytes, 4), DPU_ERR_INVALID_DPU_SET, reason);
  EXPECT_FAILS(dpu_prepare_xfer(freed, bytes), DPU_ERR_INVALID_DPU_SET, reason);
  EXPECT_FAILS(dpu_load(freed, "program", nullptr), DPU_ERR_INVALID_DPU_SET, reason);
  EXPECT_FAILS(dpu_log_read(freed, stdout), DPU_ERR_INVALID_DPU_SET, reason);
  EXPECT_FAILS(dpu_sync(freed), DPU_ERR_INVALID_DPU_SET, reason);
  dpu_context_t context{};
  EXPECT_FAILS(dpu_checkpoint_save(freed, DPU_CHECKPOINT_ALL, &context), DPU_ERR_INVALID_DPU_SET, reason);
}

TEST_F(HostErrors, ALogWithoutStreamAndACallbackWithoutFunction) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_log_read(dpus.set, nullptr), DPU_ERR_INVALID_MEMORY_TRANSFER, "the stream is NULL");
  EXPECT_FAILS(dpu_callback(dpus.set, nullptr, nullptr, DPU_CALLBACK_ASYNC), DPU_ERR_INVALID_MEMORY_TRANSFER,
               "the callback is NULL");
}

TEST_F(HostErrors, ALogOfOtherToolsIsWarnedOfOnce) {
  const std::string program = std::string(kIncrement) +
                              "        .text\n        .globl  printf\n        .type   printf,@function\n"
                              "printf:\n        jump    r23\n        .size   printf, . - printf\n";
  ASSERT_EQ(dpus.load(program.c_str()), DPU_OK) << pimento_dpu_reason();
  std::FILE *file = std::tmpfile();
  testing::internal::CaptureStderr();
  EXPECT_EQ(dpu_log_read(dpus.set, file), DPU_OK);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "warning: what the program prints cannot be read: it was linked by other tools, and the format of their log "
      "is not public [dpu-log-foreign]\n  hint: link the program by pimento upmem-cc\n");
  std::fclose(file);
}

TEST_F(HostErrors, AsynchronousFailuresComeWithSyncAndNameTheFault) {
  ASSERT_EQ(dpus.load(kFault), DPU_OK);
  const std::uint32_t one = 1;
  ASSERT_EQ(dpu_copy_to(dpus.at(1), "value", 0, &one, 4), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_ASYNCHRONOUS), DPU_OK);
  EXPECT_FAILS(dpu_sync(dpus.set), DPU_ERR_DPU_FAULT, "DPU 1, tasklet ");
  bool done = false, fault = false;
  ASSERT_EQ(dpu_status(dpus.set, &done, &fault), DPU_OK);
  EXPECT_TRUE(done && fault);
}

TEST_F(HostErrors, DescriptionsOfProfilesThatAreNone) {
  dpu_description_t d = nullptr;
  EXPECT_FAILS(dpu_get_profile_description("rnaks=3", &d), DPU_ERR_INVALID_PROFILE, "did you mean 'ranks'?");
  EXPECT_FAILS(dpu_get_profile_description(nullptr, nullptr), DPU_ERR_INVALID_MEMORY_TRANSFER, "is NULL");
}

TEST_F(HostErrors, CheckpointsOfSeveralDpusOrOfNoProgram) {
  dpu_context_t context{};
  EXPECT_FAILS(dpu_checkpoint_save(dpus.set, DPU_CHECKPOINT_ALL, &context), DPU_ERR_INVALID_DPU_SET,
               "the set has 2 DPUs; a checkpoint needs a set of one");
  EXPECT_FAILS(dpu_checkpoint_save(dpus.at(0), DPU_CHECKPOINT_ALL, &context), DPU_ERR_NO_PROGRAM_LOADED,
               "DPU 0 has no program");
  EXPECT_FAILS(dpu_checkpoint_save(dpus.at(0), DPU_CHECKPOINT_ALL, nullptr), DPU_ERR_INVALID_MEMORY_TRANSFER, "NULL");
}

TEST_F(HostErrors, CheckpointsOfAnotherProgramOrMachine) {
  ASSERT_EQ(Dpus::loadOn(dpus.at(0), kMram), DPU_OK);
  ASSERT_EQ(Dpus::loadOn(dpus.at(1), kIncrement), DPU_OK);
  dpu_context_t context{};
  ASSERT_EQ(dpu_checkpoint_save(dpus.at(0), DPU_CHECKPOINT_IRAM, &context), DPU_OK);
  EXPECT_FAILS(dpu_checkpoint_restore(dpus.at(1), DPU_CHECKPOINT_ALL, &context), DPU_ERR_DIFFERENT_DPU_PROGRAMS,
               "DPU 1 has another program than the checkpoint");
  Dpus small(1, "tasklets=2,dpu.mram=1 MiB");
  ASSERT_EQ(small.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_checkpoint_restore(small.set, DPU_CHECKPOINT_ALL, &context), DPU_ERR_INVALID_BUFFER_SIZE,
               "the checkpoint has 67108864 bytes of MRAM");
  dpu_checkpoint_free(&context);
}

TEST_F(HostErrors, BytesThatAreNoCheckpoint) {
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  dpu_context_t context{}, read{};
  ASSERT_EQ(dpu_checkpoint_save(dpus.at(0), DPU_CHECKPOINT_WRAM, &context), DPU_OK);
  std::vector<std::uint8_t> all(dpu_checkpoint_get_serialized_context_size(&context));
  std::uint8_t *at = all.data();
  auto size = static_cast<std::uint32_t>(all.size()) - 1;
  EXPECT_FAILS(dpu_checkpoint_serialize(&context, &at, &size), DPU_ERR_INVALID_BUFFER_SIZE, "the buffer has");
  ++size;
  ASSERT_EQ(dpu_checkpoint_serialize(&context, &at, &size), DPU_OK);
  EXPECT_FAILS(dpu_checkpoint_deserialize(at, size - 1, &read), DPU_ERR_INVALID_BUFFER_SIZE,
               "not those of a checkpoint");
  EXPECT_FAILS(dpu_checkpoint_deserialize(at, 3, &read), DPU_ERR_INVALID_BUFFER_SIZE, "the 3 bytes");
  all[0] ^= 1;
  EXPECT_EQ(dpu_checkpoint_deserialize(at, size, &read), DPU_ERR_INVALID_BUFFER_SIZE);
  EXPECT_EQ(dpu_checkpoint_deserialize(nullptr, 0, &read), DPU_ERR_INVALID_MEMORY_TRANSFER);
  dpu_checkpoint_free(&context);
}

TEST_F(HostErrors, TransfersDuringARunAreForWram) {
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  ASSERT_EQ(dpu_prepare_xfer(dpus.set, bytes), DPU_OK);
  EXPECT_FAILS(dpu_push_xfer(dpus.set, DPU_XFER_TO_DPU, "table", 0, 8, DPU_XFER_PARALLEL),
               DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER, "'table' is in MRAM");
  EXPECT_EQ(dpu_broadcast_to(dpus.set, "table", 0, bytes, 8, DPU_XFER_PARALLEL),
            DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER);
}

// A transfer that comes before the program runs prepares it for more: then it is tried again, later after the launch.
TEST_F(HostErrors, ATransferDuringARunThatWasNotPreparedForIt) {
  const std::string program =
      std::string(pimento::test::kForever) +
      "        .section .dpu_host,\"aw\",@progbits\n        .globl flag\n        .type flag,@object\n"
      "        .p2align 3\nflag:   .long 0\n        .size flag, 4\n";
  dpu_error_t status = DPU_OK;
  for (int attempt = 0; attempt < 6 && status == DPU_OK; ++attempt) {
    ::setenv("PIMENTO_MAX_INSTRUCTIONS", "30000000", 1);
    Dpus endless(1, "machine=upmem-upimulator,tasklets=2");  // a machine whose loops are never skipped
    ::unsetenv("PIMENTO_MAX_INSTRUCTIONS");
    ASSERT_EQ(endless.load(program.c_str()), DPU_OK) << pimento_dpu_reason();
    ASSERT_EQ(dpu_launch(endless.set, DPU_ASYNCHRONOUS), DPU_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 << attempt));
    status = dpu_broadcast_to(endless.set, "flag", 0, bytes, 4, DPU_XFER_PARALLEL);
    if (status != DPU_OK) {
      EXPECT_NE(std::string(pimento_dpu_reason()).find("set parallelXfer=true in the profile"), std::string::npos);
    }
    EXPECT_EQ(dpu_sync(endless.set), DPU_ERR_TIMEOUT);
  }
  EXPECT_EQ(status, DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER);
}

TEST_F(HostErrors, QueuesThatAreNone) {
  dpu_fifo_link_t link{};
  EXPECT_FAILS(dpu_link_input_fifo(dpus.set, &link, "value"), DPU_ERR_NO_PROGRAM_LOADED, "DPU 0 has no program");
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  EXPECT_FAILS(dpu_link_input_fifo(dpus.set, &link, "table"), DPU_ERR_INVALID_WRAM_ACCESS, "'table' is not a queue");
  EXPECT_FAILS(dpu_link_output_fifo(dpus.set, &link, "tabel"), DPU_ERR_UNKNOWN_SYMBOL, "did you mean 'table'?");
  EXPECT_FAILS(dpu_fifo_push_xfer(dpus.set, &link, DPU_XFER_DEFAULT), DPU_ERR_INTERNAL, "was not made by dpu_link_");
  EXPECT_FAILS(dpu_fifo_link_free(nullptr), DPU_ERR_INTERNAL, "the link is NULL");
  EXPECT_EQ(get_fifo_size(&link, dpus.at(0)), 0);
  EXPECT_EQ(get_fifo_elem(&link, dpus.at(0), nullptr, 0), nullptr);
}

/// What DPU_ASSERT prints where `call` fails.
std::string printed(const char *call, dpu_error_t status) {
  testing::internal::CaptureStderr();
  pimento_dpu_print_failure("host.c", 12, call, status);
  return testing::internal::GetCapturedStderr();
}

TEST_F(HostErrors, AssertPrintsPlaceCallCodeReasonAndHint) {
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  EXPECT_EQ(printed("dpu_copy_to(set, \"valeu\", 0, &x, 4)", dpu_copy_to(dpus.set, "valeu", 0, bytes, 4)),
            "host.c:12: dpu_copy_to(set, \"valeu\", 0, &x, 4): unknown symbol\n"
            "the program has no variable 'valeu'\n"
            "  hint: did you mean 'value'? choices: __sys_used_mram_end, result, total, value\n");
  EXPECT_EQ(printed("dpu_copy_to(set, \"value\", 0, &x, 8)", dpu_copy_to(dpus.set, "value", 0, bytes, 8)),
            "host.c:12: dpu_copy_to(set, \"value\", 0, &x, 8): access beyond the end of a symbol\n"
            "'value': 8 bytes at offset 0; the variable has 4 bytes\n"
            "  hint: declare a larger variable; transfer sizes are padded to 4 bytes\n");
}

}  // namespace
