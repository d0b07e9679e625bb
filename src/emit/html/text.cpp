#include "pimento/emit/html/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pimento/base/text.h"
#include "pimento/emit/format.h"

namespace pimento::emit::html {

namespace {

constexpr double kGroupedBelow = 1e7;
constexpr double kWholeBelow = 9e15;  // doubles below are exact integers, and fit the integer that is printed

bool isWhole(double x) {
  return std::abs(x) < kWholeBelow && x == std::floor(x);
}

struct Step {
  double factor;
  std::string_view name;
};

/// The largest step that leaves at least 1; the first for smaller values.
template <std::size_t N>
Step stepFor(const std::array<Step, N> &steps, double value) {
  Step best = steps.front();
  // 999.95 would print as "1000" with four digits.
  for (const Step &s : steps)
    if (std::abs(value) >= 0.99995 * s.factor) best = s;
  return best;
}

constexpr std::array<Step, 5> kTimes = {{{1e-3, "ps"}, {1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<Step, 5> kEnergies = {{{1, "pJ"}, {1e3, "nJ"}, {1e6, "µJ"}, {1e9, "mJ"}, {1e12, "J"}}};
constexpr std::array<Step, 4> kCounts = {{{1, ""}, {1e6, "million"}, {1e9, "billion"}, {1e12, "trillion"}}};
constexpr std::array<Step, 5> kBytes = {
    {{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}, {1099511627776, "TiB"}}};

Step stepFor(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::kTime:
      return stepFor(kTimes, value);
    case Quantity::kEnergy:
      return stepFor(kEnergies, value);
    case Quantity::kBytes:
      return stepFor(kBytes, value);
    case Quantity::kCycles:
    case Quantity::kCount:
      return std::abs(value) < kGroupedBelow ? kCounts.front() : stepFor(kCounts, value);
    case Quantity::kPercent:
      return {1, "%"};
    case Quantity::kPlain:
      break;
  }
  return {1, ""};
}

std::string withUnit(std::string number, std::string_view unit) {
  return unit.empty() ? number : number + " " + std::string(unit);
}

std::string groupedNumber(const std::string &digits) {
  std::size_t begin = digits.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(digits.find('.'), digits.size());
  if (digits.find_first_not_of("0123456789.", begin) != std::string::npos) return digits;
  std::string out = digits.substr(0, begin);
  for (; begin < end; ++begin) {
    out += digits[begin];
    if ((end - begin) % 3 == 1 && begin + 1 < end) out += ',';
  }
  return out + digits.substr(end);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f)
      out += "\xef\xbf\xbd";
    else
      out += c;
  }
  return out;
}

std::string scriptString(std::string_view text) {
  const std::string quoted = nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string out;
  for (const char c : quoted) {
    // "</script" and "<!--" would end the script or change how it is read.
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

std::string plain(double x, int digits) {
  if (!std::isfinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "undefined";
  if (x == 0) return "0";
  const double magnitude = std::abs(x);
  if (magnitude >= 1e9 || magnitude < 1e-4) return fmt::format("{:.{}g}", x, digits);
  const int before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  std::string text = fmt::format("{:.{}f}", x, std::max(0, digits - before));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return groupedNumber(text);
}

std::string shortText(Quantity quantity, double value) {
  if (value == 0 && quantity != Quantity::kCycles && quantity != Quantity::kCount && quantity != Quantity::kPlain)
    return withUnit("0", quantity == Quantity::kTime     ? "s"
                         : quantity == Quantity::kEnergy ? "J"
                                                         : stepFor(quantity, 0).name);
  const Step step = stepFor(quantity, value);
  if ((quantity == Quantity::kCycles || quantity == Quantity::kCount) && step.factor == 1 && isWhole(value))
    return grouped(static_cast<std::int64_t>(value));
  return withUnit(plain(value / step.factor), step.name);
}

std::string exactText(Quantity quantity, double value) {
  const std::string digits =
      isWhole(value) ? grouped(static_cast<std::int64_t>(value)) : groupedNumber(numberText(value));
  switch (quantity) {
    case Quantity::kCycles:
      return digits + (value == 1 ? " cycle" : " cycles");
    case Quantity::kTime:
      return digits + " ns";
    case Quantity::kEnergy:
      return digits + " pJ";
    case Quantity::kBytes:
      return digits + (value == 1 ? " byte" : " bytes");
    case Quantity::kPercent:
      return digits + " %";
    case Quantity::kCount:
    case Quantity::kPlain:
      break;
  }
  return digits;
}

std::string number(Quantity quantity, double value) {
  const std::string text = shortText(quantity, value), exact = exactText(quantity, value);
  const bool isSame = text == exact || (quantity == Quantity::kCycles && exact.starts_with(text + " cycle"));
  if (isSame) return fmt::format("<span class=\"n\">{}</span>", text);
  return fmt::format("<span class=\"n\" title=\"{}\">{}</span>", exact, text);
}

std::string shareText(double part, double whole) {
  if (whole == 0 || !std::isfinite(part / whole)) return "–";
  const double percent = 100 * part / whole;
  if (percent > 0 && percent < 0.05) return "&lt;0.1 %";
  return fmt::format("{:.1f} %", percent);
}

Unit unitFor(Quantity quantity, double largest) {
  const Step step = stepFor(quantity, largest);
  std::string name(step.name);
  if (quantity == Quantity::kCycles) name = withUnit(name, "cycles");
  if (name.starts_with(' ')) name.erase(0, 1);
  return {step.factor, name};
}

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(n)), noun, n == 1 ? "" : "s");
}

}  // namespace pimento::emit::html
