// A set: whose numbers hold for memory arrays (machines/arrays/*.yaml), as sums of terms or as a table.
//
// Published and measured numbers for one array differ by up to 12 times, since models mean different things (banks,
// ports, what is optimised), so each set is modelled by itself and nothing is mixed. Terms were fitted by
// scripts/fit_arrays.py to rows of validation/cim: their form is ours, five for each quantity, after what bit-lines,
// H-trees, edges and areas of arrays grow with. Not here: what terms mean for one array (cost.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/energy/array/array.h"
#include "pimento/energy/array/cell.h"
#include "pimento/machine/number.h"

namespace pimento::energy::array {

/// Coefficients of one quantity (pJ, ns, mW, mm2), none negative. Sizes are in KiB.
struct Terms {
  double column = 0;    ///< per bit and way read
  double wires = 0;     ///< per bit and square root of the size
  double edge = 0;      ///< per square root of the size
  double size = 0;      ///< per KiB
  double constant = 0;  ///< for every array
  double tags = 0;      ///< per square root of the size, where tags come before data
};

/// Stands for every type of device, where a set's source does not say which it has.
inline constexpr const char *kAnyDevice = "any";

/// What a set knows of one cell with one type of device.
struct Model {
  std::optional<Terms> read, write;            ///< energy
  std::optional<Terms> latency, writeLatency;  ///< writes take as long as reads where there is no such row
  std::optional<Terms> leakage, area;
  std::map<Operation, Terms> operations;  ///< energy beyond a read
};

/// An array whose energies are given as such.
struct TableRow {
  std::string cell;
  Bytes size, line;
  int ways = 0;
  Picojoules read;
  std::map<Operation, Picojoules> operations;
};

struct Set {
  std::string name;   ///< "cacti7"
  std::string about;  ///< what it is and is not
  int nanometres = 0;
  std::vector<std::string> access;                             ///< modes that its rows have
  Bytes smallest, largest;                                     ///< arrays among its rows
  std::map<std::string, std::map<std::string, Model>> models;  ///< by cell, then device or kAnyDevice
  std::vector<TableRow> table;                                 ///< then it has no models
  std::optional<Cell> reference;  ///< what its rows are made of; other cells are scaled from it
  /// Of what a read or write takes outside of columns, the share of decoders: for terms without `edge` and `constant`,
  /// whose fit leaves both in `wires` and `size`.
  std::optional<double> decodeShare;
  std::optional<double> leakageInCells;            ///< share, of arrays of `reference`
  std::map<std::string, machine::Number> numbers;  ///< by path, with source and confidence
};

/// Reads a set from text. Its reference cell is looked up in `folders`. Diagnostics: those of machine files, of
/// loadCell(), and "impossible-set".
Result<Set> parseSet(std::string_view yaml, std::string_view file, const std::vector<std::string> &folders);

/// `nameOrFile`: a name, looked up as arrays/NAME.yaml in `folders` (those of machine files), or a path that ends in
/// .yaml. Diagnostics: "unknown-set" (did you mean), an unreadable file, those of parseSet().
Result<Set> loadSet(std::string_view nameOrFile, const std::vector<std::string> &folders);

/// Names of sets found in `folders`, sorted.
std::vector<std::string> listSets(const std::vector<std::string> &folders);

}  // namespace pimento::energy::array
