#include "pimento/mapping/mapping_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"

namespace pimento::mapping {

namespace {

/// The values of v with first <= scale * v + offset < end.
Stretch preimage(const MappingFunction &f, std::int64_t first, std::int64_t end, std::int64_t extent) {
  // Down to whole numbers, whatever the signs.
  const auto ceiling = [](std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  };
  std::int64_t low = 0, high = 0;
  if (f.scale > 0) {
    low = ceiling(first - f.offset, f.scale);
    high = ceiling(end - f.offset, f.scale);
  } else {
    low = ceiling(end - 1 - f.offset, f.scale);
    high = ceiling(first - 1 - f.offset, f.scale);
  }
  low = std::clamp<std::int64_t>(low, 0, extent);
  return {low, std::clamp<std::int64_t>(high, low, extent)};
}

std::string offsetText(std::int64_t offset) {
  return offset == 0 ? "" : fmt::format("{}{}", offset > 0 ? "+" : "-", std::abs(offset));
}

}  // namespace

std::string print(const MappingFunction &f, const std::string &variable) {
  return (f.scale == 1 ? variable : fmt::format("{}*{}", variable, f.scale)) + offsetText(f.offset);
}

std::string spell(const MappingFunction &f, const std::string &variable) {
  const std::string scale = f.scale == 1 ? "" : f.scale == -1 ? "-" : fmt::format("{}*", f.scale);
  return scale + variable + offsetText(f.offset);
}

std::string print(const Stretch &s) {
  if (s.count() == 0) return "[]";
  if (s.count() == 1) return fmt::format("[{}]", s.first);
  return s.step == 1 ? fmt::format("[{}:{}]", s.first, s.end) : fmt::format("[{}:{}:{}]", s.first, s.end, s.step);
}

std::vector<SetTile> tilesBy(const MappingFunction &f, std::int64_t size, std::int64_t extent, std::int64_t units) {
  PIMENTO_CHECK(f.scale != 0 && units > 0);
  const std::int64_t tile = ceilDiv(size, units);
  std::vector<SetTile> out;
  for (std::int64_t u = 0; u < units; ++u) {
    const std::int64_t first = std::min(multiplySaturated(u, tile), size), end = std::min(first + tile, size);
    out.push_back({{first, end}, preimage(f, first, end, extent)});
  }
  return out;
}

}  // namespace pimento::mapping
