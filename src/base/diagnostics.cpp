#include "pimento/base/diagnostics.h"

namespace pimento {

std::string Location::str() const {
  std::string s = file;
  if (line > 0) {
    s += (s.empty() ? "" : ":") + std::to_string(line);
    if (column > 0) s += ":" + std::to_string(column);
  }
  return s;
}

std::string Diagnostic::str() const {
  static constexpr const char *kNames[] = {"error", "warning", "note"};
  std::string s = where.str();
  if (!s.empty()) s += ": ";
  s += kNames[static_cast<int>(severity)];
  s += ": " + message;
  if (!code.empty()) s += " [" + code + "]";
  if (!hint.empty()) s += "\n  hint: " + hint;
  return s;
}

Diagnostic error(std::string code, Location where, std::string message, std::string hint) {
  return {Severity::kError, std::move(code), std::move(where), std::move(message), std::move(hint)};
}

}  // namespace pimento
