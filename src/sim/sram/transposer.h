// Arrays of a program on their way into computing SRAM and out of it: whole regions, line by line, through the tensor
// transpose units (Infinity Stream, section 5.2).
//
// Into the arrays: a load stream at each slice asks for the region's lines there, one per cycle and `outstanding` at a
// time; a line goes to the banks of the tiles that its elements lie in, and each way takes one through its transpose
// unit in as many cycles as an element has bits. Out of them: a store stream of each bank transposes its lines back and
// sends them to memory. The core begins a stream with a message to every bank, and each bank says when it is done.
//
// Not here: who may touch the region meanwhile (layout_table.h), and what the arrays hold.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/sim/sram/layout_table.h"
#include "pimento/sim/uncore/uncore.h"

namespace pimento::sim::sram {

struct TransposeTime {
  std::int64_t cycles = 0;      ///< from the core's message to the last bank's
  std::int64_t lines = 0;       ///< of the region
  std::int64_t transposed = 0;  ///< by transpose units: a line whose elements lie in several ways counts in each
  std::int64_t forwarded = 0;   ///< packets to another bank than the line's own
};

class Transposer final : public uncore::Client {
 public:
  struct Numbers {
    uncore::Node core = 0;
    std::int64_t outstanding = 32;  ///< lines that the stream of a slice waits for
  };

  Transposer(const machine::Machine &machine, const uncore::Slices &slices, const Numbers &numbers);

  uncore::Uncore &chip() { return chip_; }
  /// Takes a region in: blocks it, and transposes it. What normal ways had of it is gone from there.
  TransposeTime fetch(LayoutTable &table, int region, std::int64_t start);
  /// Gives one back, to memory.
  TransposeTime release(LayoutTable &table, int region, std::int64_t start);

  void on(uncore::Token token, uncore::Tick now) override;

 private:
  enum class What : std::uint8_t { kBegin, kAsk, kLine, kAtBank, kTransposed, kStored, kEnd };
  struct Slice {
    std::vector<std::uint64_t>
        lines;  ///< of the region, rising: those that lie here, or, on the way out, of its arrays
    std::size_t next = 0;
    std::int64_t waiting = 0;
    uncore::Tick free = 0;  ///< it may ask again
    bool isBegun = false, isEnded = false;
  };
  struct Target {
    int bank = 0;
    std::vector<int> ways;
  };

  uncore::Token token(What what, std::size_t slice, std::uint64_t line) const;
  std::vector<Target> targetsOf(std::uint64_t line) const;
  TransposeTime run(std::int64_t start);
  void ask(std::size_t slice, uncore::Tick now);
  void transpose(const Target &target, std::size_t slice, std::uint64_t line, uncore::Tick now);
  void ended(std::size_t slice, uncore::Tick now);

  machine::Sram sram_;
  uncore::Uncore chip_;
  Numbers numbers_;
  std::uint64_t lineBytes_;
  const LayoutTable *table_ = nullptr;
  int region_ = -1, elementBits_ = 32;
  std::uint64_t base_ = 0, end_ = 0;
  bool isOut_ = false;
  std::vector<Slice> slices_;
  std::vector<std::int64_t> left_;                ///< by line of the region: transpositions that are missing
  std::vector<std::vector<uncore::Tick>> units_;  ///< by bank and way: free from then on
  std::size_t open_ = 0;
  TransposeTime time_;
};

}  // namespace pimento::sim::sram
