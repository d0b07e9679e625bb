// Kernels in C as programs of a host's core: Clang (room `frontend`), ld.lld-19 as a child process, and the interpreter
// of room `guest`.
//
// May be used by several threads at once.
#pragma once

#include <memory>

#include "pimento/trace/host_tools.h"

namespace pimento::driver {

/// Null where Pimento was built without LLVM.
std::unique_ptr<trace::HostTools> makeHostTools();

}  // namespace pimento::driver
