// Structured linalg ops: loops, accesses, body and what happens to each output.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/import.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Combine;
using kernel::DimKind;

namespace {

bool hasReduction(const std::vector<kernel::Dim> &dims) {
  return std::any_of(dims.begin(), dims.end(), [](const kernel::Dim &d) { return d.kind == DimKind::kReduction; });
}

/// Whether the loops visit every element of `shape` through `index`: each index is a loop of its own of that extent.
bool covers(const std::vector<Affine> &index, const std::vector<std::int64_t> &shape,
            const std::vector<kernel::Dim> &dims) {
  std::set<int> used;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto loop = soleLoop(index[i]);
    const bool isOnlyElement =
        shape[i] == 1 && index[i].constant == 0 &&
        std::all_of(index[i].coefficients.begin(), index[i].coefficients.end(), [](std::int64_t c) { return c == 0; });
    if (isOnlyElement) continue;
    if (!loop || !used.insert(*loop).second || dims[static_cast<std::size_t>(*loop)].extent != shape[i]) return false;
  }
  return true;
}

}  // namespace

Result<FunctionImporter::Dims> FunctionImporter::loopsOf(mlir::linalg::LinalgOp op) {
  Result<std::vector<std::int64_t>> extents = dims_.loops(op);
  if (!extents) return std::move(extents.diagnostics());
  const auto kinds = op.getIteratorTypesArray();
  Dims dims;
  for (std::size_t d = 0; d < extents->size(); ++d) {
    const bool isReduction = kinds[d] == mlir::utils::IteratorType::reduction;
    dims.push_back({fmt::format("d{}", d), (*extents)[d], isReduction ? DimKind::kReduction : DimKind::kParallel});
  }
  return dims;
}

Result<std::vector<Affine>> FunctionImporter::indexOf(mlir::linalg::LinalgOp op, mlir::OpOperand *operand,
                                                      const Dims &dims) {
  return affineForms(op.getMatchingIndexingMap(operand), static_cast<int>(dims.size()), placeOf(*op));
}

void FunctionImporter::bindContents(BodyTranslator &body, mlir::Value argument, int buffer, std::vector<Affine> index) {
  const Buffer &b = graph_.buffer(buffer);
  if (b.holds == Holds::kConstant) body.bindConstant(argument, b.constant, b.type);
  if (b.holds == Holds::kTensor)
    body.bindElement(argument, {b.tensor, std::move(index)}, b.type, b.isBit && b.tensor == b.argument);
}

void FunctionImporter::bindFunctionScalars(BodyTranslator &body) {
  for (const auto &[value, buffer] : scalars_) {
    const auto size = dims_.index(value);
    if (size) {
      body.bindConstant(value, {0, *size}, *scalarType(value.getType()));
    } else {
      bindContents(body, value, buffer, {});
    }
  }
}

Status FunctionImporter::bindInputs(mlir::linalg::LinalgOp op, const Dims &dims, BodyTranslator &body) {
  for (mlir::OpOperand *operand : op.getDpsInputOperands()) {
    const mlir::BlockArgument argument = op.getMatchingBlockArgument(operand);
    const auto buffer = buffers_.find(operand->get());
    if (buffer == buffers_.end()) {
      body.bindValue(argument, operand->get());
      continue;
    }
    Result<std::vector<Affine>> index = indexOf(op, operand, dims);
    if (!index) return std::move(index.diagnostics());
    bindContents(body, argument, buffer->second, std::move(*index));
  }
  return okStatus();
}

Result<std::vector<FunctionImporter::Output>> FunctionImporter::outputsOf(mlir::linalg::LinalgOp op, const Dims &dims) {
  std::vector<Output> outputs;
  mlir::Operation *yield = op.getBlock()->getTerminator();
  for (unsigned o = 0; o < op.getNumDpsInits(); ++o) {
    Output out;
    mlir::OpOperand *operand = op.getDpsInitOperand(o);
    out.init = operand->get();
    out.yielded = yield->getOperand(o);
    // linalg.map hands its body no old element.
    if (operand->getOperandNumber() < op.getBlock()->getNumArguments())
      out.argument = op.getMatchingBlockArgument(operand);
    const auto buffer = buffers_.find(out.init);
    if (buffer == buffers_.end()) {
      return unsupported("unsupported-type", placeOf(*op), fmt::format("output {} is a scalar", o),
                         "write to a memref or tensor");
    }
    out.from = out.to = buffer->second;
    Result<std::vector<Affine>> index = indexOf(op, operand, dims);
    if (!index) return std::move(index.diagnostics());
    out.index = std::move(*index);
    if (o < op->getNumResults()) {
      out.result = op->getResult(o);
      Result<int> to = addBuffer(out.result);
      if (!to) return std::move(to.diagnostics());
      out.to = *to;
    }
    out.coversAll = covers(out.index, graph_.buffer(out.to).shape, dims);
    outputs.push_back(std::move(out));
  }
  return outputs;
}

/// On memrefs an op sees its own writes; only an update of each element from itself means the same in any order.
Status FunctionImporter::checkAliases(mlir::linalg::LinalgOp op, const Dims &dims, const std::vector<Output> &outputs) {
  const auto aliased = [&](const std::string &what) {
    return error("aliased-operand", placeOf(*op), what,
                 "write to another memref (memref.alloc) and memref.copy it back");
  };
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!graph_.buffer(outputs[o].to).isMemref) continue;
    for (std::size_t other = 0; other < o; ++other) {
      if (outputs[other].to == outputs[o].to) return aliased("one memref is written twice");
    }
    for (mlir::OpOperand *operand : op.getDpsInputOperands()) {
      const auto buffer = buffers_.find(operand->get());
      if (buffer == buffers_.end() || buffer->second != outputs[o].to) continue;
      if (op.getMatchingBlockArgument(operand).use_empty()) continue;
      Result<std::vector<Affine>> index = indexOf(op, operand, dims);
      if (!index) return std::move(index.diagnostics());
      if (hasReduction(dims) || !(*index == outputs[o].index)) {
        return aliased(fmt::format("%{} is read and written at different points", parsed_.nameOf(outputs[o].init)));
      }
    }
  }
  return okStatus();
}

