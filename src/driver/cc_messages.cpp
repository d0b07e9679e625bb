#include "pimento/driver/cc_messages.h"

#include <fmt/format.h>

namespace pimento::driver {

namespace {

/// What Clang says bears its own mark, [-Wflag], and no code of ours.
std::string headOf(const Diagnostic &d) {
  Diagnostic head = d;
  head.hint.clear();
  if (!d.isClangs) return head.str();
  head.code.clear();
  const std::size_t flag = head.message.rfind(" (-W");
  if (flag != std::string::npos && head.message.ends_with(')'))
    head.message =
        head.message.substr(0, flag) + " [" + head.message.substr(flag + 2, head.message.size() - flag - 3) + "]";
  return head.str();
}

std::string counted(int n, const char *what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

void CcMessages::add(const Diagnostics &diagnostics) {
  for (const Diagnostic &d : diagnostics) {
    errors_ += d.severity == Severity::kError;
    warnings_ += d.severity == Severity::kWarning;
    text_ += headOf(d) + "\n";
    constexpr std::size_t kWidest = 400;
    const std::string *source = lines_.line(d.where.file, d.where.line);
    if (source != nullptr && source->size() <= kWidest) {
      text_ += *source + "\n";
      const auto column = static_cast<std::size_t>(d.where.column);
      if (column >= 1 && column <= source->size() + 1) {
        std::string caret = source->substr(0, column - 1);
        for (char &c : caret)
          if (c != '\t') c = ' ';
        text_ += caret + "^\n";
      }
    }
    if (!d.hint.empty()) text_ += "  hint: " + d.hint + "\n";
  }
}

std::string CcMessages::text() const {
  if (errors_ + warnings_ == 0) return text_;
  std::string count = warnings_ > 0 ? counted(warnings_, "warning") : "";
  if (errors_ > 0) count += (count.empty() ? "" : " and ") + counted(errors_, "error");
  return text_ + count + " generated.\n";
}

}  // namespace pimento::driver
