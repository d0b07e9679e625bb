#include "pimento/targets/hbm_pim/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pimento/base/dtype.h"
#include "pimento/targets/hbm_pim/direct_layout.h"

namespace pimento::targets::hbm_pim {

using kernel::DimKind;
using kernel::Kernel;
using kernel::Op;

namespace {

constexpr const char *kCanDo =
    "HBM-PIM adds, multiplies, applies relu to f16 values, and sums or multiplies up what these give; keep this stage "
    "on the host, or write it with those operations";

class Recogniser {
 public:
  Recogniser(const kernel::Graph &graph, int index, const machine::Machine &machine)
      : graph_(graph), kernel_(graph.kernels[static_cast<std::size_t>(index)]), machine_(machine) {}

  Result<std::vector<Pattern>> run() {
    if (const auto bad = checkForm()) return *bad;
    if (const auto bad = checkTypes()) return *bad;
    const bool reduces = std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                     [](const kernel::Dim &d) { return d.kind == DimKind::kReduction; });
    if (reduces) return sums();
    Result<Pattern> p = elementwise();
    if (!p) return p.diagnostics();
    return std::vector<Pattern>{std::move(*p)};
  }

 private:
  Diagnostic unsupported(std::string code, std::string message, std::string hint = kCanDo) const {
    return pimento::unsupported("unsupported-" + code, kernel_.where,
                                fmt::format("kernel '{}' cannot run on {}: {}", kernel_.name, machine_.name, message),
                                std::move(hint));
  }

  std::optional<Diagnostic> checkForm() const {
    if (kernel_.dims.empty()) return unsupported("form", "it computes a single scalar", "run it on the host");
    if (kernel_.form == kernel::Form::kSelect)
      return unsupported("form", "it keeps elements by a condition (selection), which needs data-dependent addresses");
    if (kernel_.form == kernel::Form::kIndirect)
      return unsupported("form", "it stores at an index read from data (a scatter, a histogram)");
    if (!kernel_.bounds.empty())
      return unsupported("form", fmt::format("the bounds of dim '{}' come from data",
                                             kernel_.dims[static_cast<std::size_t>(kernel_.bounds[0].dim)].name));
    if (kernel_.hasIndirectLoads()) return unsupported("form", "it reads at an index from data");
    for (const kernel::Store &s : kernel_.stores)
      if (s.follows >= 0) return unsupported("form", "it takes a minimum or maximum with its index");
    for (const kernel::Dim &d : kernel_.dims)
      if (d.kind == DimKind::kSequential)
        return unsupported("form",
                           fmt::format("dim '{}' is sequential (a scan): each step needs the previous one", d.name));
    return std::nullopt;
  }

  std::optional<Diagnostic> checkTypes() const {
    const auto wrong = [&](const kernel::Access &a) {
      return graph_.tensors[static_cast<std::size_t>(a.tensor)].type != machine_.pim->type;
    };
    const auto report = [&](const kernel::Access &a) {
      const kernel::Tensor &t = graph_.tensors[static_cast<std::size_t>(a.tensor)];
      return unsupported("type",
                         fmt::format("tensor '{}' holds {}, but the unit computes in {}", t.name, name(t.type),
                                     name(machine_.pim->type)),
                         typeHint(t.type));
    };
    for (const kernel::Access &a : kernel_.loads)
      if (wrong(a)) return report(a);
    for (const kernel::Store &s : kernel_.stores)
      if (wrong(s.target)) return report(s.target);
    return std::nullopt;
  }

  std::string typeHint(DType given) const {
    const std::string_view unit = name(machine_.pim->type);
    const std::string own = fmt::format("--dtype {} for notation and kernels of the zoo", unit);
    if (!isFloat(given)) return fmt::format("use {}; integers stay on the host (--map host, --offload possible)", own);
    // These are what models come in; another type may be what --convert has made of one.
    const bool isUsual = given == DType::kF32 || given == DType::kF64;
    return fmt::format("use --convert {}={} for a file's own type, {}", isUsual ? name(given) : "TYPE", unit, own);
  }

  bool dependsOn(const kernel::Access &a, std::size_t dim) const {
    return std::any_of(a.index.begin(), a.index.end(),
                       [&](const kernel::Affine &e) { return e.coefficients[dim] != 0; });
  }

  /// Products of two operands first; then, where no factor serves several outputs, all operands in the banks.
  Result<std::vector<Pattern>> sums() const {
    const kernel::Store &store = kernel_.stores[0];
    const bool isSum = store.combine == kernel::Combine::kAdd, isProduct = store.combine == kernel::Combine::kMul;
    if (kernel_.stores.size() != 1) return unsupported("op", "it has several reductions; the unit runs one at a time");
    if (!isSum && !isProduct)
      return unsupported("op",
                         fmt::format("it reduces by '{}'; the unit sums and multiplies", kernel::name(store.combine)));
    std::vector<Pattern> found;
    if (isSum) matVecs(found);
    Diagnostics bad;
    const bool isShared = std::any_of(found.begin(), found.end(), [](const Pattern &p) {
      return !p.matVec.outputDims.empty() && p.matVec.groupDims.empty();
    });
    for (std::size_t i = 0, plain = found.size(); i < plain; ++i)
      if (auto direct = asDirect(graph_, kernel_, found[i].matVec))
        found.push_back({Pattern::Kind::kMatVec, std::move(*direct), {}, {}});
    if (isShared) return found;
    if (const auto streamed = this->streamed(bad)) found.push_back(*streamed);
    if (found.empty()) return bad;
    return found;
  }

