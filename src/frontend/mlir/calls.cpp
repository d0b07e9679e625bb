#include "pimento/frontend/mlir/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "pimento/frontend/mlir/parse.h"

namespace pimento::frontend {

namespace {

using mlir::func::CallOp;
using mlir::func::FuncOp;

constexpr std::size_t kMaxInlined = 4096;

class Inliner {
 public:
  explicit Inliner(const std::string &file) : file_(file) {}

  /// `function` with all its calls, and theirs, replaced.
  Status run(FuncOp function) {
    open_.push_back(function);
    std::vector<CallOp> calls;
    function.walk([&](CallOp call) { calls.push_back(call); });
    for (CallOp call : calls)
      if (Status s = replace(call); !s) return s;
    open_.pop_back();
    return okStatus();
  }

 private:
  Status replace(CallOp call) {
    const Location where = place(call.getLoc(), file_);
    const std::string name = call.getCallee().str();
    auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isExternal()) {
      return unsupported("unsupported-call", where, fmt::format("the function '{}' has no body", name),
                         "define it in the file, or pass what it returns as an argument");
    }
    if (!callee.getBody().hasOneBlock()) {
      return unsupported("unsupported-call", where, fmt::format("the function '{}' has several blocks", name),
                         "write straight-line code: one block that ends in func.return");
    }
    if (std::find(open_.begin(), open_.end(), callee) != open_.end()) {
      return unsupported("recursive-function", where, fmt::format("'{}' calls itself", name),
                         "write the recursion as a loop: affine.for or scf.for");
    }
    if (++inlined_ > kMaxInlined) {
      return unsupported("too-long", where, fmt::format("more than {} calls are inlined", kMaxInlined),
                         "choose an inner function with --function");
    }
    const std::vector<CallOp> inner = insert(call, callee);
    open_.push_back(callee);
    for (CallOp next : inner)
      if (Status s = replace(next); !s) return s;
    open_.pop_back();
    return okStatus();
  }

  /// The callee's ops before the call, which goes; gives the calls among them.
  static std::vector<CallOp> insert(CallOp call, FuncOp callee) {
    mlir::OpBuilder build(call);
    mlir::IRMapping map;
    mlir::Block &body = callee.getBody().front();
    map.map(body.getArguments(), call.getOperands());
    std::vector<CallOp> inner;
    for (mlir::Operation &op : body.without_terminator()) {
      mlir::Operation *const copy = build.clone(op, map);
      copy->walk([&](CallOp next) { inner.push_back(next); });
    }
    for (unsigned r = 0; r < call.getNumResults(); ++r)
      call.getResult(r).replaceAllUsesWith(map.lookupOrDefault(body.getTerminator()->getOperand(r)));
    call.erase();
    return inner;
  }

  const std::string &file_;
  std::vector<FuncOp> open_;  ///< functions whose calls are being replaced
  std::size_t inlined_ = 0;
};

}  // namespace

Status inlineCalls(FuncOp function, const std::string &file) {
  return Inliner(file).run(function);
}

}  // namespace pimento::frontend
