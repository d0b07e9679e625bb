// Requests to a served language model: when each arrives, how long its prompt is, how many tokens it wants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"

namespace pimento::llm {

struct Request {
  Picoseconds arrival;
  std::int64_t prompt = 1, output = 1;  ///< tokens
};

/// A CSV table with the columns prompt, output, and the arrival in a column that says its unit: arrival_s, arrival_ms
/// or arrival_us. `file` names it in messages. Diagnostics: requests-without-units, requests-columns, requests-value,
/// requests-go-back (arrivals fall).
Result<std::vector<Request>> readRequests(std::string_view text, const std::string &file);

}  // namespace pimento::llm
