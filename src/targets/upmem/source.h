// `compile --emit c`, `--emit host` and `--emit ir`: the programs that kernels become, before the back end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pimento/evaluate/evaluator.h"

namespace pimento::targets::upmem {

/// C against UPMEM's interface, the DPU half or the host half (needs no compiler), or LLVM IR after optimisation;
/// nothing for other stages. `reference` stands for the first mapping that `auto` would look at: the measured programs
/// have neither; so does `auto` where there is no compiler. Diagnostics: those of the lowering, of Clang and of the
/// back end.
std::optional<Result<std::string>> emitSource(std::string_view stage, const evaluate::Request &request);

}  // namespace pimento::targets::upmem
