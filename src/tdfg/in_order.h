// A program's streams on memory that its arrays may share: element by element, in the order of the source's loops.
//
// What a core does where arrays overlap at run time: nothing is gathered or delayed, so a store is seen by every load
// behind it. Slow; the executor for arrays apart is execute.h. Loops that the front end has split run one after the
// other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Where an array lies; null: a temporary, which gets memory of its own.
struct Memory {
  std::byte *data = nullptr;
  std::int64_t pitch = 0;  ///< elements from one row to the next
};

/// Runs the program; `memory` by array. Diagnostics: index-out-of-range, overlap-form (sums that begin from an
/// identity, selections and loops that data bound have no order of single elements).
Status executeInOrder(const Program &program, const Values &values, const std::vector<Memory> &memory);

}  // namespace pimento::tdfg
