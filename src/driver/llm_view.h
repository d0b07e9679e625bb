// What `llm` answers, as JSON and as text for a terminal.
#pragma once

#include <string>

namespace pimento::driver {

struct LlmAnswer;

/// One object, with all numbers in full: phases with their layers, memories, what was chosen among what.
/// `depth`: of the tree of a number that is explained.
std::string llmJson(const LlmAnswer &answer, int depth);
/// Of an answer that explains a number, its tree alone.
std::string llmTable(const LlmAnswer &answer, int depth);

}  // namespace pimento::driver
