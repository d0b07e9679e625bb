#include "pimento/tdfg/fit.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "pimento/kernel/rounds.h"

namespace pimento::tdfg {

namespace {

using kernel::Graph;
using kernel::Kernel;
using Sizes = std::vector<std::int64_t>;

/// What must be the same at all sizes, as a text, and the numbers that may depend on them, in one order.
struct Shape {
  std::string structure;
  std::vector<std::int64_t> numbers;
};

class Walk {
 public:
  explicit Walk(Shape &into) : into_(into) {}

  void graph(const Graph &g) {
    for (const kernel::Tensor &t : g.tensors) {
      fixed(t.name, static_cast<int>(t.type), t.shape.size(), static_cast<int>(t.role));
      for (const std::int64_t extent : t.shape) number(extent);
    }
    for (const Kernel &k : g.kernels) kernel(k);
    for (const kernel::Loop &l : g.loops) {
      fixed("loop", l.name, l.first, l.end);
      number(l.extent);
      for (const auto &[a, b] : l.swaps) fixed("swap", a, b);
    }
  }

 private:
  void text(const std::string &s) { into_.structure += s + "\n"; }
  void text(const char *s) { text(std::string(s)); }
  template <typename N>
  void text(N n) {
    text(std::to_string(n));
  }
  template <typename... T>
  void fixed(const T &...x) {
    (text(x), ...);
  }
  void number(std::int64_t x) { into_.numbers.push_back(x); }

  void affine(const kernel::Affine &a) {
    for (const std::int64_t c : a.coefficients) fixed(c);
    number(a.constant);
  }
  void access(const kernel::Access &a) {
    fixed(a.tensor, a.index.size(), a.indirectAt, a.indirectIndex);
    for (const kernel::Affine &index : a.index) affine(index);
  }

  void kernel(const Kernel &k) {
    fixed("kernel", k.dims.size(), k.loads.size(), k.stores.size(), k.guards.size(), k.bounds.size());
    fixed(static_cast<int>(k.form), k.predicate, k.limit);
    for (const kernel::Dim &d : k.dims) {
      fixed(d.name, static_cast<int>(d.kind));
      number(d.extent);
    }
    for (const kernel::Access &a : k.loads) access(a);
    for (const kernel::Value &v : k.body) {
      fixed(static_cast<int>(v.op), static_cast<int>(v.type), v.args[0], v.args[1], v.args[2], v.access, v.dim);
      fixed(std::bit_cast<std::uint64_t>(v.constant));
      if (v.op == kernel::Op::kConstant && !isFloat(v.type)) number(v.integer);
    }
    for (const kernel::Store &s : k.stores) {
      access(s.target);
      fixed(s.value, static_cast<int>(s.combine), s.follows);
    }
    for (const kernel::Affine &g : k.guards) affine(g);
    for (const kernel::DataBounds &b : k.bounds) fixed(b.dim, b.first, b.end);
  }

  Shape &into_;
};

Shape shapeOf(const Graph &graph) {
  Shape shape;
  Walk(shape).graph(graph);
  return shape;
}

/// (sum of factors[s] * size s + constant) / divisor, rounded down.
struct Fit {
  std::vector<std::int64_t> factors;
  std::int64_t constant = 0, divisor = 1;

  std::int64_t at(const Sizes &sizes) const {
    std::int64_t x = constant;
    for (std::size_t s = 0; s < sizes.size(); ++s) x += factors[s] * sizes[s];
    return x / divisor - (x % divisor < 0 ? 1 : 0);
  }
};

class Fitter {
 public:
  Fitter(const std::vector<std::string> &names, const GraphAt &graphAt) : names_(names), graphAt_(graphAt) {}

  Result<Program> run() {
    Sizes base;
    for (std::size_t s = 0; s < names_.size(); ++s)
      base.push_back(kBase + static_cast<std::int64_t>(names_.size() - 1 - s) * 30);
    auto first = graph(base);
    if (!first) return first.diagnostics();
    base_ = std::move(*first);
    shapes_.emplace_back(base, shapeOf(base_));
    if (!probe(base)) return found_;
    if (!fitAll()) return found_;
    const std::int64_t least = leastSize();
    if (!found_.empty()) return found_;
    return build(least);
  }

