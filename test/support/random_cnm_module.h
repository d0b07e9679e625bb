// Random CNM modules that use all that the text can say: every type, role, form, operation and constant, names that
// need quotes, several kernels, mappings of every kind. What they say need not make sense: only a text must hold it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "pimento/base/rng.h"
#include "pimento/mapping/cnm.h"

namespace pimento::test {

class RandomCnmModule {
 public:
  explicit RandomCnmModule(Rng &rng) : rng_(rng) {}

  mapping::CnmModule make() {
    mapping::CnmModule m;
    m.graph.name = name(0);
    if (!isOneOf(4)) {
      m.target = "machine" + name(1);
      for (int l = below(4); l > 0; --l) m.levels.push_back("level" + name(static_cast<int>(m.levels.size())));
    }
    for (int t = 1 + below(5); t > 0; --t) m.graph.tensors.push_back(tensor(static_cast<int>(m.graph.tensors.size())));
    for (int k = 1 + below(3); k > 0; --k) {
      m.graph.kernels.push_back(kernel(m.graph));
      m.mappings.push_back(mapping(m, m.graph.kernels.back()));
    }
    if (isOneOf(2)) loops(m.graph);
    return m;
  }

 private:
  /// One around some kernels, and perhaps one around some of these.
  void loops(kernel::Graph &g) {
    int first = 0, end = static_cast<int>(g.kernels.size());
    for (int n = 1 + below(2); n > 0; --n) {
      first += below(end - first);
      end -= below(end - first);
      g.loops.push_back({name(static_cast<int>(g.loops.size())), upTo(100), first, end, {}, {}});
      if (isOneOf(2))
        g.loops.back().swaps.push_back(
            {below(static_cast<int>(g.tensors.size())), below(static_cast<int>(g.tensors.size()))});
    }
  }

  int below(int n) { return static_cast<int>(rng_.below(static_cast<std::uint64_t>(n))); }
  bool isOneOf(int n) { return below(n) == 0; }
  std::int64_t upTo(std::int64_t n) { return rng_.integer(1, n); }

  template <typename Enum>
  Enum any(Enum last) {
    return static_cast<Enum>(below(static_cast<int>(last) + 1));
  }

  /// Distinct for distinct `n`.
  std::string name(int n) {
    static constexpr std::array<std::string_view, 8> kOdd{"a b", "x-1", "\"", "\\", "%0", "range", "\n", "\xc3\xa9"};
    return (isOneOf(3) ? std::string(kOdd[rng_.below(kOdd.size())]) : std::string(1, 'a')) + std::to_string(n);
  }

  DType type() { return allDTypes()[rng_.below(allDTypes().size())]; }

  kernel::Tensor tensor(int n) {
    kernel::Tensor t{name(n), type(), {}, any(kernel::Role::kTemporary), isOneOf(4)};
    for (int d = below(4); d > 0; --d) t.shape.push_back(upTo(isOneOf(4) ? std::int64_t{1} << 50 : 64));
    return t;
  }

  kernel::Affine affine(const kernel::Kernel &k) {
    const auto number = [&]() -> std::int64_t {
      return isOneOf(8) ? static_cast<std::int64_t>(rng_.next()) : isOneOf(2) ? 0 : below(9) - 4;
    };
    kernel::Affine a;
    for (std::size_t d = 0; d < k.dims.size(); ++d) a.coefficients.push_back(number());
    a.constant = isOneOf(16) ? std::numeric_limits<std::int64_t>::min() : number();
    return a;
  }

  kernel::Access access(const kernel::Graph &g, const kernel::Kernel &k) {
    kernel::Access a;
    a.tensor = below(static_cast<int>(g.tensors.size()));
    const std::size_t rank = g.tensors[static_cast<std::size_t>(a.tensor)].shape.size();
    for (std::size_t i = 0; i < rank; ++i) a.index.push_back(affine(k));
    return a;
  }

  double constant() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::array kCorners{0.0,  -0.0, 1.0,       0.1,  -1e300,     5e-324,
                                  1e15, 1e20, kInfinity, -2.5, -kInfinity, 4503599627370497.5};
    if (isOneOf(6)) return std::numeric_limits<double>::quiet_NaN();
    return isOneOf(2) ? kCorners[rng_.below(kCorners.size())] : std::bit_cast<double>(rng_.next());
  }

