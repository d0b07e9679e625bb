// Stages of the data-centric compiler: dimension sets of a kernel, and the drafts of one on a machine.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {

/// "dims", "drafts".
std::span<const std::string_view> draftStages();
bool isDraftStage(std::string_view stage);

/// The text of a stage.
std::string emitDraftStage(std::string_view stage, const kernel::Graph &graph, const machine::Machine &machine);

}  // namespace pimento::driver
