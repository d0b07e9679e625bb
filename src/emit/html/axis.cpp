#include "pimento/emit/html/axis.h"

#include <algorithm>
#include <cmath>

namespace pimento::emit::html {

namespace {

constexpr double kLogFactor = 20;  // a linear axis over more leaves the small values in one corner
constexpr int kMostTicks = 60;

/// Values so far from everyday ones that steps between them would overflow or vanish.
double tamed(double x) {
  constexpr double kLeast = 1e-100, kMost = 1e100;
  if (std::isnan(x) || std::abs(x) < kLeast) return 0;
  return std::clamp(x, -kMost, kMost);
}

/// 1, 2, 2.5 or 5 times a power of ten that divides `span` into about `ticks` parts.
double roundStep(double span, int ticks) {
  const double raw = span / std::max(1, ticks);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 2.5, 5.0, 10.0})
    if (raw <= m * power * 1.0000001) return m * power;
  return 10 * power;
}

}  // namespace

void Axis::name(std::string_view what, const std::string &unit) {
  title_ = what;
  const std::string scale = isLog_ ? "logarithmic" : "";
  if (unit.empty() && scale.empty()) return;
  title_ += " (" + unit + (unit.empty() || scale.empty() ? "" : ", ") + scale + ")";
}

void Axis::tick(double value) {
  const double at = isLog_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  if (at >= -1e-9 && at <= 1 + 1e-9) ticks_.push_back({std::clamp(at, 0.0, 1.0), plain(value)});
}

void Axis::linearTicks(int ticks) {
  const double step = roundStep(high_ - low_, ticks);
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i < kMostTicks; ++i) {
    const double value = (first + i) * step;
    if (value > high_ + step * 1e-6) break;
    tick(std::abs(value) < step * 1e-6 ? 0 : value);
  }
}

void Axis::logTicks(int ticks) {
  const double decades = std::log10(high_ / low_);
  std::vector<double> multiples = {1};
  if (decades * 3 <= ticks * 1.5)
    multiples = {1, 2, 5};
  else if (decades * 2 <= ticks * 1.5)
    multiples = {1, 3};
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / ticks)));
  const int first = static_cast<int>(std::floor(std::log10(low_)));
  for (int e = first; e <= first + static_cast<int>(decades) + 2; e += stride)
    for (const double m : multiples) tick(m * std::pow(10, e));
}

Axis Axis::fromZero(std::string_view what, Quantity quantity, double largest, int ticks) {
  Axis a;
  largest = tamed(largest);
  if (largest <= 0) largest = 1;
  const Unit unit = unitFor(quantity, largest);
  a.factor_ = unit.factor;
  const double step = roundStep(largest / unit.factor, ticks);
  a.high_ = std::max(largest / unit.factor, step * std::ceil(largest / unit.factor / step - 0.3));
  a.name(what, unit.name);
  a.linearTicks(ticks);
  return a;
}

Axis Axis::around(std::string_view what, Quantity quantity, const std::vector<double> &values, int ticks) {
  double low = 0, high = 0;
  bool isFirst = true;
  for (const double value : values) {
    const double v = tamed(value);
    low = isFirst ? v : std::min(low, v);
    high = isFirst ? v : std::max(high, v);
    isFirst = false;
  }
  Axis a;
  const Unit unit = unitFor(quantity, std::max(std::abs(low), std::abs(high)));
  a.factor_ = unit.factor;
  low /= unit.factor;
  high /= unit.factor;
  a.isLog_ = low > 0 && high / low >= kLogFactor;
  if (a.isLog_) {
    const double room = std::pow(high / low, 0.04);
    a.low_ = low / room;
    a.high_ = high * room;
  } else {
    const double span = high - low;
    const double room = span > 0 ? span * 0.06 : std::max(std::abs(high) * 0.1, 1e-9);
    a.low_ = low >= 0 && low - room < 0 ? 0 : low - room;
    a.high_ = high + room;
    if (!std::isfinite(a.high_ - a.low_) || a.high_ <= a.low_) {
      a.low_ = 0;
      a.high_ = 1;
    }
  }
  a.name(what, unit.name);
  if (a.isLog_)
    a.logTicks(ticks);
  else
    a.linearTicks(ticks);
  return a;
}

Axis Axis::range(std::string_view what, Quantity quantity, double low, double high, int ticks) {
  Axis a;
  low = tamed(low);
  high = tamed(high);
  if (high <= low) high = low + std::max(1.0, std::abs(low));
  const Unit unit = unitFor(quantity, std::max(std::abs(low), std::abs(high)));
  a.factor_ = unit.factor;
  a.low_ = low / unit.factor;
  a.high_ = high / unit.factor;
  a.name(what, unit.name);
  a.linearTicks(ticks);
  return a;
}

Axis Axis::named(std::string_view what, const std::vector<std::string> &names, int ticks) {
  Axis a;
  a.low_ = -0.5;
  a.high_ = static_cast<double>(names.size()) - 0.5;
  a.title_ = what;
  const std::size_t stride =
      std::max<std::size_t>(1, (names.size() + static_cast<std::size_t>(ticks) - 1) / static_cast<std::size_t>(ticks));
  for (std::size_t i = 0; i < names.size(); i += stride)
    a.ticks_.push_back({a.place(static_cast<double>(i)), names[i]});
  return a;
}

double Axis::place(double value) const {
  const double v = tamed(value) / factor_;
  const double at = isLog_ ? (v > 0 ? std::log(v / low_) / std::log(high_ / low_) : 0) : (v - low_) / (high_ - low_);
  return std::isfinite(at) ? std::clamp(at, 0.0, 1.0) : 0;
}

}  // namespace pimento::emit::html
