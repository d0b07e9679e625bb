#include <algorithm>

#include "pimento/driver/options.h"

namespace pimento::driver {

Outcome failure(Diagnostics diagnostics) {
  // A wrong answer of a compiled program is our mistake, not the user's.
  const bool isOurs = std::any_of(diagnostics.begin(), diagnostics.end(),
                                  [](const Diagnostic &d) { return d.kind == DiagnosticKind::kOurs; });
  return {"", std::move(diagnostics), isOurs ? 3 : 1};
}

Outcome show(const std::string &text, const Options &) {
  return {text, {}, 0};
}

void locate(Diagnostics &diagnostics, const Options &options) {
  for (Diagnostic &d : diagnostics)
    if (d.where.file.empty()) d.where.file = options.input;
}

}  // namespace pimento::driver
