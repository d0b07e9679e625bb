// The words of CNM IR that stand for enumerators, for its printer and its parser. Internal to the room.
#pragma once

#include <string>
#include <vector>

namespace pimento::mapping {

/// In the order of kernel::Role, DimKind, Form, Op and Combine.
const std::vector<std::string> &roleWords();
const std::vector<std::string> &kindWords();
const std::vector<std::string> &formWords();
const std::vector<std::string> &operationWords();
const std::vector<std::string> &combineWords();

}  // namespace pimento::mapping