  kernel::Value value(const kernel::Kernel &k) {
    using kernel::Op;
    kernel::Value v;
    v.type = type();
    v.op = any(Op::kCast);
    const auto values = static_cast<int>(k.body.size());
    if ((v.op == Op::kLoad && k.loads.empty()) || (v.op == Op::kIndex && k.dims.empty()) ||
        (kernel::argumentCount(v.op) > 0 && values == 0))
      v.op = Op::kConstant;
    if (v.op == Op::kConstant && isFloat(v.type)) v.constant = constant();
    if (v.op == Op::kConstant && !isFloat(v.type))
      v.integer = wrapInteger(v.type, isOneOf(2) ? below(9) - 4 : static_cast<std::int64_t>(rng_.next()));
    if (v.op == Op::kLoad) v.access = below(static_cast<int>(k.loads.size()));
    if (v.op == Op::kIndex) v.dim = below(static_cast<int>(k.dims.size()));
    for (int a = 0; a < kernel::argumentCount(v.op); ++a) v.args[static_cast<std::size_t>(a)] = below(values);
    return v;
  }

  kernel::Kernel kernel(const kernel::Graph &g) {
    kernel::Kernel k;
    k.name = name(static_cast<int>(g.kernels.size()));
    k.form = any(kernel::Form::kSelect);
    for (int d = below(5); d > 0; --d)
      k.dims.push_back({name(static_cast<int>(k.dims.size())), upTo(4096), any(kernel::DimKind::kCounter)});
    for (int n = below(3); n > 0; --n) k.guards.push_back(affine(k));
    for (int n = below(4); n > 0; --n) k.loads.push_back(access(g, k));
    for (int n = 1 + below(8); n > 0; --n) k.body.push_back(value(k));
    const auto values = static_cast<int>(k.body.size());
    if (isOneOf(2)) k.predicate = below(values);
    if (isOneOf(4)) k.limit = upTo(64);
    for (int d = 0; d < static_cast<int>(k.dims.size()); ++d)
      if (isOneOf(6)) k.bounds.push_back({d, isOneOf(3) ? -1 : below(values), isOneOf(3) ? 0 : below(values)});
    for (int n = below(3); n > 0; --n) indirectLoad(g, k);
    for (int n = 1 + below(2); n > 0; --n) k.stores.push_back(store(g, k, values));
    return k;
  }

  kernel::Store store(const kernel::Graph &g, const kernel::Kernel &k, int values) {
    kernel::Store s{access(g, k), below(values), any(kernel::Combine::kMax), -1};
    if (isOneOf(3)) indirect(s.target, k, values);
    if (s.combine == kernel::Combine::kAssign && isOneOf(4)) s.follows = below(4);
    return s;
  }

  void indirect(kernel::Access &a, const kernel::Kernel &k, int values) {
    if (a.index.empty()) return;
    a.indirectAt = below(static_cast<int>(a.index.size()));
    a.indirectIndex = below(values);
    a.index[static_cast<std::size_t>(a.indirectAt)] = {std::vector<std::int64_t>(k.dims.size(), 0), 0};
  }

  void indirectLoad(const kernel::Graph &g, kernel::Kernel &k) {
    k.loads.push_back(access(g, k));
    indirect(k.loads.back(), k, static_cast<int>(k.body.size()));
    kernel::Value load;
    load.op = kernel::Op::kLoad;
    load.access = static_cast<int>(k.loads.size()) - 1;
    k.body.push_back(load);
  }

  std::optional<mapping::MapSpec> mapping(const mapping::CnmModule &module, const kernel::Kernel &k) {
    using mapping::MapSpec;
    if (isOneOf(6)) return std::nullopt;
    MapSpec spec;
    mapping::Mapping &m = spec.mapping;
    spec.kind = module.levels.empty() || isOneOf(4) ? any(MapSpec::Kind::kHost) : MapSpec::Kind::kExplicit;
    if (spec.kind == MapSpec::Kind::kExplicit)
      for (int n = 1 + below(3); n > 0; --n) m.subspaces.push_back(subspace(module, k, n));
    for (const std::string &level : module.levels)
      if (isOneOf(3)) m.cyclic[level] = upTo(64);
    if (isOneOf(3))
      for (auto d = k.dims.rbegin(); d != k.dims.rend(); ++d) m.order.push_back(d->name);
    for (const std::string &p : mapping::parameterNames())
      if (isOneOf(3)) m.parameters[p] = upTo(mapping::kMaxExtent);
    m.mergeAt = any(mapping::MergeAt::kHost);
    m.program = any(mapping::ProgramKind::kCompiled);
    m.tail = any(mapping::Tail::kTruncate);
    m.text = mapping::print(spec);
    if (spec.kind == MapSpec::Kind::kExplicit && isOneOf(3)) m.text = isOneOf(2) ? "reference" : "reference;dpus=64";
    return spec;
  }

  mapping::Subspace subspace(const mapping::CnmModule &module, const kernel::Kernel &k, int index) {
    mapping::Subspace s;
    s.index = index;
    s.factors.assign(module.levels.size() + 1, std::vector<std::int64_t>(k.dims.size(), 1));
    for (auto &row : s.factors)
      for (std::int64_t &f : row) f = isOneOf(2) ? 1 : upTo(64);
    return s;
  }

  Rng &rng_;
};

}  // namespace pimento::test
