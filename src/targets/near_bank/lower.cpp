#include "pimento/targets/near_bank/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/lower/tensor_place.h"
#include "pimento/targets/near_bank/forms.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::Combine;
using kernel::Kernel;
using kernel::Op;
using mapping::Mapping;
using mapping::ProgramKind;

const kernel::Value &valueOf(const Kernel &k, int i) {
  return k.body[static_cast<std::size_t>(i)];
}
const kernel::Value &storedValue(const Kernel &k) {
  return valueOf(k, k.stores[0].value);
}

/// Is every load of the kernel at the same place as its store, apart from dims that are reduced?
bool isElementwise(const Kernel &k) {
  const std::vector<int> target = dimsOf(k.stores[0].target, k.dims.size());
  return target.size() == k.dims.size() && std::all_of(k.loads.begin(), k.loads.end(), [&](const kernel::Access &a) {
           return dimsOf(a, k.dims.size()) == target;
         });
}

/// The extents of a 1D or 2D kernel as batch and length.
std::vector<std::int64_t> rowExtents(const Kernel &k) {
  return k.dims.size() == 1 ? std::vector<std::int64_t>{1, k.dims[0].extent}
                            : std::vector<std::int64_t>{k.dims[0].extent, k.dims[1].extent};
}

/// y[r,l] += K[r,l,d] * q[r,d], with the dims in the order r, d, l.
bool isHeadedGemv(const Kernel &k) {
  if (!isPlain(k) || k.dims.size() != 3 || k.stores[0].combine != Combine::kAdd || k.loads.size() != 2) return false;
  if (storedValue(k).op != Op::kMul || dimsOf(k.stores[0].target, 3) != std::vector<int>{0, 2}) return false;
  const auto has = [&](const std::vector<int> &dims) {
    return std::any_of(k.loads.begin(), k.loads.end(), [&](const kernel::Access &a) { return dimsOf(a, 3) == dims; });
  };
  return has({0, 2, 1}) && has({0, 1});
}

/// Scores, scaling, softmax in four kernels, context.
std::optional<Task> attentionAt(const kernel::Graph &graph, int first) {
  struct Step {
    Combine combine;
    Op op;
  };
  static constexpr std::array<Step, 7> kSteps = {{{Combine::kAdd, Op::kMul},
                                                  {Combine::kAssign, Op::kMul},
                                                  {Combine::kMax, Op::kLoad},
                                                  {Combine::kAssign, Op::kExp},
                                                  {Combine::kAdd, Op::kLoad},
                                                  {Combine::kAssign, Op::kDiv},
                                                  {Combine::kAdd, Op::kMul}}};
  if (static_cast<std::size_t>(first) + kSteps.size() > graph.kernels.size()) return std::nullopt;
  int before = -1;
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const Kernel &k = graph.kernels[static_cast<std::size_t>(first) + i];
    if (!isPlain(k) || k.stores[0].combine != kSteps[i].combine || storedValue(k).op != kSteps[i].op)
      return std::nullopt;
    const bool readsBefore =
        std::any_of(k.loads.begin(), k.loads.end(), [&](const kernel::Access &a) { return a.tensor == before; });
    // The sum reads what the exponentials stored, and so does the quotient beside the sum.
    if (before >= 0 && !readsBefore) return std::nullopt;
    before = k.stores[0].target.tensor;
  }
  const Kernel &scores = graph.kernels[static_cast<std::size_t>(first)];
  const std::size_t dims = scores.dims.size();
  if (dims < 3 || scores.dims[dims - 1].kind != kernel::DimKind::kReduction) return std::nullopt;
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 2 < dims; ++d) rows = multiplySaturated(rows, scores.dims[d].extent);
  return Task{StreamKernel::kAttention,
              {rows, scores.dims[dims - 1].extent, scores.dims[dims - 2].extent},
              static_cast<int>(kSteps.size())};
}

std::string_view nameOf(StreamKernel k) {
  static constexpr std::string_view kNames[] = {"bgemv", "attn", "red", "va", "relu"};
  return kNames[static_cast<std::size_t>(k)];
}

