#include "pimento/targets/upmem/compiled/host_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pimento/kernel/linear.h"
#include "pimento/targets/upmem/compiled/dpu_half.h"
#include "pimento/targets/upmem/compiled/operands.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;

HostKernel::HostKernel(const Source &source, Helpers &helpers, Names names)
    : source_(source),
      scheme_(source.scheme),
      graph_(*scheme_.graph),
      kernel_(scheme_.kernel()),
      helpers_(helpers),
      names_(std::move(names)),
      functions_(scheme_, helpers, names_.suffix) {
  for (const kernel::Access &a : kernel_.loads) used_.insert(a.tensor);
  for (const kernel::Store &s : kernel_.stores) stored_.insert(s.target.tensor);
  used_.insert(stored_.begin(), stored_.end());
}

bool HostKernel::isGiven(int t) const {
  if (!stored_.contains(t)) return true;
  return std::any_of(kernel_.stores.begin(), kernel_.stores.end(),
                     [&](const kernel::Store &s) { return s.target.tensor == t && hasInitial(scheme_, s); });
}

std::string HostKernel::text() {
  std::string functions;
  for (const Operand &o : scheme_.operands) {
    if (o.isPlaced()) functions += functions_.gather(o);
    if (functions_.isSum(o)) functions += functions_.merging(o);
    if (scheme_.isCarry(o))
      functions += functions_.carrying(o);
    else if (!o.isShared() && !functions_.isFollower(o))
      functions += functions_.collect(o);
  }
  return mappingText() + functions + runFunction();
}

std::string HostKernel::mappingText() const {
  std::string text, dims = fmt::format("static const struct dim dims{}[] = {{\n", names_.suffix);
  for (const Axis &a : scheme_.axes) {
    std::string shares = "NULL";
    if (!a.borders.empty()) {
      shares = fmt::format("shares_{}{}", a.name, names_.suffix);
      std::vector<std::int64_t> numbers;
      for (const mapping::Stretch &s : a.borders) numbers.insert(numbers.end(), {s.first, s.count()});
      text += fmt::format("static const int64_t {}[] = {{{}}};\n", shares, fmt::join(numbers, ", "));
    }
    dims += fmt::format("    {{{}, {}, {}, {}, {}, {}}},  // {}\n", a.extent, a.factors[0], a.factors[1], a.threads(),
                        a.range, shares, a.name);
  }
  if (scheme_.axes.empty()) dims += "    {1, 1, 1, 1, 1, NULL},  // none\n";
  text += dims;
  return text + fmt::format("}};\nstatic const struct mapping mapping{0} = {{{1}, {2}, {3}, {4}, dims{0}}};\n\n",
                            names_.suffix, scheme_.instances[0], scheme_.units, scheme_.threads, scheme_.axes.size());
}

std::string HostKernel::runFunction() {
  Lines lines;
  writeInitial(lines);
  writeBeginning(lines);
  writeArguments(lines);
  for (const Operand &o : scheme_.operands)
    if (o.isPlaced()) writePlacing(lines, o);
  lines.add("DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));");
  for (const Operand &o : scheme_.operands)
    if (!o.isShared()) writeReading(lines, "out_" + o.name, o.home.offset, bytesPerDpu(o));
  const bool hasLengths = scheme_.hasLengthsApart();
  if (hasLengths) writeReading(lines, "counts", scheme_.mramBytes - kUnit * scheme_.threads, kUnit * scheme_.threads);
  lines.add("DPU_ASSERT(dpu_free(set));");
  writeCollecting(lines);
  for (const Operand &o : scheme_.operands)
    if (!o.isShared()) lines.add("free(out_{});", o.name);
  if (hasLengths) lines.add("free(counts);");
  if (scheme_.isRowwise) lines.add("free(kept);");
  std::string parameters;
  for (const int t : used_)
    parameters += fmt::format(", {}{} *{}", stored_.contains(t) ? "" : "const ", memoryType(tensorOf(t).type), name(t));
  return fmt::format(
      "/// Mapping: {}. Tensors are row-major. `binary`: the DPU half's file.\nvoid {}(const char *binary{}) "
      "{{\n{}}}\n\n",
      mapping::print(source_.placed.mapping), names_.function, parameters, lines.text());
}

