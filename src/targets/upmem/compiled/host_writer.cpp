#include "pimento/targets/upmem/compiled/host_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <set>

#include "pimento/base/text.h"
#include "pimento/targets/upmem/compiled/dpu_half.h"
#include "pimento/targets/upmem/compiled/host_kernel.h"
#include "pimento/targets/upmem/compiled/host_parts.h"
#include "pimento/targets/upmem/compiled/operands.h"

namespace pimento::targets::upmem::compiled {

namespace {

/// Names that parameters may not have: C's own, and those of the text around them.
constexpr std::string_view kReserved =
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm "
    "typeof bool true false nullptr constexpr alignas alignof static_assert thread_local linux unix main argc argv "
    "free exit calloc memcpy memcmp printf fprintf stdin stdout stderr NULL errno arguments base binary binaries "
    "counts d dim dims dpu dpus element expect_half first before i in_dpu in_rank all is_idle kept low mapping n "
    "pattern points reserve set share_of_dpu share_of_tasklet show merged tasklet to valid";

/// What is the same in all host halves.
std::string part(const char *file) {
  const auto found = std::find_if(hostParts().begin(), hostParts().end(), [&](auto &f) { return f.name == file; });
  PIMENTO_CHECK(found != hostParts().end());
  return found->text + "\n";
}

class HostWriter {
 public:
  explicit HostWriter(std::span<const Source> sources) : sources_(sources), graph_(*sources[0].scheme.graph) {
    std::set<std::string> taken;
    for (const std::string_view word : split(kReserved, ' ')) taken.emplace(word);
    std::vector<std::string> functions;
    if (isGraph()) graphFunction_ = uniqueName("run_" + (graph_.name.empty() ? "all" : graph_.name), taken);
    for (const Source &source : sources) {
      const std::string &name = source.scheme.kernel().name;
      functions.push_back(uniqueName("run_" + (name.empty() ? "kernel" : name), taken));
    }
    for (std::size_t k = 0; k < sources.size(); ++k)
      for (const Operand &o : sources[k].scheme.operands)
        for (const char *prefix : {"in_", "out_", "sums_", "gather_", "collect_", "merge_", "close_", "in_dpu_",
                                   "in_rank_", "all_", "before_", "carry_"})
          taken.insert(prefix + o.name + suffixOf(k));
    for (std::size_t k = 0; k < sources.size(); ++k)
      for (const char *name : {"dims", "mapping"}) taken.insert(name + suffixOf(k));
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const std::string &name = graph_.tensors[t].name;
      const bool isNumber = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
      names_[static_cast<int>(t)] = uniqueName((isNumber || name.empty() ? "t" : "") + name, taken);
    }
    for (std::size_t k = 0; k < sources.size(); ++k)
      kernels_.push_back(
          std::make_unique<HostKernel>(sources[k], helpers_, HostKernel::Names{names_, functions[k], suffixOf(k)}));
    functions_ = std::move(functions);
  }

  std::string run() {
    std::string functions;
    for (const auto &kernel : kernels_) functions += kernel->text();
    if (isGraph()) functions += graphFunction();
    functions += part("demonstration.c");
    functions += mainFunction();
    return head() + part("frame.c") + helpers_.text() + functions;
  }

