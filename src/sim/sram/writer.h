// Writes micro-op programs: wordlines of working memory, and the steps from which operations on numbers are made.
//
// Numbers are lists of wordlines, least significant first; what a list lacks at the top reads as 0. A shift by a known
// distance is another list, not a cycle. Nothing depends on data but through tags: all bitlines run the same program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pimento/sim/sram/micro_op.h"

namespace pimento::sim::sram {

using Bits = std::vector<Row>;

/// `count` bits from `first` on.
Bits slice(const Bits &bits, std::size_t first, std::size_t count);
/// `low`, then `high`.
Bits joined(const Bits &low, const Bits &high);

class Writer {
 public:
  /// Of a place of the program, all bits.
  static Bits place(Place place, int bits);

  // --- working memory: what it holds is unknown at first
  Row row();
  Bits rows(std::size_t count);
  void release(const Bits &bits);
  void release(Row row) { release(Bits{row}); }

  // --- one cycle
  void write(Sense sense, Row dest, Row a = {}, Row b = {});
  void writeTagged(Sense sense, Row dest, Row a = {}, Row b = {});
  void loadTag(Sense sense, Row a = {}, Row b = {});
  void loadCarry(Sense sense, Row a = {}, Row b = {});
  void clearCarry();
  void setCarry();

  // --- one cycle per bit of `dest`
  void copy(const Bits &dest, const Bits &from);
  void copyTagged(const Bits &dest, const Bits &from);
  void invert(const Bits &dest, const Bits &from);
  void clear(const Bits &dest);
  void clearTagged(const Bits &dest);
  void fillTagged(const Bits &dest);
  void logic(Sense sense, const Bits &dest, const Bits &a, const Bits &b);
  /// Each bit with the same other one.
  void logic(Sense sense, const Bits &dest, const Bits &a, Row b);

  // --- sums: the carry latch comes in and goes out
  void add(const Bits &dest, const Bits &a, const Bits &b);
  void addTagged(const Bits &dest, const Bits &a, const Bits &b);
  /// The inverse of the sum: x - y where `a` is ~x and the carry clear; then the carry is the borrow.
  void addInverted(const Bits &dest, const Bits &a, const Bits &b);
  void addInvertedTagged(const Bits &dest, const Bits &a, const Bits &b);
  /// The carry alone.
  void carryOf(const Bits &a, const Bits &b);
  /// dest = a + value modulo 2^bits. The carry goes out: of -c it says that a >= c.
  void addConstant(const Bits &dest, const Bits &a, std::uint64_t value);
  void addConstantTagged(const Bits &dest, const Bits &a, std::uint64_t value);
  /// dest = a - b; the carry is the borrow.
  void subtract(const Bits &dest, const Bits &a, const Bits &b);
  /// The carry becomes a < b, of numbers without sign.
  void less(const Bits &a, const Bits &b);

  // --- to one bit
  void orOf(Row dest, const Bits &bits);
  void andOf(Row dest, const Bits &bits);

  // --- shifts in place
  /// By `distance` towards the top where the tag is set.
  void shiftLeftTagged(const Bits &bits, std::size_t distance);
  /// Towards the bottom; at the top comes `fill` (none: 0).
  void shiftRightTagged(const Bits &bits, std::size_t distance, Row fill = {});
  /// By a number; bit 0 collects what falls out.
  void shiftRightSticky(const Bits &bits, const Bits &distance);

  MicroProgram take();

 private:
  void put(MicroOp op) { program_.ops.push_back(op); }
  void chain(Sense sense, const Bits &dest, const Bits &a, const Bits &b, bool isTagged);
  /// 0 or 1 everywhere.
  Bits constant(std::uint64_t value, std::size_t bits);

  MicroProgram program_;
  std::vector<Row> free_;
  Row ones_;
};

}  // namespace pimento::sim::sram
