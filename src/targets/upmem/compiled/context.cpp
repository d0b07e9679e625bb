#include "pimento/targets/upmem/compiled/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::targets::upmem::compiled {

std::string Context::mramPitch(const Operand &o, std::size_t p) const {
  return p + 1 == o.positions.size() ? std::to_string(o.size())
                                     : argument(fmt::format("mram_pitch_{}_{}", o.name, p), o.home.pitch[p]);
}

std::string Context::wramPitch(const Operand &o, std::size_t p) const {
  return p + 1 == o.positions.size() ? std::to_string(o.size())
                                     : argument(fmt::format("wram_pitch_{}_{}", o.name, p), o.near.pitch[p]);
}

std::string Context::points(int dim) const {
  const Axis &a = scheme.axis(dim);
  if (a.range == 1) return "1";
  return a.isWhole ? argument("range_" + a.name, a.range) : "n_" + a.name;
}

std::string Context::coordinate(std::size_t d) const {
  const Axis &a = scheme.axes[d];
  if (scheme.isBounded(static_cast<int>(d))) return fmt::format("(int32_t)i_{}", a.name);
  std::string x = base(static_cast<int>(d));
  if (a.threads() > 1) x += fmt::format(" + (int32_t)low_{}", a.name);
  if (a.range > 1 && a.isTiled()) x += fmt::format(" + (int32_t)at_{}", a.name);
  if (a.range > 1) x += fmt::format(" + (int32_t)i_{}", a.name);
  return x;
}

std::string Context::affine(const kernel::Affine &form) const {
  std::int64_t most = std::abs(form.constant);
  for (std::size_t d = 0; d < scheme.axes.size(); ++d)
    most = std::max(most, std::abs(form.coefficients[d]) * scheme.axes[d].extent);
  const char *wide = most >= (std::int64_t{1} << 27) ? "(int64_t)" : "";
  std::string sum;
  for (std::size_t d = 0; d < scheme.axes.size(); ++d)
    if (form.coefficients[d] != 0) sum += fmt::format("{}{} * ({}) + ", wide, form.coefficients[d], coordinate(d));
  return fmt::format("{}{}{}", sum, form.constant, *wide != 0 ? "LL" : "");
}

bool needsFill(const Scheme &scheme, const Operand &o) {
  if (o.use == Use::kTable) return true;
  if (o.use != Use::kPartial || scheme.isScan) return false;
  if (scheme.isOfExtreme(o)) return true;
  if (!scheme.kernel().guards.empty() || !scheme.kernel().bounds.empty()) return true;
  for (const int d : scheme.nest) {
    if (o.involves(d)) continue;
    if (d != scheme.inner() || scheme.axis(d).isTiled()) return true;
  }
  return false;
}

}  // namespace pimento::targets::upmem::compiled
