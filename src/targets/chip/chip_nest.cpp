#include "pimento/targets/chip/chip_nest.h"

#include <algorithm>
#include <tuple>

#include "pimento/base/integer.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/linear.h"
#include "pimento/lower/accumulation.h"

namespace pimento::targets::chip {

using kernel::Access;
using kernel::DimKind;
using kernel::Kernel;

namespace {

/// How an access moves along a dim.
enum class Moves : std::uint8_t { kNot, kContiguously, kFar };

Moves movesOf(const kernel::Graph &graph, const Kernel &k, const Access &a, int d) {
  if (isIndirectAlong(k, a, d)) return Moves::kFar;
  const kernel::Tensor &t = graph.tensors[static_cast<std::size_t>(a.tensor)];
  const std::int64_t stride = kernel::linearize(a, t, k.dims.size()).coefficients[static_cast<std::size_t>(d)];
  if (stride == 0) return Moves::kNot;
  return stride == 1 ? Moves::kContiguously : Moves::kFar;
}

/// Whether sums along the dim may be taken in parts.
bool canSplitSum(const Kernel &k, int d) {
  return isPlainSum(k) &&
         std::ranges::none_of(k.body, [&](const kernel::Value &v) { return v.op == kernel::Op::kIndex && v.dim == d; });
}

std::int64_t elementBytes(const kernel::Graph &graph, const Kernel &k) {
  std::int64_t bytes = 1;
  for (const kernel::Store &s : k.stores)
    bytes = std::max(bytes, sizeOf(graph.tensors[static_cast<std::size_t>(s.target.tensor)].type).value);
  for (const Access &a : k.loads)
    bytes = std::max(bytes, sizeOf(graph.tensors[static_cast<std::size_t>(a.tensor)].type).value);
  return bytes;
}

/// How well lanes run along a dim: contiguous accesses for, others against it.
double gainOf(const ChipNest &nest, int d) {
  const Kernel &k = *nest.kernel;
  double gain = 0;
  const auto add = [&](const Access &a) {
    switch (movesOf(*nest.graph, k, a, d)) {
      case Moves::kContiguously:
        ++gain;
        break;
      case Moves::kFar:
        --gain;
        break;
      case Moves::kNot:
        break;
    }
  };
  for (const Access &a : k.loads) add(a);
  for (const kernel::Store &s : k.stores) add(s.target);
  return gain;
}

/// Whether a dim tells rows of a selection apart, which then have nothing to do with each other.
bool isRowDim(const Kernel &k, int d) {
  const auto at = static_cast<std::size_t>(d);
  for (const kernel::Store &s : k.stores) {
    // The last index of what is appended is the row's next free one; counts have the rows' indices alone.
    const bool isAppended = &s == &k.stores.front();
    const std::size_t rows = s.target.index.size() - (isAppended ? 1 : 0);
    bool isRow = false;
    for (std::size_t i = 0; i < rows; ++i) {
      const kernel::Affine &index = s.target.index[i];
      const auto others = std::ranges::count_if(index.coefficients, [](std::int64_t c) { return c != 0; });
      isRow |= index.coefficients[at] != 0 && others == 1;
    }
    if (!isRow || s.target.isIndirect()) return false;
  }
  return true;
}

/// The part of the kernel with x = first + step * x' along a dim, into a tensor of its own.
kernel::Graph partial(const ChipNest &nest, int d, std::int64_t first, std::int64_t step, std::int64_t count,
                      const kernel::Tensor &into) {
  kernel::Graph g;
  g.tensors = nest.graph->tensors;
  for (kernel::Tensor &t : g.tensors) t.role = kernel::Role::kInput;
  g.tensors.push_back(into);
  g.tensors.back().role = kernel::Role::kOutput;
  Kernel k = *nest.kernel;
  const auto at = static_cast<std::size_t>(d);
  k.dims[at].extent = count;
  const auto move = [&](kernel::Affine &a) {
    a.constant += a.coefficients[at] * first;
    a.coefficients[at] *= step;
  };
  for (Access &a : k.loads)
    for (kernel::Affine &index : a.index) move(index);
  for (kernel::Affine &guard : k.guards) move(guard);
  k.stores.front().target.tensor = static_cast<int>(nest.graph->tensors.size());
  g.kernels.push_back(std::move(k));
  return g;
}

}  // namespace

bool isIndirectAlong(const Kernel &k, const Access &a, int d) {
  return a.isIndirect() && hangsOn(k, a.indirectIndex, d);
}

bool moves(const Kernel &k, const Access &a, int d) {
  for (const kernel::Affine &index : a.index)
    if (index.coefficients[static_cast<std::size_t>(d)] != 0) return true;
  return isIndirectAlong(k, a, d);
}

bool hangsOn(const Kernel &k, int value, int d) {
  const kernel::Value &v = k.body[static_cast<std::size_t>(value)];
  if (v.op == kernel::Op::kIndex) return v.dim == d;
  if (v.op == kernel::Op::kLoad) return moves(k, k.loads[static_cast<std::size_t>(v.access)], d);
  for (int i = 0; i < kernel::argumentCount(v.op); ++i)
    if (hangsOn(k, v.args[static_cast<std::size_t>(i)], d)) return true;
  return false;
}

bool isPlainSum(const Kernel &k) {
  if (k.stores.size() != 1 || k.form != kernel::Form::kAffine || !k.bounds.empty()) return false;
  const kernel::Store &s = k.stores.front();
  if (s.combine == kernel::Combine::kAssign || s.target.isIndirect()) return false;
  return std::ranges::none_of(k.loads, [&](const Access &a) { return a.tensor == s.target.tensor; });
}

bool isOneExtreme(const Kernel &k) {
  if (k.stores.size() < 2 || k.form != kernel::Form::kAffine || !k.bounds.empty()) return false;
  const kernel::Combine first = k.stores.front().combine;
  if (first != kernel::Combine::kMin && first != kernel::Combine::kMax) return false;
  for (const kernel::Dim &d : k.dims)
    if (d.extent > 1 && d.kind != DimKind::kReduction) return false;
  return std::ranges::all_of(k.stores, [&](const kernel::Store &s) {
    const bool isOwn = &s == &k.stores.front() || s.follows == 0;
    return isOwn && !s.target.isIndirect() &&
           std::ranges::none_of(k.loads, [&](const Access &a) { return a.tensor == s.target.tensor; });
  });
}

Addresses addressesOf(const kernel::Graph &graph) {
  // As allocators of large arrays do.
  constexpr std::int64_t kPage = 4096;
  Addresses a;
  std::uint64_t next = 0;
  for (const kernel::Tensor &t : graph.tensors) {
    a.first.push_back(next);
    const std::int64_t bytes = multiplySaturated(t.elements(), sizeOf(t.type).value);
    a.end.push_back(next + static_cast<std::uint64_t>(bytes));
    next += static_cast<std::uint64_t>(ceilDiv(std::max<std::int64_t>(bytes, 1), kPage) * kPage);
  }
  return a;
}

std::int64_t ChipNest::threadsOf(std::int64_t threads) const {
  if (split < 0) return 1;
  std::int64_t n = 0;
  while (n < threads && pieceOf(n, threads).first < dim(split).extent) ++n;
  return std::max<std::int64_t>(n, 1);
}

std::pair<std::int64_t, std::int64_t> ChipNest::pieceOf(std::int64_t thread, std::int64_t threads) const {
  if (split < 0) return {0, 0};
  const std::int64_t extent = dim(split).extent;
  std::int64_t piece = ceilDiv(extent, threads);
  if (split == order.back()) piece = ceilDiv(piece, lanes) * lanes;
  return {std::min(extent, thread * piece), std::min(extent, (thread + 1) * piece)};
}

ChipNest chipNest(const kernel::Graph &graph, int number, Bytes vector) {
  ChipNest nest;
  nest.graph = &graph;
  nest.kernel = &graph.kernels[static_cast<std::size_t>(number)];
  const Kernel &k = *nest.kernel;
  nest.lanes = std::max<std::int64_t>(1, vector.value / elementBytes(graph, k));
  int best = -1;
  double most = 0;
  const bool isSelect = k.form == kernel::Form::kSelect;
  for (int d = 0; d < static_cast<int>(k.dims.size()); ++d) {
    const bool isSum = nest.dim(d).kind == DimKind::kReduction;
    if (isSelect || nest.dim(d).extent < 2) continue;
    if (nest.dim(d).kind != DimKind::kParallel && !(isSum && canSplitSum(k, d))) continue;
    if (isSum && gainOf(nest, d) <= 0) continue;
    // Of equals the parallel one, then the inner one; short ones leave lanes without work.
    const double used = static_cast<double>(std::min(nest.dim(d).extent, nest.lanes)) / static_cast<double>(nest.lanes);
    const double gain = (gainOf(nest, d) + (isSum ? 3 : 4)) * used;
    if (best < 0 || gain >= most) {
      best = d;
      most = gain;
    }
  }
  if (best < 0) nest.lanes = 1;
  for (int d = 0; d < static_cast<int>(k.dims.size()); ++d)
    if (d != best) nest.order.push_back(d);
  if (best >= 0) nest.order.push_back(best);
  if (nest.order.empty()) return nest;
  nest.sumsInLanes = best >= 0 && nest.dim(best).kind == DimKind::kReduction;
  // Threads: the outermost parallel dim with work for all, lanes' own last.
  for (const int d : nest.order) {
    if (nest.dim(d).kind != DimKind::kParallel || (isSelect && !isRowDim(k, d))) continue;
    if (nest.split < 0 || (nest.dim(nest.split).extent < nest.dim(d).extent && nest.dim(nest.split).extent < 64))
      nest.split = d;
  }
  if (nest.split < 0 && isOneExtreme(k))
    for (const int d : nest.order)
      if (nest.dim(d).extent > 1 && nest.split < 0) nest.split = d;
  if (nest.split < 0 && !isSelect)
    for (const int d : nest.order)
      if (nest.dim(d).kind == DimKind::kReduction && canSplitSum(k, d) && nest.dim(d).extent > 1) {
        nest.split = d;
        nest.sumsInThreads = true;
        break;
      }
  return nest;
}

namespace {

/// Reduction points of lane `lane` in [from, to) of dim `d`, as terms in the order of the kernel's dims.
std::vector<kernel::Terms> termsOf(const ChipNest &nest, int split, std::int64_t from, std::int64_t to, int laneDim,
                                   std::int64_t lane, std::int64_t lanes) {
  const Kernel &k = *nest.kernel;
  std::vector<kernel::Terms> terms;
  std::vector<int> dims;
  for (int d = 0; d < static_cast<int>(k.dims.size()); ++d)
    if (nest.dim(d).kind == DimKind::kReduction) dims.push_back(d);
  const auto go = [&](const auto &self, std::size_t at, std::int64_t point) -> void {
    const int d = dims[at];
    std::int64_t first = 0, end = nest.dim(d).extent, step = 1;
    if (d == split) first = from, end = to;
    if (d == laneDim) first += lane, step = lanes;
    if (at + 1 == dims.size()) {
      if (first < end) terms.push_back({point * nest.dim(d).extent + first, step, ceilDiv(end - first, step)});
      return;
    }
    for (std::int64_t x = first; x < end; x += step) self(self, at + 1, point * nest.dim(d).extent + x);
  };
  if (!dims.empty()) go(go, 0, 0);
  return terms;
}

}  // namespace

kernel::Order orderOf(const ChipNest &nest, std::int64_t threads) {
  kernel::Order order;
  if (!nest.sumsInLanes && !nest.sumsInThreads) return order;
  const Kernel &k = *nest.kernel;
  const DType type = nest.graph->tensors[static_cast<std::size_t>(k.stores.front().target.tensor)].type;
  const int laneDim = nest.sumsInLanes ? nest.order.back() : -1;
  const std::int64_t lanes = nest.sumsInLanes ? nest.lanes : 1;
  const auto leaves = [&](std::int64_t from, std::int64_t to, int split) {
    const auto tree = [&](const auto &self, std::int64_t lane, std::int64_t stride) -> kernel::Accumulation {
      if (stride == lanes) return {type, termsOf(nest, split, from, to, laneDim, lane, lanes), {}};
      return {type, {}, {self(self, lane, 2 * stride), self(self, lane + stride, 2 * stride)}};
    };
    return tree(tree, 0, 1);
  };
  kernel::OrderRegion region;
  for (const kernel::Dim &d : k.dims)
    if (d.kind == DimKind::kParallel) {
      region.lower.push_back(0);
      region.upper.push_back(d.extent);
    }
  if (!nest.sumsInThreads) {
    region.sum = leaves(0, 0, -1);
  } else {
    const std::int64_t used = nest.threadsOf(threads);
    const auto node = [&](const auto &self, std::int64_t t) -> kernel::Accumulation {
      const auto [from, to] = nest.pieceOf(t, threads);
      kernel::Accumulation own = leaves(from, to, nest.split);
      if (2 * t + 1 >= used) return own;
      kernel::Accumulation all{type, {}, {std::move(own)}};
      for (const std::int64_t child : {2 * t + 1, 2 * t + 2})
        if (child < used) all.children.push_back(self(self, child));
      return all;
    };
    region.sum = node(node, 0);
  }
  order.regions.push_back(std::move(region));
  return order;
}

Status runNest(const ChipNest &nest, int number, std::int64_t threads, kernel::DataSet &data) {
  PIMENTO_CHECK(nest.sumsInLanes || nest.sumsInThreads);
  const Kernel &k = *nest.kernel;
  const kernel::Store &store = k.stores.front();
  const auto target = static_cast<std::size_t>(store.target.tensor);
  const kernel::Tensor &tensor = nest.graph->tensors[target];
  const std::int64_t lanes = nest.sumsInLanes ? nest.lanes : 1;
  const std::int64_t used = nest.sumsInThreads ? nest.threadsOf(threads) : 1;
  const auto merge = [&](kernel::TensorData &to, const kernel::TensorData &from) {
    for (std::int64_t e = 0; e < to.elements(); ++e)
      kernel::store(to.type, to.bytes.data(), e,
                    kernel::merge(store.combine, to.type, kernel::load(to.type, to.bytes.data(), e),
                                  kernel::load(from.type, from.bytes.data(), e)));
  };
  // One lane of one thread: its terms, in order.
  const auto sumOf = [&](std::int64_t thread, std::int64_t lane) -> Result<kernel::TensorData> {
    std::int64_t first = 0, end = 0;
    int d = -1;
    if (nest.sumsInThreads) {
      std::tie(first, end) = nest.pieceOf(thread, threads);
      d = nest.split;
    }
    kernel::Graph g;
    if (!nest.sumsInLanes) {
      g = partial(nest, d, first, 1, end - first, tensor);
    } else if (const int last = nest.order.back(); d < 0 || d == last) {
      if (d < 0) end = nest.dim(last).extent;
      g = partial(nest, last, first + lane, lanes, ceilDiv(std::max<std::int64_t>(0, end - first - lane), lanes),
                  tensor);
    } else {
      kernel::Graph outer = partial(nest, d, first, 1, end - first, tensor);
      ChipNest rest = nest;
      rest.graph = &outer;
      rest.kernel = &outer.kernels.front();
      g = partial(rest, last, lane, lanes, ceilDiv(std::max<std::int64_t>(0, nest.dim(last).extent - lane), lanes),
                  tensor);
    }
    kernel::DataSet private_ = data;
    private_.resize(g.tensors.size());
    private_.back() = kernel::TensorData(tensor.type, tensor.shape);
    const kernel::Scalar zero = kernel::identity(store.combine, tensor.type);
    for (std::int64_t e = 0; e < private_.back().elements(); ++e)
      kernel::store(tensor.type, private_.back().bytes.data(), e, zero);
    const std::int64_t points = g.kernels.front().points();
    if (points > 0)
      if (Status s = kernel::interpretKernel(g, 0, private_); !s) return s.diagnostics();
    return std::move(private_.back());
  };
  std::vector<kernel::TensorData> sums;
  for (std::int64_t t = 0; t < used; ++t) {
    std::vector<kernel::TensorData> lane;
    for (std::int64_t l = 0; l < lanes; ++l) {
      Result<kernel::TensorData> sum = sumOf(t, l);
      if (!sum) return sum.diagnostics();
      lane.push_back(std::move(*sum));
    }
    for (std::int64_t half = lanes / 2; half > 0; half /= 2)
      for (std::int64_t l = 0; l < half; ++l)
        merge(lane[static_cast<std::size_t>(l)], lane[static_cast<std::size_t>(l + half)]);
    sums.push_back(std::move(lane.front()));
  }
  for (std::int64_t t = used - 1; t >= 0; --t)
    for (const std::int64_t child : {2 * t + 1, 2 * t + 2})
      if (child < used) merge(sums[static_cast<std::size_t>(t)], sums[static_cast<std::size_t>(child)]);
  if (lower::hasInitial(*nest.graph, number, store))
    merge(data[target], sums.front());
  else
    data[target] = std::move(sums.front());
  return okStatus();
}

}  // namespace pimento::targets::chip
