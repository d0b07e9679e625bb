#include "pimento/targets/upmem/measured/pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/linear.h"
#include "pimento/lower/accumulation.h"

namespace pimento::targets::upmem::measured {

using kernel::DimKind;
using kernel::Op;

std::string_view name(Shape s) {
  constexpr std::array<std::string_view, 7> kNames = {"va", "red", "sel", "scan", "hst", "gemv", "gemm"};
  return kNames[static_cast<std::size_t>(s)];
}

namespace {

constexpr const char *kCanDo =
    "UPMEM's programs run va, red, sel, scan, hst, gemv and gemm on u32, i32, u16 and i16 (`pimento kernels`)";
constexpr int kValueBits = 12;  // of histograms

class Recogniser {
 public:
  Recogniser(const kernel::Graph &graph, int index, const machine::Machine &machine)
      : graph_(graph), kernel_(graph.kernels[static_cast<std::size_t>(index)]), machine_(machine) {}

  Result<Pattern> run() {
    if (const auto d = checkTypes()) return *d;
    if (kernel_.dims.empty() || kernel_.dims.size() > 3)
      return unsupported("pattern", fmt::format("it has {} dims, but the programs have 1 to 3", kernel_.dims.size()));
    if (kernel_.hasIndirectLoads()) return unsupported("pattern", "it reads at an index from data");
    if (kernel_.limit >= 0 ||
        std::any_of(kernel_.stores.begin(), kernel_.stores.end(), [](auto &s) { return s.follows >= 0; }))
      return unsupported("pattern", "it selects up to a limit, or takes a minimum with its index");
    if (!kernel_.guards.empty()) return unsupported("pattern", "a condition excludes some of its points");
    if (!kernel_.bounds.empty()) return unsupported("pattern", "its loop bounds come from data");
    Pattern p;
    p.type = elementType();
    if (kernel_.form == kernel::Form::kSelect) return selection(p);
    if (kernel_.form == kernel::Form::kIndirect) return histogram(p);
    if (has(DimKind::kSequential)) return prefixSum(p);
    if (!has(DimKind::kReduction)) return addition(p);
    return kernel_.dims.size() == 1 ? sum(p) : product(p);
  }

 private:
  Diagnostic unsupported(const std::string &code, const std::string &message, std::string hint = kCanDo) const {
    return pimento::unsupported("unsupported-" + code, kernel_.where,
                                fmt::format("kernel '{}' cannot run on {}: {}", kernel_.name, machine_.name, message),
                                std::move(hint));
  }

  const kernel::Tensor &tensor(const kernel::Access &a) const {
    return graph_.tensors[static_cast<std::size_t>(a.tensor)];
  }
  const kernel::Value &value(int v) const { return kernel_.body[static_cast<std::size_t>(v)]; }
  int argument(int v, std::size_t i) const { return value(v).args[i]; }
  /// The access that value `v` loads, or -1.
  int loadOf(int v) const { return value(v).op == Op::kLoad ? value(v).access : -1; }
  bool isInteger(int v, std::int64_t n) const { return value(v).op == Op::kConstant && value(v).integer == n; }
  bool has(DimKind kind) const {
    return std::any_of(kernel_.dims.begin(), kernel_.dims.end(), [&](const kernel::Dim &d) { return d.kind == kind; });
  }

  /// That of what the kernel loads first: results may be wider.
  DType elementType() const { return tensor(kernel_.loads.front()).type; }

  std::optional<Diagnostic> checkTypes() const {
    if (kernel_.loads.empty()) return unsupported("pattern", "it reads nothing");
    const auto wrong = [&](const kernel::Access &a) -> std::optional<Diagnostic> {
      const kernel::Tensor &t = tensor(a);
      if (t.type == DType::kI32 || t.type == DType::kU32 || t.type == DType::kI16 || t.type == DType::kU16)
        return std::nullopt;
      return unsupported("type",
                         fmt::format("tensor '{}' holds {}, but the programs compute in 16- and 32-bit integers",
                                     t.name, pimento::name(t.type)),
                         "use --dtype i32, u32, i16 or u16 for notation and kernels of the zoo, or --map "
                         "'reference;program=compiled'");
    };
    for (const kernel::Access &a : kernel_.loads)
      if (auto d = wrong(a)) return d;
    for (const kernel::Store &s : kernel_.stores)
      if (auto d = wrong(s.target)) return d;
    return std::nullopt;
  }

  View view(const kernel::Access &access, bool isIndirect = false) const {
    const kernel::Affine element = kernel::linearize(access, tensor(access), kernel_.dims.size(), isIndirect ? 1 : 0);
    View v;
    v.tensor = access.tensor;
    v.base = element.constant;
    std::copy(element.coefficients.begin(), element.coefficients.end(), v.stride.begin());
    return v;
  }
  View loaded(int v) const { return view(kernel_.loads[static_cast<std::size_t>(loadOf(v))]); }
  static bool isFixed(const View &v) {
    return std::all_of(v.stride.begin(), v.stride.end(), [](std::int64_t s) { return s == 0; });
  }
  bool sameType(int v, const Pattern &p) const { return value(v).type == p.type; }

