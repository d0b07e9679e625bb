// Stages of a program of a host: what it executes, and what caches could make of it.
#pragma once

#include <string>
#include <string_view>

#include "pimento/driver/options.h"

namespace pimento::driver {

/// Whether some target has the stage for programs of a host.
bool isProgramStage(std::string_view stage);

/// The text of a stage of INPUT, a program or a saved trace. With `-o` it goes to that file as the program runs, and
/// the result is empty; else it is of the first kMostInstructionsShown instructions unless --max-instructions says
/// more. Diagnostics: those of runProgram and of Target::stageWriter, unwritable-file.
Result<std::string> emitProgramStage(const Options &options);

inline constexpr std::int64_t kMostInstructionsShown = 10'000;

}  // namespace pimento::driver
