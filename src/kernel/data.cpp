// Tensor contents: element access and the data sets `--data` names.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/base/rng.h"
#include "pimento/kernel/data_bounds.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

namespace {

std::uint64_t loadBits(const TensorData &t, std::int64_t element) {
  const auto size = static_cast<std::size_t>(sizeOf(t.type).value);
  std::uint64_t bits = 0;
  std::memcpy(&bits, t.bytes.data() + static_cast<std::size_t>(element) * size, size);
  return bits;
}

void storeBits(TensorData &t, std::int64_t element, std::uint64_t bits) {
  const auto size = static_cast<std::size_t>(sizeOf(t.type).value);
  std::memcpy(t.bytes.data() + static_cast<std::size_t>(element) * size, &bits, size);
}

void fillRandom(TensorData &t, Rng &rng) {
  const std::int64_t n = t.elements();
  if (t.type == DType::kF64) {
    for (std::int64_t e = 0; e < n; ++e) t.setDouble(e, rng.real(-1, 1));
  } else if (isFloat(t.type)) {
    for (std::int64_t e = 0; e < n; ++e) {
      const auto x = static_cast<float>(static_cast<std::int64_t>(rng.next() >> 40) - (1 << 23)) * 0x1p-23f;
      storeBits(t, e, t.type == DType::kF16 ? f16FromFloat(x) : encodeFloat(t.type, static_cast<double>(x)));
    }
  } else {
    const bool isByte = sizeOf(t.type).value == 1;
    const std::uint64_t mask = isByte ? 0xff : 0xffff;
    const std::int64_t low = isSigned(t.type) ? -static_cast<std::int64_t>(mask / 2 + 1) : 0;
    for (std::int64_t e = 0; e < n; ++e) t.setInteger(e, low + static_cast<std::int64_t>(rng.next() & mask));
  }
}

void fillUniform(TensorData &t, const DataSpec &spec, Rng &rng) {
  const std::int64_t n = t.elements();
  if (isFloat(t.type)) {
    for (std::int64_t e = 0; e < n; ++e) t.setDouble(e, rng.real(spec.low, spec.high));
    return;
  }
  const std::int64_t low = doubleToInteger(DType::kI64, std::ceil(spec.low));
  const std::int64_t high = doubleToInteger(DType::kI64, std::floor(spec.high));
  for (std::int64_t e = 0; e < n; ++e) t.setInteger(e, high > low ? rng.integer(low, high) : low);
}

}  // namespace

TensorData::TensorData(DType t, std::vector<std::int64_t> s) : type(t), shape(std::move(s)) {
  bytes.resize(static_cast<std::size_t>(elements() * sizeOf(type).value));
}

std::int64_t TensorData::elements() const {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n = multiplySaturated(n, extent);  // of a shape with a 0 anywhere: 0
  return n;
}

double TensorData::asDouble(std::int64_t element) const {
  const std::uint64_t bits = loadBits(*this, element);
  if (isFloat(type)) return decodeFloat(type, bits);
  return integerToDouble(type, wrapInteger(type, static_cast<std::int64_t>(bits)));
}

std::int64_t TensorData::asInteger(std::int64_t element) const {
  const std::uint64_t bits = loadBits(*this, element);
  if (isFloat(type)) return doubleToInteger(DType::kI64, decodeFloat(type, bits));
  return wrapInteger(type, static_cast<std::int64_t>(bits));
}

void TensorData::setDouble(std::int64_t element, double x) {
  storeBits(*this, element,
            isFloat(type) ? encodeFloat(type, x) : static_cast<std::uint64_t>(doubleToInteger(type, x)));
}

void TensorData::setInteger(std::int64_t element, std::int64_t x) {
  storeBits(*this, element,
            isFloat(type)
                ? encodeFloat(type, type == DType::kF64 ? static_cast<double>(x) : integerToDoubleOdd(DType::kI64, x))
                : static_cast<std::uint64_t>(x));
}

