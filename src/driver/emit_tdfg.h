// Stages of Infinity Stream, which know no machine: streams, tensor graphs, fat binaries.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/driver/options.h"
#include "pimento/tdfg/fat_binary.h"

namespace pimento::driver {

/// "sdfg", "tdfg", "inf".
std::span<const std::string_view> tensorStages();
bool isTensorStage(std::string_view stage);

/// INPUT as a fat binary; sizes stay names where the source leaves them open and `--size` does not set them.
/// Diagnostics: those of the front ends, tdfg-sizes, unknown-stage.
Result<tdfg::FatBinary> fatBinaryOf(const Options &options);

/// The text of a stage, or the bytes of a fat binary.
Result<std::string> emitTensorStage(const Options &options);

}  // namespace pimento::driver