  void matVecs(std::vector<Pattern> &found) const {
    const kernel::Value &v = kernel_.body[static_cast<std::size_t>(kernel_.stores[0].value)];
    if (v.op != Op::kMul || v.type != machine_.pim->type) return;
    const auto load = [&](int arg) {
      const kernel::Value &a = kernel_.body[static_cast<std::size_t>(v.args[static_cast<std::size_t>(arg)])];
      return a.op == Op::kLoad ? a.access : -1;
    };
    const int first = load(0), second = load(1);
    if (first < 0 || second < 0 || first == second) return;
    for (const auto &[w, x] : {std::pair{first, second}, std::pair{second, first}})
      if (auto m = assign(w, x)) found.push_back({Pattern::Kind::kMatVec, std::move(*m), {}, {}});
    // A factor that no output of its own shares gains nothing from lying in the banks, if the other one does.
    const auto hasOutputs = [](const Pattern &p) { return !p.matVec.outputDims.empty(); };
    if (std::any_of(found.begin(), found.end(), hasOutputs))
      std::erase_if(found, [&](const Pattern &p) { return !hasOutputs(p); });
  }

  /// Whether the sum goes onto what the tensor holds already: given by the user, or left by an earlier kernel.
  bool isUpdate(int tensor) const {
    if (graph_.tensors[static_cast<std::size_t>(tensor)].role == kernel::Role::kInOut) return true;
    for (const Kernel &k : graph_.kernels) {
      if (&k == &kernel_) return false;
      for (const kernel::Store &s : k.stores)
        if (s.target.tensor == tensor) return true;
    }
    return false;
  }

  std::optional<MatVec> assign(int w, int x) const {
    MatVec m;
    m.isUpdate = isUpdate(kernel_.stores[0].target.tensor);
    m.weights = w;
    m.input = x;
    const kernel::Access &weights = kernel_.loads[static_cast<std::size_t>(w)],
                         &input = kernel_.loads[static_cast<std::size_t>(x)];
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      const int dim = static_cast<int>(d);
      if (kernel_.dims[d].kind == DimKind::kReduction)
        m.reductionDims.push_back(dim);
      else if (!dependsOn(input, d))
        m.outputDims.push_back(dim);
      else if (!dependsOn(weights, d))
        m.batchDims.push_back(dim);
      else
        m.groupDims.push_back(dim);
    }
    for (const kernel::Affine &guard : kernel_.guards) {
      const auto mask = maskOf(guard, m);
      if (!mask) return std::nullopt;
      m.masks.push_back(*mask);
    }
    return m;
  }

  static std::optional<Masked> maskOf(const kernel::Affine &guard, const MatVec &m) {
    const auto has = [&](const std::vector<int> &dims) {
      return std::any_of(dims.begin(), dims.end(),
                         [&](int d) { return guard.coefficients[static_cast<std::size_t>(d)] != 0; });
    };
    if (!has(m.reductionDims)) return Masked::kOutput;
    if (!has(m.outputDims)) return Masked::kInput;
    if (!has(m.batchDims)) return Masked::kWeights;
    return std::nullopt;
  }

  std::optional<Pattern> streamed(Diagnostics &found) const {
    const kernel::Store &store = kernel_.stores[0];
    Streamed s;
    s.expression = chain(store.value, found);
    if (!found.empty()) return std::nullopt;
    s.isProduct = store.combine == kernel::Combine::kMul;
    s.isUpdate = isUpdate(store.target.tensor);
    const double neutral = s.isProduct ? 1 : 0;
    s.isMasked = ofEqual(s.expression, neutral).constant != neutral;
    if (s.isMasked && s.isProduct) {
      found.push_back(
          unsupported("pattern", "it multiplies results of an expression that is not 1 where its operands are"));
      return std::nullopt;
    }
    Pattern p;
    p.kind = Pattern::Kind::kStreamed;
    p.streamed = std::move(s);
    return p;
  }

  /// The expression with all operands `x`, in the unit's arithmetic.
  static Chain ofEqual(const Chain &c, double x) {
    if (c.kind == Chain::Kind::kLoad) return constant(encodeFloat(DType::kF16, x));
    if (c.kind == Chain::Kind::kConstant) return c;
    std::vector<Chain> arguments;
    for (const Chain &a : c.arguments) arguments.push_back(ofEqual(a, x));
    return node(c.kind, std::move(arguments));
  }

