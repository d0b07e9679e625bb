// Tensor controllers at work (Infinity Stream, section 5.2): the core's, which sends commands and clears barriers, and
// one at every bank, which runs its commands in order and sends what leaves the bank over the mesh.
//
// Commands lie between syncs. Those of the next stretch go to the banks when the one before begins, as far as half the
// command cache holds them; the rest when their own begins. A bank prepares a command while the one before it runs.
// What a move takes to other banks leaves in packets, spread over the time of the move. At a sync each bank tells every
// bank how many packets it has sent there, and the core how many in all; a bank tells the core how many have arrived
// from another once these are as many as that one says. When the core has heard of all banks, and as many packets have
// arrived as were sent, it clears the barrier for all.
//
// The state at a barrier can be kept and taken up again: nothing is under way there. For the same reason stretches with
// the same work, and as many commands of theirs there already, take the same time: it is found once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "pimento/machine/sections/core.h"
#include "pimento/machine/sections/sram.h"
#include "pimento/program/sram_command.h"
#include "pimento/sim/noc/network.h"
#include "pimento/sim/sram/command_time.h"

namespace pimento::sim::sram {

struct ControllerTime {
  Cycles total;  ///< from the first command that is sent to the last barrier that the core clears
  /// Parts of the bank that is done last before each barrier; what else it waits for is `sync`.
  Cycles compute, intra, inter, sync;
  std::int64_t packets = 0;  ///< between banks
  /// What moves carry: inside arrays, to other arrays of a bank, to other banks.
  std::int64_t bitsInArrays = 0, bitsInBanks = 0, bitsBetweenBanks = 0;
  std::array<std::int64_t, noc::kTraffics> flitHops{};
  void add(const ControllerTime &other);
  bool operator==(const ControllerTime &) const = default;
};

class Controllers {
 public:
  struct Numbers {
    noc::Node core = 0;  ///< the tile of the core that runs the program
    Bytes command{16};   ///< of a command
    Bytes cache{2048};   ///< of a bank's command cache
    Cycles prepare{8};   ///< a command: patterns to masks
    /// As the machine has them.
    static Numbers of(const machine::Sram::Control &control, noc::Node core);
  };
  /// What a context switch keeps: how far the list has come, and what has been counted.
  struct Saved {
    std::size_t next = 0;  ///< command behind the barrier
    ControllerTime time;
  };

  /// The mesh has a tile for each bank. `perBitline`: as CommandTime's.
  Controllers(const machine::Sram &sram, const machine::Noc &noc, const Numbers &numbers, std::int64_t perBitline = 1);

  /// Runs a list to its end; a barrier stands behind it. Diagnostic: sram-operation.
  Result<ControllerTime> run(const program::SramCommands &commands);
  /// From where it was saved, to the barrier number `syncs` from there, or the end: false if that is the end.
  Result<bool> runTo(const program::SramCommands &commands, std::int64_t syncs, Saved &state);
  /// Stretches that were simulated, not found.
  std::int64_t simulated() const { return static_cast<std::int64_t>(known_.size()); }

 private:
  struct Stretch;
  Result<Stretch> prepared(const program::SramCommands &commands, std::size_t first);
  ControllerTime timeOf(const Stretch &stretch, std::int64_t ahead, std::int64_t next);

  machine::Sram sram_;
  machine::Noc noc_;
  Numbers numbers_;
  CommandTime times_;
  std::map<std::vector<std::int64_t>, ControllerTime> known_;  ///< by all that a stretch's time depends on
};

}  // namespace pimento::sim::sram
