#include "pimento/targets/cim/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/base/text.h"
#include "pimento/kernel/data_bounds.h"
#include "pimento/kernel/scalar.h"
#include "pimento/lower/accumulation.h"
#include "pimento/targets/c_text/helpers.h"
#include "pimento/targets/c_text/lines.h"

namespace pimento::targets::cim {

using kernel::Combine;
using kernel::DimKind;
using kernel::Form;
using kernel::Op;
using namespace c_text;

namespace {

constexpr std::int64_t kAlignment = 64;

constexpr std::string_view kReserved =
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof "
    "linux unix kernel memory first end kept least_f least_d most_f most_d";

class Writer {
 public:
  Writer(const evaluate::GraphPart &part, std::vector<int> nest)
      : graph_(*part.graph), number_(part.first), kernel_(part.kernel()), nest_(std::move(nest)) {}

  Result<Source> run() {
    if (Status s = check(); !s) return s.diagnostics();
    nameAll();
    placeArrays();
    writeKernel();
    source_.text = head() + helpers_.text() + function() + start();
    return std::move(source_);
  }

 private:
  const kernel::Tensor &tensor(int t) const { return graph_.tensors[static_cast<std::size_t>(t)]; }
  const kernel::Value &value(int v) const { return kernel_.body[static_cast<std::size_t>(v)]; }
  DType typeOf(int v) const { return value(v).type; }
  const std::string &dim(int d) const { return dims_[static_cast<std::size_t>(d)]; }

  Diagnostic refuse(const std::string &what, const std::string &hint) const {
    return unsupported("unsupported-kernel", kernel_.where,
                       fmt::format("kernel '{}' cannot run on a core alone: {}", kernel_.name, what), hint);
  }

  Status check() const {
    for (const kernel::Value &v : kernel_.body) {
      const bool isLibrary =
          v.op == Op::kExp || v.op == Op::kLog || v.op == Op::kTanh || (v.op == Op::kRem && isFloat(v.type));
      if (isLibrary)
        return refuse(fmt::format("'{}' takes a mathematical library, which its program does not have", name(v.op)),
                      "let the host run this kernel with --map host, or write it with sums and products");
    }
    if (kernel_.form == Form::kSelect && kernel_.stores.front().target.index.size() > 1)
      return refuse("it appends to several lists", "select into one list");
    return okStatus();
  }

  void nameAll() {
    std::set<std::string> taken;
    for (const std::string_view word : split(kReserved, ' ')) taken.emplace(word);
    for (std::size_t v = 0; v < kernel_.body.size(); ++v) taken.insert(fmt::format("v{}", v));
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      for (const char *prefix : {"y", "o", "n"}) taken.insert(fmt::format("{}{}", prefix, s));
    for (const kernel::Dim &d : kernel_.dims) dims_.push_back(uniqueName("i_" + d.name, taken));
    const auto add = [&](int t) {
      if (names_.contains(t)) return;
      const std::string &name = tensor(t).name;
      const bool isName = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_');
      names_[t] = uniqueName(isName ? name : "t" + name, taken);
    };
    for (const kernel::Access &a : kernel_.loads) add(a.tensor);
    for (const kernel::Store &s : kernel_.stores) {
      add(s.target.tensor);
      stored_.insert(s.target.tensor);
    }
  }

  void placeArrays() {
    std::int64_t at = kAlignment;
    for (const auto &[t, name] : names_) {
      const std::int64_t bytes =
          std::max<std::int64_t>(1, multiplySaturated(tensor(t).elements(), sizeOf(tensor(t).type).value));
      source_.arrays.push_back({t, kVariablesAt + static_cast<std::uint64_t>(at), bytes});
      at = roundUp(addSaturated(at, bytes), kAlignment);
    }
    source_.bytes = at;
  }

  static std::int64_t roundUp(std::int64_t n, std::int64_t to) { return multiplySaturated(ceilDiv(n, to), to); }

  // ---- Expressions ----

  std::string affine(const kernel::Affine &a) const {
    std::string sum;
    for (std::size_t d = 0; d < a.coefficients.size(); ++d) {
      const std::int64_t c = a.coefficients[d];
      if (c == 0) continue;
      sum += sum.empty() ? "" : " + ";
      sum += c == 1 ? dims_[d] : fmt::format("{} * {}", dims_[d], c);
    }
    if (a.constant != 0 || sum.empty()) sum += fmt::format("{}{}", sum.empty() ? "" : " + ", a.constant);
    return sum;
  }

