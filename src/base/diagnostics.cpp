#include "pimento/base/diagnostics.h"

#include <algorithm>

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

std::string_view name(DiagnosticKind kind) {
  static constexpr std::string_view kNames[] = {"usage",          "input", "unsupported", "capacity",
                                                "data-dependent", "fault", "ours"};
  return kNames[static_cast<std::size_t>(kind)];
}

Diagnostic error(std::string code, Location where, std::string message, std::string hint) {
  return error(DiagnosticKind::kInput, std::move(code), std::move(where), std::move(message), std::move(hint));
}

Diagnostic error(DiagnosticKind kind, std::string code, Location where, std::string message, std::string hint) {
  return {Severity::kError, kind, std::move(code), std::move(where), std::move(message), std::move(hint)};
}

Diagnostic usageError(std::string code, std::string option, std::string message, std::string hint) {
  return error(DiagnosticKind::kUsage, std::move(code), {std::move(option)}, std::move(message), std::move(hint));
}

Diagnostic unsupported(std::string code, Location where, std::string message, std::string hint) {
  return error(DiagnosticKind::kUnsupported, std::move(code), std::move(where), std::move(message), std::move(hint));
}

Diagnostic capacityError(std::string code, Location where, std::string message, std::string hint) {
  return error(DiagnosticKind::kCapacity, std::move(code), std::move(where), std::move(message), std::move(hint));
}

void rename(Diagnostics &diagnostics, std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  for (Diagnostic &d : diagnostics) {
    const auto other = std::find_if(names.begin(), names.end(), [&](const auto &n) { return n.first == d.code; });
    if (other != names.end()) d.code = other->second;
  }
}

}  // namespace pimento
