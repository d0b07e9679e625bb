// The host half of a compiled program in C against UPMEM's host interface: for people with hardware.
//
// Gathers operands, writes arguments, launches, and puts results together as Plan and Collector (layout.h) do, with the
// mapping's numbers written in. It goes with the text of writer.h for the same scheme. Values in padding are zero.
#pragma once

#include <string>

#include "pimento/lower/upmem/compiled/lower.h"

namespace pimento::lower::upmem::compiled {

/// A function run_KERNEL(binary, tensors...) and a `main` that fills the operands with a fixed pattern and prints a
/// checksum (64-bit FNV-1a) of each result. Diagnostics: unsupported-emit (graphs of several kernels; prefix sums that
/// several units share).
Result<std::string> writeHost(const Source &source);

}  // namespace pimento::lower::upmem::compiled
