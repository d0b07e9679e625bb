// Timing state of one DRAM channel: when may each command go to each bank.
//
// The device has no clock: `earliest` answers for a time the caller names, `issue` records a command at a time. All
// constraints come from the machine file's table (level, preceding, following, latency, window), in the manner of
// Ramulator 2; a standard is data, not code. Bank state (open row) is kept here too, since constraints and state change
// together. A command addresses the banks of one node of its scope: it waits for all of them, and acts on all of them.
//
// Not here: which command to issue (controller.h) and what it does to data (sim/pim).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/state.h"

namespace pimento::sim::dram {

using Tick = std::int64_t;  ///< absolute device cycles inside the engine
inline constexpr Tick kNever = std::numeric_limits<Tick>::max() / 4;

/// A machine's commands and constraints, arranged for fast look-up. Immutable; shared by all channels.
class DeviceSpec {
 public:
  /// `isUsed`: by command, whether it can ever issue; others make nothing wait and wait for nothing. Empty: all can.
  explicit DeviceSpec(const machine::Dram &dram, const std::vector<bool> &isUsed = {});

  static constexpr int kLevels = 5;  ///< values of machine::ScopeLevel

  /// What issuing a command makes another command at the same node wait for. Commands are indices into the machine's
  /// command table.
  struct Consequence {
    std::int16_t level = 0;
    std::int16_t following = 0;
    std::int32_t latency = 0;
    std::int32_t perLength = 0;  ///< more, for each unit of the command's length
  };
  /// A rolling window (tFAW): `following` waits `latency` after the `size`-th last of the commands it counts.
  struct Window {
    int level = 0, following = 0, size = 1, latency = 0;
    std::vector<bool> counts;
  };

  int ranks = 1, banksPerRank = 1, banks = 1;  ///< banks: of all ranks
  Tick prechargeTime = 0, refreshTime = 0;
  int commands = 0;
  std::vector<machine::CommandKind> kind;              ///< by command
  std::vector<machine::Needs> needs;                   ///< likewise
  std::vector<int> width;                              ///< likewise: banks it addresses; a refresh, those of a rank
  std::vector<std::vector<Consequence>> consequences;  ///< by issued command
  std::vector<std::vector<std::int16_t>> waitsAt;      ///< levels on which a command can be held back
  /// By command and bank: where a device keeps the times of these levels; kLevels of them each.
  std::vector<std::int32_t> waitPlaces;
  std::vector<std::uint64_t> waitBanks;  ///< likewise: the banks that share such a place
  std::vector<Window> windows;
  /// Commands of several banks, by command and node of their scope: each place that one holds back, once.
  struct Mark {
    std::int32_t place = 0, latency = 0, perLength = 0;
  };
  std::vector<std::vector<std::vector<Mark>>> marks;
  /// Of commands to a bank alone, by command and bank: `marksOfBank` from `firstMark` to the next one's.
  std::vector<Mark> marksOfBank;
  std::vector<std::int32_t> firstMark;
  std::vector<std::vector<std::vector<std::int32_t>>> placesOfWide;  ///< likewise: each place that holds one back
  std::vector<bool> isCounted;                                       ///< by command: by some window
  std::array<int, kLevels> nodes{};                                  ///< nodes per level
  std::array<int, kLevels> offset{};                                 ///< first node of a level in a flat numbering
  std::array<std::vector<std::int16_t>, kLevels> nodeOfBank;         ///< flat node of a bank, per level
  int allNodes = 0;
  bool namedBankOnly = false;

  bool isColumn(int command) const {
    return machine::Command::slotOf(kind[static_cast<std::size_t>(command)]) == machine::Slot::kColumn;
  }
  bool needsRow(int command) const { return needs[static_cast<std::size_t>(command)] == machine::Needs::kOpenRow; }
  /// The banks that `command` addresses by `bank`, one bit each.
  std::uint64_t reach(int command, int bank) const {
    const int w = width[static_cast<std::size_t>(command)];
    return (w == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << w) - 1) << (bank / w * w);
  }

 private:
  void findPlacesOfWide();
  void findMarksOfBanks();
};

/// State of one bank.
struct Bank {
  std::int32_t row = 0;
  std::int32_t opener = -1;  ///< command (FlatLoops index) whose activation opened the row
  Tick idleAt = 0;           ///< when precharging or refreshing ends
};

