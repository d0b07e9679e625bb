// Where the time of one token comes from: layers, tasks on the longest way, formulas, numbers of the host with their
// sources. Programs of PIM devices are explained by a command of their own, which the leaf names.
#pragma once

#include <cstdint>
#include <string>

#include "pimento/evaluate/derivation.h"
#include "pimento/llm/capacity.h"
#include "pimento/llm/system.h"

namespace pimento::llm {

/// The last step of generation, as placed. `key`: "token", or a layer of it, "token.qkv". Diagnostics: unknown-number,
/// those of System::stage.
Result<evaluate::DerivationPtr> explainToken(const System &system, const Model &model, const Workload &workload,
                                             const Placement &placement, const std::string &key);

}  // namespace pimento::llm
