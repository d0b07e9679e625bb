// The DPU half of compiled programs in C, for people with hardware (`compile --emit c`), and what ties it to a host
// half.
//
// The text of a kernel is what is compiled and simulated (writer.h). One variable is added, which no instruction reads:
// which text it is, and what it was built for. The host half (host_writer.h) compares before it launches. Sizes and
// tiles are arguments that the host writes, so that halves of different mappings go together as long as text,
// tasklets and stacks are the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pimento/targets/upmem/compiled/lower.h"

namespace pimento::targets::upmem::compiled {

/// The words of FINGERPRINT that a kernel's host half asks for, as C: a hash of the text in two, tasklets, bytes of
/// stack.
std::vector<std::string> fingerprintOf(const Source &source);

/// A comment with the mapping, and the command that builds the program of kernel `number`; 0 where there is no other.
std::string buildComment(const Source &source, std::size_t number);

/// One file. Of several kernels each is a program of its own: -DKERNEL=1, 2, ... says which.
std::string writeDpu(std::span<const Source> sources);

}  // namespace pimento::targets::upmem::compiled