/// DPUs with the program, and the arguments that it takes.
void HostKernel::writeBeginning(Lines &lines) const {
  lines.open("struct arguments {  // as in the DPU half");
  for (const Argument &a : source_.written.arguments)
    lines.add("{} {};", a.kind == Argument::Kind::kBase ? "int32_t" : "uint32_t", a.name);
  lines.close(";");
  std::string words;
  for (const std::string &word : fingerprintOf(source_)) words += (words.empty() ? "" : ", ") + word;
  lines.add("struct dpu_set_t set, dpu;");
  lines.add("uint32_t i;");
  lines.add("const int64_t dpus = mapping{}.dpus;", names_.suffix);
  lines.add("DPU_ASSERT(dpu_alloc((uint32_t)dpus, NULL, &set));");
  lines.add("DPU_ASSERT(dpu_load(set, binary, NULL));");
  lines.add("expect_half(set, binary, (const uint32_t[]){{{}}});", words);
}

std::string HostKernel::carriedElement(const Operand &o) const {
  return fmt::format("{}[{}]", name(o.tensor),
                     kernel::linearize(scheme_.storeOf(o).target, tensorOf(o.tensor), scheme_.axes.size()).constant);
}

/// Results that no one has given begin at the identity, or at zero.
void HostKernel::writeInitial(Lines &lines) {
  for (const int t : stored_) {
    if (isGiven(t)) continue;
    Combine combine = Combine::kAssign;
    for (const kernel::Store &s : kernel_.stores)
      if (s.target.tensor == t && s.combine != Combine::kAssign) combine = s.combine;
    const DType type = tensorOf(t).type;
    lines.add("for (int64_t n = 0; n < {}; ++n) {}[n] = {};", tensorOf(t).elements(), name(t),
              helpers_.toMemory(type, identityOf(combine, type)));
  }
}

/// The share of a DPU in `base` and `valid`.
void HostKernel::writeShare(Lines &lines, const std::string &dpu) const {
  lines.add("int64_t base[{0}], valid[{0}];", scheme_.axes.size() + 1);
  lines.add("share_of_dpu(&mapping{}, {}, base, valid);", names_.suffix, dpu);
}

void HostKernel::writeArguments(Lines &lines) const {
  lines.add("struct arguments *const arguments = reserve(dpus * sizeof *arguments);");
  lines.open("DPU_FOREACH(set, dpu, i) {");
  writeShare(lines, "i");
  for (const Argument &a : source_.written.arguments) {
    const std::string value = a.kind == Argument::Kind::kValid ? fmt::format("(uint32_t)valid[{}]", a.dim)
                              : a.kind == Argument::Kind::kBase
                                  ? fmt::format("(int32_t)base[{}]", a.dim)
                                  : fmt::format("{}u", static_cast<std::uint32_t>(a.value));
    lines.add("arguments[i].{} = {};", a.name, value);
  }
  lines.add("DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));");
  lines.close();
  lines.add("DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, \"ARGUMENTS\", 0, sizeof *arguments, DPU_XFER_DEFAULT));");
  lines.add("free(arguments);");
}

