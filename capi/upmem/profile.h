// What an allocation runs on: the machine, and how it is simulated. From the profile text of dpu_alloc and from the
// environment.
//
//   PIMENTO_MACHINE=NAME|FILE          machine file; "upmem" unless told
//   PIMENTO_MACHINES=FOLDER            where names are looked up
//   PIMENTO_JOBS=N                     threads that simulate; all processors unless told
//   PIMENTO_TIMING=off                 programs are executed without their time: reports have none
//   PIMENTO_MAX_INSTRUCTIONS=N         a launch that issues more on one DPU ends with DPU_ERR_TIMEOUT; 10^11 unless
//                                      told
//   UPMEM_PROFILE_BASE=KEY=VALUE,...   goes before the profile
#pragma once

#include <cstdint>
#include <string_view>

#include "outcome.h"
#include "pimento/machine/machine.h"

namespace pimento::upmem {

struct Setup {
  machine::Machine machine;
  std::int64_t ranks = 0, dpusPerRank = 0, tasklets = 0;
  int jobs = 1;
  std::int64_t maxInstructions = 0;
  bool isTimed = true;
  bool hasScatterGather = false;
  bool isOpen = false;                 ///< parallelXfer: System::isOpen from the start
  std::int64_t maxBlocks = INT64_MAX;  ///< of scatter/gather, per DPU
};

/// Fills `setup`. DPU_ERR_INVALID_PROFILE: also where the environment or the machine file is wrong.
Outcome readProfile(std::string_view profile, Setup &setup);

}  // namespace pimento::upmem