  std::string element(const kernel::Access &a) const {
    std::string at;
    const std::vector<std::int64_t> &shape = tensor(a.tensor).shape;
    for (std::size_t i = 0; i < a.index.size(); ++i) {
      const std::string index =
          static_cast<int>(i) == a.indirectAt ? fmt::format("(int64_t)v{}", a.indirectIndex) : affine(a.index[i]);
      at = i == 0 ? index : fmt::format("({}) * {} + {}", at, shape[i], index);
    }
    return fmt::format("{}[{}]", names_.at(a.tensor), at.empty() ? "0" : at);
  }

  std::string text(const kernel::Value &v) {
    if (v.op == Op::kIndex) return fmt::format("({}){}", valueType(v.type), dim(v.dim));
    if (v.op != Op::kLoad) return helpers_.computed(kernel_, v);
    const kernel::Access &a = kernel_.loads[static_cast<std::size_t>(v.access)];
    return helpers_.convert(tensor(a.tensor).type, v.type, helpers_.fromMemory(tensor(a.tensor).type, element(a)));
  }

  void writeValue(int v) { lines_.add("const {} v{} = {};", valueType(typeOf(v)), v, text(value(v))); }

  // ---- Stores ----

  std::string converted(const kernel::Store &s) {
    return helpers_.convert(typeOf(s.value), tensor(s.target.tensor).type, fmt::format("v{}", s.value));
  }

  void put(const kernel::Store &s, const std::string &x) {
    lines_.add("{} = {};", element(s.target), helpers_.toMemory(tensor(s.target.tensor).type, x));
  }

  std::vector<std::size_t> followersOf(std::size_t s) const {
    std::vector<std::size_t> out;
    for (std::size_t f = 0; f < kernel_.stores.size(); ++f)
      if (kernel_.stores[f].follows == static_cast<int>(s)) out.push_back(f);
    return out;
  }

  void writeStore(std::size_t n) {
    const kernel::Store &s = kernel_.stores[n];
    const DType type = tensor(s.target.tensor).type;
    if (kernel_.form == Form::kSelect && n == 0) {
      lines_.add("{}[kept++] = {};", names_.at(s.target.tensor), helpers_.toMemory(type, converted(s)));
      return;
    }
    if (s.combine == Combine::kAssign) return put(s, converted(s));
    lines_.add("const {} y{} = {};", valueType(type), n, converted(s));
    lines_.add("const {} o{} = {};", valueType(type), n, helpers_.fromMemory(type, element(s.target)));
    const std::vector<std::size_t> followers = followersOf(n);
    if (followers.empty())
      return put(s, helpers_.operation(kernel::opOf(s.combine), type, fmt::format("o{}", n), fmt::format("y{}", n)));
    lines_.open("if (y{0} {1} o{0}) {{", n, s.combine == Combine::kMin ? "<" : ">");
    put(s, fmt::format("y{}", n));
    for (const std::size_t f : followers) put(kernel_.stores[f], converted(kernel_.stores[f]));
    lines_.close();
  }

  // ---- Where accumulations start ----

  bool startsHere(const kernel::Store &s) const {
    return s.combine != Combine::kAssign && !lower::hasInitial(graph_, number_, s);
  }

  /// How many loops stand around the point where one element starts, each element once; -1: before all loops.
  int depthOfStart(const kernel::Store &s) const {
    if (s.target.isIndirect() || !kernel_.guards.empty() || !kernel_.bounds.empty() || kernel_.form != Form::kAffine)
      return -1;
    std::set<int> dims;
    for (std::size_t i = 0; i < s.target.index.size(); ++i) {
      const kernel::Affine &a = s.target.index[i];
      int only = -1;
      for (std::size_t d = 0; d < a.coefficients.size(); ++d) {
        if (a.coefficients[d] == 0) continue;
        if (only >= 0 || a.coefficients[d] != 1) return -1;
        only = static_cast<int>(d);
      }
      const std::int64_t extent = only < 0 ? 1 : kernel_.dims[static_cast<std::size_t>(only)].extent;
      if (a.constant != 0 || extent != tensor(s.target.tensor).shape[i]) return -1;
      if (only >= 0 && !dims.insert(only).second) return -1;
    }
    for (std::size_t depth = 0; depth < dims.size(); ++depth)
      if (!dims.contains(nest_[depth])) return -1;
    return static_cast<int>(dims.size());
  }