 private:
  const kernel::Tensor &tensorOf(int t) const { return graph_.tensors[static_cast<std::size_t>(t)]; }
  bool isGraph() const { return sources_.size() > 1; }
  std::string suffixOf(std::size_t k) const { return isGraph() ? fmt::format("_{}", k + 1) : ""; }
  std::string memory(int t) const { return memoryType(tensorOf(t).type); }
  bool isUsed(int t) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [t](auto &k) { return k->tensors().contains(t); });
  }
  bool isStored(int t) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [t](auto &k) { return k->stored().contains(t); });
  }
  bool isTemporary(int t) const { return tensorOf(t).role == kernel::Role::kTemporary; }
  /// Does the caller say what it holds?
  bool isGiven(int t) const {
    const auto first =
        std::find_if(kernels_.begin(), kernels_.end(), [t](auto &k) { return k->tensors().contains(t); });
    return !isTemporary(t) && (*first)->isGiven(t);
  }

  /// What the graph calls it.
  std::string labelOf(int t) const {
    std::set<std::string> none;
    return uniqueName(tensorOf(t).name, none);
  }

  std::string head() const {
    std::string text;
    for (std::size_t k = 0; k < sources_.size(); ++k) text += buildComment(sources_[k], isGraph() ? k + 1 : 0);
    return text +
           fmt::format(
               "// {}, for the host of UPMEM's DPUs. Made by Pimento, with the DPU half (--emit c).\n"
               "//   cc -O2 -o host host.c $(dpu-pkg-config --cflags --libs dpu)\n//   ./host [DPU_BINARY{}]\n\n",
               isGraph() ? graphFunction_.substr(4) : functions_[0].substr(4), isGraph() ? "..." : "");
  }

  void writeTemporary(Lines &lines, int t) const {
    lines.add("{0} *const {1} = reserve({2} * sizeof({0}));", memory(t), names_.at(t), tensorOf(t).elements());
  }

  std::string arguments(const std::set<int> &tensors) const {
    std::string text;
    for (const int t : tensors) text += ", " + names_.at(t);
    return text;
  }

  /// What the caller of the graph has.
  std::set<int> outside() const {
    std::set<int> out;
    for (const auto &[t, name] : names_)
      if (isUsed(t) && !isTemporary(t)) out.insert(t);
    return out;
  }
  std::set<int> inside() const {
    std::set<int> in;
    for (const auto &[t, name] : names_)
      if (isUsed(t) && isTemporary(t)) in.insert(t);
    return in;
  }

  std::string graphFunction() const {
    Lines lines;
    std::string parameters;
    for (const int t : outside())
      parameters += fmt::format(", {}{} *{}", isStored(t) ? "" : "const ", memory(t), names_.at(t));
    for (const int t : inside()) writeTemporary(lines, t);
    for (std::size_t k = 0; k < kernels_.size(); ++k)
      lines.add("{}(binaries[{}]{});", functions_[k], k, arguments(kernels_[k]->tensors()));
    for (const int t : inside()) lines.add("free({});", names_.at(t));
    return fmt::format(
        "/// All kernels in order, with what they hand on. `binaries`: the files of the DPU half, kernel by kernel.\n"
        "void {}(const char *const *binaries{}) {{\n{}}}\n\n",
        graphFunction_, parameters, lines.text());
  }

  /// -100 to 100, of floating types by 64; where values decide on elements, 0 to as many as there are.
  std::string valueAt(int t) {
    const DType type = tensorOf(t).type;
    std::int64_t values = 201, shift = 100;
    for (const kernel::Kernel &kernel : graph_.kernels)
      for (const kernel::Store &s : kernel.stores)
        if (s.target.isIndirect()) {
          values = std::min(values, tensorOf(s.target.tensor).shape[static_cast<std::size_t>(s.target.indirectAt)]);
          shift = 0;
        }
    if (!isSigned(type) && !isFloat(type)) shift = 0;
    const std::string number = fmt::format("(int32_t)(pattern({}, n) % {}) - {}", t, values, shift);
    if (!isFloat(type)) return fmt::format("({})({})", memoryType(type), number);
    return helpers_.toMemory(type, fmt::format("({})({}) / 64", valueType(type), number));
  }

  std::string mainFunction() {
    Lines lines;
    std::set<int> tensors = outside();
    if (!isGraph()) tensors.merge(inside());
    if (isGraph()) {
      lines.open("const char *const binaries[] = {");
      for (std::size_t k = 1; k <= kernels_.size(); ++k) lines.add("argc > {0} ? argv[{0}] : \"./dpu_{0}\",", k);
      lines.close(";");
    }
    for (const int t : tensors) {
      writeTemporary(lines, t);
      if (isGiven(t))
        lines.add("for (int64_t n = 0; n < {}; ++n) {}[n] = {};", tensorOf(t).elements(), names_.at(t), valueAt(t));
    }
    lines.add("{}({}{});", isGraph() ? graphFunction_ : functions_[0],
              isGraph() ? "binaries" : "argc > 1 ? argv[1] : \"./dpu\"", arguments(tensors));
    for (const int t : outside())
      if (isStored(t))
        lines.add("show(\"{0}\", {1}, {2} * sizeof *{1});", labelOf(t), names_.at(t), tensorOf(t).elements());
    for (const int t : tensors) lines.add("free({});", names_.at(t));
    lines.add("return 0;");
    return "int main(int argc, char **argv) {\n" + lines.text() + "}\n";
  }

  std::span<const Source> sources_;
  const kernel::Graph &graph_;
  Helpers helpers_;
  std::map<int, std::string> names_;  ///< of tensors
  std::vector<std::string> functions_;
  std::string graphFunction_;
  std::vector<std::unique_ptr<HostKernel>> kernels_;
};

}  // namespace

std::string writeHost(std::span<const Source> sources) {
  PIMENTO_CHECK(!sources.empty());
  return HostWriter(sources).run();
}

}  // namespace pimento::targets::upmem::compiled
