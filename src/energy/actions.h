// What a run did, as integer counts by name: the vocabulary of the `action` formulas in machine files.
//
// Engines and lowerings fill these in; nothing is priced here. Counts cover the whole machine (all channels), padding
// included. A count that a machine has no use for stays zero. Counts too large for 64 bits stay at the largest number.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"

namespace pimento::energy {

enum class Action : std::uint8_t {
  kActivations,         ///< rows opened in single-bank mode, one per bank
  kAllBankActivations,  ///< rows opened by all-bank commands, one per bank that opened (not per command)
  kPrecharges,          ///< rows closed, one per bank, all modes; the activation's cost includes it
  kHostReads,           ///< bursts that one bank sends to the host: results, parking reads
  kHostWrites,          ///< bursts that the host sends to one bank: operands, mode switches
  kNearBankReads,       ///< bursts that a bank gives the unit beside it, one per bank
  kNearBankWrites,      ///< bursts that a unit stores in its bank, one per bank
  kBroadcasts,          ///< bursts that the host sends to the registers of all units of a channel, one per command
  kMacs,                ///< lane multiply-accumulates (1 MAC = 2 FLOP)
  kAluOperations,       ///< lane additions and multiplications that are not part of a MAC
  kRegisterReads,       ///< vector register entries read, one per unit
  kRegisterWrites,      ///< vector register entries written, one per unit
  kRefreshes,           ///< REF commands, one per rank
  kMerges,              ///< additions of partial results by the host
  kHostMemoryBytes,     ///< bytes of host memory traffic for rearranging
  kHostOperations,      ///< scalar operations of kernels that run on the host
  kLinkBytes,           ///< bytes over the link between host and device where it is not the memory bus
  kInstructions,        ///< that DPUs issued
  kWramAccesses,        ///< loads and stores of DPUs
  kDmaTransfers,        ///< between MRAM and WRAM, both directions
  kDmaBytes,            ///< of these
  kRankCycles,          ///< device cycles of ranks that have a DPU at work
};
inline constexpr int kActions = 22;

/// The name that machine files use: "activations", "near_bank_reads".
std::string_view name(Action a);
std::optional<Action> parseAction(std::string_view text);

/// Counts of all actions, zero at first.
class ActionCounts {
 public:
  std::int64_t of(Action a) const { return counts_[static_cast<std::size_t>(a)]; }

  /// `count` more of `a`; not negative.
  ActionCounts &add(Action a, std::int64_t count) {
    PIMENTO_CHECK(count >= 0);
    std::int64_t &c = counts_[static_cast<std::size_t>(a)];
    c = addSaturated(c, count);
    return *this;
  }

  /// `count` of `a` and no others.
  ActionCounts &set(Action a, std::int64_t count) {
    counts_[static_cast<std::size_t>(a)] = 0;
    return add(a, count);
  }

  /// `times` more of everything in `o`.
  ActionCounts &add(const ActionCounts &o, std::int64_t times = 1) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      add(static_cast<Action>(i), multiplySaturated(o.counts_[i], times));
    }
    return *this;
  }

  bool operator==(const ActionCounts &) const = default;

 private:
  std::array<std::int64_t, kActions> counts_{};
};

}  // namespace pimento::energy
