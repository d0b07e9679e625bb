#include "pimento/emit/run.h"

#include <nlohmann/json.hpp>

namespace pimento::emit {

nlohmann::ordered_json toJson(const RunText &run) {
  nlohmann::ordered_json out = {{"verb", run.verb}, {"input", run.input}};
  for (const RunOption &o : run.options)
    std::visit([&](const auto &value) { out[std::string(o.key)] = value; }, o.value);
  out["command"] = run.command;
  out["version"] = run.version;
  out["machine"] = run.machine;
  return out;
}

}  // namespace pimento::emit