 private:
  static constexpr std::int64_t kBase = 37, kPeriod = 24;

  Result<Graph> graph(const Sizes &sizes) const {
    std::map<std::string, std::int64_t> named;
    for (std::size_t s = 0; s < names_.size(); ++s) named[names_[s]] = sizes[s];
    return graphAt_(named);
  }

  bool probe(const Sizes &base) {
    std::vector<Sizes> probes;
    for (std::size_t s = 0; s < base.size(); ++s) {
      for (const std::int64_t step : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{5}, kPeriod}) {
        probes.push_back(base);
        probes.back()[s] += step;
      }
    }
    // Sizes that the forms are not made from, in another order of magnitude and of greatness.
    Sizes other = base, reversed = base;
    for (std::size_t s = 0; s < base.size(); ++s) {
      other[s] = 151 + 47 * static_cast<std::int64_t>(base.size() - s);
      reversed[s] = base[base.size() - 1 - s] + 7;
    }
    probes.push_back(other);
    probes.push_back(reversed);
    for (const Sizes &sizes : probes) {
      if (names_.empty()) break;
      auto g = graph(sizes);
      // A source may hold for sizes in one order alone: a step k of n.
      if (!g && &sizes == &probes.back() && base.size() > 1) continue;
      if (!g) {
        found_ = g.diagnostics();
        return false;
      }
      shapes_.emplace_back(sizes, shapeOf(*g));
      if (shapes_.back().second.structure != shapes_[0].second.structure) {
        found_.push_back(unsupported("tdfg-sizes", placeOf(),
                                     "the program is another one at " + text(sizes) + " than at " + text(base),
                                     "write loops and array extents as sums of sizes"));
        return false;
      }
    }
    return true;
  }

  Location placeOf() const { return base_.kernels.empty() ? Location{} : base_.kernels[0].where; }

  std::string text(const Sizes &sizes) const {
    std::string s;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      s += (s.empty() ? "" : ", ") + names_[i] + " = " + std::to_string(sizes[i]);
    return s;
  }

  bool agrees(const Fit &fit, std::size_t number) const {
    return std::all_of(shapes_.begin(), shapes_.end(),
                       [&](const auto &probe) { return fit.at(probe.first) == probe.second.numbers[number]; });
  }

  std::optional<Fit> fitOf(std::size_t number) const {
    const std::int64_t at = shapes_[0].second.numbers[number];
    const auto holds = [&](const auto &rule) {
      return std::all_of(shapes_.begin(), shapes_.end(),
                         [&](const auto &probe) { return rule(probe.second.numbers[number]); });
    };
    if (holds([at](std::int64_t x) { return x == at; })) return Fit{Sizes(names_.size(), 0), at};
    // Beyond what a form of sizes gives, and where its numbers would overflow.
    constexpr std::int64_t kMost = kMostCoordinate;
    if (!holds([](std::int64_t x) { return x >= -kMost && x <= kMost; })) return std::nullopt;
    for (const std::int64_t divisor : {1, 2, 3, 4, 6, 8}) {
      Fit fit;
      fit.divisor = divisor;
      fit.constant = at * divisor;
      bool isWhole = true;
      for (std::size_t s = 0; s < names_.size(); ++s) {
        const std::int64_t rise = (shapes_[5 * (s + 1)].second.numbers[number] - at) * divisor;
        isWhole = isWhole && rise % kPeriod == 0;
        fit.factors.push_back(rise / kPeriod);
        fit.constant -= fit.factors.back() * shapes_[0].first[s];
      }
      for (std::int64_t rest = 0; isWhole && rest < divisor; ++rest, ++fit.constant)
        if (agrees(fit, number)) return fit;
    }
    return std::nullopt;
  }

