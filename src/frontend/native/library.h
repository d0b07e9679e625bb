// The library functions that a text may call when it runs on this machine.
//
// exp, log, tanh and pow of single precision are those of double precision rounded once, pow is exp(y log |x|) or a
// product, and minimum and maximum take -0 below +0: what kernels compute, where C leaves it open. Nothing that reads,
// writes or asks the system.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pimento::frontend {

/// Names and addresses. Besides functions of C: what LLVM calls to convert halves, and how Clang's checks report what
/// a text left undefined.
const std::vector<std::pair<std::string, void *>> &libraryFunctions();

}  // namespace pimento::frontend
