#include "pimento/lower/upmem/compiled/host_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "pimento/lower/upmem/compiled/helpers.h"
#include "pimento/lower/upmem/compiled/host_functions.h"
#include "pimento/lower/upmem/compiled/loops.h"
#include "pimento/lower/upmem/compiled/operands.h"

namespace pimento::lower::upmem::compiled {

using kernel::Combine;

namespace {

/// Names that parameters may not have: C's own, and those of the text below.
constexpr const char *kReserved[] = {
    "auto",     "break",   "case",     "char",    "const",  "continue", "default",   "do",     "double",  "else",
    "enum",     "extern",  "float",    "for",     "goto",   "if",       "inline",    "int",    "long",    "register",
    "restrict", "return",  "short",    "signed",  "sizeof", "static",   "struct",    "switch", "typedef", "union",
    "unsigned", "void",    "volatile", "while",   "argc",   "argv",     "arguments", "all",    "base",    "binary",
    "dpu",      "element", "first",    "i",       "in_dpu", "in_rank",  "kept",      "low",    "n",       "set",
    "tasklet",  "to",      "valid",    "asm",     "typeof", "linux",    "unix",      "main",   "free",    "printf",
    "reserve",  "show",    "pattern",  "is_idle", "points", "stdin",    "stdout",    "stderr", "NULL",    "errno"};

constexpr const char *kFrame = R"(
/// The first value of each dim in a DPU, and how many of those that follow are the kernel's.
static inline void share_of_dpu(int64_t dpu, int64_t *base, int64_t *valid) {
  int64_t in_rank = dpu % (NR_OF_DPUS / NR_OF_RANKS), rank = dpu / (NR_OF_DPUS / NR_OF_RANKS);
  for (int d = DIMS - 1; d >= 0; --d) {
    const int64_t per_dpu = dims[d].tasklets * dims[d].range;
    base[d] = (rank % dims[d].ranks * dims[d].dpus + in_rank % dims[d].dpus) * per_dpu;
    rank /= dims[d].ranks;
    in_rank /= dims[d].dpus;
    const int64_t left = dims[d].extent - base[d];
    valid[d] = left < 0 ? 0 : left < per_dpu ? left : per_dpu;
  }
}

/// The first value of each dim in a tasklet, from the DPU's first.
static inline void share_of_tasklet(int64_t tasklet, int64_t *low) {
  for (int d = DIMS - 1; d >= 0; tasklet /= dims[d].tasklets, --d)
    low[d] = tasklet % dims[d].tasklets * dims[d].range;
}

/// How many values of a dim a tasklet has.
static inline int64_t points(const int64_t *valid, const int64_t *low, int d) {
  const int64_t left = valid[d] - low[d];
  return left < 0 ? 0 : left < dims[d].range ? left : dims[d].range;
}

static inline int is_idle(const int64_t *valid, const int64_t *low) {
  for (int d = 0; d < DIMS; ++d)
    if (low[d] >= valid[d]) return 1;
  return 0;
}

static void *reserve(size_t bytes) {
  void *const memory = calloc(bytes, 1);
  if (memory != NULL) return memory;
  fprintf(stderr, "no memory for %zu bytes\n", bytes);
  exit(EXIT_FAILURE);
}
)";

constexpr const char *kDemonstration = R"(/// A number for every element, the same in every run.
static inline uint32_t pattern(uint32_t tensor, int64_t element) {
  uint32_t x = (uint32_t)element * 2654435761u + tensor * 40503u;
  x = (x ^ x >> 15) * 2246822519u;
  return x ^ x >> 13;
}

static void show(const char *name, const void *values, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const uint8_t *)values)[i]) * 0x100000001b3u;
  printf("%s %016llx\n", name, (unsigned long long)hash);
}

)";

class HostWriter {
 public:
  explicit HostWriter(const Source &source)
      : source_(source), scheme_(source.scheme), graph_(*scheme_.graph), kernel_(scheme_.kernel()) {}

