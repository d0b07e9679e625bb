// Operators that move elements without computing: most of them only say how a tensor is walked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/frontend/model/importer.h"

namespace pimento::frontend::model {

using kernel::Affine;
using kernel::Combine;
using kernel::KernelBuilder;
using kernel::Op;
using kernel::TensorData;

namespace {

/// The same elements in order, in dimensions of other extents.
Result<Value> reshaped(Importer &m, const Operator &op, const Value &x, const Shape &shape) {
  if (elementsOf(x.shape) != elementsOf(shape))
    return Importer::wrong(op, "model-shape",
                           fmt::format("{} are {} elements, {} are {}", text(x.shape), elementsOf(x.shape), text(shape),
                                       elementsOf(shape)),
                           "both shapes have as many elements");
  if (x.isConstant()) {
    TensorData data = *x.constant;
    data.shape = shape;
    return constantOf(std::move(data));
  }
  if (x.shape == shape) return x;
  const std::optional<Refinement> r = refine(x.shape, shape);
  if (!r)
    return Importer::wrong(op, "model-reshape",
                           fmt::format("{} and {} have no dimensions in common", text(x.shape), text(shape)),
                           "no index of one is a sum of indices of the other; reshape in two steps, or on the host");
  // How an index is made of those of the refinement.
  const auto formOf = [&](KernelBuilder &k, const std::pair<std::size_t, std::size_t> &stretch) {
    Affine a = k.at(0);
    for (std::size_t d = stretch.first; d < stretch.second; ++d) {
      for (std::int64_t &c : a.coefficients) c *= r->extents[d];
      a.coefficients[d] = 1;
    }
    return a;
  };
  const bool isSplit = std::ranges::all_of(r->after, [](const auto &s) { return s.second - s.first <= 1; });
  if (isSplit) {
    // Every old index is a sum of new ones: nothing moves.
    std::vector<std::size_t> newOf(r->extents.size(), 0);
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (r->after[d].second > r->after[d].first) newOf[r->after[d].first] = d;
    std::vector<Walk> walks;
    for (const auto &stretch : r->before) {
      Walk w{std::vector<std::int64_t>(shape.size(), 0), 0};
      for (std::size_t d = stretch.first; d < stretch.second; ++d) {
        for (std::int64_t &c : w.coefficients) c *= r->extents[d];
        w.coefficients[newOf[d]] = 1;
      }
      walks.push_back(std::move(w));
    }
    return viewed(x, shape, walks);
  }
  Value y = m.fresh(op, x.type, shape);
  KernelBuilder k = m.kernel(op, "reshape", Importer::parallel(r->extents));
  std::vector<Affine> from, to;
  for (const auto &stretch : r->before) from.push_back(formOf(k, stretch));
  for (const auto &stretch : r->after) to.push_back(formOf(k, stretch));
  const int element = m.load(k, x, std::move(from));
  m.store(k, y, std::move(to), element);
  m.add(k);
  return y;
}

Status giveReshaped(Importer &m, const Operator &op, const Value &x, const Shape &shape) {
  Result<Value> y = reshaped(m, op, x, shape);
  if (!y) return y.diagnostics();
  m.give(op, 0, std::move(*y));
  return okStatus();
}

Status identity(Importer &m, const Operator &op) {
  Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  m.give(op, 0, std::move(*x));
  return okStatus();
}

Status reshape(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  auto shape = m.integersOrAttribute(op, 1, "shape");
  if (!shape) return shape.diagnostics();
  if (!*shape) return Importer::wrong(op, "model-value", "no shape is given", "the model is not one that checks");
  Shape s = **shape;
  const bool keepsZeros = m.attribute(op, "allowzero", std::int64_t{0}) != 0;
  std::int64_t known = 1, open = -1;
  for (std::size_t d = 0; d < s.size(); ++d) {
    if (s[d] == 0 && !keepsZeros && d < x->rank()) s[d] = x->shape[d];
    if (s[d] < -1)
      return Importer::wrong(op, "model-value", fmt::format("an extent of {}", s[d]),
                             "extents are at least 0, and -1 is what the others leave");
    if (s[d] == -1)
      open = static_cast<std::int64_t>(d);
    else
      known = multiplySaturated(known, s[d]);
  }
  if (open >= 0 && known > 0) s[static_cast<std::size_t>(open)] = elementsOf(x->shape) / known;
  return giveReshaped(m, op, *x, s);
}

Status flatten(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  std::int64_t axis = m.attribute(op, "axis", std::int64_t{1});
  if (axis < 0) axis += static_cast<std::int64_t>(x->rank());
  if (axis < 0 || axis > static_cast<std::int64_t>(x->rank()))
    return Importer::wrong(op, "model-attribute", fmt::format("axis {} of {} dimensions", axis, x->rank()),
                           "axes count from 0");
  Shape s = {1, 1};
  for (std::size_t d = 0; d < x->rank(); ++d) {
    std::int64_t &side = s[static_cast<std::int64_t>(d) < axis ? 0 : 1];
    side = multiplySaturated(side, x->shape[d]);
  }
  return giveReshaped(m, op, *x, s);
}

Status squeeze(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto axes = m.integersOrAttribute(op, 1, "axes");
  if (!axes) return axes.diagnostics();
  std::vector<bool> isGone(x->rank(), false);
  for (std::size_t d = 0; !*axes && d < x->rank(); ++d) isGone[d] = x->shape[d] == 1;
  if (*axes)
    for (const std::int64_t a : **axes) {
      const auto axis = m.axisOf(op, a, x->rank());
      if (!axis) return axis.diagnostics();
      if (x->shape[*axis] != 1)
        return Importer::wrong(op, "model-shape", fmt::format("axis {} has {} elements", a, x->shape[*axis]),
                               "an axis of one element can be dropped");
      isGone[*axis] = true;
    }
  Shape s;
  for (std::size_t d = 0; d < x->rank(); ++d)
    if (!isGone[d]) s.push_back(x->shape[d]);
  return giveReshaped(m, op, *x, s);
}

Status unsqueeze(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto axes = m.integersOrAttribute(op, 1, "axes");
  if (!axes) return axes.diagnostics();
  if (!*axes) return Importer::wrong(op, "model-value", "no axes are given", "the model is not one that checks");
  const std::size_t rank = x->rank() + (*axes)->size();
  std::vector<bool> isNew(rank, false);
  for (const std::int64_t a : **axes) {
    const auto axis = m.axisOf(op, a, rank);
    if (!axis) return axis.diagnostics();
    isNew[*axis] = true;
  }
  Shape s;
  for (std::size_t d = 0, old = 0; d < rank; ++d) s.push_back(isNew[d] ? 1 : x->shape[old++]);
  return giveReshaped(m, op, *x, s);
}

Status transpose(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  std::vector<std::int64_t> order(x->rank());
  std::iota(order.rbegin(), order.rend(), 0);
  if (const auto given = m.attributes(op, "perm")) order = *given;
  std::vector<std::int64_t> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t d = 0; d < sorted.size(); ++d)
    if (sorted.size() != x->rank() || sorted[d] != static_cast<std::int64_t>(d))
      return Importer::wrong(op, "model-attribute", "perm is no order of the dimensions", "name each of them once");
  Shape s;
  std::vector<Walk> walks(x->rank(), Walk{std::vector<std::int64_t>(x->rank(), 0), 0});
  for (std::size_t d = 0; d < order.size(); ++d) {
    const auto old = static_cast<std::size_t>(order[d]);
    s.push_back(x->shape[old]);
    walks[old].coefficients[d] = 1;
  }
  m.give(op, 0, viewed(*x, s, walks));
  return okStatus();
}

/// Elements first, first + step, ... along an axis, `count` of them.
Value stretch(const Value &x, std::size_t axis, std::int64_t first, std::int64_t step, std::int64_t count) {
  Shape s = x.shape;
  s[axis] = count;
  std::vector<Walk> walks = wholeView(x.rank());
  walks[axis].coefficients[axis] = step;
  walks[axis].constant = first;
  return viewed(x, s, walks);
}

Status slice(Importer &m, const Operator &op) {
  Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto starts = m.integersOrAttribute(op, 1, "starts"), ends = m.integersOrAttribute(op, 2, "ends"),
             axes = m.integersOrAttribute(op, 3, "axes"), steps = m.integersOrAttribute(op, 4, "steps");
  for (const auto *given : {&starts, &ends, &axes, &steps})
    if (!*given) return given->diagnostics();
  if (!*starts || !*ends || (*starts)->size() != (*ends)->size())
    return Importer::wrong(op, "model-value", "starts and ends do not belong together",
                           "the model is not one that checks");
  Value y = *x;
  for (std::size_t i = 0; i < (*starts)->size(); ++i) {
    const std::int64_t asked = *axes && i < (*axes)->size() ? (**axes)[i] : static_cast<std::int64_t>(i);
    const auto axis = m.axisOf(op, asked, y.rank());
    if (!axis) return axis.diagnostics();
    const std::int64_t n = y.shape[*axis], step = *steps && i < (*steps)->size() ? (**steps)[i] : 1;
    if (step == 0) return Importer::wrong(op, "model-attribute", "a step of 0", "steps are not 0");
    std::int64_t first = (**starts)[i], end = (**ends)[i];
    if (first < 0) first += n;
    if (end < 0 && end >= -n) end += n;
    first = std::clamp<std::int64_t>(first, 0, step > 0 ? n : n - 1);
    end = std::clamp<std::int64_t>(end, step > 0 ? 0 : -1, n);
    const std::int64_t span = step > 0 ? end - first : first - end;
    const std::int64_t count = span <= 0 ? 0 : (span - 1) / std::abs(step) + 1;
    if (count == 0) return Importer::wrong(op, "model-shape", "nothing is left", "tensors have an element or more");
    y = stretch(y, *axis, first, step, count);
  }
  m.give(op, 0, std::move(y));
  return okStatus();
}

Status split(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto axis = m.axisOf(op, m.attribute(op, "axis", std::int64_t{0}), x->rank());
  if (!axis) return axis.diagnostics();
  const auto given = m.integersOrAttribute(op, 1, "split");
  if (!given) return given.diagnostics();
  const auto parts = static_cast<std::int64_t>(op.outputs.size());
  std::vector<std::int64_t> sizes;
  const std::int64_t each = (x->shape[*axis] + parts - 1) / parts;
  if (*given) sizes = **given;
  for (std::int64_t i = 0; !*given && i < parts; ++i) sizes.push_back(std::min(each, x->shape[*axis] - i * each));
  if (static_cast<std::int64_t>(sizes.size()) != parts ||
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != x->shape[*axis])
    return Importer::wrong(op, "model-shape",
                           fmt::format("parts of {} for {} elements", fmt::join(sizes, ", "), x->shape[*axis]),
                           "the parts add up to the axis");
  std::int64_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    m.give(op, i, stretch(*x, *axis, first, 1, sizes[i]));
    first += sizes[i];
  }
  return okStatus();
}

