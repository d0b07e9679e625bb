// evaluateWithBound: the graph in double precision, point by point, each number with its error bound. Shares only
// scalar definitions with the interpreter; the walk, the accumulation and the data layout are its own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "pimento/kernel/bound_arithmetic.h"
#include "pimento/kernel/data_bounds.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/linear.h"
#include "pimento/kernel/rounds.h"
#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

namespace {

/// A tensor's numbers: the user's bytes until a kernel writes it.
struct BoundedTensor {
  DType type = DType::kF64;
  const TensorData *given = nullptr;
  std::vector<Bounded> elements;
  std::vector<BoundedAccumulation> open;  ///< while a kernel accumulates into it
  bool hasContents = false;               ///< an accumulation starts from them

  Bounded read(std::int64_t element) const {
    const auto e = static_cast<std::size_t>(element);
    if (!open.empty()) return open[e].result();
    if (!elements.empty()) return elements[e];
    const Scalar x = load(type, given->bytes.data(), element);
    switch (laneClass(type)) {
      case LaneClass::kFloat:
        return Bounded::exact(static_cast<double>(x.f));
      case LaneClass::kDouble:
        return Bounded::exact(x.d);
      default:
        return Bounded::exactInteger(type, x.i);
    }
  }
};

class BoundedKernel {
 public:
  BoundedKernel(const Graph &graph, const Kernel &kernel, std::vector<BoundedTensor> &tensors)
      : graph_(graph), kernel_(kernel), tensors_(tensors), values_(kernel.body.size()) {
    for (const Access &access : kernel.loads) {
      loads_.push_back(linearize(access, tensorOf(graph, access), kernel.dims.size()));
    }
    for (const Store &store : kernel.stores) {
      const std::size_t dropped = isAppend(store) ? 1 : 0;
      stores_.push_back(linearize(store.target, tensorOf(graph, store.target), kernel.dims.size(), dropped));
    }
  }

  void run() {
    for (const Store &store : kernel_.stores) open(store);
    std::vector<std::int64_t> point(kernel_.dims.size(), 0);
    walk(0, point);
    for (const Store &store : kernel_.stores) close(store);
  }

 private:
  void walk(std::size_t d, std::vector<std::int64_t> &point) {
    if (d == point.size()) {
      const bool isIn = std::all_of(kernel_.guards.begin(), kernel_.guards.end(),
                                    [&](const Affine &guard) { return valueAt(guard, point) >= 0; });
      if (isIn) runPoint(point);
      return;
    }
    std::int64_t first = 0, end = kernel_.dims[d].extent;
    if (const DataBounds *bounds = kernel_.boundsOf(static_cast<int>(d))) {
      for (const int v : valuesBelow(kernel_, *bounds))
        values_[static_cast<std::size_t>(v)] = evaluate(kernel_.body[static_cast<std::size_t>(v)], point);
      // Beyond the extent interpret() reports it.
      if (bounds->first >= 0) first = std::max(first, boundOf(bounds->first));
      if (bounds->end >= 0) end = std::min(end, boundOf(bounds->end));
    }
    for (point[d] = first; point[d] < end; ++point[d]) walk(d + 1, point);
    point[d] = 0;
  }

  std::int64_t boundOf(int value) {
    const Bounded &x = values_[static_cast<std::size_t>(value)];
    if (x.bound != 0) isTainted_ = true;
    return x.integer;
  }

  static const Tensor &tensorOf(const Graph &graph, const Access &access) {
    return graph.tensors[static_cast<std::size_t>(access.tensor)];
  }
  BoundedTensor &target(const Store &store) { return tensors_[static_cast<std::size_t>(store.target.tensor)]; }
  bool isAppend(const Store &s) const { return kernel_.form == Form::kSelect && s.combine == Combine::kAssign; }
  DType valueType(int v) const { return kernel_.body[static_cast<std::size_t>(v)].type; }