  std::string run() {
    nameTensors();
    std::string functions;
    for (const Operand &o : scheme_.operands) {
      if (o.use == Use::kInput || o.use == Use::kInPlace) functions += functions_.gather(o);
      if (HostFunctions::isSum(o)) functions += functions_.merging(o);
      if (!o.isShared()) functions += functions_.collect(o);
    }
    functions += runFunction();
    functions += kDemonstration;
    functions += mainFunction();
    return head() + kFrame + "\n" + helpers_.text() + functions;
  }

 private:
  const kernel::Tensor &tensorOf(int t) const { return graph_.tensors[static_cast<std::size_t>(t)]; }
  const kernel::Store &storeOf(const Operand &o) const { return kernel_.stores[static_cast<std::size_t>(o.store)]; }
  std::string memory(int t) const { return memoryType(tensorOf(t).type); }
  std::int64_t bytesPerDpu(const Operand &o) const { return o.bytes * (o.isShared() ? 1 : scheme_.resultsOf(o)); }
  const std::string &name(int t) const { return names_.at(t); }

  /// Tensors become parameters, in the graph's order.
  void nameTensors() {
    std::set<int> used;
    for (const kernel::Access &a : kernel_.loads) used.insert(a.tensor);
    for (const kernel::Store &s : kernel_.stores) {
      used.insert(s.target.tensor);
      stored_.insert(s.target.tensor);
    }
    std::set<std::string> taken(std::begin(kReserved), std::end(kReserved));
    for (const Operand &o : scheme_.operands)
      for (const char *prefix : {"in_", "out_", "sums_", "gather_", "collect_", "merge_", "close_"})
        taken.insert(prefix + o.name);
    for (const int t : used) names_[t] = uniqueName(tensorOf(t).name, taken);
    std::set<std::string> none;
    function_ = "run_" + uniqueName(kernel_.name.empty() ? "kernel" : kernel_.name, none);
  }

  bool isGiven(int t) const {
    if (!stored_.contains(t)) return true;
    return std::any_of(kernel_.stores.begin(), kernel_.stores.end(),
                       [&](const kernel::Store &s) { return s.target.tensor == t && hasInitial(scheme_, s); });
  }

  // ---- The frame ----

  std::string head() const {
    std::string text = fmt::format(
        "// {}, for the host of UPMEM's DPUs. Made by Pimento, with the DPU half (--emit c) of the same mapping.\n"
        "//   dpu-upmem-dpurt-clang -O2 -DNR_TASKLETS={} -DSTACK_SIZE_DEFAULT={} -o dpu dpu.c\n"
        "//   cc -O2 -o host host.c $(dpu-pkg-config --cflags --libs dpu)\n//   ./host [DPU_BINARY]\n",
        function_.substr(4), scheme_.tasklets, std::max<std::int64_t>(scheme_.stackBytes, 8));
    text += "#include <dpu.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
    text += fmt::format("#define DIMS {}\n#define NR_OF_RANKS {}  /* of the mapping */\n#define NR_OF_DPUS {}\n",
                        scheme_.axes.size(), scheme_.ranks, scheme_.dpus);
    text += fmt::format("#define NR_OF_TASKLETS {}\n\n", scheme_.tasklets);
    text += "/// As in the DPU half.\nstruct arguments {\n";
    for (const Argument &a : source_.written.arguments)
      text += fmt::format("  {} {};\n", a.kind == Argument::Kind::kBase ? "int32_t" : "uint32_t", a.name);
    text += "};\n\n/// Contiguous shares of each dim: ranks, DPUs of a rank, tasklets, and a tasklet's values.\n";
    text += "static const struct {\n  int64_t extent, ranks, dpus, tasklets, range;\n} dims[] = {\n";
    for (const Axis &a : scheme_.axes)
      text +=
          fmt::format("    {{{}, {}, {}, {}, {}}},  // {}\n", a.extent, a.ranks, a.dpus, a.tasklets, a.range, a.name);
    return text + "};\n";
  }

  // ---- A run ----

