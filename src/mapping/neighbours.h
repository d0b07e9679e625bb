// Mappings that differ from one by a single step, for searches that go from a good mapping to better ones.
#pragma once

#include <optional>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// Each takes one prime factor of one dim at one level to another dim or to another level, or drops it, or splits a
/// range once more. Factors stay within the levels' counts, ranges cover the dims, and no instance is without work.
/// Extensions are those of `mapping`; whether a target takes them is not said. None of mappings with several subspaces,
/// with by(...), or over other dims than the kernel's. No text.
std::vector<Mapping> neighbours(const Mapping &mapping, const kernel::Kernel &kernel,
                                const std::vector<machine::Level> &levels);

/// The mapping with the ranges that `kernel` needs, whose dims are those of the kernel it was made for in other
/// extents; even ranges stay even. None where it has several subspaces, by(...) or other dims.
std::optional<Mapping> fitted(Mapping mapping, const kernel::Kernel &kernel, const std::vector<machine::Level> &levels);

}  // namespace pimento::mapping