namespace {

/// Terms per result where `tensor` is multiplied into a sum: the largest over the kernels that load it; 1 if none does.
std::int64_t termsPerResult(const Graph &graph, std::size_t tensor) {
  std::int64_t most = 1;
  for (const Kernel &kernel : graph.kernels) {
    if (std::none_of(kernel.loads.begin(), kernel.loads.end(),
                     [&](const Access &a) { return a.tensor == static_cast<int>(tensor); }))
      continue;
    std::int64_t terms = 1;
    for (const Dim &dim : kernel.dims)
      if (dim.kind == DimKind::kReduction) terms = multiplySaturated(terms, dim.extent);
    most = std::max(most, terms);
  }
  return most;
}

/// What integers of a tensor choose.
struct Chosen {
  std::int64_t most = -1;  ///< highest value; -1: they choose nothing
  bool isRows = false;     ///< neighbours are where a row begins and ends

  void limit(std::int64_t value) { most = most < 0 ? value : std::min(most, value); }
};

/// By tensor: what its elements, as they are, cast or a constant apart, index or bound.
class Choices {
 public:
  explicit Choices(const Graph &graph) : chosen_(graph.tensors.size()) {
    for (const Kernel &kernel : graph.kernels) {
      for (const Access &load : kernel.loads) seeIndex(graph, kernel, load);
      for (const Store &store : kernel.stores) seeIndex(graph, kernel, store.target);
      for (const DataBounds &b : kernel.bounds) seeBounds(kernel, b);
    }
  }

  const Chosen &operator[](std::size_t tensor) const { return chosen_[tensor]; }

 private:
  /// The tensor that a value is an element of, a constant apart, which is added to `more`; -1: it is none.
  static int tensorOf(const Kernel &kernel, int v, std::int64_t *more = nullptr) {
    const auto node = [&](int n) -> const Value & { return kernel.body[static_cast<std::size_t>(n)]; };
    for (; v >= 0 && node(v).op != Op::kLoad;) {
      const Value &here = node(v);
      const bool isPair = argumentCount(here.op) == 2;
      const int other = isPair && node(here.args[0]).op == Op::kConstant ? 0 : 1;
      if (here.op == Op::kCast) {
        v = here.args[0];
      } else if ((here.op == Op::kAdd || here.op == Op::kMin) &&
                 node(here.args[static_cast<std::size_t>(other)]).op == Op::kConstant) {
        if (more != nullptr && here.op == Op::kAdd) *more += node(here.args[static_cast<std::size_t>(other)]).integer;
        v = here.args[static_cast<std::size_t>(1 - other)];
      } else {
        return -1;
      }
    }
    return v < 0 ? -1 : kernel.loads[static_cast<std::size_t>(node(v).access)].tensor;
  }

  void seeIndex(const Graph &graph, const Kernel &kernel, const Access &a) {
    std::int64_t more = 0;
    const int from = a.isIndirect() ? tensorOf(kernel, a.indirectIndex, &more) : -1;
    if (from < 0) return;
    const Tensor &into = graph.tensors[static_cast<std::size_t>(a.tensor)];
    const std::int64_t last = into.shape[static_cast<std::size_t>(a.indirectAt)] - 1;
    chosen_[static_cast<std::size_t>(from)].limit(std::max<std::int64_t>(0, last - std::max<std::int64_t>(0, more)));
  }

  /// p[i]..p[i+1] are rows; of a sum, n[i] + m[i], each term has its part.
  void seeBounds(const Kernel &kernel, const DataBounds &b) {
    const std::int64_t extent = kernel.dims[static_cast<std::size_t>(b.dim)].extent;
    const int first = tensorOf(kernel, b.first), end = tensorOf(kernel, b.end);
    for (const int value : {b.first, b.end}) {
      const std::vector<int> below = valuesBelow(kernel, value);
      const auto isSum = [&](int v) { return kernel.body[static_cast<std::size_t>(v)].op == Op::kAdd; };
      const std::int64_t terms = 1 + std::count_if(below.begin(), below.end(), isSum);
      for (const int v : below)
        if (const int t = tensorOf(kernel, v); t >= 0 && !indexes(kernel, v))
          chosen_[static_cast<std::size_t>(t)].limit(extent / terms);
    }
    if (first >= 0 && first == end) chosen_[static_cast<std::size_t>(first)].isRows = true;
  }

  static bool indexes(const Kernel &kernel, int value) {
    return std::any_of(kernel.loads.begin(), kernel.loads.end(),
                       [value](const Access &a) { return a.isIndirect() && a.indirectIndex == value; });
  }

