// The optimiser's passes: what the lowering does for a machine beyond what any program needs. Each has a name by which
// a mapping leaves it out (`bank_group_order=0`, or `--pass -bank_group_order`); results are right without any of them,
// bit for bit those of the order of sums that the mapping then has.
//
// A new one is a name (mapping/passes.h), a row in passes.cpp, and a question `passes.has(...)` where the lowering
// decides (docs/how-to/optimiser-pass.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "pimento/mapping/passes.h"

namespace pimento::targets::near_bank {

using mapping::Pass;

struct PassRow {
  Pass pass{};
  std::string_view about;  ///< one line
  /// Whether a machine has what it takes.
  bool (*isFor)(const machine::Machine &machine) = nullptr;
};
/// All, in the order in which a program comes into being.
std::span<const PassRow> passes();

/// The passes that a mapping leaves in, on a machine that has what they take.
class Passes {
 public:
  Passes(const mapping::Mapping &mapping, const machine::Machine &machine);
  bool has(Pass pass) const { return (on_ >> static_cast<unsigned>(pass) & 1U) != 0; }

 private:
  std::uint32_t on_ = 0;
};

/// Whether operands that all banks of a channel share go to them by one command: where there is such a command, and the
/// pass is in or no other way is there.
bool loadsGroups(const Passes &passes, const machine::NearBankUnit &unit);

/// One line per pass that a mapping leaves out.
std::vector<std::string> leftOut(const mapping::Mapping &mapping, const machine::Machine &machine);
/// One line per pass: whether it is in a mapping's program, and what it does (`compile --emit passes`).
std::string print(const mapping::Mapping &mapping, const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
