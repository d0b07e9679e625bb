#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "pimento/base/scanner.h"
#include "pimento/base/text.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/cnm_words.h"

namespace pimento::mapping {

using kernel::Access;
using kernel::Affine;
using kernel::Form;
using kernel::Kernel;
using kernel::Op;

const std::vector<std::string> &roleWords() {
  static const std::vector<std::string> kWords = {"input", "output", "inout", "temporary"};
  return kWords;
}

const std::vector<std::string> &kindWords() {
  static const std::vector<std::string> kWords = {"parallel", "reduction", "sequential", "counter"};
  return kWords;
}

const std::vector<std::string> &formWords() {
  static const std::vector<std::string> kWords = {"affine", "indirect", "select"};
  return kWords;
}

const std::vector<std::string> &operationWords() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words;
    for (int op = 0; op <= static_cast<int>(Op::kCast); ++op) words.emplace_back(kernel::name(static_cast<Op>(op)));
    return words;
  }();
  return kWords;
}

const std::vector<std::string> &combineWords() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words;
    for (int c = 0; c <= static_cast<int>(kernel::Combine::kMax); ++c)
      words.emplace_back(kernel::name(static_cast<kernel::Combine>(c)));
    return words;
  }();
  return kWords;
}

namespace {

template <typename Enum>
const std::string &wordOf(const std::vector<std::string> &words, Enum e) {
  return words[static_cast<std::size_t>(e)];
}

template <typename List, typename Text>
std::string joined(const List &list, Text text) {
  std::string s;
  for (const auto &item : list) s += (s.empty() ? "" : ",") + text(item);
  return s;
}

/// Shortest text that reads back as exactly `x`; the bits of a NaN that is not the usual one.
std::string constantText(double x) {
  const double usual = std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  if (!std::isnan(x)) {
    std::string s = numberText(x);
    std::erase(s, '+');  // of an exponent: numbers are one name for the scanner
    return s;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  if (bits == std::bit_cast<std::uint64_t>(usual)) return "nan";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string s = "nan:";
  for (int shift = 60; shift >= 0; shift -= 4) s += kDigits[(bits >> shift) & 15];
  return s;
}

class KernelPrinter {
 public:
  KernelPrinter(const kernel::Graph &graph, const Kernel &kernel, std::string indent = "  ", std::string suffix = {})
      : graph_(graph), kernel_(kernel), indent_(std::move(indent)), suffix_(std::move(suffix)) {}

  std::string run() {
    out_ = "kernel " + spellName(kernel_.name);
    if (kernel_.form != Form::kAffine) out_ += " " + wordOf(formWords(), kernel_.form);
    out_ += " {\n";
    for (const kernel::Dim &d : kernel_.dims)
      line("induction " + spellWord(d.name) + " " + std::to_string(d.extent) + " " + wordOf(kindWords(), d.kind));
    return body();
  }
  /// What each point does.
  std::string body() {
    for (const Affine &g : kernel_.guards) line("guard " + affine(g));
    while (requests_ < kernel_.loads.size() && !kernel_.loads[requests_].isIndirect()) request();
    for (std::size_t v = 0; v < kernel_.body.size(); ++v) {
      // A request with an index from data comes behind that, right before the first value that needs it.
      while (kernel_.body[v].op == Op::kLoad && requests_ < kernel_.loads.size() &&
             static_cast<int>(requests_) <= kernel_.body[v].access)
        request();
      line("%" + std::to_string(v) + " = " + value(kernel_.body[v]));
    }
    while (requests_ < kernel_.loads.size()) request();
    for (const kernel::DataBounds &b : kernel_.bounds)
      line("bound " + dimName(static_cast<std::size_t>(b.dim)) + (b.first < 0 ? "" : " from " + reference(b.first)) +
           (b.end < 0 ? "" : " to " + reference(b.end)));
    if (kernel_.predicate != -1) line("predicate " + reference(kernel_.predicate));
    if (kernel_.limit != -1) line("limit " + std::to_string(kernel_.limit));
    for (const kernel::Store &s : kernel_.stores) line(store(s));
    return std::move(out_);
  }

 private:
  void line(const std::string &text) { out_ += indent_ + text + "\n"; }

  static std::string reference(int value) { return "%" + std::to_string(value); }

  std::string dimName(std::size_t d) const { return d < kernel_.dims.size() ? spellWord(kernel_.dims[d].name) : "?"; }

  std::string tensorName(int t) const {
    const bool isKnown = t >= 0 && static_cast<std::size_t>(t) < graph_.tensors.size();
    return isKnown ? spellWord(graph_.tensors[static_cast<std::size_t>(t)].name + suffix_) : "?";
  }

  std::string affine(const Affine &a) const {
    std::string s;
    const auto add = [&s](std::int64_t factor, const std::string &what) {
      const std::uint64_t magnitude =
          factor < 0 ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
      if (factor < 0 || !s.empty()) s += factor < 0 ? '-' : '+';
      if (what.empty() || magnitude != 1) s += std::to_string(magnitude) + (what.empty() ? "" : "*");
      s += what;
    };
    for (std::size_t d = 0; d < a.coefficients.size(); ++d)
      if (a.coefficients[d] != 0) add(a.coefficients[d], dimName(d));
    if (a.constant != 0 || s.empty()) add(a.constant, "");
    return s;
  }

  std::string element(const Access &access) const {
    std::vector<std::string> indices;
    for (const Affine &index : access.index) indices.push_back(affine(index));
    if (access.isIndirect() && static_cast<std::size_t>(access.indirectAt) < indices.size())
      indices[static_cast<std::size_t>(access.indirectAt)] = reference(access.indirectIndex);
    return tensorName(access.tensor) + "[" + join(indices, ",") + "]";
  }

  std::string value(const kernel::Value &v) const {
    std::string s = wordOf(operationWords(), v.op) + " " + std::string(name(v.type));
    switch (v.op) {
      case Op::kConstant:
        return s + " " + (isFloat(v.type) ? constantText(v.constant) : std::to_string(wrapInteger(v.type, v.integer)));
      case Op::kLoad:
        return s + " @" + std::to_string(v.access);
      case Op::kIndex:
        return s + " " + dimName(static_cast<std::size_t>(v.dim));
      default:
        for (int a = 0; a < kernel::argumentCount(v.op); ++a) s += " " + reference(v.args[static_cast<std::size_t>(a)]);
        return s;
    }
  }

  std::string store(const kernel::Store &s) const {
    const bool isAppend = kernel_.form == Form::kSelect && s.combine == kernel::Combine::kAssign;
    const std::string how = s.follows >= 0 ? "with " + std::to_string(s.follows)
                            : isAppend     ? "append"
                                           : wordOf(combineWords(), s.combine);
    return "store " + how + " " + element(s.target) + " " + reference(s.value);
  }

  void request() {
    line("@" + std::to_string(requests_) + " = read " + element(kernel_.loads[requests_]));
    ++requests_;
  }

  const kernel::Graph &graph_;
  const Kernel &kernel_;
  std::string indent_, suffix_;  ///< of lines, and of tensors' names
  std::string out_;
  std::size_t requests_ = 0;  ///< printed so far
};

std::string spaceText(const Subspace &space, const CnmModule &module, const Kernel &kernel) {
  std::string s = "  space M" + std::to_string(space.index) + " {\n";
  const std::size_t rows = space.factors.size();
  for (std::size_t d = 0; rows > 0 && d < space.factors[0].size(); ++d) {
    s += "    loop " + (d < kernel.dims.size() ? spellWord(kernel.dims[d].name) : "?");
    for (std::size_t l = 0; l + 1 < rows; ++l)
      if (space.factors[l][d] != 1)
        s += " " + (l < module.levels.size() ? spellName(module.levels[l]) : "?") + " " +
             std::to_string(space.factors[l][d]);
    s += " range " + std::to_string(space.factors[rows - 1][d]) + "\n";
  }
  return s + "  }\n";
}

std::string mappingText(const MapSpec &spec, const CnmModule &module, const Kernel &kernel) {
  const Mapping &m = spec.mapping;
  std::string s;
  const auto line = [&s](const std::string &text) { s += "  " + text + "\n"; };
  if (spec.kind != MapSpec::Kind::kExplicit) line("mapping " + std::string(keyword(spec.kind)));
  // A name for what the spaces spell out.
  if (const auto named = parseMapSpec(m.text);
      spec.kind == MapSpec::Kind::kExplicit && named && named->kind == MapSpec::Kind::kReference)
    line("mapping " + spellName(m.text));
  for (const Subspace &space : m.subspaces) s += spaceText(space, module, kernel);
  if (!m.order.empty()) {
    std::string order = "order";
    for (const std::string &dim : m.order) order += " " + spellWord(dim);
    line(order);
  }
  for (const auto &[level, chunk] : m.cyclic) line("cyclic " + spellName(level) + " " + std::to_string(chunk));
  for (const auto &[name, value] : m.parameters) line(name + " " + std::to_string(value));
  if (m.mergeAt != MergeAt::kCheapest) line(m.mergeAt == MergeAt::kDevice ? "merge device" : "merge host");
  if (m.program != ProgramKind::kAny) line("program " + std::string(name(m.program)));
  if (m.tail == Tail::kTruncate) line("tail truncate");
  return s;
}

std::string endText(const kernel::Loop &loop, const kernel::Graph &graph) {
  std::string s;
  for (const auto &[a, b] : loop.swaps)
    s += "swap " + spellWord(graph.tensors[static_cast<std::size_t>(a)].name) + " " +
         spellWord(graph.tensors[static_cast<std::size_t>(b)].name) + "\n";
  return s + "}\n";
}

}  // namespace

std::string bodyText(const kernel::Graph &graph, const Kernel &kernel, const std::string &indent,
                     const std::string &suffix) {
  return KernelPrinter(graph, kernel, indent, suffix).body();
}

std::string print(const CnmModule &module) {
  std::string s = "cnm " + spellName(module.graph.name) + "\n";
  if (!module.target.empty()) {
    s += "target " + spellName(module.target);
    for (const std::string &level : module.levels) s += " " + spellName(level);
    s += "\n";
  }
  for (const kernel::Tensor &t : module.graph.tensors) {
    s += "operand " + spellWord(t.name) + " " + std::string(name(t.type)) + "[" +
         joined(t.shape, [](std::int64_t n) { return std::to_string(n); }) + "] " + wordOf(roleWords(), t.role) +
         (t.isConstant ? " constant\n" : "\n");
  }
  const kernel::Graph &graph = module.graph;
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
    const Kernel &kernel = graph.kernels[k];
    for (const kernel::Loop &loop : graph.loops)
      if (loop.first == static_cast<int>(k))
        s += "for " + spellName(loop.name) + " " + std::to_string(loop.extent) + " {\n";
    s += KernelPrinter(module.graph, kernel).run();
    if (k < module.mappings.size() && module.mappings[k]) s += mappingText(*module.mappings[k], module, kernel);
    s += "}\n";
    for (std::size_t l = graph.loops.size(); l-- > 0;)
      if (graph.loops[l].end == static_cast<int>(k) + 1) s += endText(graph.loops[l], graph);
  }
  return s;
}

}  // namespace pimento::mapping