  void open(const Store &store) {
    BoundedTensor &t = target(store);
    if (store.combine == Combine::kAssign) return;
    const DType termType = isFloat(t.type) ? valueType(store.value) : t.type;
    std::vector<BoundedAccumulation> sums(t.elements.size(), BoundedAccumulation(store.combine, t.type, termType));
    if (t.hasContents) {
      for (std::size_t e = 0; e < sums.size(); ++e) sums[e].add(t.elements[e]);
    }
    t.open = std::move(sums);
  }

  void close(const Store &store) {
    BoundedTensor &t = target(store);
    for (std::size_t e = 0; e < t.open.size(); ++e) t.elements[e] = t.open[e].result();
    t.open.clear();
    t.hasContents = true;
    if (!isTainted_) return;
    for (Bounded &x : t.elements) x.bound = std::numeric_limits<double>::infinity();
  }

  void runPoint(const std::vector<std::int64_t> &point) {
    for (std::size_t v = 0; v < kernel_.body.size(); ++v) values_[v] = evaluate(kernel_.body[v], point);
    if (kernel_.form == Form::kSelect) {
      const Bounded &predicate = values_[static_cast<std::size_t>(kernel_.predicate)];
      if (predicate.bound != 0) isTainted_ = true;
      if (predicate.integer == 0) return;
    }
    if (kernel_.form == Form::kSelect && selected_[valueAt(stores_[0], point)] == kernel_.limit) return;
    std::vector<bool> isBetter(kernel_.stores.size(), true);
    for (const Store &st : kernel_.stores)
      if (st.follows >= 0) isBetter[static_cast<std::size_t>(st.follows)] = decide(st.follows, point);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      const int follows = kernel_.stores[s].follows;
      if (isBetter[follows < 0 ? s : static_cast<std::size_t>(follows)]) store(s, point);
    }
    if (kernel_.form == Form::kSelect) ++selected_[valueAt(stores_[0], point)];
  }

  /// Whether a minimum (maximum) that another store follows takes the point's value.
  bool decide(int s, const std::vector<std::int64_t> &point) {
    const Store &st = kernel_.stores[static_cast<std::size_t>(s)];
    const Bounded held = target(st).read(valueAt(stores_[static_cast<std::size_t>(s)], point));
    const Bounded offered =
        convertBounded(valueType(st.value), target(st).type, values_[static_cast<std::size_t>(st.value)]);
    const Bounded &low = st.combine == Combine::kMin ? offered : held;
    const Bounded &high = st.combine == Combine::kMin ? held : offered;
    if (held.bound == 0 && offered.bound == 0 && !isFloat(target(st).type)) {
      Value less;
      less.op = Op::kCmpLt;
      less.type = DType::kU8;
      return evaluateBounded(less, target(st).type, low, high, high).integer != 0;
    }
    if (!(std::abs(low.value - high.value) > low.bound + high.bound) && (low.bound != 0 || high.bound != 0))
      isTainted_ = true;
    return low.value < high.value;
  }

  /// The element of an access whose affine part is known; none where the index from data lies outside.
  std::optional<std::int64_t> elementOf(const Access &access, std::int64_t element) {
    if (!access.isIndirect()) return element;
    const Bounded &index = values_[static_cast<std::size_t>(access.indirectIndex)];
    if (index.bound != 0) isTainted_ = true;
    const Tensor &tensor = tensorOf(graph_, access);
    if (index.integer < 0 || index.integer >= tensor.shape[static_cast<std::size_t>(access.indirectAt)])
      return std::nullopt;  // interpret() reports it
    return element + index.integer * strideOf(tensor, access.indirectAt);
  }

