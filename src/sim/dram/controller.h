// A controller's policy: which command goes next, and when. It sees the queue and the device and changes neither.
//
// First ready, first served, within barrier groups; rows that the current group does not want are closed early (eager)
// or on conflict; refreshes come first. The set below is that of the public HBM-PIM reference simulator
// (docs/models/hbm-pim.md). A command that needs its row in many banks has them opened by the activate for as many, if
// the machine has one, else bank by bank.
#pragma once

#include <cstdint>

#include "pimento/sim/dram/queue.h"
#include "pimento/sim/dram/spec.h"

namespace pimento::sim::dram {

enum class Act : std::uint8_t { kNone, kRefresh, kPrecharge, kColumn, kActivate };

/// What a controller does next, at the earliest.
struct Choice {
  Tick time = kNever;
  Act act = Act::kNone;
  bool isEager = false;  ///< precharge: by the policy for rows that nobody wants
  int command = -1;      ///< row of the machine's table
  int index = -1;        ///< run (column, activate), bank (precharge), rank (refresh)
  int place = 0;         ///< column: position in the run; activate: bank
};

/// What a controller sees when it decides.
struct Situation {
  const Device &device;
  const CommandQueue &queue;
  Tick now = 0;
  std::uint64_t pending = 0;  ///< ranks with a pending refresh
  std::uint64_t refused = 0;  ///< banks that take no activates
};

/// First ready, first served within barrier groups.
class FrFcfsBarrier {
 public:
  explicit FrFcfsBarrier(const ChannelSpec &spec);

  struct Decision {
    Choice choice;
    bool isOpen = true;  ///< a later arrival could change it
  };
  /// The earliest thing that can happen, by priority where times tie: refresh, column, activate, precharge.
  Decision decide(const Situation &now) const;
  /// A choice of decide() was carried out.
  void onIssue(const Choice &choice) {
    if (choice.isEager) pointer_ = turnOf(choice.index);
  }
  /// All that decisions depend on beside the situation.
  int state() const { return pointer_; }
  void setState(int state) { pointer_ = state; }

 private:
  struct Walk {
    Choice column, activate;
    std::uint64_t needed = 0;      // banks whose open row the current barrier group wants
    std::uint64_t conflicted = 0;  // banks it wants with another row
    bool isOpen = true;
  };

  Choice refreshChoice(const Situation &now) const;
  /// `kHasWide`: some commands address many banks, or registers alone.
  template <bool kHasWide>
  Walk walkQueue(const Situation &now) const;
  void considerWideColumn(const Situation &now, int index, Walk &walk) const;
  void considerActivate(const Situation &now, int index, std::uint64_t &seen, Walk &walk) const;
  void considerWide(const Situation &now, int index, bool isLater, std::uint64_t &seen, Walk &walk) const;
  void considerWideActivate(const Situation &now, int index, std::uint64_t &seen, Walk &walk) const;
  template <bool kHasWide>
  int firstWithoutHazard(const Situation &now, int index) const;
  Choice prechargeChoice(const Situation &now, const Walk &walk) const;
  void considerWidePrecharge(const Situation &now, std::uint64_t candidates, Choice &best) const;
  /// Round robin of the eager precharge: bank-major, rank fastest.
  int turnOf(int bank) const {
    return bank % spec_->device.banksPerRank * spec_->device.ranks + bank / spec_->device.banksPerRank;
  }

  const ChannelSpec *spec_;
  bool hasWide_ = false;
  int pointer_ = 0;
};

}  // namespace pimento::sim::dram
