#include "pimento/targets/hbm_pim/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pimento/base/dtype.h"

namespace pimento::targets::hbm_pim {

using kernel::DimKind;
using kernel::Kernel;
using kernel::Op;

namespace {

constexpr const char *kCanDo =
    "HBM-PIM adds, multiplies, multiply-accumulates against a broadcast vector, and applies relu to f16 values; keep "
    "this stage on the host, or write it with those operations";

class Recogniser {
 public:
  Recogniser(const kernel::Graph &graph, int index, const machine::Machine &machine)
      : graph_(graph), kernel_(graph.kernels[static_cast<std::size_t>(index)]), machine_(machine) {}

  Result<Pattern> run() {
    if (const auto bad = checkForm()) return *bad;
    if (const auto bad = checkTypes()) return *bad;
    const bool reduces = std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                     [](const kernel::Dim &d) { return d.kind == DimKind::kReduction; });
    return reduces ? matVec() : elementwise();
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

  Result<Pattern> matVec() const {
    if (kernel_.stores.size() != 1 || kernel_.stores[0].combine != kernel::Combine::kAdd)
      return unsupported("op", "its reduction is not a single sum");
    const kernel::Value &v = kernel_.body[static_cast<std::size_t>(kernel_.stores[0].value)];
    const auto load = [&](int arg) {
      const kernel::Value &a = kernel_.body[static_cast<std::size_t>(v.args[static_cast<std::size_t>(arg)])];
      return a.op == Op::kLoad ? a.access : -1;
    };
    if (v.op != Op::kMul)
      return unsupported(
          "op", fmt::format("it sums the result of '{}'; the unit sums products of two operands", kernel::name(v.op)),
          "write the sum as products, for example y[i] += A[i,j] * x[j]");
    if (load(0) < 0 || load(1) < 0)
      return unsupported("op", "it sums products of computed values, not of two operands in memory",
                         "compute the factors in a separate statement first");
    if (!kernel_.guards.empty())
      return unsupported("pattern", "its reduction is guarded by a condition, as at the padded edge of a convolution");
    Pattern p;
    p.isMatVec = true;
    p.matVec.isUpdate = isUpdate(kernel_.stores[0].target.tensor);
    for (const auto &[w, x] : {std::pair{load(0), load(1)}, std::pair{load(1), load(0)}})
      if (assign(w, x, p.matVec)) return p;
    return unsupported(
        "pattern",
        "neither factor is a matrix that is multiplied by the same vector in every row: the input registers are "
        "broadcast to all blocks, so the other factor must not depend on the matrix's output dims",
        "HBM-PIM runs y[i] += A[i,j] * x[j] and batches of it; for independent small products run one "
        "kernel per product");
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

  bool assign(int w, int x, MatVec &out) const {
    if (w == x) return false;
    MatVec m;
    m.isUpdate = out.isUpdate;
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
        return false;
    }
    out = m;
    return true;
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

Result<Pattern> recognise(const kernel::Graph &graph, int index, const machine::Machine &machine) {
  return Recogniser(graph, index, machine).run();
}

}  // namespace pimento::targets::hbm_pim
