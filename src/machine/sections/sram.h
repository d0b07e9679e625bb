// SRAM arrays of a shared cache that compute on their bitlines: how many there are, how data move between them, and
// what a command costs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "pimento/base/units.h"

namespace pimento::machine {

/// Kinds of commands that cost tables tell apart.
enum class SramClass : std::uint8_t {
  kConstant,  ///< a constant written into every bitline
  kIntAlu,    ///< integers: sums, logic, comparisons, shifts, minima, selection
  kIntMul,
  kIntDiv,
  kFloat,  ///< any operation on floating-point numbers
};
inline constexpr int kSramClasses = 5;

struct Sram {
  std::int64_t meshColumns = 1, meshRows = 1;  ///< one bank per node
  std::int64_t ways = 1;                       ///< of a bank, that compute
  std::int64_t arraysPerWay = 1;               ///< a power of two: leaves of a binary H tree
  std::int64_t wordlines = 256, bitlines = 256;
  std::int64_t leafBits = 32;          ///< that a leaf of the H tree moves per cycle
  Bytes line, packet;                  ///< a cache line; what one packet of the mesh carries
  Cycles router, link;                 ///< what a hop takes
  std::int64_t mostPerBitline = 1;     ///< elements of one value that may share a bitline ("virtual bitlines")
  std::int64_t regions = 1;            ///< arrays of a program that may lie here at a time
  bool hasParallelIntraShift = false;  ///< a shift inside arrays takes the time of one bitline, however far
  bool hasParallelInterShift = true;   ///< subtrees of a way shift side by side
  bool hasParallelWayRead = true;      ///< arrays of a way are read as one on the way out of it

  enum class Rewrite : std::uint8_t {
    kNone,
    kStrict,                   ///< results keep every bit
    kReassociate,              ///< sums and products of floating-point numbers in other orders, too
  } rewrite = Rewrite::kNone;  ///< of graphs into cheaper ones, before they are lowered

  enum class Mode : std::uint8_t {
    kBits,   ///< micro-operations on wordlines
    kWords,  ///< one operation of the host per element
  } mode = Mode::kBits;

  enum class Times : std::uint8_t {
    kCounted,   ///< cycles of our micro-programs
    kArtifact,  ///< those that the published simulator charges
    kPaper,     ///< those that the paper names, else as kArtifact
  } times = Times::kCounted;

  /// Cycles of a command on n-bit elements: square * n^2 + linear * n.
  struct Cost {
    double square = 0, linear = 0;
    Cycles of(int bits) const;
  };
  using CostTable = std::array<Cost, kSramClasses>;
  CostTable artifact, paper;

  /// What runs commands and keeps arrays of programs transposed. A machine without it has times of commands alone.
  struct Control {
    std::int64_t allWays = 1;            ///< of a bank, those that compute included
    Bytes bank;                          ///< all its ways
    Bytes command, commandCache;         ///< of a bank's controller
    Cycles prepare;                      ///< a command: patterns to masks
    std::int64_t outstanding = 1;        ///< lines that a slice's fetch waits for
    std::int64_t releaseRequests = 0;    ///< a region goes back after more normal requests than these ...
    Cycles releaseTimer;                 ///< ... after longer than this ...
    std::int64_t missWindow = 1;         ///< ... or when of so many accesses of the L3 ...
    std::int64_t releaseMisses = 0;      ///< ... more than these missed
    double loweringBase = 0;             ///< cycles to lower a region instance ...
    double loweringPerCommand = 0;       ///< ... and for each of its commands ...
    double loweringToBanks = 0;          ///< ... to find the banks that run it
    bool hasOverlappedLowering = false;  ///< lowering goes on while data are fetched
    bool hasBankFilter = false;          ///< banks find their commands themselves

    /// What the core takes to lower an instance to so many commands.
    Cycles lowering(std::int64_t commands) const;
    /// What an instance waits for: lowering, and its data.
    Cycles preparation(std::int64_t commands, Cycles fetch) const;
  };
  std::optional<Control> control;

  std::int64_t banks() const { return meshColumns * meshRows; }
  std::int64_t arraysPerBank() const { return ways * arraysPerWay; }
  std::int64_t arrays() const { return banks() * arraysPerBank(); }
};

}  // namespace pimento::machine