/// Reads a mapping as a draft.
class DraftReader {
 public:
  DraftReader(const Kernel &kernel, const Task &task, const Mapping &mapping, const machine::Machine &machine)
      : kernel_(kernel), task_(task), mapping_(mapping), machine_(machine) {}

  Result<Draft> read() const {
    if (mapping_.subspaces.size() != 1 || mapping_.tail != mapping::Tail::kPad || !mapping_.cyclic.empty() ||
        !mapping_.order.empty() || !mapping_.by.empty() || !mapping_.parameters.empty())
      return unsupported("unsupported-mapping", kernel_.where,
                         "a published stream takes one subspace, without other extensions than program, mode and part",
                         "write M1:{(g,..),(c,..),(t,..)}: groups, cores and tile of each dim");
    const mapping::Subspace &s = mapping_.subspaces[0];
    const std::size_t dims = task_.extents.size(), given = s.factors[0].size();
    const bool isFlat = given + 1 == dims && task_.extents[0] == 1 && dims == 2;
    if (s.factors.size() != 3 || (given != dims && !isFlat))
      return illegal("mapping-dims", s.where,
                     fmt::format("the mapping has {} tuples of {}, a draft for '{}' has 3 of {}", s.factors.size(),
                                 given, nameOf(task_.kernel), dims),
                     dims == 3 ? "groups, cores and tile of batch * heads, dhead and length"
                               : "groups, cores and tile of batch and length");
    Draft draft;
    if (isFlat) draft.dims.emplace_back();
    for (std::size_t d = 0; d < given; ++d) draft.dims.push_back({s.factors[0][d], s.factors[1][d], s.factors[2][d]});
    for (std::size_t d = 0; d < dims; ++d) {
      const DraftDim &f = draft.dims[d];
      const std::int64_t covered = multiplySaturated(multiplySaturated(f.groups, f.cores), f.tile);
      if (covered < task_.extents[d])
        return illegal("mapping-incomplete", s.where,
                       fmt::format("column {} covers {} of {} elements", d + 1, covered, task_.extents[d]),
                       "groups * cores * tile must reach the dim's extent");
    }
    const machine::Organization &o = machine_.dram->organization;
    if (draft.groups() > o.channels)
      return illegal("mapping-count", rowOf(s, 0),
                     fmt::format("the draft has {} groups, the machine has {} channels", draft.groups(), o.channels),
                     "reduce the first tuple");
    if (draft.cores() > o.ranks * o.banks())
      return illegal("mapping-count", rowOf(s, 1),
                     fmt::format("the draft has {} cores, a channel has {} banks", draft.cores(), o.ranks * o.banks()),
                     "reduce the second tuple");
    return draft;
  }

 private:
  static Location rowOf(const mapping::Subspace &s, std::size_t row) {
    return row < s.rowsWhere.size() ? s.rowsWhere[row] : s.where;
  }
  Diagnostics illegal(std::string code, const Location &where, std::string message, std::string hint) const {
    return {error(std::move(code), where, std::move(message), std::move(hint))};
  }

  const Kernel &kernel_;
  const Task &task_;
  const Mapping &mapping_;
  const machine::Machine &machine_;
};

Location placeOf(const Mapping &m, const Kernel &k, const char *extension) {
  const auto where = m.where.find(extension);
  return where != m.where.end() ? where->second : k.where;
}

mapping::PlacedMapping placedAs(const Mapping &mapping, const Kernel &kernel) {
  mapping::PlacedMapping placed{mapping, {}, {0}};
  mapping::Box box;
  for (const kernel::Dim &d : kernel.dims) {
    box.lower.push_back(0);
    box.size.push_back(d.extent);
  }
  placed.boxes.push_back(std::move(box));
  return placed;
}

/// Leaves the host's reads and writes, or all others, and the barriers between them; no loop stays empty.
void keepPart(program::CommandLoops &nodes, bool isMovement) {
  std::erase_if(nodes, [&](program::CommandNode &n) {
    if (n.isLoop) {
      keepPart(n.children, isMovement);
      return n.children.empty();
    }
    return !n.statement.isBarrier && (n.statement.named == 0) != isMovement;
  });
}

