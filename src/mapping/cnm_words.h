// The words of CNM IR that stand for enumerators, for its printer and its parser. Internal to the room.
#pragma once

#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::mapping {

/// In the order of kernel::Role, DimKind, Form, Op and Combine.
const std::vector<std::string> &roleWords();
const std::vector<std::string> &kindWords();
const std::vector<std::string> &formWords();
const std::vector<std::string> &operationWords();
const std::vector<std::string> &combineWords();

/// What each point of a kernel does, a statement per line; names of tensors get the suffix. The text of DCC has it,
/// too.
std::string bodyText(const kernel::Graph &graph, const kernel::Kernel &kernel, const std::string &indent,
                     const std::string &suffix);

}  // namespace pimento::mapping
