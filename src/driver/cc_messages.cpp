#include "pimento/driver/cc_messages.h"

#include <fmt/format.h>

#include <filesystem>

#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/dpu/include.h"
#include "pimento/dpu/runtime.h"
#include "pimento/dpu/runtime_c.h"

namespace pimento::driver {

namespace {

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (const std::string_view l : split(text, '\n'))
    lines.emplace_back(l.ends_with('\r') ? l.substr(0, l.size() - 1) : l);
  return lines;
}

std::string contentsOf(const std::string &file) {
  // Headers and sources that are part of Pimento.
  for (const dpu::IncludeFile &f : dpu::includeFiles())
    if (file == "include/" + f.name) return f.text;
  for (const dpu::CRuntimeFile &f : dpu::cRuntimeFiles())
    if (file == "runtime/" + f.name) return f.text;
  for (const dpu::RuntimeFile &f : dpu::runtimeFiles())
    if (file == "runtime/" + f.name) return f.text;
  std::error_code problem;
  constexpr std::uintmax_t kLargest = 16U << 20;
  if (!std::filesystem::is_regular_file(file, problem) || std::filesystem::file_size(file, problem) > kLargest ||
      problem)
    return {};
  const Result<std::string> text = readFile(file);
  return text ? *text : std::string();
}

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

void CcMessages::know(const std::string &file, const std::string &text) {
  files_[file] = linesOf(text);
}

const std::string *CcMessages::line(const Location &where) {
  if (where.file.empty() || where.line < 1) return nullptr;
  const auto [at, isNew] = files_.try_emplace(where.file);
  if (isNew) at->second = linesOf(contentsOf(where.file));
  const auto n = static_cast<std::size_t>(where.line);
  return n <= at->second.size() ? &at->second[n - 1] : nullptr;
}

void CcMessages::add(const Diagnostics &diagnostics) {
  for (const Diagnostic &d : diagnostics) {
    errors_ += d.severity == Severity::kError;
    warnings_ += d.severity == Severity::kWarning;
    text_ += headOf(d) + "\n";
    constexpr std::size_t kWidest = 400;
    const std::string *source = line(d.where);
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
