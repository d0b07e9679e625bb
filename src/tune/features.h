// What the predictor sees of a candidate: numbers of its kernel, of its mapping, and of the machine.
//
// Sizes are base-2 logarithms. Of a kernel: extents, points, bytes, operations. Of a mapping: by how much each dim is
// divided over groups, units, banks, threads and lanes, what is left to one of them, and what follows for the operands:
// elements of a tile, bytes of all tiles (those that several units hold counted for each), how many units share a
// sum. Of a machine: its numbers by path. A value that there is none of is NaN.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pimento/mapping/mapping.h"

namespace pimento::machine {
struct Machine;
}

namespace pimento::tune {

struct Problem;

/// Of kernels and mappings; the same for every problem.
const std::vector<std::string> &featureNames();

class Features {
 public:
  explicit Features(const Problem &problem);

  /// Writes featureNames().size() numbers.
  void of(const mapping::Mapping &mapping, std::span<float> out) const;

 private:
  struct Operand {
    std::vector<std::int64_t> reach;  ///< by dim, how far its indices move in all with it; 0: it stays
    std::int64_t bytes = 1;           ///< of an element
  };

  const Problem &problem_;
  std::vector<float> kernel_;  ///< those that all mappings share
  std::vector<Operand> operands_;
};

}  // namespace pimento::tune
