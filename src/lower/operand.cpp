#include "pimento/lower/operand.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/kernel/box.h"
#include "pimento/kernel/linear.h"

namespace pimento::lower {

using kernel::Access;
using kernel::addProduct;

std::int64_t Position::extent(const PerDim &sizes) const {
  if (isWhole) return limit;
  std::int64_t n = addSaturated(1, spread);
  for (std::size_t d = 0; d < sizes.size(); ++d)
    n = addSaturated(n, multiplySaturated(std::abs(coefficient[d]), sizes[d] - 1));
  return n;
}

bool Operand::involves(int dim) const {
  return std::any_of(positions.begin(), positions.end(), [dim](const Position &p) { return p.involves(dim); });
}

bool Operand::isAnywhere() const {
  return std::any_of(positions.begin(), positions.end(), [](const Position &p) { return p.isWhole; });
}

std::int64_t Operand::elements(const PerDim &sizes) const {
  std::int64_t n = 1;
  for (const Position &p : positions) n = multiplySaturated(n, p.extent(sizes));
  return n;
}

Scheme::Scheme(const kernel::Graph &graph, int number, const mapping::PlacedMapping &placed, int subspace,
               const machine::Machine &machine)
    : Shares(graph.kernels[static_cast<std::size_t>(number)], placed, subspace, machine),
      graph(&graph),
      number(number) {}

PerDim Scheme::sizesOf(const Operand &o) const {
  return o.home.home == TensorPlace::Home::kUnit ? sizesPerUnit() : sizesPerThread();
}

std::vector<kernel::Affine> Scheme::guardsOf(const Operand &o) const {
  if (o.use == Use::kWrite) return kernel().guards;
  std::vector<bool> isKept;
  for (std::size_t d = 0; d < axes.size(); ++d) isKept.push_back(o.involves(static_cast<int>(d)));
  return kernel::projectedGuards(kernel(), isKept);
}

std::int64_t Scheme::arraysOf(const Operand &o) const {
  return o.home.home == TensorPlace::Home::kUnit ? 1 : threads;
}

std::int64_t Scheme::resultsOf(const Operand &o) const {
  if (!o.isMerged) return arraysOf(o);
  std::int64_t groups = 1;
  for (std::size_t d = 0; d < axes.size(); ++d) groups *= o.involves(static_cast<int>(d)) ? axes[d].threads() : 1;
  return groups;
}

std::vector<int> Scheme::followersOf(int store) const {
  std::vector<int> out;
  for (std::size_t s = 0; s < kernel().stores.size(); ++s)
    if (store >= 0 && kernel().stores[s].follows == store) out.push_back(static_cast<int>(s));
  return out;
}

bool Scheme::isOfExtreme(const Operand &o) const {
  return o.store >= 0 && (storeOf(o).follows >= 0 || !followersOf(o.store).empty());
}

namespace {

/// What an index counts in: the common divisor of its coefficients, negative where they all are.
std::int64_t stepOf(const kernel::Affine &index) {
  std::int64_t step = 0;
  bool isNegative = true;
  for (const std::int64_t c : index.coefficients) {
    step = std::gcd(step, c);
    isNegative &= c <= 0;
  }
  return step == 0 ? 1 : isNegative ? -step : step;
}

}  // namespace

std::vector<Position> positionsOf(const Access &access, const kernel::Tensor &tensor, bool isPacked) {
  std::vector<Position> out;
  std::int64_t stride = 1;
  for (std::size_t i = access.index.size(); i-- > 0; stride *= tensor.shape[i]) {
    const kernel::Affine &index = access.index[i];
    Position p{index.constant, isPacked ? stepOf(index) : 1, stride, tensor.shape[i], index.coefficients, 0, false, i};
    for (std::int64_t &c : p.coefficient) c /= p.step;
    if (access.indirectAt == static_cast<int>(i))
      p = {0, 1, stride, tensor.shape[i], PerDim(index.coefficients.size(), 0), 0, true, i};
    out.insert(out.begin(), std::move(p));
  }
  return out;
}

std::vector<Position> wholeOf(const kernel::Tensor &tensor, std::size_t dims) {
  std::vector<Position> out;
  std::int64_t stride = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0; stride *= tensor.shape[i])
    out.insert(out.begin(), {0, 1, stride, tensor.shape[i], PerDim(dims, 0), 0, true, i});
  return out;
}

