// Modelled time and energy of what the host had done: kernels, launches, transfers.
//
// The model is that of `evaluate` (price.h; docs/models/upmem.md): a launch lasts as long as its slowest DPU, and every
// call has a cost that depends on the number of DPUs and ranks, not on bytes. Not modelled: what the host computes
// itself, loading programs, and that WRAM is reached over another path than MRAM.
//
// Every rank has a clock, and so has the host. Synchronous work begins when all its ranks and the host are free, and
// takes the host along; asynchronous work leaves the host where it was. The latest clock is the total.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/units.h"
#include "pimento/energy/actions.h"
#include "pimento/evaluate/host_work.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "queue.h"

namespace pimento::upmem {

/// What a host program calls, as the report lists it.
enum class Call : std::uint8_t {
  kLoad,
  kCopyTo,
  kBroadcast,
  kPushTo,
  kGather,
  kLaunch,
  kCopyFrom,
  kPushFrom,
  kScatter,
  kLog,
  kFifoTo,
  kFifoFrom
};
inline constexpr std::size_t kCalls = 12;
struct CallName {
  std::string_view name, direction;  ///< direction: "to_dpu", "from_dpu" or empty
};
CallName nameOf(Call call);

/// Sums of an allocation, or of several.
struct Totals {
  struct CallSum {
    std::int64_t count = 0;
    Bytes bytes;       ///< of all DPUs
    Picoseconds time;  ///< none of loading: not modelled
  };
  struct Energy {
    std::string term, component;
    std::int64_t count = 0;
    Picojoules energy;
  };
  bool isTimed = true;  ///< false: some launches were executed without their time, and no sum holds in which it is
  std::int64_t sets = 0, dpus = 0;
  std::int64_t launches = 0, programRuns = 0;  ///< programRuns: of single DPUs
  std::int64_t faults = 0;                     ///< DPUs that ended in fault
  Cycles kernelCycles;                         ///< of every launch its slowest DPU
  std::array<CallSum, kCalls> calls;           ///< by Call
  Picoseconds kernel, launch, toDpu, fromDpu, total;
  Picoseconds overlap;  ///< of asynchronous work of different ranks: what the parts before are more than the total
  std::int64_t toDpuTransfers = 0, fromDpuTransfers = 0;
  Bytes toDpuBytes, fromDpuBytes;
  sim::dpu::Counts counts;
  std::vector<Energy> energy;  ///< by term, in the order of the machine file
  Picojoules energyTotal, energyLow, energyHigh;
  std::vector<std::string> machines;
  std::vector<std::string> compilers;  ///< of the programs that were loaded, where known: times are of their code

  void add(const Totals &o);
};

class Account {
 public:
  Account(const machine::Machine &machine, std::int64_t ranks, std::int64_t dpus, bool isTimed = true);

  /// The host's clock: what asynchronous work that begins now must be told.
  Cycles now() const;

  /// When and where work takes place. `submitted`: for asynchronous work, the host's clock when it was begun.
  struct Place {
    RankRange ranks;
    bool isAsync = false;
    Cycles submitted;
  };
  /// One call that transfers, all in one direction.
  void addTransfer(const Place &place, Call call, const evaluate::HostWork &work);
  /// A program of `bytes` for `dpus` DPUs; `compiler` made it, empty where not known.
  void addLoad(std::int64_t dpus, std::int64_t bytes, std::string_view compiler);
  /// One launch of `dpus` DPUs; `counts` are those of all of them, `slowest` the cycles of the slowest.
  void addLaunch(const Place &place, std::int64_t dpus, const sim::dpu::Counts &counts, Cycles slowest,
                 std::int64_t faults);
  /// The host has waited for these ranks.
  void sync(RankRange ranks);

  Totals totals() const;

 private:
  Totals::CallSum &sumOf(Call call) { return sums_.calls[static_cast<std::size_t>(call)]; }
  void count(Call call, Bytes bytes, Cycles time);
  void advance(const Place &place, Cycles duration);

  mutable std::mutex mutex_;
  const machine::Machine &machine_;
  Cycles host_;
  std::vector<Cycles> ranks_;
  std::array<Cycles, kCalls> times_;  ///< by Call
  Cycles launch_, toDpu_, fromDpu_;
  energy::ActionCounts actions_;
  Totals sums_;  ///< what needs no machine: counts and bytes
};

}  // namespace pimento::upmem