  std::string parameters() const {
    std::string text;
    for (const auto &[t, n] : names_)
      text += fmt::format(", {}{} *{}", stored_.contains(t) ? "" : "const ", memory(t), n);
    return text;
  }

  std::string runFunction() {
    Lines lines;
    writeInitial(lines);
    lines.add("struct dpu_set_t set, dpu;");
    lines.add("uint32_t i;");
    lines.add("DPU_ASSERT(dpu_alloc(NR_OF_DPUS, NULL, &set));");
    lines.add("DPU_ASSERT(dpu_load(set, binary, NULL));");
    writeArguments(lines);
    for (const Operand &o : scheme_.operands)
      if (o.use == Use::kInput || o.use == Use::kInPlace) writePlacing(lines, o);
    lines.add("DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));");
    for (const Operand &o : scheme_.operands)
      if (!o.isShared()) writeReading(lines, "out_" + o.name, o.offset, bytesPerDpu(o));
    const bool isSelection = kernel_.form == kernel::Form::kSelect;
    if (isSelection)
      writeReading(lines, "counts", scheme_.mramBytes - kUnit * scheme_.tasklets, kUnit * scheme_.tasklets);
    lines.add("DPU_ASSERT(dpu_free(set));");
    writeCollecting(lines);
    for (const Operand &o : scheme_.operands)
      if (!o.isShared()) lines.add(fmt::format("free(out_{});", o.name));
    if (isSelection) lines.add("free(counts);");
    return fmt::format(
        "/// Tensors are row-major. `binary`: the DPU half's file.\nvoid {}(const char *binary{}) {{\n{}}}\n\n",
        function_, parameters(), lines.text());
  }

  /// Results that no one has given begin at the identity, or at zero.
  void writeInitial(Lines &lines) {
    for (const int t : stored_) {
      if (isGiven(t)) continue;
      Combine combine = Combine::kAssign;
      for (const kernel::Store &s : kernel_.stores)
        if (s.target.tensor == t && s.combine != Combine::kAssign) combine = s.combine;
      const DType type = tensorOf(t).type;
      lines.add(fmt::format("for (int64_t n = 0; n < {}; ++n) {}[n] = {};", tensorOf(t).elements(), name(t),
                            helpers_.toMemory(type, identityOf(combine, type))));
    }
  }

  void writeArguments(Lines &lines) const {
    lines.add("struct arguments *const arguments = reserve(NR_OF_DPUS * sizeof *arguments);");
    lines.open("DPU_FOREACH(set, dpu, i) {");
    lines.add("int64_t base[DIMS + 1], valid[DIMS + 1];");
    lines.add("share_of_dpu(i, base, valid);");
    for (const Argument &a : source_.written.arguments) {
      const std::string value = a.kind == Argument::Kind::kValid ? fmt::format("(uint32_t)valid[{}]", a.dim)
                                : a.kind == Argument::Kind::kBase
                                    ? fmt::format("(int32_t)base[{}]", a.dim)
                                    : fmt::format("{}u", static_cast<std::uint32_t>(a.value));
      lines.add(fmt::format("arguments[i].{} = {};", a.name, value));
    }
    lines.add("DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));");
    lines.close();
    lines.add(
        "DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, \"ARGUMENTS\", 0, sizeof *arguments, DPU_XFER_DEFAULT));");
    lines.add("free(arguments);");
  }

