// A kernel cut into kernels that different machines compute.
//
// Body values belong to a side. A value that another side needs, or a later part of its own, goes through a temporary
// over the dims that it depends on, so that it is computed once for each of their points. Types and the order of
// operations stay, so the parts give the same bits as the whole. Not here: who computes what (targets), which kernels
// need it.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

enum class Side : std::uint8_t {
  kAny,  ///< wherever it is needed: loads and constants
  kDevice,
  kHost,
};

struct Cutting {
  std::vector<Side> values;   ///< by body value
  std::vector<bool> isApart;  ///< by body value: what uses it on its own side is a later part
  std::vector<Side> stores;   ///< by store: who accumulates; of assignments kAny
};

/// Whether parts can stand for the kernel: its form is affine and neither data nor earlier points decide what runs.
bool canBeCut(const Kernel &kernel);

/// The parts in the order they run, at least one; `graph`, which the kernel belongs to, gets the temporaries.
std::vector<Kernel> cut(Graph &graph, const Kernel &kernel, const Cutting &cutting);

}  // namespace pimento::kernel
