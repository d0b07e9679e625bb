// Statements of loop nests as kernels: loop distribution, kinds of loops, and what happens to each target.
#include <fmt/format.h>

#include <algorithm>

#include "llvm/ADT/DenseSet.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/import.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Combine;
using kernel::DimKind;

namespace {

/// A form over the loops of the nest as one over `loops` alone.
Affine project(const Affine &form, const std::vector<int> &loops) {
  Affine small{{}, form.constant};
  for (const int l : loops) small.coefficients.push_back(coefficient(form, l));
  return small;
}

std::vector<Affine> project(const std::vector<Affine> &forms, const std::vector<int> &loops) {
  std::vector<Affine> small;
  for (const Affine &form : forms) small.push_back(project(form, loops));
  return small;
}

std::vector<int> commonLoops(const std::vector<int> &a, const std::vector<int> &b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return {a.begin(), end};
}

bool isSame(const NestAccess &a, const NestAccess &b, const std::vector<int> &loops) {
  return a.buffer == b.buffer && project(a.index, loops) == project(b.index, loops);
}

bool isEverything(const std::vector<Affine> &index, const std::vector<std::int64_t> &shape,
                  const std::vector<kernel::Dim> &dims) {
  std::vector<bool> used(dims.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const bool isOnlyElement =
        shape[i] == 1 && index[i].constant == 0 &&
        std::all_of(index[i].coefficients.begin(), index[i].coefficients.end(), [](std::int64_t c) { return c == 0; });
    if (isOnlyElement) continue;
    const auto loop = soleLoop(index[i]);
    if (!loop || used[static_cast<std::size_t>(*loop)]) return false;
    if (dims[static_cast<std::size_t>(*loop)].extent != shape[i]) return false;
    used[static_cast<std::size_t>(*loop)] = true;
  }
  return true;
}

}  // namespace

/// The loads and loops a scalar is computed from, by their values.
std::vector<mlir::Value> FunctionImporter::leavesOf(mlir::Value root) {
  std::vector<mlir::Value> leaves, pending{root};
  llvm::DenseSet<mlir::Value> seen;
  while (!pending.empty()) {
    const mlir::Value value = pending.back();
    pending.pop_back();
    if (!seen.insert(value).second) continue;
    if (nests_.loadOf(value) || nests_.formOf(value)) {
      leaves.push_back(value);
    } else if (mlir::Operation *op = value.getDefiningOp()) {
      pending.insert(pending.end(), op->operand_begin(), op->operand_end());
    }
  }
  std::reverse(leaves.begin(), leaves.end());
  return leaves;
}

std::vector<NestAccess> FunctionImporter::readsOf(mlir::Value root) {
  std::vector<NestAccess> reads;
  for (const mlir::Value v : leavesOf(root)) {
    if (const NestAccess *load = nests_.loadOf(v)) reads.push_back(*load);
  }
  return reads;
}

/// An access through which the second statement cannot wait for all iterations of the first; null if it can.
const NestAccess *FunctionImporter::findCrossing(std::size_t a, std::size_t b) {
  const NestStatement &first = nests_.statements()[a], &second = nests_.statements()[b];
  const auto &extents = nests_.extents();
  const std::vector<int> common = commonLoops(first.target.loops, second.target.loops);
  const auto isCrossed = [&](const NestAccess &x, const NestAccess &y) {
    return !common.empty() && meet(x, y, common, extents).mayBeLater();
  };
  if (isCrossed(first.target, second.target)) return &first.target;
  for (const NestAccess &read : readsOf(second.value)) {
    if (isCrossed(first.target, read)) return &first.target;
    // A value loaded before the first statement stored to it.
    const bool isOld = read.order < first.target.order;
    if (isOld && meet(first.target, read, common, extents).mayCoincide()) return &first.target;
  }
  for (const NestAccess &read : readsOf(first.value)) {
    if (isCrossed(read, second.target)) return &second.target;
  }
  return nullptr;
}

/// Whether statements may be the stores of one kernel: a point's loads come before its stores.
bool FunctionImporter::canJoin(std::size_t from, std::size_t to) {
  const auto &all = nests_.statements();
  for (std::size_t s = from; s <= to; ++s) {
    if (all[s].carried || all[s].target.loops != all[from].target.loops || all[s].guards != all[from].guards)
      return false;
    for (const NestAccess &read : readsOf(all[s].value)) {
      if (read.order > all[from].target.order) return false;
      // A value loaded outside these loops is older than what the kernel would load.
      const bool isWritten = std::any_of(all.begin() + static_cast<std::ptrdiff_t>(from),
                                         all.begin() + static_cast<std::ptrdiff_t>(to) + 1,
                                         [&](const NestStatement &w) { return w.target.buffer == read.buffer; });
      if (isWritten && read.loops != all[from].target.loops) return false;
    }
    for (std::size_t other = from; other < s; ++other) {
      if (all[other].target.buffer == all[s].target.buffer) return false;
    }
  }
  return true;
}