/// One channel's timing state. A copy is a snapshot.
class Device {
 public:
  explicit Device(const DeviceSpec &spec);

  /// Earliest time >= `t` at which the constraints allow `command` to `bank` alone. Bank state is not looked at.
  Tick earliest(int command, int bank, Tick t) const {
    const auto k = static_cast<std::size_t>(command);
    const std::int32_t *place =
        &spec_->waitPlaces[(k * banks_.size() + static_cast<std::size_t>(bank)) * DeviceSpec::kLevels];
    for (const std::int32_t *end = place + spec_->waitsAt[k].size(); place != end; ++place)
      t = std::max(t, next_[static_cast<std::size_t>(*place)]);
    return t;
  }

  /// Why a command to a bank alone must wait longest at time `t`, and all other banks that must wait as long at least.
  struct Hold {
    Tick until = 0;
    std::uint64_t banks = 0;  ///< none: it may go
  };
  Hold hold(int command, int bank, Tick t) const {
    const auto k = static_cast<std::size_t>(command);
    const std::size_t first = (k * banks_.size() + static_cast<std::size_t>(bank)) * DeviceSpec::kLevels;
    Hold h{t, 0};
    for (std::size_t i = first; i < first + spec_->waitsAt[k].size(); ++i)
      if (const Tick n = next_[static_cast<std::size_t>(spec_->waitPlaces[i])]; n > h.until)
        h = {n, spec_->waitBanks[i]};
    return h;
  }

  /// Likewise to all banks that `command` addresses by `bank`.
  Tick earliestForAll(int command, int bank, Tick t) const;
  /// When the last of `banks` has finished precharging or refreshing.
  Tick idleAt(std::uint64_t banks) const;

  /// Records the command at time `t`: bank state and what others now wait for, in all banks that it addresses.
  /// `opener` and `row` matter for activations only, `length` where a constraint grows with it.
  void issue(int command, int bank, std::int32_t row, std::int32_t opener, Tick t, std::int32_t length = 0);
  /// Records what others now wait for, and leaves rows to the caller: in all banks that it addresses, with
  /// Quirks::namedBankOnly of `bank` alone. `isOfPseudoChannel`: it names no bank, but the pseudo channel of `bank`.
  void mark(int command, int bank, Tick t, bool isOfPseudoChannel, std::int32_t length = 0);

  const Bank &bank(int b) const { return banks_[static_cast<std::size_t>(b)]; }
  /// Bit b set: bank b has an open row.
  std::uint64_t active() const { return active_; }
  /// Banks of `banks` whose open row is `row`.
  std::uint64_t holding(std::int32_t row, std::uint64_t banks) const;
  bool isActive(int b) const { return (active_ >> b) & 1U; }

  /// The timing state in three parts (constraints, banks that precharge or refresh, windows): what still holds
  /// something back, relative to `now`; each entry names itself. Which rows are open is left to the caller, who knows
  /// how their openers move.
  void encodeWaits(Tick now, StateWords &out) const;
  void encodeBusyBanks(Tick now, StateWords &out) const;
  void encodeWindows(Tick now, StateWords &out) const;
  /// As they were written; where several devices stand in one part, -1 is behind each.
  void restoreWaits(Tick now, StateReader &in);
  void restoreBusyBanks(Tick now, StateReader &in);
  void restoreWindows(Tick now, StateReader &in);
  /// These rows are open and no others.
  void setActive(std::uint64_t active) { active_ = active; }
  void setRow(int b, std::int32_t row, std::int32_t opener) {
    banks_[static_cast<std::size_t>(b)].row = row;
    banks_[static_cast<std::size_t>(b)].opener = opener;
  }

 private:
  void recordWide(int command, int first, Tick t, std::int32_t length);
  void recordWindows(int command, int bank, Tick t, int before, bool hasBank = true);
  void record(int command, int bank, Tick t, std::int32_t length);
  void recordOfPseudoChannel(int command, int bank, Tick t, std::int32_t length);
  void apply(machine::CommandKind kind, int bank, std::int32_t row, std::int32_t opener, Tick t);

  const DeviceSpec *spec_;
  std::size_t commands_;
  std::vector<Tick> next_;  // node * commands_ + command: earliest time
  std::vector<Bank> banks_;
  std::uint64_t active_ = 0;
  std::vector<Tick> history_;  // windows x nodes x size: last issue times, oldest first
};

}  // namespace pimento::sim::dram