bool matches(const Operand &o, const Access &access, std::int64_t widest) {
  return o.tensor == access.tensor && std::all_of(o.positions.begin(), o.positions.end(), [&](const Position &p) {
           const kernel::Affine &index = access.index[p.index];
           if (p.isWhole || access.indirectAt == static_cast<int>(p.index))
             return p.isWhole && access.indirectAt == static_cast<int>(p.index);
           for (std::size_t d = 0; d < p.coefficient.size(); ++d)
             if (index.coefficients[d] != p.coefficient[d] * p.step) return false;
           const std::int64_t apart = index.constant - p.origin;
           return apart % p.step == 0 && std::abs(apart / p.step) <= widest;
         });
}

void settle(Scheme &scheme, const std::vector<Operand *> &operands) {
  const kernel::Kernel &kernel = scheme.kernel();
  const auto forEach = [&](auto &&visit) {
    for (std::size_t l = 0; l < kernel.loads.size(); ++l) visit(kernel.loads[l], scheme.loads[l]);
    for (std::size_t s = 0; s < kernel.stores.size(); ++s) visit(kernel.stores[s].target, scheme.stores[s]);
  };
  const auto deltaOf = [](const Position &p, const Access &a) {
    return p.isWhole ? 0 : (a.index[p.index].constant - p.origin) / p.step;
  };
  for (std::size_t o = 0; o < operands.size(); ++o)
    for (Position &p : operands[o]->positions) {
      std::int64_t low = 0, high = 0;
      forEach([&](const Access &a, const Reference &r) {
        if (r.operand != static_cast<int>(o)) return;
        low = std::min(low, deltaOf(p, a));
        high = std::max(high, deltaOf(p, a));
      });
      p.origin += low * p.step;
      p.spread = high - low;
    }
  forEach([&](const Access &a, Reference &r) {
    r.delta.clear();
    for (const Position &p : operands[static_cast<std::size_t>(r.operand)]->positions) r.delta.push_back(deltaOf(p, a));
  });
}

kernel::Affine byteOf(const Operand &o, const TensorPlace &place, const PerDim &sizes, const PerDim &inner,
                      const PerDim &delta) {
  kernel::Affine out{PerDim(sizes.size(), 0), 0};
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    if (!delta.empty()) out.constant += delta[p] * place.pitch[p];
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const std::int64_t c = o.positions[p].coefficient[d];
      out.coefficients[d] = addProduct(out.coefficients[d], c, place.pitch[p]);
      if (c < 0) out.constant += -c * (sizes[d] - inner[d]) * place.pitch[p];  // boxes begin where the dim ends
    }
  }
  return out;
}

std::optional<std::int64_t> resultOf(const Shares &shares, const Operand &o, std::int64_t thread) {
  if (!o.isMerged) return thread;
  const PerDim low = shares.lowOf(thread);
  std::int64_t group = 0;
  for (std::size_t d = 0; d < low.size(); ++d)
    if (o.involves(static_cast<int>(d)))
      group = group * shares.axes[d].threads() + low[d] / shares.axes[d].range;
    else if (low[d] != 0)
      return std::nullopt;
  return group;
}

kernel::Affine elementOf(const Operand &o, const PerDim &delta, std::size_t dims) {
  kernel::Affine out{PerDim(dims, 0), o.first};
  for (std::size_t i = 0; i < o.positions.size(); ++i) {
    const Position &p = o.positions[i];
    out.constant = addProduct(out.constant, p.stride, p.origin + p.step * delta[i]);
    for (std::size_t d = 0; d < dims; ++d)
      out.coefficients[d] = addProduct(out.coefficients[d], addProduct(0, p.stride, p.step), p.coefficient[d]);
  }
  return out;
}

}  // namespace pimento::lower
