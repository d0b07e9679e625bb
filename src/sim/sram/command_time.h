// Cycles of SRAM commands in one bank, and of a list of them in all banks.
//
// Compute commands: micro-operations of their programs, or a table of the machine. Moves: as the published simulator
// charges them. Inside arrays every bit goes bitline by bitline; between arrays a level of the H tree (pairs of arrays,
// ..., ways, banks) is charged for the arrays that turn around there, one level after the other; writing at the far end
// is free, for broadcasts too, which are charged for the place furthest away. A bank runs its commands in order;
// commands of one operation one behind the other whose arrays differ run at once. A sync waits for the slowest bank and
// crosses the idle mesh twice. Not here: contention in the mesh, streams, cores.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/machine/sections/sram.h"
#include "pimento/program/sram_command.h"

namespace pimento::sim::sram {

/// What a move between arrays takes in a bank.
struct TileShiftTime {
  std::vector<std::int64_t> levels;  ///< cycles by level: pairs of arrays, pairs of pairs, ..., ways, banks
  std::int64_t packets = 0;          ///< to each other bank
  std::int64_t total() const;
};

/// Cycles of a list.
struct CommandListTime {
  Cycles total, compute, intra, inter, sync;  ///< parts: of the bank that each sync waits for
  std::int64_t computeCommands = 0, moveCommands = 0, syncs = 0, packets = 0;
  /// Of cells and of H trees, for energy: a cycle of a compute command senses two wordlines and writes one.
  std::int64_t bitsRead = 0, bitsWritten = 0, treeBits = 0;

  void add(const CommandListTime &other);
};

/// Packets to another bank.
struct BankPackets {
  int bank = 0;
  std::int64_t packets = 0;
  bool operator==(const BankPackets &) const = default;
};

/// Tiles of a move, counted once per place that they go to.
struct TilesMoved {
  std::int64_t inArray = 0;  ///< to other bitlines
  std::int64_t inBank = 0;   ///< to other arrays of the bank
  std::int64_t between = 0;  ///< to other banks
};

/// Commands of one operation, one behind the other, whose arrays differ: every bank runs its own at once.
struct CommandGroup {
  std::size_t first = 0, last = 0;                    ///< of the list: [first, last)
  std::vector<std::int64_t> cycles;                   ///< by bank: of its longest; 0: it has none
  std::vector<const program::SramCommand *> longest;  ///< by bank: which that is
};

/// Sees what a list's commands take in each bank. Cycles count from the begin of the list, and come in ascending order
/// by bank; commands that run at once begin and end together, and the longest of a bank stands for them.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void onCommand(const program::SramCommand &command, std::int64_t bank, std::int64_t from,
                         std::int64_t cycles) = 0;
  /// All banks wait for the slowest one until `from`.
  virtual void onSync(std::int64_t from, std::int64_t cycles) = 0;
};

class CommandTime {
 public:
  /// `perBitline`: elements that share a bitline, each of which a command takes its time for.
  explicit CommandTime(const machine::Sram &sram, std::int64_t perBitline = 1);

  /// Diagnostic: sram-operation.
  Result<Cycles> of(const program::SramCommand &command, std::int64_t bank);
  Result<CommandListTime> of(const program::SramCommands &commands, CommandObserver *observer = nullptr);

  /// The commands from `first` on, none of which is a sync, that run at once. Diagnostic: sram-operation.
  Result<CommandGroup> groupAt(const program::SramCommands &commands, std::size_t first);
  /// Where the bits of a move between tiles go from a bank: to other banks, rising.
  std::vector<BankPackets> leaving(const program::SramCommand &command, std::int64_t bank) const;

  /// Of a move, in all banks.
  TilesMoved tilesMoved(const program::SramCommand &command) const;

  /// A move by `distance` tiles in a bank that has `active` of its tiles, of `bitlines` elements of `bits` bits each.
  TileShiftTime tileShift(std::int64_t distance, std::int64_t bitlines, int bits, std::int64_t active,
                          std::int64_t leaving) const;
  Cycles intraShift(std::int64_t distance, int bits) const;
  Cycles sync() const;

 private:
  Result<Cycles> compute(const program::SramCommand &command);
  Cycles move(const program::SramCommand &command, std::int64_t bank, std::int64_t &packets) const;
  Status count(const program::SramCommand &command, CommandListTime &sum);

  machine::Sram sram_;
  std::int64_t perBitline_;
  std::map<std::tuple<kernel::Op, DType, DType>, Cycles> computed_;
};

}  // namespace pimento::sim::sram
