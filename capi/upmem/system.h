// What dpu_alloc allocates: ranks of DPUs, with their memory, their asynchronous work and their account.
//
// Handles of the C interface point into a System; `Registry` tells those that are still alive from those that are not,
// whatever they point to. DPUs take memory once a program is loaded, MRAM once it is touched.
#pragma once

#include <dpu_description.h>
#include <dpu_types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "account.h"
#include "door.h"
#include "outcome.h"
#include "pimento/base/diagnostics.h"
#include "pimento/sim/dpu/dpu.h"
#include "profile.h"
#include "queue.h"

/// Instructions of a program about which the user has been told.
class Warned {
 public:
  /// False where it is there already.
  bool add(std::uint32_t pc) {
    const std::lock_guard lock(mutex_);
    return pcs_.insert(pc).second;
  }

 private:
  std::mutex mutex_;
  std::set<std::uint32_t> pcs_;
};

/// A loaded program.
struct dpu_program_t {
  std::shared_ptr<const pimento::sim::dpu::Image> image;
  pimento::Bytes mram;  ///< of the machine it was loaded for
  mutable Warned warned;

  const pimento::program::Code &code() const { return image->code; }
};

struct dpu_t {
  std::uint32_t index = 0, rank = 0, indexInRank = 0;  ///< index: in the allocation
  std::unique_ptr<pimento::sim::dpu::Dpu> engine;      ///< null: nothing loaded yet
  const dpu_program_t *program = nullptr;
  pimento::upmem::Door door;
  void *buffer = nullptr;  ///< prepared for the next transfer
  std::atomic<bool> isInFault = false;
  std::string fault;  ///< what happened
};

struct dpu_rank_t {
  std::uint32_t firstDpu = 0, dpus = 0;
};

namespace pimento::upmem {

class System {
  std::mutex mutex_;
  std::vector<std::unique_ptr<dpu_program_t>> programs_;
  dpu_description_t description_ = nullptr;

 public:
  Setup setup;
  std::vector<dpu_t> dpus;
  std::vector<dpu_rank_t> ranks;
  std::vector<dpu_rank_t *> rankList;  ///< what sets point into
  Account account;
  /// Asynchronous launches let the host reach WRAM, and run all DPUs at the same time: programs may wait for the host.
  /// Costs speed; since queues were linked, or a transfer with DPU_XFER_PARALLEL was made.
  std::atomic<bool> isOpen = false;
  Queue queue;  ///< last: it ends before what its jobs use

  System(Setup s, std::int64_t dpuCount);
  ~System();
  System(const System &) = delete;
  System &operator=(const System &) = delete;

  dpu_set_t all() { return setOf({0, static_cast<std::uint32_t>(ranks.size())}); }
  dpu_set_t setOf(RankRange range);
  /// The system's own; made when first asked for.
  dpu_description_t description();
  /// Programs live as long as the allocation: callers keep pointers to them.
  void keep(std::unique_ptr<dpu_program_t> program);
  /// "DPU 67 (DPU 3 of rank 1)"
  std::string nameOf(const dpu_t &dpu) const;
};

/// The DPUs that a set names.
struct Selection {
  System *system = nullptr;
  RankRange ranks;
  std::vector<dpu_t *> dpus;
  dpu_set_t set{};

  bool isWhole() const { return ranks.first == 0 && ranks.count == system->ranks.size() && set.kind == DPU_SET_RANKS; }
};
/// A selection that keeps its system alive.
struct Selected : Selection {
  std::shared_ptr<System> keeper;
};

/// All allocations of the process. It is the one thing here that is global: handles of a C interface come without a
/// context.
class Registry {
 public:
  static Registry &get();

  /// Takes ranks; as many as are free for `dpus` = nullopt. DPU_ERR_ALLOCATION.
  Outcome allocateDpus(Setup setup, std::optional<std::int64_t> dpus, dpu_set_t &set);
  Outcome allocateRanks(Setup setup, std::optional<std::int64_t> ranks, dpu_set_t &set);
  /// The set must be a whole allocation whose work is done.
  Outcome release(const Selected &whole);
  /// DPU_ERR_INVALID_DPU_SET.
  Outcome select(const dpu_set_t &set, Selected &selected);
  /// The allocation of a handle; null where it is none, whatever it points to.
  std::shared_ptr<System> systemOf(const dpu_rank_t *rank);
  std::shared_ptr<System> systemOf(const dpu_t *dpu);
  bool hasLive();
  /// Of all allocations, those freed included.
  Totals totals();

 private:
  Outcome allocate(Setup setup, std::optional<std::int64_t> wanted, bool isRanks, dpu_set_t &set);

  std::mutex mutex_;
  std::vector<std::shared_ptr<System>> live_;
  Totals freed_;
  bool isReporting_ = false;  ///< PIMENTO_REPORT is written when the process ends
};

/// Does synchronous work behind what is queued, or queues it.
template <typename F>
Outcome perform(const Selection &s, bool isAsync, F &&work) {
  const Account::Place place{s.ranks, isAsync, s.system->account.now()};
  if (isAsync) {
    s.system->queue.push(s.ranks, [place, f = std::forward<F>(work)] { return f(place); });
    return {};
  }
  s.system->queue.wait();
  return work(place);
}

}  // namespace pimento::upmem