/// Where all iterations of a statement cannot run before the next one starts, the statements between become one kernel.
/// The result has the number of the first statement of each kernel, and the count of statements at its end.
Result<std::vector<std::size_t>> FunctionImporter::distribute() {
  const auto &statements = nests_.statements();
  std::vector<std::size_t> starts;
  for (std::size_t b = 0; b < statements.size(); ++b) {
    starts.push_back(b);
    for (std::size_t a = 0; a < b; ++a) {
      const NestAccess *access = findCrossing(a, b);
      if (!access) continue;
      const std::string name = graph_.buffer(access->buffer).name;
      while (starts.back() > a) starts.pop_back();
      if (canJoin(starts.back(), b)) break;
      return unsupported(
          "loop-dependence", statements[b].where,
          fmt::format("this statement and the one at line {} depend on each other through '{}' from one "
                      "iteration of a shared loop to another",
                      statements[a].where.line, name.empty() ? "a carried value" : name),
          "statements of one nest are run one after the other: index what they share with the shared loops, "
          "or write to another memref");
    }
  }
  starts.push_back(statements.size());
  return starts;
}

/// Parallel loops tell the elements of the target apart; others accumulate, or run in order if the statement reads what
/// it wrote elsewhere.
Result<FunctionImporter::Dims> FunctionImporter::kindsOf(const NestStatement &s, bool accumulates,
                                                         const std::vector<NestAccess> &own) {
  const auto &extents = nests_.extents();
  const std::vector<bool> isKnown = determined(s.target.index, s.target.loops, extents);
  Dims dims;
  for (std::size_t d = 0; d < s.target.loops.size(); ++d) {
    const int loop = s.target.loops[d];
    kernel::Dim dim{fmt::format("d{}", d), extents[static_cast<std::size_t>(loop)]};
    const bool isUsed = std::any_of(s.target.index.begin(), s.target.index.end(),
                                    [&](const Affine &form) { return coefficient(form, loop) != 0; });
    const std::string &target = graph_.buffer(s.target.buffer).name;
    if (!isKnown[d] && (isUsed || !accumulates)) {
      return error("loop-overwrite", s.where,
                   isUsed ? fmt::format("several iterations of loop {} write one element of '{}'", d, target)
                          : fmt::format("every iteration of loop {} writes the same elements of '{}'", d, target),
                   isUsed
                       ? "let the loops around a store tell its elements apart"
                       : "accumulate (load, add, store), index the target with the loop, or move the store out of it");
    }
    if (!isKnown[d]) dim.kind = own.empty() ? DimKind::kReduction : DimKind::kSequential;
    for (const NestAccess &read : own) {
      if (!isKnown[d] || isSame(read, s.target, s.target.loops)) continue;
      const Meeting m = meet(s.target, read, s.target.loops, extents);
      if (!m.distance[d] || *m.distance[d] != 0) dim.kind = DimKind::kSequential;
    }
    dims.push_back(std::move(dim));
  }
  // The verifier wants a sequential loop where a tensor is read and written at different elements.
  const bool isShifted = std::any_of(own.begin(), own.end(),
                                     [&](const NestAccess &read) { return !isSame(read, s.target, s.target.loops); });
  const bool hasOrder =
      std::any_of(dims.begin(), dims.end(), [](const kernel::Dim &d) { return d.kind == DimKind::kSequential; });
  if (isShifted && !hasOrder && !dims.empty()) dims.front().kind = DimKind::kSequential;
  return dims;
}

