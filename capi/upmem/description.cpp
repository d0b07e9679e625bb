#include "description.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "outcome.h"

namespace pimento::upmem {

namespace {

/// Owners are counted next to what callers see.
struct Description : _dpu_description_t {
  std::atomic<std::uint32_t> owners = 1;
};

}  // namespace

dpu_description_t describe(const Setup &setup) {
  constexpr std::int64_t kPerInterface = 8, kRegisters = 24;
  const machine::Dpu &dpu = *setup.machine.dpu;
  auto made = std::make_unique<Description>();
  made->type = FUNCTIONAL_SIMULATOR;
  auto &hw = made->hw;
  hw.timings = {static_cast<std::uint32_t>(std::lround(setup.machine.clockGHz * 1000)), 1};
  hw.topology.nr_of_dpus_per_control_interface = static_cast<std::uint8_t>(std::min(kPerInterface, setup.dpusPerRank));
  hw.topology.nr_of_control_interfaces =
      static_cast<std::uint8_t>((setup.dpusPerRank + kPerInterface - 1) / kPerInterface);
  hw.memories.mram_size = static_cast<std::uint32_t>(dpu.mram.value);
  hw.memories.wram_size = static_cast<std::uint32_t>(dpu.wram.value / 4);
  hw.memories.iram_size = static_cast<std::uint32_t>(dpu.instructions);
  hw.dpu.nr_of_threads = static_cast<std::uint8_t>(setup.tasklets);
  hw.dpu.nr_of_atomic_bits = static_cast<std::uint32_t>(dpu.atomicBits);
  hw.dpu.nr_of_work_registers_per_thread = kRegisters;
  return made.release();
}

}  // namespace pimento::upmem

using namespace pimento::upmem;

dpu_error_t dpu_get_profile_description(const char *profile, dpu_description_t *description) {
  return answer([&]() -> Outcome {
    if (description == nullptr)
      return failure(DPU_ERR_INVALID_MEMORY_TRANSFER, "the pointer for the description is NULL");
    Setup setup;
    if (Outcome o = readProfile(profile == nullptr ? "" : profile, setup); !o) return o;
    *description = describe(setup);
    return {};
  });
}

void dpu_acquire_description(dpu_description_t description) {
  if (description != nullptr) ++static_cast<Description *>(description)->owners;
}

void dpu_free_description(dpu_description_t description) {
  auto *const d = static_cast<Description *>(description);
  if (d != nullptr && --d->owners == 0) delete d;
}
