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

/// Whether all iterations of each statement may run before the next statement starts.
Status FunctionImporter::checkDistribution() {
  const auto &statements = nests_.statements();
  const auto &extents = nests_.extents();
  std::vector<std::vector<NestAccess>> reads;
  for (const NestStatement &s : statements) {
    std::vector<NestAccess> loads;
    for (const mlir::Value v : leavesOf(s.value)) {
      if (const NestAccess *load = nests_.loadOf(v)) loads.push_back(*load);
    }
    reads.push_back(std::move(loads));
  }
  const auto refuse = [&](const NestStatement &first, const NestStatement &second, const NestAccess &access) {
    const std::string name = graph_.buffer(access.buffer).name;
    return error(
        "loop-dependence", second.where,
        fmt::format("this statement and the one at line {} depend on each other through '{}' from one iteration "
                    "of a shared loop to another",
                    first.where.line, name.empty() ? "a carried value" : name),
        "statements of one nest are run one after the other: index what they share with the shared loops, or "
        "write to another memref");
  };
  for (std::size_t b = 0; b < statements.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const NestStatement &first = statements[a], &second = statements[b];
      const std::vector<int> common = commonLoops(first.target.loops, second.target.loops);
      const auto isCrossed = [&](const NestAccess &x, const NestAccess &y) {
        return !common.empty() && meet(x, y, common, extents).mayBeLater();
      };
      if (isCrossed(first.target, second.target)) return refuse(first, second, first.target);
      for (const NestAccess &read : reads[b]) {
        if (isCrossed(first.target, read)) return refuse(first, second, read);
        // A value loaded before the first statement stored to it.
        if (read.order < first.target.order && meet(first.target, read, common, extents).mayCoincide()) {
          return refuse(first, second, read);
        }
      }
      for (const NestAccess &read : reads[a]) {
        if (isCrossed(read, second.target)) return refuse(first, second, read);
      }
    }
  }
  return okStatus();
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
    if (auto how = accumulationOf(s.value, old)) return how;
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
      return error("loop-dependence", s.where,
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

Status FunctionImporter::importNest(mlir::Operation &op) {
  if (Status s = nests_.read(op); !s) return s;
  if (Status s = checkDistribution(); !s) return s;
  for (const NestStatement &statement : nests_.statements()) {
    if (Status s = importStatement(statement); !s) return s;
  }
  nests_.settle();
  return okStatus();
}

}  // namespace pimento::frontend
