// Headers of a C library as kernels see them: our own, so that a file means the same on every machine and needs no C
// library to be installed. Internal to the C front end.
//
// math.h and abs() declare what kernels may call; the rest is what files around kernels use (main, output, allocation,
// timers) and is never run.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace pimento::frontend {

/// Names ("math.h", "sys/time.h") and texts.
const std::vector<std::pair<std::string_view, std::string_view>> &kernelHeaders();

}  // namespace pimento::frontend
