// What a program executed, as text: instructions with their accesses, what probes in the core would record of them,
// whose values they use, and the trees that caches could compute.
//
// One pass, one line after the other, with memory for a window alone: a program of any length can be shown.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "pimento/machine/machine.h"
#include "pimento/trace/stream.h"

namespace pimento::targets::cim {

/// "trace" "istate" "idg" "candidates" "release" "pipeline".
std::span<const std::string_view> stageNames();

using Write = std::function<void(std::string_view)>;

/// Writes a stage of the stream that it is given, line by line. `machine` has passed the target's check and outlives
/// it.
std::unique_ptr<trace::Consumer> stageWriter(std::string_view stage, const machine::Machine &machine, Write write);

}  // namespace pimento::targets::cim
