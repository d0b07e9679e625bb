// A kernel as a C program for one core: loops in the order of the mapping, tensors as arrays of one structure.
//
// Freestanding, with a start of its own; the function `kernel` alone is what runs are about. Results are accumulated in
// memory order of the points, in the tensor's type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/evaluate/target.h"

namespace pimento::targets::cim {

/// Where the program's variables lie.
inline constexpr std::uint64_t kVariablesAt = 0x100'0000;
/// Its function that is measured.
inline constexpr const char *kFunction = "kernel";

struct Source {
  /// One array of the program; in the order of their addresses.
  struct Array {
    int tensor = -1;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
  };
  std::string text;
  std::vector<Array> arrays;
  std::int64_t bytes = 0;  ///< of all variables
  /// Values of the outermost loop, the first and the one behind the last, as two numbers of 64 bits at kVariablesAt.
  std::int64_t outermost = 1;
  bool isSliceable = false;  ///< the loop takes them
};

/// Dims as the mapping nests them, outermost first.
std::vector<int> nestOf(const kernel::Kernel &kernel, const mapping::Mapping &mapping);
/// Whether dims may be nested in any order but for those of reductions, which keep theirs.
bool mayReorder(const kernel::Kernel &kernel);

/// Whether dims in this order give the results of the kernel's own.
bool keepsResults(const kernel::Kernel &kernel, const std::vector<int> &nest);

/// Diagnostics: "unsupported-kernel" (what a core without a library does not have, lists of several rows),
/// "illegal-mapping" (an order in which the results would be others).
Result<Source> writeSource(const evaluate::GraphPart &part, const mapping::Mapping &mapping);

/// Whether values of operands decide which instructions run, or on which addresses.
bool dataDecide(const kernel::Kernel &kernel);

}  // namespace pimento::targets::cim
