// One number of a machine file, with where it comes from and how far it can be trusted.
//
// Not here: which numbers there are (schema.h) and what they mean (sections/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento::machine {

enum class Confidence : std::uint8_t { kMeasured, kDatasheet, kPaper, kAssumed };
std::string_view name(Confidence c);

/// One number of a machine file. `path` is its dotted place ("timing.tRP", "energy.act_pre").
struct Number {
  std::string path;
  double value = 0;
  std::string unit;  ///< as written: "cycle", "ns", "pJ/bit", "GB/s", "mW", "count", ...
  std::string source;
  Confidence confidence = Confidence::kAssumed;
  std::optional<double> low, high;  ///< range where sources disagree, same unit
  Location where;
  bool overridden = false;  ///< by --set
  double canonical = 0;     ///< value in the first unit that schema() names for it, so "1 KiB" is 1024
  std::string canonicalUnit;
  std::string formula;  ///< derived numbers: the formula as written; source is that of the formula
};

}  // namespace pimento::machine
