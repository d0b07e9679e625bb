// Descriptions, handles of ranks and DPUs, checkpoints.
#include <dpu.h>
#include <dpu_management.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "test/support/capi_programs.h"

namespace {

using pimento::test::Dpus;
using pimento::test::kFault;
using pimento::test::kIncrement;
using pimento::test::kMram;

TEST(DpuDescription, HasTheNumbersOfTheMachine) {
  dpu_description_t d = nullptr;
  ASSERT_EQ(dpu_get_profile_description(nullptr, &d), DPU_OK);
  EXPECT_EQ(d->hw.timings.fck_frequency_in_mhz / d->hw.timings.clock_division, 350U);
  EXPECT_EQ(d->hw.topology.nr_of_control_interfaces, 8);
  EXPECT_EQ(d->hw.topology.nr_of_dpus_per_control_interface, 8);
  EXPECT_EQ(d->hw.memories.mram_size, 64U << 20);
  EXPECT_EQ(d->hw.memories.wram_size, 16384U);
  EXPECT_EQ(d->hw.memories.iram_size, 4096U);
  EXPECT_EQ(d->hw.dpu.nr_of_threads, 24);
  EXPECT_EQ(d->hw.dpu.nr_of_atomic_bits, 256U);
  dpu_acquire_description(d);
  dpu_free_description(d);
  EXPECT_EQ(d->hw.dpu.nr_of_work_registers_per_thread, 24) << "it has another owner";
  dpu_free_description(d);
  ASSERT_EQ(dpu_get_profile_description("clock.device=267 MHz,tasklets=16", &d), DPU_OK);
  EXPECT_EQ(d->hw.timings.fck_frequency_in_mhz, 267U);
  EXPECT_EQ(d->hw.dpu.nr_of_threads, 16);
  dpu_free_description(d);
}

TEST(DpuManagement, EveryDpuHasItsPlaceInItsRank) {
  Dpus dpus(70);
  dpu_set_t rank, dpu;
  std::uint32_t r, i;
  DPU_RANK_FOREACH(dpus.set, rank, r) {
    dpu_rank_t *const handle = dpu_rank_from_set(rank);
    EXPECT_EQ(dpu_get_rank_id(handle), r);
    EXPECT_EQ(dpu_get_description(handle)->hw.topology.nr_of_control_interfaces, 8);
    DPU_FOREACH(rank, dpu, i) {
      dpu_t *const one = dpu_from_set(dpu);
      EXPECT_EQ(dpu_get_rank(one), handle);
      EXPECT_EQ(dpu_get_slice_id(one) * 8U + dpu_get_member_id(one), i);
      EXPECT_EQ(dpu_get(handle, dpu_get_slice_id(one), dpu_get_member_id(one)), one);
      EXPECT_TRUE(dpu_is_enabled(one));
    }
    EXPECT_EQ(i, r == 0 ? 64U : 6U);
    EXPECT_EQ(dpu_get(handle, 7, 7) != nullptr, r == 0);
  }
}

TEST(DpuManagement, SetsAreMadeOfHandles) {
  Dpus dpus(66);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  dpu_rank_t *second = dpus.set.list.ranks[1];
  std::uint32_t n = 0;
  ASSERT_EQ(dpu_get_nr_dpus(dpu_set_from_rank(&second), &n), DPU_OK);
  EXPECT_EQ(n, 2U);
  EXPECT_EQ(dpu_launch(dpu_set_from_dpu(dpu_get(second, 0, 1)), DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpus.word(65, "total"), 1U);
  EXPECT_EQ(dpus.word(64, "total"), 0U);
}

TEST(DpuManagement, HandlesOfNothingAreRefused) {
  Dpus dpus(2);
  auto *const rank = reinterpret_cast<dpu_rank_t *>(&dpus);
  auto *const dpu = reinterpret_cast<dpu_t *>(&dpus);
  EXPECT_EQ(dpu_get_description(rank), nullptr);
  EXPECT_EQ(dpu_get_rank_id(nullptr), UINT32_MAX);
  EXPECT_EQ(dpu_get(rank, 0, 0), nullptr);
  EXPECT_EQ(dpu_get_rank(dpu), nullptr);
  EXPECT_FALSE(dpu_is_enabled(nullptr));
  EXPECT_EQ(dpu_get_slice_id(dpu), 0);
  EXPECT_EQ(dpu_from_set(dpus.set), nullptr) << "two DPUs";
  std::uint32_t n = 0;
  EXPECT_EQ(dpu_get_nr_dpus(dpu_set_from_rank(nullptr), &n), DPU_ERR_INVALID_DPU_SET);
}

TEST(DpuCheckpoint, GivesBackWhatWasThere) {
  Dpus dpus(2);
  ASSERT_EQ(dpus.load(kMram), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  dpu_context_t saved{};
  ASSERT_EQ(dpu_checkpoint_save(dpus.at(0), DPU_CHECKPOINT_ALL, &saved), DPU_OK);
  EXPECT_EQ(saved.info.wram_size, 16384U);
  EXPECT_EQ(saved.nr_of_running_threads, 0);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpus.word(0, "table"), 2U);
  ASSERT_EQ(dpu_checkpoint_restore(dpus.at(0), DPU_CHECKPOINT_ALL, &saved), DPU_OK);
  EXPECT_EQ(dpus.word(0, "table"), 1U);
  ASSERT_EQ(dpu_checkpoint_restore(dpus.at(1), DPU_CHECKPOINT_MRAM, &saved), DPU_OK);
  EXPECT_EQ(dpus.word(1, "table"), 1U) << "another DPU with the program";
  EXPECT_EQ(dpu_checkpoint_free(&saved), DPU_OK);
}

TEST(DpuCheckpoint, IsBytesAndBack) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  dpu_context_t saved{}, read{};
  constexpr auto kParts = static_cast<dpu_checkpoint_flags_t>(DPU_CHECKPOINT_ALL & ~DPU_CHECKPOINT_MRAM);
  ASSERT_EQ(dpu_checkpoint_save(dpus.set, kParts, &saved), DPU_OK);
  EXPECT_EQ(saved.mram, nullptr);
  std::uint8_t *bytes = nullptr;
  std::uint32_t size = 0;
  ASSERT_EQ(dpu_checkpoint_serialize(&saved, &bytes, &size), DPU_OK);
  EXPECT_EQ(size, dpu_checkpoint_get_serialized_context_size(&saved));
  std::vector<std::uint8_t> own(size);
  std::uint8_t *at = own.data();
  ASSERT_EQ(dpu_checkpoint_serialize(&saved, &at, &size), DPU_OK);
  EXPECT_EQ(std::memcmp(own.data(), bytes, size), 0);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpus.word(0, "total"), 2U);
  ASSERT_EQ(dpu_checkpoint_deserialize(bytes, size, &read), DPU_OK);
  ASSERT_EQ(dpu_checkpoint_restore(dpus.set, kParts, &read), DPU_OK);
  EXPECT_EQ(dpus.word(0, "total"), 1U);
  std::free(bytes);
  dpu_checkpoint_free(&saved);
  dpu_checkpoint_free(&read);
}

TEST(DpuCheckpoint, EndsAFault) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kFault), DPU_OK);
  dpu_context_t before{}, after{};
  ASSERT_EQ(dpu_checkpoint_save(dpus.set, DPU_CHECKPOINT_ALL, &before), DPU_OK);
  const std::uint32_t one = 1;
  ASSERT_EQ(dpu_copy_to(dpus.set, "value", 0, &one, 4), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_ERR_DPU_FAULT);
  ASSERT_EQ(dpu_checkpoint_save(dpus.set, DPU_CHECKPOINT_INTERNAL, &after), DPU_OK);
  EXPECT_TRUE(after.bkp_fault);
  EXPECT_FALSE(before.bkp_fault);
  ASSERT_EQ(dpu_checkpoint_restore(dpus.set, DPU_CHECKPOINT_ALL, &before), DPU_OK);
  EXPECT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  dpu_checkpoint_free(&before);
  dpu_checkpoint_free(&after);
}

}  // namespace
