// A scheme as a DPU program in UPMEM's C interface, with the arguments that the host gives it.
//
// The text depends on the structure alone: the nest, which dims have tiles or are split over tasklets, types, the body.
// Extents, tiles, pitches and places in memory are arguments, so that one text serves all mappings of a structure. It
// is what is compiled, and what `compile --emit c` prints for people with hardware (dpu_half.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

/// An entry of `struct arguments`, 4 bytes.
struct Argument {
  enum class Kind : std::uint8_t { kSame, kValid, kBase } kind = Kind::kSame;
  std::string name;
  std::int64_t value = 0;  ///< kSame
  int dim = -1;            ///< kValid: how many of its values a DPU has; kBase: the first of them
};

struct Written {
  std::string text;
  std::vector<Argument> arguments;
};

Written writeProgram(const Scheme &scheme);

}  // namespace pimento::targets::upmem::compiled
