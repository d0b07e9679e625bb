#include "pimento/base/text.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace pimento {

namespace {
constexpr std::string_view kWhite = " \t\r\n\f\v";
}

std::string lowerCase(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (true) {
    const auto end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(const std::vector<std::string> &parts, std::string_view separator) {
  std::string s;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) s += separator;
    s += parts[i];
  }
  return s;
}

std::string shellLine(const std::vector<std::string> &words) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=,:+@%";
  std::string line;
  for (const std::string &word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  const bool isNegative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (text.empty() || status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (magnitude > kMax + (isNegative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(isNegative ? 0 - magnitude : magnitude);
}

std::optional<double> parseNumber(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  double x = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (text.empty() || status != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) {
    return std::nullopt;
  }
  return x;
}

std::string numberText(double x) {
  char buffer[32];
  if (std::fabs(x) < 1e15 && x == std::floor(x) && !(x == 0 && std::signbit(x))) {
    const auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(x));
    return std::string(buffer, end);
  }
  const auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, x);
  return std::string(buffer, end);
}

}  // namespace pimento
