// Numbers with their units, as machine files write them: "14 cycle", "0.44 pJ/bit", "0x17ff row".
//
// Not a unit algebra: each place of a machine file accepts a few units (schema), of which the first is canonical.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::machine {

struct Quantity {
  double value = 0;
  std::string unit;  ///< empty: a bare number
};

/// Reads "NUMBER UNIT"; the unit may be missing. Empty if `text` does not start with a finite number.
std::optional<Quantity> parseQuantity(std::string_view text);

/// The units of a schema row ("cycle|ns"), canonical first.
std::vector<std::string> unitsOf(std::string_view alternatives);

/// Factor that takes a number in `unit` to `canonical` ("KiB" to "B": 1024). Empty where the two are not multiples of
/// each other; cycles against times need the clock and have none.
std::optional<double> unitFactor(std::string_view unit, std::string_view canonical);

}  // namespace pimento::machine