  void writePlacing(Lines &lines, const Operand &o) const {
    const std::int64_t bytes = bytesPerDpu(o);
    const bool isSame = o.isShared() && scheme_.isSameForAll(o);
    lines.add(
        fmt::format("uint8_t *const in_{} = reserve((size_t){}{});", o.name, bytes, isSame ? "" : " * NR_OF_DPUS"));
    lines.open(isSame ? "{" : "DPU_FOREACH(set, dpu, i) {");
    lines.add("int64_t base[DIMS + 1], valid[DIMS + 1];");
    lines.add(fmt::format("share_of_dpu({}, base, valid);", isSame ? "0" : "i"));
    const std::string to = isSame ? "in_" + o.name : fmt::format("in_{} + (size_t){} * i", o.name, bytes);
    if (o.isShared()) {
      lines.add(fmt::format("gather_{}(base, {}, {});", o.name, name(o.tensor), to));
    } else {
      lines.open("for (int64_t tasklet = 0; tasklet < NR_OF_TASKLETS; ++tasklet) {");
      lines.add("int64_t first[DIMS + 1];");
      lines.add("share_of_tasklet(tasklet, first);");
      lines.add("for (int d = 0; d < DIMS; ++d) first[d] += base[d];");
      lines.add(fmt::format("gather_{}(first, {}, {} + tasklet * {});", o.name, name(o.tensor), to, o.bytes));
      lines.close();
    }
    if (!isSame) lines.add(fmt::format("DPU_ASSERT(dpu_prepare_xfer(dpu, {}));", to));
    lines.close();
    if (isSame)
      lines.add(
          fmt::format("DPU_ASSERT(dpu_broadcast_to(set, DPU_MRAM_HEAP_POINTER_NAME, {}, in_{}, {}, DPU_XFER_DEFAULT));",
                      o.offset, o.name, bytes));
    else
      lines.add(fmt::format(
          "DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, {}, {}, DPU_XFER_DEFAULT));",
          o.offset, bytes));
    lines.add(fmt::format("free(in_{});", o.name));
  }

  static void writeReading(Lines &lines, const std::string &to, std::int64_t offset, std::int64_t bytes) {
    lines.add(fmt::format("uint8_t *const {} = reserve((size_t){} * NR_OF_DPUS);", to, bytes));
    lines.add(
        fmt::format("DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, {} + (size_t){} * i));", to, bytes));
    lines.add(fmt::format(
        "DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, {}, {}, DPU_XFER_DEFAULT));",
        offset, bytes));
  }

  void writeCollecting(Lines &lines) {
    for (const Operand &o : scheme_.operands) {
      if (!HostFunctions::isSum(o)) continue;
      lines.add(fmt::format("struct sums_{0} in_dpu_{0}, in_rank_{0}, all_{0};", o.name));
      for (const char *level : {"in_dpu", "in_rank", "all"})
        lines.add(
            fmt::format("{0}_{1} = (struct sums_{1}){{reserve({2} * sizeof({3})), reserve({2}), reserve({2} * "
                        "sizeof(int64_t)), 0}};",
                        level, o.name, tensorOf(o.tensor).elements(), valueType(o.type)));
    }
    if (kernel_.form == kernel::Form::kSelect) lines.add("int64_t kept = 0;");
    lines.open("for (int64_t n = 0; n < NR_OF_DPUS; ++n) {");
    lines.add("int64_t base[DIMS + 1], valid[DIMS + 1];");
    lines.add("share_of_dpu(n, base, valid);");
    for (const Operand &o : scheme_.operands) {
      if (o.isShared()) continue;
      const std::string from = fmt::format("out_{} + {} * n", o.name, bytesPerDpu(o));
      if (o.use == Use::kSelected) {
        lines.add(fmt::format("collect_{}(valid, {}, (const uint64_t *)counts + n * NR_OF_TASKLETS, &kept, {});",
                              o.name, from, name(o.tensor)));
        continue;
      }
      const std::string to = HostFunctions::isSum(o) ? "&in_dpu_" + o.name : name(o.tensor);
      lines.add(fmt::format("collect_{}(base, valid, {}, {});", o.name, from, to));
      if (!HostFunctions::isSum(o)) continue;
      lines.add(fmt::format("close_{0}(&in_dpu_{0}, &in_rank_{0});", o.name));
      lines.add(
          fmt::format("if ((n + 1) % (NR_OF_DPUS / NR_OF_RANKS) == 0) close_{0}(&in_rank_{0}, &all_{0});", o.name));
    }
    lines.close();
    for (const Operand &o : scheme_.operands)
      if (HostFunctions::isSum(o)) writeRoot(lines, o);
  }