bool FunctionImporter::readsTensor(mlir::linalg::LinalgOp op, int tensor) {
  for (mlir::OpOperand *operand : op.getDpsInputOperands()) {
    const auto buffer = buffers_.find(operand->get());
    if (buffer == buffers_.end()) continue;
    const Buffer &b = graph_.buffer(buffer->second);
    if (b.holds == Holds::kTensor && b.tensor == tensor) return true;
  }
  return false;
}

/// A tensor value may be updated in place if nothing else reads it; the user's own only if that update is the result.
bool FunctionImporter::mayReuse(const Output &out) {
  if (!out.result || !out.init.hasOneUse()) return false;
  const Buffer &from = graph_.buffer(out.from);
  if (from.holds != Holds::kTensor || from.tensor != from.argument) return true;
  return out.result.hasOneUse() && mlir::isa<mlir::func::ReturnOp>(*out.result.user_begin());
}

Status FunctionImporter::store(mlir::linalg::LinalgOp op, Output &out, const Dims &dims, kernel::KernelBuilder &k,
                               BodyTranslator &body) {
  const Buffer before = graph_.buffer(out.from);
  const bool isUpdate = out.argument && !out.argument.use_empty();
  const auto accumulation = isUpdate ? accumulationOf(out.yielded, out.argument) : std::nullopt;
  PIMENTO_CHECK(!hasReduction(dims) || accumulation);  // others are read as loops
  if (isUpdate && before.holds == Holds::kNothing) {
    return error("uninitialized", placeOf(*op),
                 fmt::format("the op adds to %{}, which was never written", parsed_.nameOf(out.init)),
                 "use linalg.fill with the neutral element first");
  }
  const bool startsNeutral = accumulation && before.holds == Holds::kConstant &&
                             isNeutral(before.constant, accumulation->combine, before.type);
  const bool loadsTarget = before.holds == Holds::kTensor && readsTensor(op, before.tensor);
  const bool accumulates =
      accumulation && (hasReduction(dims) || (!loadsTarget && before.holds == Holds::kTensor) || startsNeutral);
  int target = -1;
  if (accumulates) {
    target = startsNeutral ? graph_.overwrite(out.to) : graph_.update(out.to, out.from, mayReuse(out), placeOf(*op));
  } else {
    const bool isFresh = out.coversAll;
    if (!isFresh) target = graph_.update(out.to, out.from, mayReuse(out), placeOf(*op));
    if (isUpdate) bindContents(body, out.argument, isFresh ? out.from : out.to, out.index);
    if (isFresh) target = graph_.overwrite(out.to);
  }
  Result<int> value = body.translate(accumulates ? accumulation->term : out.yielded);
  if (!value) return std::move(value.diagnostics());
  k.store(target, out.index, accumulates && accumulation->negate ? body.negate(*value) : *value,
          accumulates ? accumulation->combine : Combine::kAssign);
  return okStatus();
}

/// A fill of a whole buffer by a constant of its kind is not a kernel yet: it may be where an accumulation starts.
Result<bool> FunctionImporter::importFill(mlir::linalg::LinalgOp op) {
  if (!mlir::isa<mlir::linalg::FillOp>(op)) return false;
  const mlir::Value scalar = op.getDpsInputOperand(0)->get();
  auto constant = constantOf(scalar);
  const auto from = scalarType(scalar.getType());
  const auto target = buffers_.find(op.getDpsInitOperand(0)->get());
  if (!constant || !from || target == buffers_.end() || scalar.getType().isInteger(1)) return false;
  const DType to = graph_.buffer(target->second).type;
  if (isFloat(*from) != isFloat(to)) return false;
  if (isFloat(to)) {
    constant->real = decodeFloat(to, encodeFloat(to, constant->real));
  } else {
    constant->integer = wrapInteger(to, constant->integer);
  }
  int b = target->second;
  if (op->getNumResults() == 1) {
    Result<int> result = addBuffer(op->getResult(0));
    if (!result) return std::move(result.diagnostics());
    b = *result;
  }
  graph_.buffer(b).holds = Holds::kConstant;
  graph_.buffer(b).constant = *constant;
  return true;
}

Status FunctionImporter::importStructured(mlir::linalg::LinalgOp op) {
  Result<bool> isFill = importFill(op);
  if (!isFill) return std::move(isFill.diagnostics());
  if (*isFill) return okStatus();

  Result<Dims> dims = loopsOf(op);
  if (!dims) return std::move(dims.diagnostics());
  kernel::KernelBuilder k(op->getName().stripDialect().str(), *dims, placeOf(*op));
  KernelSink sink(k);
  BodyTranslator body(sink, placeOf(*op));
  bindFunctionScalars(body);
  if (Status s = bindInputs(op, *dims, body); !s) return s;
  Result<std::vector<Output>> outputs = outputsOf(op, *dims);
  if (!outputs) return std::move(outputs.diagnostics());
  if (Status s = checkAliases(op, *dims, *outputs); !s) return s;
  for (Output &out : *outputs) {
    if (Status s = store(op, out, *dims, k, body); !s) return s;
  }
  graph_.add(k.take());
  return okStatus();
}

}  // namespace pimento::frontend