  void writeStarts(int depth) {
    for (const kernel::Store &s : kernel_.stores) {
      if (!startsHere(s) || depthOfStart(s) != depth) continue;
      const DType type = tensor(s.target.tensor).type;
      const std::string identity = helpers_.toMemory(type, identityOf(s.combine, type));
      if (depth >= 0) {
        lines_.add("{} = {};", element(s.target), identity);
        continue;
      }
      lines_.add("for (int64_t n = 0; n < {}; ++n) {}[n] = {};", tensor(s.target.tensor).elements(),
                 names_.at(s.target.tensor), identity);
    }
  }

  // ---- Loops ----

  void openLoop(std::size_t depth) {
    const int d = nest_[depth];
    const kernel::DataBounds *bounds = kernel_.boundsOf(d);
    const bool isOutermost = depth == 0;
    if (bounds == nullptr) {
      lines_.open("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", dim(d), isOutermost ? "first" : "0",
                  isOutermost ? "end" : std::to_string(kernel_.dims[static_cast<std::size_t>(d)].extent));
      return;
    }
    lines_.add("int64_t from_{0} = 0, to_{0} = {1};", dim(d), kernel_.dims[static_cast<std::size_t>(d)].extent);
    lines_.open("{{");
    for (const int v : kernel::valuesBelow(kernel_, *bounds)) writeValue(v);
    if (bounds->first >= 0) lines_.add("from_{} = (int64_t)v{};", dim(d), bounds->first);
    if (bounds->end >= 0) lines_.add("to_{} = (int64_t)v{};", dim(d), bounds->end);
    lines_.close();
    lines_.open("for (int64_t {0} = from_{0}; {0} < to_{0}; ++{0}) {{", dim(d));
  }

  void writePoint() {
    std::string guards;
    for (const kernel::Affine &g : kernel_.guards)
      guards += fmt::format("{}{} >= 0", guards.empty() ? "" : " && ", affine(g));
    if (!guards.empty()) lines_.open("if ({}) {{", guards);
    for (int v = 0; v < std::ssize(kernel_.body); ++v) writeValue(v);
    if (kernel_.predicate >= 0)
      lines_.open("if (v{} != 0{}) {{", kernel_.predicate,
                  kernel_.limit >= 0 ? fmt::format(" && kept < {}", kernel_.limit) : "");
    for (std::size_t s = kernel_.stores.size(); s-- > 0;)  // counts before lists
      if (kernel_.form == Form::kSelect && kernel_.stores[s].follows < 0) writeStore(s);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (kernel_.form != Form::kSelect && kernel_.stores[s].follows < 0) writeStore(s);
    if (kernel_.predicate >= 0) lines_.close();
    if (!guards.empty()) lines_.close();
  }

  void writeKernel() {
    writeStarts(-1);
    if (kernel_.form == Form::kSelect) lines_.add("int64_t kept = 0;");
    source_.outermost = nest_.empty() ? 1 : kernel_.dims[static_cast<std::size_t>(nest_.front())].extent;
    source_.isSliceable = !nest_.empty() && kernel_.boundsOf(nest_.front()) == nullptr;
    writeStarts(0);
    for (std::size_t depth = 0; depth < nest_.size(); ++depth) {
      openLoop(depth);
      writeStarts(static_cast<int>(depth) + 1);
    }
    writePoint();
    for (std::size_t depth = 0; depth < nest_.size(); ++depth) lines_.close();
  }

  // ---- The file ----

  std::string head() const {
    std::string text = fmt::format("// Kernel '{}' for one core with RV64GC. Made by Pimento.\n", kernel_.name);
    for (const int bits : {8, 16, 32, 64})
      text += fmt::format("typedef __INT{0}_TYPE__ int{0}_t;\ntypedef __UINT{0}_TYPE__ uint{0}_t;\n", bits);
    if (helpers_.needsMath()) text += "#define sqrt __builtin_sqrt\n#define sqrtf __builtin_sqrtf\n";
    text += "\n// Tensors, and which part of the outermost loop runs.\nstruct {\n  int64_t first, end;\n";
    for (const Source::Array &a : source_.arrays)
      text += fmt::format("  _Alignas({}) {} {}[{}];\n", kAlignment, memoryType(tensor(a.tensor).type),
                          names_.at(a.tensor), std::max<std::int64_t>(1, tensor(a.tensor).elements()));
    return text + "} memory;\n\n";
  }