/// Is there such a program of the kernel, on this machine, of operands of this type?
Status checkProgram(const Kernel &k, const Task &task, const Mapping &mapping, DType type,
                    const machine::Machine &machine) {
  const bool isOwn = mapping.program == ProgramKind::kAttaccOwn;
  if (!hasStream(task.kernel, machine))
    return unsupported(
        "unsupported-op", k.where,
        fmt::format("kernel '{}' cannot run on {}: there is no published stream of '{}' for its commands", k.name,
                    machine.name, nameOf(task.kernel)),
        "attacc-published has bgemv, attn and red, hbm-pim-hbm3-published bgemv, red, va and relu");
  if (task.kernel != StreamKernel::kAttention && (isOwn || mapping.program == ProgramKind::kPublishedEvaluated))
    return unsupported("unsupported-program", placeOf(mapping, k, "program"),
                       fmt::format("program={} is a stream of attention", name(mapping.program)),
                       "use program=published, or kernel attn");
  if (mapping.part != mapping::StreamPart::kWhole && isOwn)
    return unsupported("unsupported-program", placeOf(mapping, k, "part"),
                       "part= takes commands of the study's streams, not of AttAcc's own", "omit part=");
  if (mapping.mode != mapping::StreamMode::kAny && (isOwn || task.extents.size() == 2))
    return unsupported("unsupported-program", placeOf(mapping, k, "mode"),
                       "mode= says where the operands of published 3D streams come from", "omit mode=");
  constexpr std::int64_t kElement = 2;
  const std::int64_t bytes = sizeOf(type).value;
  const bool isAnyWidth = isOwn || isAttacc(machine);
  if (isAnyWidth ? bytes > kElement : bytes != kElement)
    return unsupported("unsupported-type", k.where,
                       fmt::format("kernel '{}': the published streams do not move elements of {}", k.name, name(type)),
                       isAnyWidth ? "use a type of one or two bytes" : "use f16");
  return okStatus();
}

}  // namespace

std::optional<Task> recognise(const kernel::Graph &graph, int first) {
  if (std::optional<Task> attention = attentionAt(graph, first)) return attention;
  const Kernel &k = graph.kernels[static_cast<std::size_t>(first)];
  if (isHeadedGemv(k)) return Task{StreamKernel::kBgemv, {k.dims[0].extent, k.dims[1].extent, k.dims[2].extent}};
  if (!isPlain(k) || k.dims.empty() || k.dims.size() > 2) return std::nullopt;
  const kernel::Value &value = storedValue(k);
  const bool isReduction = k.dims.back().kind == kernel::DimKind::kReduction &&
                           (k.dims.size() == 1 || k.dims[0].kind == kernel::DimKind::kParallel);
  if (isReduction && k.stores[0].combine == Combine::kAdd && value.op == Op::kLoad && k.loads.size() == 1)
    return Task{StreamKernel::kRed, rowExtents(k)};
  if (k.stores[0].combine != Combine::kAssign || !isElementwise(k)) return std::nullopt;
  const auto isLoad = [&](int i) { return i >= 0 && valueOf(k, i).op == Op::kLoad; };
  if (value.op == Op::kAdd && isLoad(value.args[0]) && isLoad(value.args[1]))
    return Task{StreamKernel::kVa, rowExtents(k)};
  if (value.op == Op::kRelu && isLoad(value.args[0])) return Task{StreamKernel::kRelu, rowExtents(k)};
  return std::nullopt;
}

std::vector<Draft> baselines(const Task &task, const machine::Machine &machine) {
  constexpr std::int64_t kDheadBanks = 4;
  const machine::Organization &o = machine.dram->organization;
  const std::int64_t rows = task.extents[0], groups = std::min(rows, o.channels), banks = o.ranks * o.banks();
  const std::int64_t left = o.channels / groups;  // where the rows are fewer than the channels
  const auto draft = [&](std::vector<DraftDim> dims) {
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::int64_t units = dims[d].groups * dims[d].cores;
      dims[d].tile = (task.extents[d] + units - 1) / units;
    }
    return Draft{std::move(dims)};
  };
  if (task.extents.size() == 2) return {draft({{groups, 1}, {left, banks}})};
  const DraftDim heads{groups, 1}, dhead{1, kDheadBanks}, length{1, banks / kDheadBanks};
  if (left == 1 || groups * left != o.channels) return {draft({heads, dhead, length})};
  return {draft({heads, dhead, {left, length.cores}}), draft({heads, {left, dhead.cores}, length})};
}