  Diagnostic notOneOf(std::string_view what) const {
    return unsupported("op", fmt::format("no program exists for {}", what));
  }

  Result<Pattern> addition(Pattern p) const {
    const bool isOne =
        kernel_.dims.size() == 1 && kernel_.stores.size() == 1 && kernel_.stores[0].combine == kernel::Combine::kAssign;
    const int sum = isOne ? kernel_.stores[0].value : -1;
    if (!isOne || value(sum).op != Op::kAdd || loadOf(argument(sum, 0)) < 0 || loadOf(argument(sum, 1)) < 0 ||
        !sameType(sum, p) || tensor(kernel_.stores[0].target).type != p.type)
      return notOneOf("its element-wise computation");
    p.shape = Shape::kVa;
    p.a = loaded(argument(sum, 0));
    p.b = loaded(argument(sum, 1));
    p.out = view(kernel_.stores[0].target);
    return checkElements(p);
  }

  Result<Pattern> sum(Pattern p) const {
    if (kernel_.stores.size() != 1 || kernel_.stores[0].combine != kernel::Combine::kAdd)
      return notOneOf("its reduction");
    const kernel::Store &s = kernel_.stores[0];
    p.shape = Shape::kRed;
    p.out = view(s.target);
    if (loadOf(s.value) >= 0) {
      p.a = loaded(s.value);
      p.takesPairs = true;
    } else if (value(s.value).op == Op::kAdd && loadOf(argument(s.value, 0)) >= 0 &&
               loadOf(argument(s.value, 1)) >= 0) {
      p.a = loaded(argument(s.value, 0));
      p.b = loaded(argument(s.value, 1));
    } else {
      return notOneOf("its reduction");
    }
    if (!sameType(s.value, p) || tensor(s.target).type != p.type || !isFixed(p.out)) return notOneOf("its reduction");
    return checkElements(p);
  }

  Result<Pattern> selection(Pattern p) const {
    const int even = kernel_.predicate;
    const auto isEven = [&] {
      if (value(even).op != Op::kCmpEq || !isInteger(argument(even, 1), 0)) return false;
      const int bit = argument(even, 0);
      return value(bit).op == Op::kAnd && loadOf(argument(bit, 0)) >= 0 && isInteger(argument(bit, 1), 1);
    };
    if (kernel_.dims.size() != 1 || !isEven()) return notOneOf("its selection");
    p.shape = Shape::kSel;
    const kernel::Access &read = kernel_.loads[static_cast<std::size_t>(loadOf(argument(argument(even, 0), 0)))];
    p.a = view(read);
    for (const kernel::Store &s : kernel_.stores) {
      const bool isCount = s.combine == kernel::Combine::kAdd && isInteger(s.value, 1);
      const bool isValue = s.combine == kernel::Combine::kAssign && loadOf(s.value) >= 0 &&
                           kernel_.loads[static_cast<std::size_t>(loadOf(s.value))] == read;
      if (isCount && isFixed(view(s.target)))
        p.extra = view(s.target);
      else if (isValue && tensor(s.target).type == p.type)
        p.out = view(s.target);
      else
        return notOneOf("what its selection keeps");
    }
    if (!p.out.exists()) return notOneOf("what its selection keeps");
    return checkElements(p);
  }

  Result<Pattern> prefixSum(Pattern p) const {
    const kernel::Store *carried = nullptr, *out = nullptr;
    for (const kernel::Store &s : kernel_.stores) {
      if (s.combine == kernel::Combine::kAdd && isFixed(view(s.target)) && loadOf(s.value) >= 0) carried = &s;
      if (s.combine == kernel::Combine::kAssign && value(s.value).op == Op::kAdd) out = &s;
    }
    const auto isScan = [&] {
      if (kernel_.dims.size() != 1 || kernel_.stores.size() != 2 || carried == nullptr || out == nullptr) return false;
      const int l = argument(out->value, 0), r = argument(out->value, 1);
      const auto isCarried = [&](int v) {
        return loadOf(v) >= 0 && kernel_.loads[static_cast<std::size_t>(loadOf(v))] == carried->target;
      };
      return (isCarried(l) && r == carried->value) || (isCarried(r) && l == carried->value);
    };
    if (!isScan()) return notOneOf("its recurrence");
    if (lower::hasInitial(graph_, static_cast<int>(&kernel_ - graph_.kernels.data()), *carried))
      return unsupported("pattern", "its sums start from a given value, the program's from 0");
    p.shape = Shape::kScan;
    p.a = loaded(carried->value);
    p.type = graph_.tensors[static_cast<std::size_t>(p.a.tensor)].type;
    p.out = view(out->target);
    p.extra = view(carried->target);
    if (!sameType(out->value, p) || tensor(out->target).type != p.type || tensor(carried->target).type != p.type)
      return notOneOf("its recurrence");
    return checkElements(p);
  }