  bool fitAll() {
    for (std::size_t n = 0; n < shapes_[0].second.numbers.size(); ++n) {
      auto fit = fitOf(n);
      if (!fit) {
        found_.push_back(unsupported("tdfg-sizes", placeOf(),
                                     "a number of the program is no sum of its sizes: " +
                                         std::to_string(shapes_[0].second.numbers[n]) + " at " + text(shapes_[0].first),
                                     "write A[n][m] in place of products of sizes"));
        return false;
      }
      fits_.push_back(std::move(*fit));
    }
    return true;
  }

  bool holdsAt(const Sizes &sizes, bool mayBeRefused) const {
    const auto g = graph(sizes);
    if (!g) return mayBeRefused;
    const Shape shape = shapeOf(*g);
    if (shape.structure != shapes_[0].second.structure) return false;
    for (std::size_t n = 0; n < fits_.size(); ++n)
      if (fits_[n].at(sizes) != shape.numbers[n]) return false;
    return true;
  }

  Sizes descending(std::int64_t last) const {
    Sizes sizes;
    for (std::size_t s = 0; s < names_.size(); ++s)
      sizes.push_back(last + 4 * static_cast<std::int64_t>(names_.size() - 1 - s));
    return sizes;
  }

  /// The least number from which on the source says what the forms say, or refuses sizes that are all equal.
  std::int64_t leastSize() const {
    if (names_.empty()) return 1;
    for (std::int64_t x = 20; x >= 1; --x)
      if (!holdsAt(descending(x), false) || !holdsAt(Sizes(names_.size(), x), true)) return x == 20 ? kBase : x + 1;
    return 1;
  }

  // ---- The program ----

  Form next() {
    const Fit &fit = fits_[at_++];
    Form form = constantForm(fit.constant);
    for (std::size_t s = 0; s < names_.size(); ++s) form = plus(form, nameForm(static_cast<int>(s), fit.factors[s]));
    if (fit.divisor == 1) return form;
    for (std::size_t n = 0; n < program_.names.size(); ++n) {
      const Name &name = program_.names[n];
      if (name.kind == Name::Kind::kQuotient && name.of == form && name.divisor == fit.divisor)
        return nameForm(static_cast<int>(n));
    }
    program_.names.push_back({Name::Kind::kQuotient, fresh("q"), form, fit.divisor});
    return nameForm(static_cast<int>(program_.names.size()) - 1);
  }

  std::string fresh(const std::string &stem) const {
    std::string name = stem;
    for (int i = 1; program_.nameNamed(name) >= 0; ++i) name = stem + "_" + std::to_string(i);
    return name;
  }

  Program build(std::int64_t least) {
    program_.name = base_.name.empty() ? "program" : base_.name;
    program_.leastSize = least;
    for (const std::string &name : names_) program_.names.push_back({Name::Kind::kSize, name});
    for (const kernel::Tensor &t : base_.tensors) {
      Array array{t.name, t.type, {}, t.role};
      for (std::size_t i = 0; i < t.shape.size(); ++i) array.shape.push_back(next());
      program_.arrays.push_back(std::move(array));
    }
    setStarts();
    // Loops' names come first: kernels use them for their counters.
    for (const kernel::Loop &l : base_.loops) {
      program_.loops.push_back({static_cast<int>(program_.names.size()), {}, l.first, l.end, l.swaps});
      program_.names.push_back({Name::Kind::kLoop, fresh(l.name)});
    }
    for (std::size_t k = 0; k < base_.kernels.size(); ++k) program_.regions.push_back(region(static_cast<int>(k)));
    for (Loop &loop : program_.loops) loop.extent = next();
    return std::move(program_);
  }

  void setStarts() {
    std::vector<bool> isSet(base_.tensors.size(), false);
    for (const Kernel &k : base_.kernels) {
      for (const kernel::Store &s : k.stores) {
        const auto t = static_cast<std::size_t>(s.target.tensor);
        if (isSet[t]) continue;
        isSet[t] = true;
        const bool isGiven =
            base_.tensors[t].role == kernel::Role::kInput || base_.tensors[t].role == kernel::Role::kInOut;
        if (!isGiven && s.combine != kernel::Combine::kAdd) program_.arrays[t].start = s.combine;
      }
    }
  }

