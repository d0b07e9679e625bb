// Runs commands on the values of a lattice: what a command list computes, not when.
//
// Two executors of one interface, equal by test. Bits: every value stands in wordlines, compute commands run their
// micro-programs, moves carry bits; working memory of micro-programs is apart.
// Words: a value is an array of elements, found by its first wordline, and a command is one operation of the host per
// element. Not here: streams, whose commands their owner carries out between these.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "pimento/base/diagnostics.h"
#include "pimento/machine/sections/sram.h"
#include "pimento/program/sram_command.h"

namespace pimento::sim::sram {

/// Tiles of a lattice, one behind the other.
struct LatticeShape {
  int wordlines = 256;  ///< that commands may name
  std::int64_t tiles = 1, cellsPerTile = 256;

  std::int64_t cells() const { return tiles * cellsPerTile; }
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Before loads and stores from several threads: nothing waits, and the value at `row` has its place.
  virtual void settle() {}
  virtual void claim(int /*row*/, int /*bits*/) {}
  /// Elements of `bits` bits, from cell `first` on, of the value at wordline `row`.
  virtual void store(int row, int bits, std::int64_t first, std::span<const std::uint64_t> elements) = 0;
  virtual void load(int row, int bits, std::int64_t first, std::span<std::uint64_t> elements) = 0;
  /// One command; streams and syncs do nothing here. Diagnostic: sram-operation (no micro-program for it).
  virtual Status run(const program::SramCommand &command) = 0;
};

/// `jobs`: threads that the bits of one command run on; results are the same.
std::unique_ptr<Executor> makeExecutor(machine::Sram::Mode mode, const LatticeShape &shape, int jobs = 1);

}  // namespace pimento::sim::sram