  Result<Pattern> histogram(Pattern p) const {
    const auto isBin = [&](int v) {
      if (value(v).op == Op::kCast && value(v).type == DType::kI64) v = argument(v, 0);  // as MLIR's indices
      if (value(v).op != Op::kShr || !isInteger(argument(v, 1), kValueBits)) return false;
      const int scaled = argument(v, 0);
      if (value(scaled).op != Op::kMul || value(argument(scaled, 1)).op != Op::kConstant) return false;
      int x = argument(scaled, 0);
      if (value(x).op == Op::kCast) x = argument(x, 0);
      if (loadOf(x) < 0 || sizeOf(value(scaled).type).value != 4) return false;
      p.a = loaded(x);
      p.bins = value(argument(scaled, 1)).integer;
      return true;
    };
    if (kernel_.dims.size() != 1 || kernel_.stores.size() != 1) return notOneOf("its indirect accumulation");
    const kernel::Store &s = kernel_.stores[0];
    const kernel::Tensor &bins = tensor(s.target);
    if (s.combine != kernel::Combine::kAdd || !isInteger(s.value, 1) || !s.target.isIndirect() ||
        !isBin(s.target.indirectIndex) || sizeOf(bins.type).value != 4 || bins.shape.size() != 1)
      return unsupported(
          "op", "its indirect accumulation is not the histogram that the program computes",
          fmt::format("UPMEM's program counts h[x[n] * bins >> {}] += 1 into 32-bit counters", kValueBits));
    if (bins.shape[0] != p.bins)
      return unsupported("pattern", fmt::format("its histogram has {} counters for {} bins", bins.shape[0], p.bins));
    p.shape = Shape::kHst;
    p.out = view(s.target, true);
    return checkElements(p);
  }

  Result<Pattern> product(Pattern p) const {
    if (kernel_.stores.size() != 1 || kernel_.stores[0].combine != kernel::Combine::kAdd)
      return notOneOf("its reduction");
    const kernel::Store &s = kernel_.stores[0];
    const int l = value(s.value).op == Op::kMul ? argument(s.value, 0) : -1,
              r = value(s.value).op == Op::kMul ? argument(s.value, 1) : -1;
    if (l < 0 || loadOf(l) < 0 || loadOf(r) < 0 || !sameType(s.value, p) || tensor(s.target).type != p.type)
      return unsupported("op", "it does not sum products of two operands in memory");
    std::vector<int> parallel;
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      if (kernel_.dims[d].kind == DimKind::kParallel) {
        parallel.push_back(static_cast<int>(d));
      } else if (p.inner >= 0) {
        return unsupported("pattern", "it sums over more than one dim");
      } else {
        p.inner = static_cast<int>(d);
      }
    }
    p.out = view(s.target);
    for (const auto &[a, b] : {std::pair{l, r}, std::pair{r, l}})
      if (assign(loaded(a), loaded(b), parallel, p)) return checkElements(p);
    return unsupported("pattern",
                       "its factors are not a matrix and a vector, or two matrices, that share exactly one dim");
  }

  static bool moves(const View &v, int dim) { return dim >= 0 && v.stride[static_cast<std::size_t>(dim)] != 0; }

  static bool assign(const View &a, const View &b, const std::vector<int> &parallel, Pattern &p) {
    for (const int rows : parallel) {
      const int columns = parallel.size() < 2 ? -1 : rows == parallel[0] ? parallel[1] : parallel[0];
      if (!moves(a, rows) || moves(a, columns) || moves(b, rows)) continue;
      if (columns >= 0 && !moves(b, columns)) continue;
      p.shape = columns >= 0 ? Shape::kGemm : Shape::kGemv;
      p.rows = rows;
      p.columns = columns;
      p.a = a;
      p.b = b;
      return true;
    }
    return false;
  }

  /// All operands have the elements' type.
  Result<Pattern> checkElements(Pattern p) const {
    for (const View *v : {&p.a, &p.b})
      if (v->exists() && graph_.tensors[static_cast<std::size_t>(v->tensor)].type != p.type)
        return unsupported("type", "its operands have different types", "cast one of them on the host");
    return p;
  }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  const machine::Machine &machine_;
};

}  // namespace

Result<Pattern> recognise(const kernel::Graph &graph, int index, const machine::Machine &machine) {
  return Recogniser(graph, index, machine).run();
}

}  // namespace pimento::targets::upmem::measured
