// A linalg op with what belongs to it, cut out of its function: what is asked about, and what is outlined.
//
// Scalar constants, and the fill and the empty tensor that an accumulation starts from, go with the op; everything else
// that it reads or writes becomes an argument.
#pragma once

#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace pimento::mlirplugin {

/// Whether the passes look at `op`: ops of dialect linalg that stand for work.
bool isWork(mlir::Operation *op);

/// Whether `fill` only says where accumulations start, so that it is part of the ops that do.
bool isPartOfOthers(mlir::Operation *op);

struct Slice {
  mlir::Operation *op = nullptr;
  std::vector<mlir::Operation *> before;  ///< that go with it, in their order
  std::vector<mlir::Value> arguments;
};

Slice sliceOf(mlir::Operation *op);

/// Gives arguments of `function` that are the same in every run `pimento.constant`: those that are constants of the
/// module, or arguments with that attribute.
void markConstants(const Slice &slice, mlir::func::FuncOp function);

/// Fills the body of `function`, which has an empty entry block with the slice's arguments, and returns the op's copy.
mlir::Operation *fillBody(const Slice &slice, mlir::Block &entry);

/// The slice as the text of a module with one function, without attributes of these passes but `pimento.constant`.
/// Memrefs lie densely in it: what strides cost the host is not modelled.
std::string textOf(const Slice &slice);

}  // namespace pimento::mlirplugin