  Bounded evaluate(const Value &node, const std::vector<std::int64_t> &point) {
    auto argument = [&](std::size_t a) -> const Bounded & {
      return values_[static_cast<std::size_t>(node.args[a < static_cast<std::size_t>(argumentCount(node.op)) ? a : 0])];
    };
    switch (node.op) {
      case Op::kConstant: {
        const Scalar x = constantOf(node);
        if (!isFloat(node.type)) return Bounded::exactInteger(node.type, x.i);
        return Bounded::exact(node.type == DType::kF64 ? x.d : static_cast<double>(x.f));
      }
      case Op::kLoad: {
        const auto access = static_cast<std::size_t>(node.access);
        const Access &load = kernel_.loads[access];
        const auto element = elementOf(load, valueAt(loads_[access], point));
        if (!element) isTainted_ = true;
        return tensors_[static_cast<std::size_t>(load.tensor)].read(element.value_or(0));
      }
      case Op::kIndex:
        return Bounded::exactInteger(node.type, wrapInteger(node.type, point[static_cast<std::size_t>(node.dim)]));
      default: {
        const auto last = static_cast<std::size_t>(argumentCount(node.op) - 1);
        return evaluateBounded(node, valueType(node.args[last]), argument(0), argument(1), argument(2));
      }
    }
  }

  void store(std::size_t s, const std::vector<std::int64_t> &point) {
    const Store &st = kernel_.stores[s];
    BoundedTensor &t = target(st);
    std::optional<std::int64_t> element = elementOf(st.target, valueAt(stores_[s], point));
    if (!element) return;
    if (isAppend(st)) *element += selected_[*element];
    const Bounded &raw = values_[static_cast<std::size_t>(st.value)];
    const auto e = static_cast<std::size_t>(*element);
    if (st.combine == Combine::kAssign) {
      t.elements[e] = convertBounded(valueType(st.value), t.type, raw);
    } else {
      t.open[e].add(isFloat(t.type) ? raw : convertBounded(valueType(st.value), t.type, raw));
    }
  }

  const Graph &graph_;
  const Kernel &kernel_;
  std::vector<BoundedTensor> &tensors_;
  std::vector<Bounded> values_;
  std::vector<Affine> loads_, stores_;
  std::map<std::int64_t, std::int64_t> selected_;  ///< by the row's first element
  bool isTainted_ = false;  ///< which elements are written hangs on an inexact value: nothing is claimed
};

}  // namespace

std::vector<BoundedData> evaluateWithBound(const Graph &graph, const DataSet &inputs) {
  PIMENTO_CHECK(inputs.size() == graph.tensors.size());
  std::vector<BoundedTensor> tensors(graph.tensors.size());
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const Tensor &tensor = graph.tensors[t];
    tensors[t].type = tensor.type;
    tensors[t].hasContents = tensor.role == Role::kInput || tensor.role == Role::kInOut;
    if (tensors[t].hasContents) {
      PIMENTO_CHECK(inputs[t].type == tensor.type && inputs[t].shape == tensor.shape);
      tensors[t].given = &inputs[t];
    }
    if (tensor.role == Role::kInput) continue;
    std::vector<Bounded> elements(static_cast<std::size_t>(tensor.elements()));
    for (std::size_t e = 0; e < elements.size() && tensors[t].given; ++e) {
      elements[e] = tensors[t].read(static_cast<std::int64_t>(e));
    }
    tensors[t].elements = std::move(elements);
  }
  const Status done =
      Rounds(graph).visit([&](int k, const std::vector<std::int64_t> &counters, const std::vector<int> &names) {
        std::optional<Kernel> bound = bind(graph.kernels[static_cast<std::size_t>(k)], counters);
        if (!bound) return okStatus();
        rename(*bound, names);
        BoundedKernel(graph, *bound, tensors).run();
        return okStatus();
      });
  PIMENTO_CHECK(done);
  std::vector<BoundedData> results;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (graph.tensors[t].role != Role::kOutput && graph.tensors[t].role != Role::kInOut) continue;
    BoundedData result;
    result.tensor = static_cast<int>(t);
    for (const Bounded &x : tensors[t].elements) {
      result.value.push_back(x.value);
      result.bound.push_back(x.bound);
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace pimento::kernel
