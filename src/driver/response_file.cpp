#include "pimento/driver/response_file.h"

#include <fmt/format.h>

#include <utility>

#include "pimento/base/file.h"

namespace pimento::driver {

namespace {

constexpr int kDeepest = 32;

bool isSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Status expand(const std::vector<std::string> &arguments, int depth, std::vector<std::string> &out) {
  for (const std::string &a : arguments) {
    const Result<std::string> text = a.size() > 1 && a[0] == '@' ? readFile(a.substr(1)) : Result<std::string>(a);
    if (a.size() < 2 || a[0] != '@' || !text) {
      out.push_back(a);
      continue;
    }
    if (depth == kDeepest)
      return usageError("response-file", a.substr(1), fmt::format("response files nested {} deep", kDeepest),
                        "check whether a file includes itself");
    const Result<std::vector<std::string>> inner = splitArguments(*text, a.substr(1));
    if (!inner) return inner.diagnostics();
    if (const Status s = expand(*inner, depth + 1, out); !s) return s;
  }
  return okStatus();
}

}  // namespace

Result<std::vector<std::string>> splitArguments(std::string_view text, const std::string &file) {
  std::vector<std::string> arguments;
  std::string argument;
  bool isOpen = false;  // an argument has begun, if only with quotes
  char quote = 0;
  int line = 1, quoteLine = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '\\' && i + 1 < text.size()) {
      argument += text[++i];
      if (text[i] == '\n') ++line;
      isOpen = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        argument += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      quoteLine = line;
      isOpen = true;
    } else if (isSpace(c)) {
      if (isOpen) arguments.push_back(std::exchange(argument, {}));
      isOpen = false;
    } else {
      argument += c;
      isOpen = true;
    }
  }
  if (quote != 0)
    return error("response-file", {file, quoteLine, 0}, fmt::format("unterminated quote {}", quote),
                 "escape a literal quote with \\");
  if (isOpen) arguments.push_back(std::move(argument));
  return arguments;
}

Result<std::vector<std::string>> expandResponseFiles(const std::vector<std::string> &arguments) {
  std::vector<std::string> all;
  if (const Status s = expand(arguments, 0, all); !s) return s.diagnostics();
  return all;
}

}  // namespace pimento::driver
