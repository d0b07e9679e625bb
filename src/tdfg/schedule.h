// A region's graph in the order it runs, its values in wordlines of arrays of one geometry.
//
// A value of n bits takes n consecutive wordlines, its lowest bit in the first. All arrays (of bitlines) use the same
// wordlines for the same value. The result of a step never shares a wordline with its operands. Registers are found by
// a local allocation in topological order (Infinity Stream, section 3.4). Two f32 arrays in 256 wordlines:
//
//   schedule 256x256 r0
//     peak 128 spills 0
//     resident a at 0
//     resident b at 32
//     node %1 at 64 of 0
//     node %3 at 32 of 64, 0 in place
//     store 0 at 32
//   end
//
// Tensor nodes take no step: they are their array's wordlines. A shrink takes none: it is its argument's. Constants
// have no wordlines (-1): operations take them as they are.
//
// Not here: tiles, masks, commands, cycles: whoever lowers a scheduled instance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Wordlines and bitlines of one SRAM array.
struct ArraySize {
  int wordlines = 256, bitlines = 256;
  bool operator==(const ArraySize &) const = default;
};
/// What a fat binary holds schedules for: 256x256 and 512x512.
const std::vector<ArraySize> &commonArraySizes();

enum class StepKind : std::uint8_t {
  kNode,    ///< compute node `node` into `wordline`
  kCopy,    ///< copy the operand, node `node`, into `wordline`, before its array changes
  kSpill,   ///< a stream takes node's value out of `wordline` to memory
  kRefill,  ///< a stream brings it back into `wordline`
  kStore,  ///< output `output`: its value, at `wordline`, becomes the array's (a copy, unless they are the same place),
           ///< or a store stream reads it there
};

struct Step {
  StepKind kind = StepKind::kNode;
  int node = -1;
  int output = -1;              ///< kStore
  int wordline = -1;            ///< first one of the value; -1: a constant
  int scratch = -1;             ///< kNode of a reduction: wordlines free in this step, twice its element's bits
  std::vector<int> operands{};  ///< kNode: first wordlines of the arguments, -1 likewise
  bool isInPlace = false;       ///< kNode: written right into an array's wordlines, in the box of its output
  bool operator==(const Step &) const = default;
};

struct Schedule {
  ArraySize size;
  std::vector<int> residents;  ///< by array of the program: first wordline of its elements, -1: not in these arrays
  std::vector<Step> steps;
  int peak = 0;    ///< wordlines in use at most
  int spills = 0;  ///< kSpill steps
};

/// Where a larger program has its arrays.
struct Homes {
  std::vector<int> byArray;  ///< of the program in hand: first wordline
  struct Lines {
    int first = 0, count = 0;
  };
  std::vector<Lines> others;  ///< of arrays that are not in it: left alone where there is room
};

/// `homes`: null: arrays lie in their own order. A region without a graph has an empty schedule. Diagnostics:
/// no-wordlines (the region's arrays, and the operands and result of one step, do not fit).
Result<Schedule> schedule(const Program &program, int region, const ArraySize &size, const Homes *homes = nullptr);

}  // namespace pimento::tdfg
