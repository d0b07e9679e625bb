// The host half of compiled programs in C against UPMEM's host interface: for people with hardware.
//
// Gathers operands, writes arguments, launches, and puts results together as Plan and Collector (layout.h) do, with the
// mapping's numbers written in. It goes with the DPU half (dpu_half.h), and says so before a launch. Values in padding
// are zero.
#pragma once

#include <span>
#include <string>

#include "pimento/targets/upmem/compiled/lower.h"

namespace pimento::targets::upmem::compiled {

/// One file for all kernels of a graph, in order: a function run_KERNEL(binary, tensors...) for each, of several also
/// run_GRAPH(binaries, tensors...) with what they hand on, and a `main` that fills operands with a fixed pattern and
/// prints a checksum (64-bit FNV-1a) of each result.
std::string writeHost(std::span<const Source> sources);

}  // namespace pimento::targets::upmem::compiled