void HostKernel::writePlacing(Lines &lines, const Operand &o) const {
  const std::int64_t bytes = bytesPerDpu(o);
  const bool isSame = o.isShared() && scheme_.isSameForAll(o);
  lines.add("uint8_t *const in_{} = reserve((size_t){}{});", o.name, bytes, isSame ? "" : " * dpus");
  lines.open(isSame ? "{" : "DPU_FOREACH(set, dpu, i) {");
  writeShare(lines, isSame ? "0" : "i");
  const std::string to = isSame ? "in_" + o.name : fmt::format("in_{} + (size_t){} * i", o.name, bytes);
  if (o.isShared()) {
    lines.add("gather_{}{}(base, {}, {});", o.name, names_.suffix, name(o.tensor), to);
  } else {
    lines.open("for (int64_t tasklet = 0; tasklet < mapping{}.tasklets; ++tasklet) {{", names_.suffix);
    lines.add("int64_t first[{}];", scheme_.axes.size() + 1);
    lines.add("share_of_tasklet(&mapping{}, tasklet, first);", names_.suffix);
    lines.add("for (int d = 0; d < mapping{}.count; ++d) first[d] += base[d];", names_.suffix);
    lines.add("gather_{}{}(first, {}, {} + tasklet * {});", o.name, names_.suffix, name(o.tensor), to, o.home.bytes);
    lines.close();
  }
  if (!isSame) lines.add("DPU_ASSERT(dpu_prepare_xfer(dpu, {}));", to);
  lines.close();
  if (isSame)
    lines.add("DPU_ASSERT(dpu_broadcast_to(set, DPU_MRAM_HEAP_POINTER_NAME, {}, in_{}, {}, DPU_XFER_DEFAULT));",
              o.home.offset, o.name, bytes);
  else
    lines.add("DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, {}, {}, DPU_XFER_DEFAULT));",
              o.home.offset, bytes);
  lines.add("free(in_{});", o.name);
}

void HostKernel::writeReading(Lines &lines, const std::string &to, std::int64_t offset, std::int64_t bytes) {
  lines.add("uint8_t *const {} = reserve((size_t){} * dpus);", to, bytes);
  lines.add("DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, {} + (size_t){} * i));", to, bytes);
  lines.add("DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, {}, {}, DPU_XFER_DEFAULT));",
            offset, bytes);
}

void HostKernel::writeCollecting(Lines &lines) {
  for (const Operand &o : scheme_.operands) {
    if (scheme_.isCarry(o)) {
      const DType type = o.type;
      const std::string first =
          hasInitial(scheme_, scheme_.storeOf(o)) ? carriedElement(o) : identityOf(scheme_.storeOf(o).combine, type);
      lines.add("{} before_{} = {};", valueType(type), o.name, first);
    }
    if (!functions_.isSum(o)) continue;
    lines.add("struct sums_{0}{1} in_dpu_{0}, in_rank_{0}, all_{0};", o.name, names_.suffix);
    const std::int64_t elements = tensorOf(o.tensor).elements();
    std::string followers;
    for (const Operand *f : functions_.followersOf(o))
      followers +=
          fmt::format(", reserve({0} * sizeof({1})), reserve({0} * sizeof(int64_t))", elements, memoryType(f->type));
    for (const char *level : {"in_dpu", "in_rank", "all"})
      lines.add(
          "{0}_{1} = (struct sums_{1}{4}){{reserve({2} * sizeof({3})), reserve({2}), reserve({2} * "
          "sizeof(int64_t)), 0{5}}};",
          level, o.name, elements, valueType(o.type), names_.suffix, followers);
  }
  if (scheme_.hasLengthsApart()) lines.add("int64_t kept = 0;");
  if (scheme_.isRowwise) {
    const kernel::Tensor &lists = tensorOf(kernel_.stores[0].target.tensor);
    lines.add("int64_t *const kept = reserve({} * sizeof(int64_t));", lists.elements() / lists.shape.back());
  }
  lines.open("for (int64_t n = 0; n < dpus; ++n) {");
  writeShare(lines, "n");
  for (const Operand &o : scheme_.operands)
    if (!o.isShared() && !scheme_.isCarry(o) && !functions_.isFollower(o)) writeAdding(lines, o);
  for (const Operand &o : scheme_.operands)
    if (scheme_.isCarry(o))
      lines.add("before_{0} = carry_{0}{1}(valid, out_{0} + {2} * n, before_{0});", o.name, names_.suffix,
                bytesPerDpu(o));
  lines.close();
  for (const Operand &o : scheme_.operands) {
    if (scheme_.isCarry(o)) lines.add("{} = before_{};", carriedElement(o), o.name);
    if (functions_.isSum(o)) writeRoot(lines, o);
  }
}

