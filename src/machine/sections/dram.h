// A DRAM device as data: organisation, commands, timing constraints, controller policies.
//
// Constraints follow Ramulator 2's idea that a DRAM standard is a table (level, preceding commands, following commands,
// latency, window). What they mean for time is the engine's (sim/dram).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/units.h"

namespace pimento::machine {

/// Values are part of stored identities: new ones go to the end.
enum class ScopeLevel : std::uint8_t { kChannel, kRank, kBankGroup, kBank, kPseudoChannel };
/// "channel" "rank" "bankgroup" "bank" "pseudochannel".
std::string_view name(ScopeLevel level);

/// How a DRAM device is built. Sizes are per channel unless said.
struct Organization {
  std::int64_t channels = 1, ranks = 1, bankGroups = 1, banksPerGroup = 1;  ///< banksPerGroup: per bank group
  std::int64_t pseudoChannels = 1;                                          ///< the ranks are divided evenly among them
  std::int64_t rows = 0, columns = 0;                                       ///< columns: bursts per row
  Bytes burst;                                                              ///< bytes one column command moves
  struct Field {
    std::string name;  ///< "offset" "channel" "bank" "bankgroup" "column" "row" "rank"
    int bits = 0;      ///< "channel": log2 of `channels`, whatever the file says with bits: auto
  };
  std::vector<Field> addressMap;  ///< least significant first

  std::int64_t banks() const { return bankGroups * banksPerGroup; }  ///< per rank
  /// Banks of one node of a level. Nodes hold consecutive banks, counted over the ranks of a channel.
  std::int64_t banksPerNode(ScopeLevel level) const;
};

/// A barrier is a mark in a controller's queue: it takes no slot and goes to no bank.
enum class CommandKind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh, kBarrier };
/// The words that machine files use: "activate", "precharge", ...
std::vector<std::string> commandKinds();
/// The kind that a word of commandKinds() stands for.
CommandKind commandKindOf(std::string_view word);

/// Which of a controller's slots a command takes.
enum class Slot : std::uint8_t { kRow, kColumn };
/// What must hold in every bank that a command addresses before it may go.
enum class Needs : std::uint8_t { kOpenRow, kClosedRow, kNothing };

/// A row of the device's command table. Its kind says what it does: opens a row, closes rows, reads or writes (in the
/// banks, or with `needs` nothing in registers), refreshes. Kinds have a usual slot and usual needs.
struct Command {
  std::string name;  ///< "ACT" "PRE" "RD" "WR" "REF" "MAC16"
  CommandKind kind = CommandKind::kRead;
  ScopeLevel scope = ScopeLevel::kBank;  ///< it addresses all banks of the node of this level that its bank is in
  Needs needs = usualNeeds(kind);
  std::optional<Cycles> completion = {};  ///< read, write: issue to end, where it is not that of the machine
  /// With Quirks::namedBankOnly: the innermost level whose constraints it obeys.
  ScopeLevel checks = ScopeLevel::kBank;
  /// Barrier: it also waits until what was read has arrived, so that it can be written elsewhere.
  bool awaitsData = false;

  Slot slot() const { return slotOf(kind); }
  static Slot slotOf(CommandKind kind) {
    return kind == CommandKind::kRead || kind == CommandKind::kWrite || kind == CommandKind::kBarrier ? Slot::kColumn
                                                                                                      : Slot::kRow;
  }
  static Needs usualNeeds(CommandKind kind);
};

/// After any of `preceding` at a node of `level`, each of `following` at the same node waits `latency`. With a
/// `window` of n > 1 the latency counts from the n-th last preceding command (tFAW). Indices into commands.
struct TimingConstraint {
  ScopeLevel level = ScopeLevel::kBank;
  std::vector<int> preceding, following;
  Cycles latency;
  int window = 1;
  std::string formula;    ///< as written: "RL + BL/2 + tRTRS - WL"
  std::string name = {};  ///< its key in the file: "read_write"; empty where no file stands behind it
  /// On top of the latency for each unit of the preceding command's length (program::Command).
  Cycles perLength = {};

  /// How long a following command waits after one of such a length.
  std::int64_t after(std::int64_t length) const { return latency.value + perLength.value * length; }
};

/// Which commands a controller chooses from, and how.
enum class Scheduler : std::uint8_t {
  kFrFcfsBarrier,  ///< one queue in groups that barriers end, one command per cycle (sim/dram/controller.h)
  kFourQueues,     ///< openings, PIM, reads, writes; a row and a column command per cycle (sim/dram/four_queues.h)
};
/// "fr-fcfs-barrier" "four-queues".
std::string_view name(Scheduler scheduler);
/// What a barrier does with four queues.
enum class BarrierRule : std::uint8_t {
  kDrain,    ///< it is refused until its channel's queues are empty
  kInOrder,  ///< it joins the PIM queue, where no column command passes it
};

/// Rules that a published cycle model breaks, so that it can be reproduced. All off: a device that obeys its table.
struct Quirks {
  bool severalOpenRows = false;  ///< an activate of an open bank adds a row; only a precharge takes rows away
  /// A command of several banks obeys and starts the constraints of the bank it names alone.
  bool namedBankOnly = false;
  bool operator==(const Quirks &) const = default;
};

/// Named policies of a DRAM controller, each a choice the engine implements.
struct Controller {
  std::int64_t transactionQueue = 64, commandQueue = 64;
  Scheduler scheduler = Scheduler::kFrFcfsBarrier;
  std::string prechargePolicy;  ///< "eager" (close rows the current barrier group does not need) | "conflict"
  std::string
      refreshPolicy;  ///< "single-slot" (one pending rank per channel) | "per-rank" | "per-pseudo-channel" | "none"
  bool refreshWaitsForPrecharge = true;  ///< REF waits until precharged banks are idle (tRP)
  bool losesBarrierOnFullQueue = false;  ///< a barrier on an exactly full transaction queue is dropped
  Cycles fence;                          ///< cycles a barrier costs the host before it sends the next group
  Cycles commandLatency;                 ///< issue to arrival at the device (tCMD)
  // Four queues; `commandQueue` is the length of each but the openings'.
  BarrierRule barrier = BarrierRule::kInOrder;
  std::int64_t writesBegin = 0;  ///< writes are served once so many wait, or no read does
  std::int64_t writesEnd = 0;    ///< until fewer wait and a read does
};

/// Everything the `dram` engine needs; present on DRAM-based machines.
struct Dram {
  Organization organization;
  std::vector<Command> commands;
  std::vector<TimingConstraint> constraints;
  Controller controller;
  Quirks quirks;
  Cycles readLatency, writeLatency;     ///< issue to completion, data included
  Cycles prechargeTime;                 ///< tRP: bank idle again
  Cycles refreshInterval, refreshTime;  ///< tREFI, tRFC

  int commandNamed(std::string_view name) const;  ///< index, or -1
  /// The plain command of a kind: the first row that addresses one bank and has the usual needs; a refresh, whatever it
  /// addresses. -1 where there is none.
  int plainCommand(CommandKind kind) const;
  /// The first command of a kind that addresses the banks of one node of `scope`, or -1.
  int commandOf(CommandKind kind, ScopeLevel scope) const;
};

}  // namespace pimento::machine