  Result<Pattern> elementwise() const {
    Pattern p;
    for (std::size_t i = 0; i < kernel_.stores.size(); ++i) {
      const kernel::Store &s = kernel_.stores[i];
      Diagnostics found;
      Chain c = chain(s.value, found);
      if (!found.empty()) return found;
      if (s.combine != kernel::Combine::kAssign) {
        if (s.combine != kernel::Combine::kAdd && s.combine != kernel::Combine::kMul)
          return unsupported("op", fmt::format("it updates a tensor with '{}'", kernel::name(s.combine)));
        c = update(s, targetLoad(kernel_, i), std::move(c));
      }
      p.elementwise.expressions.push_back(std::move(c));
    }
    return p;
  }

  /// z += e and z *= e: onto what the tensor holds, or onto the neutral element (which turns -0 into +0).
  Chain update(const kernel::Store &s, int target, Chain value) const {
    const bool isAdd = s.combine == kernel::Combine::kAdd;
    const Chain before = isUpdate(s.target.tensor) ? Chain{Chain::Kind::kLoad, target, 0, {}}
                                                   : constant(encodeFloat(DType::kF16, isAdd ? 0 : 1));
    return node(isAdd ? Chain::Kind::kAdd : Chain::Kind::kMul, {before, std::move(value)});
  }

  static Chain constant(std::uint64_t half) { return {Chain::Kind::kConstant, -1, decodeFloat(DType::kF16, half), {}}; }
  static Chain negated(Chain c) {
    return node(Chain::Kind::kMul, {std::move(c), constant(encodeFloat(DType::kF16, -1))});
  }

  /// Operations on constants alone are done here, in the unit's arithmetic: no instruction takes two scalars.
  static Chain node(Chain::Kind kind, std::vector<Chain> arguments) {
    const auto half = [&](std::size_t i) {
      return static_cast<std::uint16_t>(encodeFloat(DType::kF16, arguments[i].constant));
    };
    const bool isConstant = std::all_of(arguments.begin(), arguments.end(),
                                        [](const Chain &c) { return c.kind == Chain::Kind::kConstant; });
    if (!isConstant) return {kind, -1, 0, std::move(arguments)};
    if (kind == Chain::Kind::kRelu) return constant(half(0) & 0x8000 ? 0 : half(0));
    return constant(kind == Chain::Kind::kAdd ? f16Add(half(0), half(1)) : f16Mul(half(0), half(1)));
  }

  Chain chain(int value, Diagnostics &found) const {
    const kernel::Value &v = kernel_.body[static_cast<std::size_t>(value)];
    const auto arg = [&](int i) { return chain(v.args[static_cast<std::size_t>(i)], found); };
    if (v.type != machine_.pim->type) {
      if (found.empty())
        found.push_back(unsupported("type",
                                    fmt::format("'{}' computes in {}, but the unit in {}", kernel::name(v.op),
                                                name(v.type), name(machine_.pim->type)),
                                    isFloat(v.type)
                                        ? fmt::format("use --convert {}={}", name(v.type), name(machine_.pim->type))
                                        : std::string("leave it on the host with --map host or --offload possible")));
      return {};
    }
    switch (v.op) {
      case Op::kLoad:
        return {Chain::Kind::kLoad, v.access, 0, {}};
      case Op::kConstant:
        return constant(encodeFloat(DType::kF16, v.constant));
      case Op::kAdd:
        return node(Chain::Kind::kAdd, {arg(0), arg(1)});
      case Op::kMul:
        return node(Chain::Kind::kMul, {arg(0), arg(1)});
      case Op::kRelu:
        return node(Chain::Kind::kRelu, {arg(0)});
      // -x and a - b are exact in terms of multiplication by -1.
      case Op::kNeg:
        return negated(arg(0));
      case Op::kSub:
        return node(Chain::Kind::kAdd, {arg(0), negated(arg(1))});
      default:
        break;
    }
    if (found.empty())
      found.push_back(unsupported("op", fmt::format("the unit has no '{}' operation", kernel::name(v.op))));
    return {};
  }

  const kernel::Graph &graph_;
  const Kernel &kernel_;
  const machine::Machine &machine_;
};

}  // namespace

Result<std::vector<Pattern>> alternatives(const kernel::Graph &graph, int index, const machine::Machine &machine) {
  return Recogniser(graph, index, machine).run();
}

Result<Pattern> recognise(const kernel::Graph &graph, int index, const machine::Machine &machine) {
  Result<std::vector<Pattern>> all = alternatives(graph, index, machine);
  if (!all) return all.diagnostics();
  return std::move(all->front());
}

std::map<std::string, std::int64_t> parametersOf(const Pattern &pattern, const kernel::Kernel &kernel) {
  if (pattern.kind == Pattern::Kind::kElementwise) return {};
  if (pattern.kind == Pattern::Kind::kStreamed) return {{kResident, 0}};
  const kernel::Value &product = kernel.body[static_cast<std::size_t>(kernel.stores[0].value)];
  const int first = kernel.body[static_cast<std::size_t>(product.args[0])].access;
  std::map<std::string, std::int64_t> p = {{kResident, pattern.matVec.weights == first ? 1 : 2}};
  if (pattern.matVec.isDirect) p[kDirect] = 1;
  return p;
}

}  // namespace pimento::targets::hbm_pim
