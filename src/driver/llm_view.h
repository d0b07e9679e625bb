// What `llm` answers, as JSON and as text for a terminal.
#pragma once

#include <string>

namespace pimento::driver {

struct LlmAnswer;

/// One object, with all numbers in full: phases with their layers, memories, what was chosen among what.
std::string llmJson(const LlmAnswer &answer);
std::string llmTable(const LlmAnswer &answer);

}  // namespace pimento::driver
