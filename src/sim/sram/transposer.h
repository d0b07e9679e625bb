// Arrays of a program on their way into computing SRAM and out of it: whole regions, line by line, through the tensor
// transpose units (Infinity Stream, section 5.2).
//
// Into the arrays: a load stream at each slice asks for the region's lines there, one per cycle and `outstanding` at a
// time; a line goes to the banks of the tiles that its elements lie in, and each way takes one through its transpose
// unit in as many cycles as an element has bits. Out of them: a store stream of each bank transposes its lines back and
// sends them to memory. The core begins a stream with a message to every bank, and each bank says when it is done.
//
// Before arrays hold anything the ways that they are in are reserved: dirty lines there go to memory. Before arrays
// compute on a region, or take it in, the core recalls its lines that private caches hold dirty: they go to their
// slice, or, where the region lies transposed, through transpose units. Who holds a line is asked of the caller.
//
// Not here: who may touch the region meanwhile (layout_table.h), and what the arrays hold.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pimento/sim/sram/layout_table.h"
#include "pimento/sim/sram/transpose_units.h"
#include "pimento/sim/uncore/uncore.h"

namespace pimento::sim::sram {

struct TransposeTime {
  std::int64_t cycles = 0;      ///< from the core's message to the last bank's
  std::int64_t lines = 0;       ///< of the region
  std::int64_t transposed = 0;  ///< by transpose units: a line whose elements lie in several ways counts in each
  std::int64_t forwarded = 0;   ///< packets to another bank than the line's own
};

/// Lines that leave ways or private caches.
struct FlushTime {
  std::int64_t cycles = 0;  ///< from the core's message to the last answer
  std::int64_t lines = 0;
};

/// A line that a private cache holds dirty, and at which tile.
struct DirtyLine {
  uncore::Node tile = 0;
  std::uint64_t address = 0;
};
/// Those of addresses [base, end).
using DirtyLines = std::function<std::vector<DirtyLine>(std::uint64_t base, std::uint64_t end)>;

class Transposer final : public uncore::Client {
 public:
  struct Numbers {
    uncore::Node core = 0;
    std::int64_t outstanding = 32;  ///< lines that the stream of a slice waits for
  };

  Transposer(const machine::Machine &machine, const uncore::Slices &slices, const Numbers &numbers);

  uncore::Uncore &chip() { return chip_; }
  /// Leaves slices the ways in which no arrays compute; these must be some.
  FlushTime reserve(std::int64_t start);
  /// Gives slices all their ways, without time: nothing lies transposed any more.
  void giveWaysBack();
  /// Recalls a region's lines; it is normal or transposed. Private caches have them no longer.
  FlushTime recall(const LayoutTable &table, int region, const DirtyLines &dirty, std::int64_t start);
  /// Takes a region in: blocks it, and transposes it. What normal ways had of it is gone from there.
  TransposeTime fetch(LayoutTable &table, int region, std::int64_t start);
  /// Gives one back, to memory.
  TransposeTime release(LayoutTable &table, int region, std::int64_t start);
  /// A context switch at a barrier: so much state of the core's goes to memory, at an address that is a line's; and
  /// comes back.
  FlushTime save(std::uint64_t address, Bytes state, std::int64_t start);
  FlushTime restore(std::uint64_t address, Bytes state, std::int64_t start);

  void on(uncore::Token token, uncore::Tick now) override;

 private:
  enum class What : std::uint8_t {
    kBegin,       ///< a slice's stream hears that it may begin
    kAsk,         ///< it may ask for its next line
    kLine,        ///< a line is there
    kAtBank,      ///< it is at a bank of its tiles
    kTransposed,  ///< it has passed a unit
    kStored,      ///< it is at its memory controller
    kEnd,         ///< the core hears that something is done
    kReserve,     ///< a slice hears that it loses ways
    kFlush,       ///< a line leaves a tile for memory
    kFlushed,     ///< its controller has it
    kRecall,      ///< a private cache hears that it loses a line
    kRecalled,    ///< the line is where it belongs
    kKept,        ///< it has been written there
    kAskState,    ///< a slice is asked for a line of a core's state
    kState,       ///< which is there
  };
  struct Slice {
    /// Of the region, rising: those that lie here, or, on the way out, of its arrays.
    std::vector<std::uint64_t> lines;
    std::size_t next = 0;
    std::int64_t waiting = 0;
    uncore::Tick free = 0;  ///< it may ask again
    bool isBegun = false, isEnded = false;
  };
  uncore::Token token(What what, std::size_t slice, std::uint64_t line) const;
  std::vector<LayoutTable::BankWays> waysOf(std::uint64_t line) const;
  TransposeTime run(std::int64_t start);
  void ask(std::size_t slice, uncore::Tick now);
  void transpose(const LayoutTable::BankWays &to, std::size_t slice, std::uint64_t line, uncore::Tick now);
  void ended(std::size_t slice, uncore::Tick now);
  void look(const LayoutTable &table, int region);
  void keep(std::size_t slice, std::uint64_t line, uncore::Tick now);

  machine::Sram sram_;
  uncore::Slices shape_;
  uncore::Uncore chip_;
  Numbers numbers_;
  std::uint64_t lineBytes_;
  const LayoutTable *table_ = nullptr;
  int region_ = -1, elementBits_ = 32;
  std::uint64_t base_ = 0, end_ = 0;
  bool isOut_ = false;
  std::vector<Slice> slices_;
  std::vector<std::int64_t> left_;  ///< by line of the region: transpositions that are missing
  TransposeUnits units_;
  std::size_t open_ = 0;
  TransposeTime time_;
};

}  // namespace pimento::sim::sram
