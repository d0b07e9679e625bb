// A memory cell as a file (machines/cells/*.yaml): area, what a read and a write of a bit take, and which operations
// its sense amplifiers can do, as counts of micro-operations.
//
// After section V-B of Eva-CiM: where there is no netlist, an operation is broken down into cell accesses, amplifiers
// and so on. Every number has unit, source and confidence, as in machine files; the reader is theirs. Not here: the
// array around the cells (set.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/energy/array/array.h"
#include "pimento/machine/number.h"

namespace pimento::energy::array {

/// An operation on whole rows: how often it does what a read does once.
struct Steps {
  double decode = 1, bitlines = 1, cell = 1, sense = 1;
  double wires = 1;  ///< rows that leave the array
  double write = 0;  ///< rows written back
  Picojoules logic;  ///< per column that is sensed: what the amplifier takes beyond reads
  Picoseconds time;  ///< beyond a read and what each further sense takes
};

struct Cell {
  /// Per bit.
  struct Read {
    Picojoules bitlines, cell, sense;
    Picoseconds time;  ///< until the amplifier can tell
  };
  struct Write {
    Picojoules bitlines, cell, driver;
    Picoseconds time;  ///< the pulse
  };

  std::string name;   ///< "sram"
  std::string about;  ///< what it is
  int nanometres = 0;
  double area = 0;     ///< in squares of the feature size
  double leakage = 0;  ///< of a 6T SRAM cell's with the same transistors
  Read read;
  Write write;
  std::map<Operation, Steps> operations;
  std::map<std::string, machine::Number> numbers;  ///< by path, with source and confidence
};

/// Reads a cell from text; `file` names it in messages. Diagnostics: those of machine files ("unknown-key",
/// "missing-key", "bare-number", "wrong-unit", "missing-source", "impossible-value", ...).
Result<Cell> parseCell(std::string_view yaml, std::string_view file);

/// `nameOrFile`: a name, looked up as cells/NAME.yaml in `folders` (those of machine files), or a path that ends in
/// .yaml. Diagnostics: "unknown-cell" (did you mean), an unreadable file, those of parseCell().
Result<Cell> loadCell(std::string_view nameOrFile, const std::vector<std::string> &folders);

/// Names of cells found in `folders`, sorted.
std::vector<std::string> listCells(const std::vector<std::string> &folders);

}  // namespace pimento::energy::array
