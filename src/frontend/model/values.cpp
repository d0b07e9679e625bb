#include "pimento/frontend/model/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "pimento/base/integer.h"

namespace pimento::frontend::model {

std::int64_t elementsOf(const Shape &shape) {
  std::int64_t n = 1;
  for (const std::int64_t e : shape) n = multiplySaturated(n, e);
  return n;
}

std::string text(const Shape &shape) {
  return shape.empty() ? "a scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

bool Value::isWhole(const Shape &stored) const {
  return shape == stored && view == wholeView(shape.size());
}

std::vector<Walk> wholeView(std::size_t rank) {
  std::vector<Walk> view(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    view[d].coefficients.assign(rank, 0);
    view[d].coefficients[d] = 1;
  }
  return view;
}

namespace {

/// Constants are walked at once: nothing is left to do for kernels.
kernel::TensorData walked(const kernel::TensorData &from, const Shape &shape, const std::vector<Walk> &walks) {
  kernel::TensorData out(from.type, shape);
  const auto size = static_cast<std::size_t>(sizeOf(from.type).value);
  const std::int64_t count = elementsOf(shape);
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t at = 0;
    for (std::size_t a = 0; a < from.shape.size(); ++a) {
      std::int64_t along = walks[a].constant;
      for (std::size_t d = 0; d < shape.size(); ++d) along += walks[a].coefficients[d] * index[d];
      at = at * from.shape[a] + along;
    }
    std::memcpy(out.bytes.data() + static_cast<std::size_t>(n) * size,
                from.bytes.data() + static_cast<std::size_t>(at) * size, size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

Value viewed(const Value &from, const Shape &shape, const std::vector<Walk> &walks) {
  Value out;
  out.name = from.name;
  out.type = from.type;
  out.shape = shape;
  if (from.isConstant()) {
    out.constant = walked(*from.constant, shape, walks);
    return out;
  }
  out.buffer = from.buffer;
  for (const Walk &axis : from.view) {
    Walk w{std::vector<std::int64_t>(shape.size(), 0), axis.constant};
    for (std::size_t d = 0; d < axis.coefficients.size(); ++d) {
      w.constant += axis.coefficients[d] * walks[d].constant;
      for (std::size_t n = 0; n < shape.size(); ++n)
        w.coefficients[n] += axis.coefficients[d] * walks[d].coefficients[n];
    }
    out.view.push_back(std::move(w));
  }
  return out;
}

std::optional<Refinement> refine(const Shape &before, const Shape &after) {
  // Cuts: products of the dimensions from some one to the last.
  const auto cutsOf = [](const Shape &shape) {
    std::vector<std::int64_t> cuts = {1};
    for (std::size_t d = shape.size(); d-- > 0;) cuts.push_back(cuts.back() * shape[d]);
    return cuts;
  };
  const std::vector<std::int64_t> ofBefore = cutsOf(before), ofAfter = cutsOf(after);
  if (ofBefore.back() != ofAfter.back() || ofBefore.back() == 0) return std::nullopt;
  std::vector<std::int64_t> cuts = ofBefore;
  cuts.insert(cuts.end(), ofAfter.begin(), ofAfter.end());
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  Refinement r;
  for (std::size_t i = cuts.size(); i-- > 1;) {
    if (cuts[i] % cuts[i - 1] != 0) return std::nullopt;
    r.extents.push_back(cuts[i] / cuts[i - 1]);
  }
  // Dimensions of extent 1 are empty stretches.
  const auto stretches = [&](const std::vector<std::int64_t> &of) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    const auto at = [&](std::int64_t cut) {
      return cuts.size() - 1 - static_cast<std::size_t>(std::ranges::lower_bound(cuts, cut) - cuts.begin());
    };
    for (std::size_t i = of.size(); i-- > 1;) out.emplace_back(at(of[i]), at(of[i - 1]));
    return out;
  };
  r.before = stretches(ofBefore);
  r.after = stretches(ofAfter);
  return r;
}

std::optional<Shape> broadcast(const Shape &a, const Shape &b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t d = 0; d < out.size(); ++d) {
    const std::int64_t x = d + a.size() < out.size() ? 1 : a[d + a.size() - out.size()];
    const std::int64_t y = d + b.size() < out.size() ? 1 : b[d + b.size() - out.size()];
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[d] = x == 1 ? y : x;
  }
  return out;
}

Value constantOf(kernel::TensorData data) {
  Value v;
  v.type = data.type;
  v.shape = data.shape;
  v.constant = std::move(data);
  return v;
}

}  // namespace pimento::frontend::model
