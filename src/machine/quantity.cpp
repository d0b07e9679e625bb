#include "pimento/machine/quantity.h"

#include <array>
#include <charconv>
#include <cmath>

#include "pimento/base/text.h"

namespace pimento::machine {

namespace {

/// A unit as a multiple of another one. Prefixes only: no number of any hardware.
struct Multiple {
  std::string_view unit, of;
  double factor;
};

constexpr std::array<Multiple, 15> kMultiples{{{"KiB", "B", 1024.0},
                                               {"MiB", "B", 1024.0 * 1024.0},
                                               {"GiB", "B", 1024.0 * 1024.0 * 1024.0},
                                               {"MHz", "GHz", 1e-3},
                                               {"nJ", "pJ", 1e3},
                                               {"fJ", "pJ", 1e-3},
                                               {"W", "mW", 1e3},
                                               {"uW", "mW", 1e-3},
                                               {"us", "ns", 1e3},
                                               {"ms", "ns", 1e6},
                                               {"ps", "ns", 1e-3},
                                               {"%", "ratio", 1e-2},
                                               {"TB/s", "GB/s", 1e3},
                                               {"MB/s", "GB/s", 1e-3},
                                               {"TFLOP/s", "GFLOP/s", 1e3}}};

}  // namespace

std::optional<Quantity> parseQuantity(std::string_view text) {
  text = trim(text);
  const auto space = text.find_first_of(" \t");
  const std::string_view head = text.substr(0, space);
  if (const auto integer = parseInteger(head)) {  // the only way to write hexadecimal
    const std::string_view unit = space == std::string_view::npos ? std::string_view() : trim(text.substr(space));
    return Quantity{static_cast<double>(*integer), std::string(unit)};
  }
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double x = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
  if (status != std::errc() || !std::isfinite(x)) return std::nullopt;
  return Quantity{x, std::string(trim(digits.substr(static_cast<std::size_t>(end - digits.data()))))};
}

std::vector<std::string> unitsOf(std::string_view alternatives) {
  std::vector<std::string> units;
  for (const std::string_view u : split(alternatives, '|')) units.emplace_back(u);
  return units;
}

std::optional<double> unitFactor(std::string_view unit, std::string_view canonical) {
  if (unit == canonical) return 1.0;
  for (const Multiple &m : kMultiples) {
    if (m.unit == unit && m.of == canonical) return m.factor;
  }
  return std::nullopt;
}

}  // namespace pimento::machine
