// What an array takes: energy of reads, writes and operations, split by micro-operations, their time, leakage, area.
//
// Of a set's own cells the sums are the set's, the split is the cell's. Other cells are scaled from the set's reference
// cell: what wires and edges take goes with the length of the array, what lies within it with its area, bit-lines with
// those of the cells, and what happens in cell, amplifier and driver is the cell's own, as is the time to sense and to
// write. An operation is a read with micro-operations repeated (Eva-CiM, section V-B), unless the set has it. Of NVM
// the leakage around cells alone is calibrated: docs/models/arrays.md has what DESTINY gives beside the rest. Not here:
// tags, refresh.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/energy/array/array.h"
#include "pimento/energy/array/cell.h"
#include "pimento/energy/array/set.h"

namespace pimento::energy::array {

/// Energy by micro-operations.
struct Parts {
  Picojoules decode;    ///< addresses and word lines
  Picojoules bitlines;  ///< charging them
  Picojoules cell;      ///< in the cells
  Picojoules sense;     ///< amplifiers, with what they compute
  Picojoules write;     ///< write drivers; of operations all of writing rows back
  Picojoules wires;     ///< from and to the array's border

  Picojoules total() const { return decode + bitlines + cell + sense + write + wires; }
};

/// Of one access or operation.
struct Cost {
  Picojoules energy;
  std::optional<Parts> parts;          ///< whose sum is `energy`; a table has none
  std::optional<Picoseconds> latency;  ///< where the set has latencies
  Picoseconds beyondRead;              ///< operations: what they take longer than a read
};

struct Costs {
  std::string set, cell;
  Cost readLine;                         ///< through the port: as many accesses as it takes, one after another
  Cost readWord;                         ///< 32 bits; a wide port senses the whole of its width
  std::optional<Cost> write;             ///< of the port's width
  std::map<Operation, Cost> operations;  ///< on a whole row, whatever the port
  std::optional<Milliwatts> leakage;     ///< of all banks
  std::optional<SquareMicrons> area;     ///< of all banks
  Diagnostics told;                      ///< warnings: "extrapolated" (size), "no-such-access", "any-device"

  /// Diagnostic: "no-such-operation", with those there are.
  Result<Cost> operation(Operation operation) const;
};

/// Diagnostics: "impossible-array"; "no-such-cell", "no-such-device", "no-such-array" where the set has none such;
/// "wrong-technology" where cell and set are of different feature sizes.
Result<Costs> cost(const Set &set, const Cell &cell, const Array &array);

}  // namespace pimento::energy::array