Status expand(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto asked = m.integers(op, 1);
  if (!asked) return asked.diagnostics();
  const std::optional<Shape> s = broadcast(x->shape, *asked);
  if (!s)
    return Importer::wrong(op, "model-shape", text(x->shape) + " cannot become " + text(*asked),
                           "dimensions are equal, or one of them is 1");
  std::vector<Walk> walks;
  for (std::size_t d = 0; d < x->rank(); ++d) {
    Walk w{std::vector<std::int64_t>(s->size(), 0), 0};
    if (x->shape[d] != 1) w.coefficients[s->size() - x->rank() + d] = 1;
    walks.push_back(std::move(w));
  }
  m.give(op, 0, viewed(*x, *s, walks));
  return okStatus();
}

/// Parts of a tensor that kernels write one after the other: each adds to zeros.
void addPart(Importer &m, const Operator &op, std::string_view part, const Value &x, const Value &y,
             const Shape &offset) {
  KernelBuilder k = m.kernel(op, part, Importer::parallel(x.shape));
  std::vector<Affine> to;
  for (std::size_t d = 0; d < x.rank(); ++d) to.push_back(k.index(static_cast<int>(d), 1, offset[d]));
  const int element = m.load(k, x, Importer::indices(k, 0, x.rank()));
  m.store(k, y, std::move(to), element, Combine::kAdd);
  m.add(k);
}

