#include "pimento/driver/engine.h"

#include <fmt/format.h>

#include "pimento/base/suggest.h"

namespace pimento::driver {

std::string_view name(Engine e) {
  switch (e) {
    case Engine::kSimulate:
      return "simulate";
    case Engine::kFastForward:
      return "fast-forward";
    case Engine::kTwoSlice:
      return "two-slice";
  }
  PIMENTO_CHECK(!"an engine without a name");
  return {};
}

Result<Engine> engineOf(const Options &options, Engine usual, const std::vector<Engine> &allowed) {
  if (options.engine.empty()) return usual;
  std::vector<std::string> names;
  for (const Engine e : allowed) {
    if (options.engine == name(e)) return e;
    names.emplace_back(name(e));
  }
  return error("unknown-engine", {"--engine", 0, 0}, fmt::format("there is no engine '{}' here", options.engine),
               suggest(options.engine, names));
}

std::optional<evaluate::TwoSlice> twoSliceOf(const Options &options, Engine engine) {
  if (engine != Engine::kTwoSlice) return std::nullopt;
  return evaluate::TwoSlice{options.alpha};
}

}  // namespace pimento::driver
