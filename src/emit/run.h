// The options a result was made with: its `run` object.
//
// Which options there are, and what they are called, is driver/option_table.h's.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pimento::emit {

struct RunOption {
  std::string_view key;  ///< in the `run` object
  std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<std::string>> value;
};

struct RunText {
  std::string verb, input;
  std::vector<RunOption> options;
  std::vector<std::string> command;  ///< the words of the command line that repeats the run
  std::string version;               ///< of the Pimento that made the result
  std::string machine;               ///< a fingerprint of the machine's numbers
};

nlohmann::ordered_json toJson(const RunText &run);

}  // namespace pimento::emit
