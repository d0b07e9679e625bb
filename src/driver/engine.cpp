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
    case Engine::kExact:
      return "exact";
    case Engine::kPredictor:
      return "predictor";
    case Engine::kPredictorOnly:
      return "predictor-only";
  }
  PIMENTO_CHECK(!"an engine without a name");
  return {};
}

namespace {

/// Nothing ignores `--alpha`.
Result<Engine> withAlpha(const Options &options, Engine engine) {
  if (options.alpha && engine != Engine::kTwoSlice)
    return usageError("alpha-without-two-slice", "--alpha", fmt::format("{} has no alpha", name(engine)),
                      "use --engine two-slice, or omit --alpha");
  if (const Status s = checkAlpha(options); !s) return s.diagnostics();
  return engine;
}

}  // namespace

Status checkAlpha(const Options &options) {
  if (!options.alpha || (*options.alpha > 0 && *options.alpha <= 1)) return okStatus();
  return usageError("bad-alpha", "--alpha", fmt::format("alpha is {}", *options.alpha),
                    "use a number above 0 and up to 1");
}

Result<Engine> engineOf(const Options &options, Engine usual, const std::vector<Engine> &allowed) {
  if (options.engine.empty()) return withAlpha(options, usual);
  std::vector<std::string> names;
  for (const Engine e : allowed) {
    if (options.engine == name(e)) return withAlpha(options, e);
    names.emplace_back(name(e));
  }
  return usageError("unknown-engine", "--engine", fmt::format("unknown engine '{}'", options.engine),
                    suggest(options.engine, names));
}

std::optional<evaluate::TwoSlice> twoSliceOf(const Options &options, Engine engine) {
  if (engine != Engine::kTwoSlice) return std::nullopt;
  return options.alpha ? evaluate::TwoSlice{*options.alpha} : evaluate::TwoSlice{};
}

}  // namespace pimento::driver