  /// The merged value goes onto what is there, then into the tensor.
  void writeRoot(Lines &lines, const Operand &o) {
    const DType type = tensorOf(o.tensor).type;
    const kernel::Store &store = storeOf(o);
    lines.open(fmt::format("for (int64_t n = 0; n < all_{}.count; ++n) {{", o.name));
    lines.add(fmt::format("const int64_t element = all_{}.touched[n];", o.name));
    lines.add(fmt::format("{} sum = all_{}.value[element];", valueType(o.type), o.name));
    if (hasInitial(scheme_, store)) {
      const std::string given = helpers_.fromMemory(type, name(o.tensor) + "[element]");
      lines.add(fmt::format("const {} given = {};", valueType(o.type), given));
      lines.add(fmt::format("sum = {};", helpers_.operation(kernel::opOf(store.combine), o.type, "sum", "given")));
    }
    lines.add(fmt::format("{}[element] = {};", name(o.tensor), helpers_.toMemory(type, "sum")));
    lines.close();
    for (const char *level : {"in_dpu", "in_rank", "all"})
      for (const char *part : {"value", "is_there", "touched"})
        lines.add(fmt::format("free({}_{}.{});", level, o.name, part));
  }

  // ---- A program around it ----

  /// -100 to 100, of floating types by 64; where values decide on elements, 0 to as many as there are.
  std::string valueAt(int t) {
    const DType type = tensorOf(t).type;
    std::int64_t values = 201, shift = 100;
    for (const kernel::Store &s : kernel_.stores)
      if (s.indirectIndex >= 0) {
        values = std::min(values, tensorOf(s.target.tensor).shape.back());
        shift = 0;
      }
    if (!isSigned(type) && !isFloat(type)) shift = 0;
    const std::string number = fmt::format("(int32_t)(pattern({}, n) % {}) - {}", t, values, shift);
    if (!isFloat(type)) return fmt::format("({})({})", memoryType(type), number);
    return helpers_.toMemory(type, fmt::format("({})({}) / 64", valueType(type), number));
  }

  std::string mainFunction() {
    Lines lines;
    for (const auto &[t, n] : names_) {
      const std::int64_t elements = tensorOf(t).elements();
      lines.add(fmt::format("{0} *const {1} = reserve({2} * sizeof({0}));", memory(t), n, elements));
      if (isGiven(t)) lines.add(fmt::format("for (int64_t n = 0; n < {}; ++n) {}[n] = {};", elements, n, valueAt(t)));
    }
    std::string call;
    for (const auto &[t, n] : names_) call += ", " + n;
    lines.add(fmt::format("{}(argc > 1 ? argv[1] : \"./dpu\"{});", function_, call));
    for (const int t : stored_)
      lines.add(fmt::format("show(\"{0}\", {0}, {1} * sizeof *{0});", name(t), tensorOf(t).elements()));
    for (const auto &[t, n] : names_) lines.add(fmt::format("free({});", n));
    lines.add("return 0;");
    return "int main(int argc, char **argv) {\n" + lines.text() + "}\n";
  }

  const Source &source_;
  const Scheme &scheme_;
  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  Helpers helpers_;
  HostFunctions functions_{scheme_, helpers_};
  std::map<int, std::string> names_;  ///< of tensors
  std::set<int> stored_;
  std::string function_;
};

}  // namespace

Result<std::string> writeHost(const Source &source) {
  const Scheme &scheme = source.scheme;
  const kernel::Kernel &kernel = scheme.kernel();
  if (scheme.graph->kernels.size() > 1)
    return error("unsupported-emit", kernel.where,
                 fmt::format("a host half for a graph of {} kernels", scheme.graph->kernels.size()),
                 "emit one kernel at a time");
  if (scheme.isScan)
    return error("unsupported-emit", kernel.where,
                 fmt::format("kernel '{}': a host half for prefix sums that several units share", kernel.name),
                 "give the dim to one tasklet: factor 1 at every level but the range");
  return HostWriter(source).run();
}

}  // namespace pimento::lower::upmem::compiled