Status concat(Importer &m, const Operator &op) {
  std::vector<Value> parts;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    Result<Value> v = m.input(op, i);
    if (!v) return v.diagnostics();
    parts.push_back(std::move(*v));
  }
  if (parts.empty()) return Importer::wrong(op, "model-value", "no inputs", "the model is not one that checks");
  const auto axis = m.axisOf(op, m.attribute(op, "axis", std::int64_t{0}), parts.front().rank());
  if (!axis) return axis.diagnostics();
  Shape s = parts.front().shape;
  s[*axis] = 0;
  for (const Value &p : parts) {
    Shape others = p.shape;
    if (p.rank() == s.size()) others[*axis] = 0;
    Shape mine = s;
    mine[*axis] = 0;
    if (others != mine)
      return Importer::wrong(op, "model-shape", text(p.shape) + " beside " + text(parts.front().shape),
                             "parts differ in the axis alone");
    s[*axis] += p.shape[*axis];
  }
  const Value y = m.fresh(op, parts.front().type, s);
  Shape offset(s.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    addPart(m, op, fmt::format("part{}", i), parts[i], y, offset);
    offset[*axis] += parts[i].shape[*axis];
  }
  m.give(op, 0, y);
  return okStatus();
}

Status pad(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto pads = m.integersOrAttribute(op, 1, "pads");
  if (!pads) return pads.diagnostics();
  if (m.attribute(op, "mode", "constant") != "constant")
    return Importer::wrong(op, "model-operator", "pads that repeat elements are not known", "use mode constant");
  if (!*pads || (*pads)->size() != 2 * x->rank())
    return Importer::wrong(op, "model-value", "pads are not two per dimension", "the model is not one that checks");
  double fill = m.attribute(op, "value", 0.0);
  if (Importer::has(op, 2)) {
    const Result<Value> v = m.input(op, 2);
    if (!v) return v.diagnostics();
    if (!v->isConstant() || v->constant->elements() != 1)
      return Importer::wrong(op, "model-value", "the value is not known before the model runs", "make it a constant");
    fill = v->constant->asDouble(0);
  }
  Value inner = *x;
  Shape s = x->shape, offset(x->rank(), 0);
  for (std::size_t d = 0; d < x->rank(); ++d) {
    const std::int64_t before = (**pads)[d], after = (**pads)[d + x->rank()];
    s[d] += before + after;
    offset[d] = std::max<std::int64_t>(before, 0);
    const std::int64_t kept = x->shape[d] + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0);
    if (kept <= 0) return Importer::wrong(op, "model-shape", "nothing is left", "tensors have an element or more");
    if (kept != x->shape[d]) inner = stretch(inner, d, std::max<std::int64_t>(-before, 0), 1, kept);
  }
  Value y = m.fresh(op, x->type, s);
  if (fill == 0 || !isFloat(x->type)) {
    addPart(m, op, "", inner, y, offset);
    m.give(op, 0, y);
    return okStatus();
  }
  // Where nothing else lies, a sum of nothing and the value.
  if (fill == -std::numeric_limits<double>::infinity() || fill == std::numeric_limits<double>::infinity()) {
    KernelBuilder k = m.kernel(op, "", Importer::parallel(inner.shape));
    std::vector<Affine> to;
    for (std::size_t d = 0; d < inner.rank(); ++d) to.push_back(k.index(static_cast<int>(d), 1, offset[d]));
    const int element = m.load(k, inner, Importer::indices(k, 0, inner.rank()));
    m.store(k, y, std::move(to), element, fill < 0 ? Combine::kMax : Combine::kMin);
    m.add(k);
    m.give(op, 0, y);
    return okStatus();
  }
  const Value isInside = m.fresh(op.outputs.front() + "_inside", x->type, s);
  KernelBuilder marks = m.kernel(op, "inside", Importer::parallel(inner.shape));
  std::vector<Affine> at;
  for (std::size_t d = 0; d < inner.rank(); ++d) at.push_back(marks.index(static_cast<int>(d), 1, offset[d]));
  m.store(marks, isInside, std::move(at), marks.constant(x->type, 1), Combine::kAdd);
  m.add(marks);
  const Value sums = m.fresh(op.outputs.front() + "_sums", x->type, s);
  addPart(m, op, "sums", inner, sums, offset);
  KernelBuilder k = m.kernel(op, "", Importer::parallel(s));
  const auto every = Importer::indices(k, 0, s.size());
  const int inside = k.op(Op::kCmpNe, DType::kU8, m.load(k, isInside, every), k.constant(x->type, 0));
  m.store(k, y, every, k.op(Op::kSelect, x->type, inside, m.load(k, sums, every), k.constant(x->type, fill)));
  m.add(k);
  m.give(op, 0, y);
  return okStatus();
}