/// What DPU `n` found of one operand.
void HostKernel::writeAdding(Lines &lines, const Operand &o) const {
  const std::string &suffix = names_.suffix;
  const std::string from = fmt::format("out_{} + {} * n", o.name, bytesPerDpu(o));
  if (o.use == Use::kSelected && scheme_.isRowwise) {
    const std::string counts = kernel_.stores.size() > 1 ? ", " + name(kernel_.stores[1].target.tensor) : "";
    lines.add("collect_{}{}(base, valid, {}, kept, {}{});", o.name, suffix, from, name(o.tensor), counts);
    return;
  }
  if (o.use == Use::kSelected) {
    lines.add("collect_{0}{1}(valid, {2}, (const uint64_t *)counts + n * mapping{1}.tasklets, &kept, {3});", o.name,
              suffix, from, name(o.tensor));
    return;
  }
  const std::string to = functions_.isSum(o) ? "&in_dpu_" + o.name : name(o.tensor),
                    before = o.hasCarry ? ", before_" + scheme_.carry().name : "";
  std::string followers;
  for (const Operand *f : functions_.followersOf(o))
    followers += fmt::format(", out_{} + {} * n", f->name, bytesPerDpu(*f));
  lines.add("collect_{}{}(base, valid, {}{}, {}{});", o.name, suffix, from, followers, to, before);
  if (!functions_.isSum(o)) return;
  lines.add("close_{0}{1}(&in_dpu_{0}, &in_rank_{0});", o.name, suffix);
  lines.add("if ((n + 1) % (dpus / mapping{1}.ranks) == 0) close_{0}{1}(&in_rank_{0}, &all_{0});", o.name, suffix);
}

/// The merged value goes onto what is there, then into the tensor.
void HostKernel::writeRoot(Lines &lines, const Operand &o) {
  const DType type = tensorOf(o.tensor).type;
  const kernel::Store &store = scheme_.storeOf(o);
  lines.open("for (int64_t n = 0; n < all_{}.count; ++n) {{", o.name);
  lines.add("const int64_t element = all_{}.touched[n];", o.name);
  lines.add("{} merged = all_{}.value[element];", valueType(o.type), o.name);
  if (scheme_.isOfExtreme(o)) {
    lines.add("if (!(merged {} {})) continue;", store.combine == Combine::kMin ? "<" : ">",
              helpers_.fromMemory(type, name(o.tensor) + "[element]"));
    for (const Operand *f : functions_.followersOf(o))
      lines.add("{0}[all_{1}.element_{2}[element]] = all_{1}.x_{2}[element];", name(f->tensor), o.name, f->name);
  } else if (hasInitial(scheme_, store)) {
    const std::string given = helpers_.fromMemory(type, name(o.tensor) + "[element]");
    lines.add("const {} before = {};", valueType(o.type), given);
    lines.add("merged = {};", helpers_.operation(kernel::opOf(store.combine), o.type, "merged", "before"));
  }
  lines.add("{}[element] = {};", name(o.tensor), helpers_.toMemory(type, "merged"));
  lines.close();
  for (const char *level : {"in_dpu", "in_rank", "all"})
    for (const char *part : {"value", "is_there", "touched"}) lines.add("free({}_{}.{});", level, o.name, part);
  for (const char *level : {"in_dpu", "in_rank", "all"})
    for (const Operand *f : functions_.followersOf(o))
      for (const char *part : {"x", "element"}) lines.add("free({}_{}.{}_{});", level, o.name, part, f->name);
}

}  // namespace pimento::targets::upmem::compiled
