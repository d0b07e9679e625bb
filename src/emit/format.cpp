#include "pimento/emit/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace pimento::emit {

namespace {

/// `x` is in the smallest of the units, each a thousand times the one before.
std::string scaled(double x, const std::array<std::string_view, 5> &units) {
  if (x == 0) return fmt::format("0 {}", units.back());
  std::size_t u = 0;
  // 999.95 would print as "1000" with four digits.
  while (u + 1 < units.size() && std::abs(x) >= 999.95) {
    x /= 1000;
    ++u;
  }
  return fmt::format("{:.4g} {}", x, units[u]);
}

}  // namespace

std::string grouped(std::int64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > (n < 0 ? 1 : 0) && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string timeText(double ns) {
  return scaled(ns * 1000, {"ps", "ns", "us", "ms", "s"});
}

std::string energyText(Picojoules energy) {
  return scaled(energy.value, {"pJ", "nJ", "uJ", "mJ", "J"});
}

std::string percentText(double part, double whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100 * part / whole);
}

std::string_view name(evaluate::Exactness e) {
  switch (e) {
    case evaluate::Exactness::kSimulated:
      return "simulated";
    case evaluate::Exactness::kFastForwarded:
      return "fast-forwarded";
    case evaluate::Exactness::kSampled:
      return "sampled";
    case evaluate::Exactness::kExtrapolated:
      return "extrapolated";
  }
  PIMENTO_CHECK(!"a state without a name");
  return {};
}

std::string whyUnchecked(const evaluate::Report &r) {
  if (r.isChecked) return {};
  for (const evaluate::Stage &s : r.stages)
    if (!s.unchecked.empty()) return s.unchecked;
  if (!r.hasKernel) return "the program has no kernel to check the result against";
  return "`simulate` with data and tail=pad checks the result";
}

}  // namespace pimento::emit
