// Where the time of a machine-code program went: by function and by source line.
//
// Counted, not sampled: the engine says for every instruction how often it issued and how long its tasklets waited for
// the transfers it started. Not here: waiting for a turn in the pipeline and for other tasklets, which belongs to no
// line alone (attempts that fail are slots, and counted).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pimento/base/units.h"
#include "pimento/program/code.h"

namespace pimento::evaluate {

struct ProfileRow {
  std::string function;  ///< empty: no symbol says
  std::string file;      ///< of lines; empty: unknown
  int line = 0;          ///< 0: unknown, or a function
  std::string text;      ///< the line itself, where somebody could read it
  std::int64_t slots = 0;
  Cycles waited;  ///< for transfers, all tasklets together

  bool operator==(const ProfileRow &) const = default;
};

/// Rows by what they took of the tasklets' time at least, `interval` cycles per slot and the waits; most first. Rows
/// without slots are left out.
struct Profile {
  std::vector<ProfileRow> functions, lines;
  std::int64_t slots = 0;
  Cycles waited, interval;

  /// Cycles of tasklets that `row` took at least.
  Cycles least(const ProfileRow &row) const { return interval * row.slots + row.waited; }
  Cycles least() const { return interval * slots + waited; }

  bool operator==(const Profile &) const = default;
};

/// By instruction: how often it issued, and the cycles that tasklets waited for transfers it started. Instructions
/// beyond the code (loaded at run time) have no function.
Profile profileOf(const program::Code &code, std::span<const std::int64_t> issued, std::span<const std::int64_t> waited,
                  Cycles interval);

}  // namespace pimento::evaluate
