// A core's pipeline as a timeline: every instruction from its fetch to its commit, with what it waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "pimento/machine/machine.h"
#include "pimento/trace/stream.h"

namespace pimento::targets::cim {

/// Instructions that a timeline has at most; it says so where there were more.
inline constexpr std::int64_t kMostInstructionsDrawn = 100'000;

/// Writes trace events (emit/trace_events.h) of the stream that it is given. `machine` has a core and outlives it.
std::unique_ptr<trace::Consumer> pipelineWriter(const machine::Machine &machine,
                                                std::function<void(std::string_view)> write);

}  // namespace pimento::targets::cim
