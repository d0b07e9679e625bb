// Passes of optimisers that a mapping can leave out: `;bank_group_order=0`. What they do, targets know
// (targets/near_bank/passes.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::mapping {

enum class Pass : std::uint8_t {
  kOnChipBlocks,    ///< data move to the banks in blocks of on-chip memory / channels, not burst by burst
  kBankGroupOrder,  ///< reads and writes of a block go round the bank groups, not bank by bank
  kRowAlignment,    ///< tensors of a row of all banks or more begin with a row, so that their blocks are alike
  kGroupLoads,      ///< operands that banks share go to all of them by one command, not bank by bank
  kGroupMerge,      ///< the device adds up partial results of neighbouring banks, not the host
  kBatchReuse,      ///< weights are placed once for all vectors of a batch, not once for each
  kKvAppend,        ///< of weights that grow (append=N) the new rows alone are placed, not all of them
};

/// The least number that a parameter of mappings may have: those that choose count from 0.
std::int64_t leastOf(std::string_view parameter);

/// As the notation has them, by number.
const std::vector<std::string> &passNames();
std::string_view name(Pass pass);

}  // namespace pimento::mapping