  std::vector<Chosen> chosen_;
};

/// From 0 to `most`, or as far as the type goes, ascending.
void fillRows(TensorData &t, std::int64_t most, Rng &rng) {
  const auto bits = 8 * sizeOf(t.type).value - (isSigned(t.type) ? 1 : 0);
  if (bits < 63) most = std::min(most, (std::int64_t{1} << bits) - 1);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(t.elements()), 0);
  for (std::size_t e = 1; e < starts.size(); ++e) starts[e] = rng.integer(0, most);
  if (starts.size() > 1) starts.back() = most;
  std::sort(starts.begin(), starts.end());
  for (std::size_t e = 0; e < starts.size(); ++e) t.setInteger(static_cast<std::int64_t>(e), starts[e]);
}

/// Fills `data` as tensor number `t` of the graph is filled.
void fill(TensorData &data, const Graph &graph, std::size_t t, const Chosen &chosen, const DataSpec &spec, Rng &rng) {
  const Tensor &tensor = graph.tensors[t];
  switch (spec.kind) {
    case DataSpec::Kind::kRandom: {
      // Weights of a sum of n terms lie within sqrt(3 / n), so that activations keep their size from layer to layer
      // instead of overflowing (Glorot and Bengio, AISTATS 2010).
      const std::int64_t terms = tensor.isConstant && isFloat(tensor.type) ? termsPerResult(graph, t) : 1;
      const double bound = std::sqrt(3.0 / static_cast<double>(terms));
      if (chosen.isRows)
        fillRows(data, chosen.most, rng);
      else if (chosen.most >= 0)
        fillUniform(data, {DataSpec::Kind::kUniform, 0, static_cast<double>(chosen.most), spec.seed}, rng);
      else if (terms > 1)
        fillUniform(data, {DataSpec::Kind::kUniform, -bound, bound, spec.seed}, rng);
      else
        fillRandom(data, rng);
      break;
    }
    case DataSpec::Kind::kZero:
      break;
    case DataSpec::Kind::kOne:
    case DataSpec::Kind::kConst:
      for (std::int64_t e = 0; e < data.elements(); ++e)
        data.setDouble(e, spec.kind == DataSpec::Kind::kOne ? 1.0 : spec.low);
      break;
    case DataSpec::Kind::kUniform:
      fillUniform(data, spec, rng);
      break;
  }
}

TensorData made(const Graph &graph, std::size_t t, const Chosen &chosen, const DataSpec &spec) {
  TensorData data(graph.tensors[t].type, graph.tensors[t].shape);
  Rng rng(hashText(graph.tensors[t].name, spec.seed));
  fill(data, graph, t, chosen, spec, rng);
  return data;
}

}  // namespace

TensorData makeTensor(const Graph &graph, int tensor, const DataSpec &spec) {
  const auto t = static_cast<std::size_t>(tensor);
  return made(graph, t, Choices(graph)[t], spec);
}

TensorData makeElements(const Graph &graph, int tensor, const DataSpec &spec, std::int64_t elements,
                        std::uint64_t number) {
  const auto t = static_cast<std::size_t>(tensor);
  TensorData data(graph.tensors[t].type, {elements});
  std::uint64_t seed = hashText(graph.tensors[t].name, spec.seed) + number;
  Rng rng(splitMix64(seed));
  fill(data, graph, t, Choices(graph)[t], spec, rng);
  return data;
}

DataSet makeData(const Graph &graph, const DataSpec &spec) {
  DataSet data(graph.tensors.size());
  const Choices choices(graph);
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const Tensor &tensor = graph.tensors[t];
    data[t].type = tensor.type;
    data[t].shape = tensor.shape;
    if (tensor.role == Role::kInput || tensor.role == Role::kInOut) data[t] = made(graph, t, choices[t], spec);
  }
  return data;
}

void makeMissing(const Graph &graph, DataSet &data) {
  for (std::size_t t = 0; t < data.size(); ++t)
    if (data[t].bytes.empty()) data[t] = TensorData(graph.tensors[t].type, graph.tensors[t].shape);
}

}  // namespace pimento::kernel