Mapping mappingOf(const Draft &draft, const mapping::MapSpec &spec) {
  Mapping m = spec.mapping;
  m.text = "reference";
  mapping::Subspace s;
  s.factors.resize(3);
  for (const DraftDim &d : draft.dims) {
    s.factors[0].push_back(d.groups);
    s.factors[1].push_back(d.cores);
    s.factors[2].push_back(d.tile);
  }
  m.subspaces = {std::move(s)};
  return m;
}

Result<Draft> draftAsRun(const Kernel &kernel, const Task &task, const Mapping &mapping,
                         const machine::Machine &machine) {
  constexpr std::int64_t kMostGroups = 16, kMostCores = 64, kNoLimit = std::int64_t{1} << 40;
  const Result<Draft> draft = DraftReader(kernel, task, mapping, machine).read();
  if (!draft) return draft.diagnostics();
  const bool isUnlimited = mapping.program == ProgramKind::kPublishedEvaluated;
  return rounded(*draft, isUnlimited ? kNoLimit : kMostGroups, isUnlimited ? kNoLimit : kMostCores);
}

Result<Lowered> lower(const evaluate::GraphPart &part, const Mapping &mapping, const machine::Machine &machine) {
  const Kernel &k = part.kernel();
  const std::optional<Task> task = recognise(*part.graph, part.first);
  if (!task || task->kernels != part.count)
    return unsupported(
        "unsupported-op", k.where,
        fmt::format("kernel '{}' cannot run on {}: the published study has no stream for it", k.name, machine.name),
        machine.nearBank
            ? "it has streams for bgemv, attn, red, va and relu; program=compiled makes programs for sums of "
              "products"
            : "it has streams for bgemv, attn, red, va and relu");
  const DType type = part.graph->tensors[static_cast<std::size_t>(k.stores[0].target.tensor)].type;
  if (const Status s = checkProgram(k, *task, mapping, type, machine); !s) return s.diagnostics();
  Lowered out;
  out.placed = placedAs(mapping, k);
  if (mapping.program == ProgramKind::kAttaccOwn) {
    const std::int64_t bytes = sizeOf(type).value;
    out.bytesPerBank = multiplySaturated(multiplySaturated(task->extents[0], task->extents[1]),
                                         multiplySaturated(2 * task->extents[2], bytes)) /
                       (machine.dram->organization.channels * machine.dram->organization.banks());
    out.program = attaccStream(task->extents[0], task->extents[2], task->extents[1], bytes, machine);
    if (!program::verify(out.program, machine))
      return error(DiagnosticKind::kCapacity, "capacity", k.where,
                   fmt::format("kernel '{}': AttAcc's stream addresses rows that a bank does not have", k.name),
                   "use fewer heads, or a shorter length");
  } else {
    const Result<Draft> draft = draftAsRun(k, *task, mapping, machine);
    if (!draft) return draft.diagnostics();
    const Draft &asRun = *draft;
    const bool isEvaluated = mapping.program == ProgramKind::kPublishedEvaluated;
    out.bytesPerBank = bytesPerBank(task->kernel, asRun, sizeOf(type).value);
    const auto mode = mapping.mode == mapping::StreamMode::kInference ? StreamMode::kInference : StreamMode::kKernel;
    const machine::Organization &o = machine.dram->organization;
    if (const Status s =
            lower::checkCapacity(k, out.bytesPerBank, "bytes of a bank", o.rows * o.columns * o.burst.value,
                                 "a bank has", "spread the kernel over more banks");
        !s)
      return s.diagnostics();
    out.program = publishedStream(task->kernel, asRun, mode, isEvaluated, sizeOf(type).value, machine);
    if (mapping.part != mapping::StreamPart::kWhole)
      for (program::Process &p : out.program.processes)
        keepPart(std::get<program::CommandLoops>(p.body), mapping.part == mapping::StreamPart::kMovement);
  }
  return out;
}

}  // namespace pimento::targets::near_bank
