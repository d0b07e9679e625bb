// Random machines of the HBM-PIM family: a preset with some numbers changed, host and energy included, so that time and
// energy pull in different directions.
#pragma once

#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/machine/machine.h"

namespace pimento::test {

inline machine::Machine randomHbmPimMachine(Rng &rng, std::int64_t mostChannels = 8) {
  struct Knob {
    const char *path;
    std::int64_t low, high;
  };
  constexpr Knob kKnobs[] = {{"timing.tRP", 5, 40},          {"timing.tRCDRD", 5, 40},
                             {"timing.tRCDWR", 5, 40},       {"timing.tCCDL", 2, 12},
                             {"timing.tRRDS", 1, 30},        {"timing.tWR", 1, 40},
                             {"timing.tRTPL", 1, 20},        {"timing.tWTRL", 1, 30},
                             {"timing.tRFC", 50, 900},       {"timing.tREFI", 1500, 12000},
                             {"controller.fence", 0, 300},   {"controller.command_queue", 8, 64},
                             {"host.merge_rate", 1, 500},    {"host.memory_bandwidth", 1, 2000},
                             {"host.link_bandwidth", 1, 64}, {"energy.host_merge", 1, 4000},
                             {"energy.act_pre", 1, 9000},    {"energy.standby_stack", 1, 2000}};
  for (;;) {
    std::vector<machine::Override> overrides = {{"channels", std::to_string(rng.integer(1, mostChannels))},
                                                {"ranks", std::to_string(rng.integer(1, 2))}};
    for (const Knob &k : kKnobs)
      if (rng.below(3) == 0) overrides.push_back({k.path, std::to_string(rng.integer(k.low, k.high))});
    if (rng.below(4) == 0) overrides.push_back({"controller.precharge", "conflict"});
    if (rng.below(4) == 0) overrides.push_back({"refresh.policy", rng.below(2) == 0 ? "none" : "per-rank"});
    auto m = machine::loadMachine(rng.below(3) == 0 ? "hbm-pim-sound" : "hbm-pim", {PIMENTO_SOURCE_DIR "/machines"},
                                  overrides);
    if (m) return std::move(*m);  // some combinations are impossible (tRC < tRAS + tRP)
  }
}

}  // namespace pimento::test
