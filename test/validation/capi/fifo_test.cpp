// Queues in WRAM between a host and programs that run: both halves of test/validation/capi/fifo.c.
#include <dpu.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pimento/driver/upmem_cc.h"
#include "pimento/frontend/dpu_c.h"
#include "test/support/folder.h"

namespace pimento {
namespace {

constexpr std::uint32_t kWords = 4, kSlots = 4;

struct Set {
  dpu_set_t set{};
  ~Set() { dpu_free(set); }
};

/// Elements 0 to `count` - 1 through the queues of every DPU: what came out, by the first word of the element.
void sendAndReceive(dpu_set_t set, std::uint32_t dpus, std::uint32_t count) {
  dpu_fifo_link_t input{}, output{};
  ASSERT_EQ(dpu_link_input_fifo(set, &input, "input_fifo"), DPU_OK) << pimento_dpu_reason();
  ASSERT_EQ(dpu_link_output_fifo(set, &output, "output_fifo"), DPU_OK) << pimento_dpu_reason();
  ASSERT_EQ(dpu_launch(set, DPU_ASYNCHRONOUS), DPU_OK);
  const std::uint32_t one = 1;
  ASSERT_EQ(dpu_broadcast_to(set, "flag", 0, &one, sizeof one, DPU_XFER_PARALLEL), DPU_OK) << pimento_dpu_reason();

  std::vector<std::vector<std::uint32_t>> elements(dpus, std::vector<std::uint32_t>(kWords)),
      fetched(dpus, std::vector<std::uint32_t>(kWords * kSlots)), seen(dpus);
  std::uint32_t i = 0, sent = 0, wrong = 0;
  dpu_set_t dpu;
  const auto receive = [&] {
    DPU_FOREACH(set, dpu, i) ASSERT_EQ(dpu_fifo_prepare_xfer(dpu, &output, fetched[i].data()), DPU_OK);
    ASSERT_EQ(dpu_fifo_push_xfer(set, &output, DPU_XFER_DEFAULT), DPU_OK);
    DPU_FOREACH(set, dpu, i) {
      auto *const bytes = reinterpret_cast<std::uint8_t *>(fetched[i].data());
      for (std::uint16_t e = 0; e < get_fifo_size(&output, dpu); ++e) {
        const auto *result = reinterpret_cast<const std::uint32_t *>(get_fifo_elem(&output, dpu, bytes, e));
        wrong += result[0] != kWords * result[1] + kWords * (kWords - 1) / 2 + kWords;
        seen[i].push_back(result[1]);
      }
    }
  };
  const auto isDone = [&] { return std::ranges::all_of(seen, [&](const auto &s) { return s.size() >= count; }); };
  while (!isDone()) {
    if (sent < count) {
      DPU_FOREACH(set, dpu, i) {
        for (std::uint32_t w = 0; w < kWords; ++w) elements[i][w] = 100 * i + sent + w;
        ASSERT_EQ(dpu_fifo_prepare_xfer(dpu, &input, elements[i].data()), DPU_OK);
      }
      ASSERT_EQ(dpu_fifo_push_xfer(set, &input, DPU_XFER_DEFAULT), DPU_OK) << pimento_dpu_reason();
      ++sent;
    }
    receive();
  }
  const std::uint64_t none = 0;
  ASSERT_EQ(dpu_broadcast_to(set, "active", 0, &none, sizeof none, DPU_XFER_PARALLEL), DPU_OK);
  ASSERT_EQ(dpu_sync(set), DPU_OK) << pimento_dpu_reason();
  EXPECT_EQ(wrong, 0U);
  for (std::uint32_t d = 0; d < dpus; ++d) {
    std::ranges::sort(seen[d]);
    ASSERT_EQ(seen[d].size(), count);
    for (std::uint32_t e = 0; e < count; ++e) EXPECT_EQ(seen[d][e], 100 * d + e);
  }
  // Nothing runs any more: a queue that is full stays so.
  DPU_FOREACH(set, dpu, i) ASSERT_EQ(dpu_fifo_prepare_xfer(dpu, &input, elements[i].data()), DPU_OK);
  for (std::uint32_t e = 0; e < kSlots; ++e) ASSERT_EQ(dpu_fifo_push_xfer(set, &input, DPU_XFER_NO_RESET), DPU_OK);
  EXPECT_EQ(dpu_fifo_push_xfer(set, &input, DPU_XFER_NO_RESET), DPU_ERR_WRAM_FIFO_FULL);
  EXPECT_NE(std::string(pimento_dpu_reason())
                .find("the queue of DPU 0 holds 4 elements, all that fit, and its program "
                      "does not run"),
            std::string::npos)
      << pimento_dpu_reason();
  EXPECT_EQ(dpu_fifo_link_free(&input), DPU_OK);
  EXPECT_EQ(dpu_fifo_link_free(&output), DPU_OK);
}

TEST(WramFifo, CarriesElementsWhileTheProgramRuns) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  const test::Folder folder;
  const std::string binary = folder / "fifo";
  for (const char *how : {"-DALL", "-DEACH"})
    for (const int tasklets : {1, 11}) {
      const driver::CcOutcome outcome =
          driver::upmemCc({"-O2", "-Wall", "-Wextra", "-Werror", how, fmt::format("-DNR_TASKLETS={}", tasklets), "-o",
                           binary, PIMENTO_SOURCE_DIR "/test/validation/capi/fifo.c"},
                          {PIMENTO_SOURCE_DIR "/machines"});
      ASSERT_EQ(outcome.status, 0) << outcome.messages;
      ::setenv("PIMENTO_JOBS", "1", 1);  // programs that wait for the host run at the same time all the same
      Set s;
      ASSERT_EQ(dpu_alloc(5, nullptr, &s.set), DPU_OK);
      ::unsetenv("PIMENTO_JOBS");
      ASSERT_EQ(dpu_load(s.set, binary.c_str(), nullptr), DPU_OK) << pimento_dpu_reason();
      sendAndReceive(s.set, 5, 50);
    }
}

}  // namespace
}  // namespace pimento
