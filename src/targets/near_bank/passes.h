// The optimiser's passes: what the lowering does for a machine beyond what any program needs. Each has a name by which
// a mapping leaves it out (`bank-group-order=0`, or `--pass -bank-group-order`); results are right without any of them,
// bit for bit those of the order of sums that the mapping then has.
//
// A new one is a row in passes.cpp, and a question `passes.has(...)` where the lowering decides
// (docs/how-to/optimiser-pass.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::near_bank {

enum class Pass : std::uint8_t {
  kOnChipBlocks,    ///< data move to the banks in blocks of on-chip memory / channels, not burst by burst
  kBankGroupOrder,  ///< reads and writes of a block go round the bank groups, not bank by bank
  kRowAlignment,    ///< tensors of a row of all banks or more begin with a row, so that their blocks are alike
  kGroupLoads,      ///< operands that banks share go to all of them by one command, not bank by bank
  kGroupMerge,      ///< the device adds up partial results of neighbouring banks, not the host
  kBatchReuse,      ///< weights are placed once for all vectors of a batch, not once for each
  kKvAppend,        ///< of weights that grow (append=N) the new rows alone are placed, not all of them
};

struct PassRow {
  Pass pass{};
  std::string_view name;   ///< as mappings have it
  std::string_view about;  ///< one line
  /// Whether a machine has what it takes.
  bool (*isFor)(const machine::Machine &machine) = nullptr;
};
/// All, in the order in which a program comes into being.
std::span<const PassRow> passes();
std::vector<std::string> passNames();

/// The passes that a mapping leaves in, on a machine that has what they take.
class Passes {
 public:
  Passes(const mapping::Mapping &mapping, const machine::Machine &machine);
  bool has(Pass pass) const { return (on_ >> static_cast<unsigned>(pass) & 1U) != 0; }

 private:
  std::uint32_t on_ = 0;
};

/// One line per pass: whether it is in a mapping's program, and what it does (`compile --emit passes`).
std::string print(const mapping::Mapping &mapping, const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