  std::string function() const {
    std::string parameters;
    for (const auto &[t, name] : names_)
      parameters +=
          fmt::format("{}{} *restrict {}, ", stored_.contains(t) ? "" : "const ", memoryType(tensor(t).type), name);
    return fmt::format("__attribute__((noinline)) void {}({}int64_t first, int64_t end) {{\n{}}}\n\n", kFunction,
                       parameters, lines_.text());
  }

  std::string start() const {
    std::string arguments;
    for (const auto &[t, name] : names_) arguments += fmt::format("memory.{}, ", name);
    return fmt::format(
        "void _start(void) {{\n  {}({}memory.first, memory.end);\n  register long number __asm__(\"a7\") = 93;  // "
        "exit\n  register long status __asm__(\"a0\") = 0;\n  __asm__ volatile(\"ecall\" : : \"r\"(number), "
        "\"r\"(status));\n  __builtin_unreachable();\n}}\n",
        kFunction, arguments);
  }

  const kernel::Graph &graph_;
  const int number_;
  const kernel::Kernel &kernel_;
  const std::vector<int> nest_;
  Source source_;
  Helpers helpers_;
  Lines lines_;
  std::vector<std::string> dims_;
  std::map<int, std::string> names_;  ///< of tensors
  std::set<int> stored_;
};

}  // namespace

std::vector<int> nestOf(const kernel::Kernel &kernel, const mapping::Mapping &mapping) {
  std::vector<int> nest;
  for (const std::string &name : mapping.order)
    if (const int d = kernel.dimNamed(name); d >= 0) nest.push_back(d);
  for (int d = 0; d < std::ssize(kernel.dims); ++d)
    if (std::ranges::find(nest, d) == nest.end()) nest.push_back(d);
  return nest;
}

bool mayReorder(const kernel::Kernel &kernel) {
  const auto isOrdered = [](const kernel::Store &s) { return s.target.isIndirect() || s.follows >= 0; };
  return kernel.form == Form::kAffine && kernel.bounds.empty() && std::ranges::none_of(kernel.stores, isOrdered) &&
         std::ranges::none_of(kernel.dims, [](const kernel::Dim &d) { return d.kind == DimKind::kSequential; });
}

bool keepsResults(const kernel::Kernel &kernel, const std::vector<int> &nest) {
  const bool isFree = mayReorder(kernel);
  std::vector<int> kept;
  std::ranges::copy_if(nest, std::back_inserter(kept), [&](int d) {
    return !isFree || kernel.dims[static_cast<std::size_t>(d)].kind != DimKind::kParallel;
  });
  return std::ranges::is_sorted(kept);
}

Result<Source> writeSource(const evaluate::GraphPart &part, const mapping::Mapping &mapping) {
  const kernel::Kernel &k = part.kernel();
  const std::vector<int> nest = nestOf(k, mapping);
  if (!keepsResults(k, nest))
    return error("illegal-mapping", k.where, fmt::format("kernel '{}': in this order its results are others", k.name),
                 mayReorder(k) ? "leave dims that are summed over in the kernel's order"
                               : "leave out order(...): each of its points follows the one before it");
  return Writer(part, nest).run();
}

bool dataDecide(const kernel::Kernel &kernel) {
  const auto decides = [&](const kernel::Value &v) {
    switch (v.op) {
      case Op::kConstant:
      case Op::kLoad:
      case Op::kIndex:
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kNeg:
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor:
        return isFloat(v.type) && sizeOf(v.type).value < 4;
      case Op::kCast:
        return isFloat(v.type) || isFloat(kernel.body[static_cast<std::size_t>(v.args[0])].type);
      case Op::kDiv:
        return !isFloat(v.type);
      default:
        return true;
    }
  };
  const auto isBranch = [](const kernel::Store &s) {
    return s.target.isIndirect() || s.combine == Combine::kMin || s.combine == Combine::kMax;
  };
  return kernel.form != Form::kAffine || !kernel.bounds.empty() || kernel.hasIndirectLoads() ||
         std::ranges::any_of(kernel.body, decides) || std::ranges::any_of(kernel.stores, isBranch);
}

}  // namespace pimento::targets::cim