void FunctionImporter::bindLeaves(mlir::Value root, const NestStatement &s, kernel::KernelBuilder &k,
                                  BodyTranslator &body) {
  for (const mlir::Value leaf : leavesOf(root)) {
    if (const NestAccess *load = nests_.loadOf(leaf)) {
      bindContents(body, leaf, load->buffer, project(load->index, s.target.loops));
      continue;
    }
    const Affine form = project(*nests_.formOf(leaf), s.target.loops);
    int sum = -1;
    for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
      if (form.coefficients[d] == 0) continue;
      int term = k.indexValue(static_cast<int>(d), DType::kI64);
      if (form.coefficients[d] != 1) {
        term = k.op(kernel::Op::kMul, DType::kI64, term, k.integer(DType::kI64, form.coefficients[d]));
      }
      sum = sum < 0 ? term : k.op(kernel::Op::kAdd, DType::kI64, sum, term);
    }
    if (sum < 0) {
      sum = k.integer(DType::kI64, form.constant);
    } else if (form.constant != 0) {
      sum = k.op(kernel::Op::kAdd, DType::kI64, sum, k.integer(DType::kI64, form.constant));
    }
    body.bindComputed(leaf, sum);
  }
}

/// What a stored value adds to the element's old contents, if that is what it does.
std::optional<Accumulation> FunctionImporter::accumulationInto(const NestStatement &s) {
  if (s.carried) return s.carried;
  mlir::Operation *op = s.value.getDefiningOp();
  if (!op || op->getNumOperands() != 2) return std::nullopt;
  for (const mlir::Value old : op->getOperands()) {
    const NestAccess *load = nests_.loadOf(old);
    if (!load || load->loops != s.target.loops || !isSame(*load, s.target, s.target.loops)) continue;
    if (auto how = accumulationOf(s.value, old, false)) return how;
  }
  return std::nullopt;
}

Status FunctionImporter::importStatement(const NestStatement &s) {
  const Buffer before = graph_.buffer(s.target.buffer);
  const auto accumulation = accumulationInto(s);
  std::vector<NestAccess> own;  // other elements the statement reads of what it writes
  bool isShifted = false;
  for (const mlir::Value leaf : leavesOf(accumulation ? accumulation->term : s.value)) {
    const NestAccess *load = nests_.loadOf(leaf);
    if (!load || load->buffer != s.target.buffer) continue;
    if (load->loops != s.target.loops && !(load->loops.size() > s.target.loops.size())) {
      return unsupported("loop-dependence", s.where,
                         fmt::format("a value of '{}' is loaded outside a loop that stores to it", before.name),
                         "load it beside the store");
    }
    own.push_back(*load);
    isShifted = isShifted || !isSame(*load, s.target, s.target.loops);
  }
  Result<Dims> dims = kindsOf(s, accumulation.has_value(), own);
  if (!dims) return std::move(dims.diagnostics());
  const bool hasReduction =
      std::any_of(dims->begin(), dims->end(), [](const kernel::Dim &d) { return d.kind == DimKind::kReduction; });
  const bool mustAccumulate = s.carried || hasReduction || (accumulation && !own.empty() && isShifted);
  kernel::KernelBuilder k("nest", *dims, s.where);
  BodyTranslator body(k, s.where);
  bindFunctionScalars(body);
  const std::vector<Affine> index = project(s.target.index, s.target.loops);
  const bool coversAll = s.guards.empty() && isEverything(index, before.shape, *dims);
  if (const auto constant = constantOf(s.value); constant && coversAll && !s.carried) {
    graph_.buffer(s.target.buffer).holds = Holds::kConstant;
    graph_.buffer(s.target.buffer).constant = *constant;
    return okStatus();
  }
  if (accumulation && before.holds == Holds::kNothing) {
    return error("uninitialized", s.where, fmt::format("the loop adds to '{}', which nothing has written", before.name),
                 "store the neutral element first");
  }
  const bool startsNeutral = accumulation && own.empty() && before.holds == Holds::kConstant &&
                             isNeutral(before.constant, accumulation->combine, before.type);
  const bool accumulates =
      accumulation && (mustAccumulate || startsNeutral || (own.empty() && before.holds == Holds::kTensor));
  const mlir::Value root = accumulates ? accumulation->term : s.value;
  const bool isFresh = startsNeutral || (!accumulates && coversAll && !isShifted);
  int target = -1;
  if (!isFresh) target = graph_.update(s.target.buffer, s.target.buffer, true, s.where);
  bindLeaves(root, s, k, body);
  if (isFresh) target = graph_.overwrite(s.target.buffer);
  Result<int> value = body.translate(root);
  if (!value) return std::move(value.diagnostics());
  for (const Affine &guard : s.guards) k.guard(project(guard, s.target.loops));
  k.store(target, index, accumulates && accumulation->negate ? body.negate(*value) : *value,
          accumulates ? accumulation->combine : Combine::kAssign);
  graph_.add(k.take());
  return okStatus();
}