/// Negative indices count from the end of an axis.
Status countFromStart(const Operator &op, TensorData &indices, std::int64_t extent) {
  for (std::int64_t n = 0; n < indices.elements(); ++n) {
    const std::int64_t i = indices.asInteger(n);
    if (i < -extent || i >= extent)
      return Importer::wrong(op, "model-value", fmt::format("index {} of {} elements", i, extent),
                             "indices lie within the axis");
    indices.setInteger(n, i < 0 ? i + extent : i);
  }
  return okStatus();
}

/// y = from[at], where index `axis` comes from data; y has the kernel's dims.
void storeSelected(Importer &m, KernelBuilder &k, const Value &from, std::vector<Affine> at, std::size_t axis,
                   int index, const Value &y) {
  at[axis] = k.at(0);
  kernel::Access access = m.accessOf(from, std::move(at));
  access.indirectAt = static_cast<int>(axis);
  access.indirectIndex = index;
  m.store(k, y, Importer::indices(k, 0, y.rank()), k.load(from.type, std::move(access)));
  m.add(k);
}

Status gather(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  Result<Value> which = m.input(op, 1);
  if (!x) return x.diagnostics();
  if (!which) return which.diagnostics();
  const auto axis = m.axisOf(op, m.attribute(op, "axis", std::int64_t{0}), x->rank());
  if (!axis) return axis.diagnostics();
  const std::int64_t extent = x->shape[*axis];
  Shape s(x->shape.begin(), x->shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  s.insert(s.end(), which->shape.begin(), which->shape.end());
  s.insert(s.end(), x->shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x->shape.end());
  if (which->isConstant()) {
    // Known indices at one distance are a stretch.
    if (Status counted = countFromStart(op, *which->constant, extent); !counted) return counted;
    std::vector<std::int64_t> known;
    for (std::int64_t n = 0; n < which->constant->elements(); ++n) known.push_back(which->constant->asInteger(n));
    const std::int64_t step = known.size() > 1 ? known[1] - known[0] : 1;
    bool isStretch = !known.empty();
    for (std::size_t n = 1; n < known.size(); ++n) isStretch = isStretch && known[n] - known[n - 1] == step;
    if (isStretch) {
      Result<Value> y = reshaped(m, op, stretch(*x, *axis, known[0], step, static_cast<std::int64_t>(known.size())), s);
      if (!y) return y.diagnostics();
      m.give(op, 0, std::move(*y));
      return okStatus();
    }
  }
  // An index from data: of a whole tensor, at whole indices.
  Value from = m.stored(op, *x);
  const Value y = m.fresh(op, x->type, s);
  KernelBuilder k = m.kernel(op, "", Importer::parallel(s));
  const int index = m.load(k, *which, Importer::indices(k, *axis, which->rank()));
  std::vector<Affine> at;
  for (std::size_t d = 0; d < x->rank(); ++d)
    at.push_back(d == *axis ? k.at(0) : k.index(static_cast<int>(d < *axis ? d : d + which->rank() - 1)));
  storeSelected(m, k, from, std::move(at), *axis, index, y);
  m.give(op, 0, y);
  return okStatus();
}

/// Each element of the indices selects along one axis; along the others both go together.
Status gatherElements(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  Result<Value> which = m.input(op, 1);
  if (!x) return x.diagnostics();
  if (!which) return which.diagnostics();
  const auto axis = m.axisOf(op, m.attribute(op, "axis", std::int64_t{0}), x->rank());
  if (!axis) return axis.diagnostics();
  if (which->isConstant()) {
    if (Status s = countFromStart(op, *which->constant, x->shape[*axis]); !s) return s;
  }
  bool isInside = which->rank() == x->rank();
  for (std::size_t d = 0; isInside && d < x->rank(); ++d) isInside = d == *axis || which->shape[d] <= x->shape[d];
  if (!isInside)
    return Importer::wrong(op, "model-shape", text(which->shape) + " indices for " + text(x->shape),
                           "indices are at most as many as elements in every axis but one");
  const Value from = m.stored(op, *x);
  const Value y = m.fresh(op, x->type, which->shape);
  KernelBuilder k = m.kernel(op, "", Importer::parallel(which->shape));
  std::vector<Affine> at = Importer::indices(k, 0, x->rank());
  const int index = m.load(k, *which, at);
  storeSelected(m, k, from, std::move(at), *axis, index, y);
  m.give(op, 0, y);
  return okStatus();
}

Status dropout(Importer &m, const Operator &op) {
  return identity(m, op);  // inference drops nothing
}

}  // namespace

void addLayout(Handlers &h) {
  h.byKind.insert({{"Identity", identity},
                   {"Dropout", dropout},
                   {"Reshape", reshape},
                   {"Flatten", flatten},
                   {"Squeeze", squeeze},
                   {"Unsqueeze", unsqueeze},
                   {"Transpose", transpose},
                   {"Slice", slice},
                   {"Split", split},
                   {"Expand", expand},
                   {"Concat", concat},
                   {"Pad", pad},
                   {"Gather", gather},
                   {"GatherElements", gatherElements}});
}

}  // namespace pimento::frontend::model