  /// Names of the counters of kernel `k`, outermost first.
  std::vector<int> countersOf(int k) const {
    std::vector<int> names;
    for (const Loop &loop : program_.loops)
      if (loop.first <= k && k < loop.end) names.push_back(loop.name);
    return names;
  }

  StreamIndex index(const kernel::Affine &affine, const std::vector<int> &counters) {
    StreamIndex i;
    i.form = next();
    for (std::size_t d = 0; d < affine.coefficients.size(); ++d) {
      if (d < counters.size()) {
        i.form = plus(i.form, nameForm(counters[d], affine.coefficients[d]));
      } else {
        i.factors.push_back(affine.coefficients[d]);
      }
    }
    return i;
  }

  StreamAccess access(const kernel::Access &a, const std::vector<int> &counters) {
    StreamAccess s;
    s.array = a.tensor;
    s.indirectAt = a.indirectAt;
    s.indirectIndex = a.indirectIndex;
    for (const kernel::Affine &i : a.index) s.index.push_back(index(i, counters));
    return s;
  }

  Region region(int k) {
    const Kernel &kernel = base_.kernels[static_cast<std::size_t>(k)];
    const std::vector<int> counters = countersOf(k);
    Region r;
    r.name = "r" + std::to_string(k);
    r.where = kernel.where;
    r.source = kernel.where.str();
    Streams &s = r.streams;
    s.nest.name = kernel.name;
    s.nest.form = kernel.form;
    s.nest.predicate = kernel.predicate;
    s.nest.limit = kernel.limit;
    s.nest.where = kernel.where;
    s.nest.body = kernel.body;
    for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
      const Form extent = next();
      if (d >= counters.size()) s.dims.push_back({kernel.dims[d].name, extent, kernel.dims[d].kind});
    }
    for (const kernel::Access &load : kernel.loads) s.loads.push_back(access(load, counters));
    for (std::size_t v = 0; v < kernel.body.size(); ++v) bodyValue(s, static_cast<int>(v), counters);
    for (const kernel::Store &store : kernel.stores) {
      s.targets.push_back(access(store.target, counters));
      kernel::Store plain = store;
      plain.target = {};
      s.nest.stores.push_back(plain);
    }
    for (const kernel::Affine &guard : kernel.guards) s.guards.push_back(index(guard, counters));
    for (kernel::DataBounds b : kernel.bounds) {
      b.dim -= static_cast<int>(counters.size());
      s.nest.bounds.push_back(b);
    }
    return r;
  }

  void bodyValue(Streams &s, int v, const std::vector<int> &counters) {
    kernel::Value &value = s.nest.body[static_cast<std::size_t>(v)];
    if (value.op == kernel::Op::kConstant && !isFloat(value.type)) {
      const Form form = next();
      if (!form.isConstant()) s.forms.push_back({v, form});
    } else if (value.op == kernel::Op::kIndex) {
      const auto d = static_cast<std::size_t>(value.dim);
      if (d >= counters.size()) {
        value.dim -= static_cast<int>(counters.size());
      } else {
        value.op = kernel::Op::kConstant;
        value.dim = -1;
        s.forms.push_back({v, nameForm(counters[d])});
      }
    }
  }

  const std::vector<std::string> &names_;
  const GraphAt &graphAt_;
  Graph base_;
  std::vector<std::pair<Sizes, Shape>> shapes_;
  std::vector<Fit> fits_;
  std::size_t at_ = 0;
  Program program_;
  Diagnostics found_;
};

}  // namespace

Result<Program> fitStreams(const std::vector<std::string> &sizes, const GraphAt &graphAt) {
  return Fitter(sizes, graphAt).run();
}

}  // namespace pimento::tdfg