/// A loop is parallel in a kernel of several stores if no element is touched in two of its iterations and written in
/// one.
FunctionImporter::Dims FunctionImporter::jointDims(std::span<const NestStatement> group) {
  const std::vector<int> &loops = group.front().target.loops;
  Dims dims;
  for (std::size_t d = 0; d < loops.size(); ++d) {
    dims.push_back({fmt::format("d{}", d), nests_.extents()[static_cast<std::size_t>(loops[d])]});
  }
  for (const NestStatement &writer : group) {
    for (const NestStatement &other : group) {
      std::vector<NestAccess> accesses = readsOf(other.value);
      accesses.push_back(other.target);
      for (const NestAccess &access : accesses) {
        const Meeting m = meet(writer.target, access, loops, nests_.extents());
        for (std::size_t d = 0; m.isPossible && d < loops.size(); ++d) {
          if (!m.distance[d] || *m.distance[d] != 0) dims[d].kind = DimKind::kSequential;
        }
      }
    }
  }
  return dims;
}

/// One kernel of several stores.
Status FunctionImporter::importGroup(std::span<const NestStatement> group) {
  const NestStatement &first = group.front();
  const Dims dims = jointDims(group);
  const bool isSequential =
      std::any_of(dims.begin(), dims.end(), [](const kernel::Dim &d) { return d.kind == DimKind::kSequential; });
  kernel::KernelBuilder k("nest", dims, first.where);
  BodyTranslator body(k, first.where);
  bindFunctionScalars(body);
  struct Goal {
    std::optional<Accumulation> how;
    mlir::Value root;
    int tensor = -1;
    bool isFresh = false;
  };
  std::vector<Goal> goals;
  for (const NestStatement &s : group) {
    Goal goal;
    goal.how = accumulationInto(s);
    if (Result<Dims> kinds = kindsOf(s, goal.how.has_value(), {}); !kinds) return std::move(kinds.diagnostics());
    const Buffer before = graph_.buffer(s.target.buffer);
    if (before.holds == Holds::kNothing && goal.how) {
      return error("uninitialized", s.where,
                   fmt::format("the loop adds to '{}', which nothing has written", before.name),
                   "store the neutral element first");
    }
    goal.root = goal.how ? goal.how->term : s.value;
    const std::vector<Affine> index = project(s.target.index, s.target.loops);
    const bool startsNeutral = goal.how && isSequential && before.holds == Holds::kConstant &&
                               isNeutral(before.constant, goal.how->combine, before.type);
    const bool isRead = std::any_of(group.begin(), group.end(), [&](const NestStatement &other) {
      const auto reads = readsOf(other.value);
      return std::any_of(reads.begin(), reads.end(),
                         [&](const NestAccess &read) { return read.buffer == s.target.buffer; });
    });
    goal.isFresh =
        !goal.how && !(isSequential && isRead) && s.guards.empty() && isEverything(index, before.shape, dims);
    if (startsNeutral) {
      goal.tensor = graph_.overwrite(s.target.buffer);
    } else if (!goal.isFresh) {
      goal.tensor = graph_.update(s.target.buffer, s.target.buffer, true, s.where);
    }
    goals.push_back(goal);
  }
  for (const Goal &goal : goals) bindLeaves(goal.root, first, k, body);
  for (std::size_t s = 0; s < group.size(); ++s) {
    if (goals[s].isFresh) goals[s].tensor = graph_.overwrite(group[s].target.buffer);
  }
  for (std::size_t s = 0; s < group.size(); ++s) {
    Result<int> value = body.translate(goals[s].root);
    if (!value) return std::move(value.diagnostics());
    const auto &how = goals[s].how;
    k.store(goals[s].tensor, project(group[s].target.index, first.target.loops),
            how && how->negate ? body.negate(*value) : *value, how ? how->combine : Combine::kAssign);
  }
  for (const Affine &guard : first.guards) k.guard(project(guard, first.target.loops));
  graph_.add(k.take());
  return okStatus();
}

Status FunctionImporter::importNest(mlir::Operation &op) {
  if (Status s = nests_.read(op); !s) return s;
  const Result<std::vector<std::size_t>> starts = distribute();
  if (!starts) return starts.diagnostics();
  const std::span<const NestStatement> all = nests_.statements();
  for (std::size_t g = 0; g + 1 < starts->size(); ++g) {
    const auto group = all.subspan((*starts)[g], (*starts)[g + 1] - (*starts)[g]);
    if (Status s = group.size() == 1 ? importStatement(group.front()) : importGroup(group); !s) return s;
  }
  nests_.settle();
  return okStatus();
}

}  // namespace pimento::frontend
