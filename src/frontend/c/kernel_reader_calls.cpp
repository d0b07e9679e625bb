// Calls: functions of the file are inlined, those of math.h are operations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "llvm/Support/Casting.h"
#include "pimento/frontend/c/kernel_reader.h"

namespace pimento::frontend {

using kernel::Op;
using llvm::dyn_cast;

namespace {

struct MathFunction {
  std::string_view name;
  Op op;
};

constexpr std::array<MathFunction, 10> kMath{{{"exp", Op::kExp},
                                              {"log", Op::kLog},
                                              {"sqrt", Op::kSqrt},
                                              {"tanh", Op::kTanh},
                                              {"fabs", Op::kAbs},
                                              {"fmin", Op::kMin},
                                              {"fmax", Op::kMax},
                                              {"abs", Op::kAbs},
                                              {"labs", Op::kAbs},
                                              {"llabs", Op::kAbs}}};

std::optional<Op> mathFunction(std::string_view name) {
  constexpr std::string_view kBuiltin = "__builtin_";
  if (name.starts_with(kBuiltin)) name.remove_prefix(kBuiltin.size());
  for (const MathFunction &f : kMath) {
    if (name == f.name) return f.op;
    const bool isFloating = f.name != "abs" && f.name != "labs" && f.name != "llabs";
    if (!isFloating || !name.starts_with(f.name)) continue;
    const std::string_view suffix = name.substr(f.name.size());
    if (suffix == "f" || suffix == "f16") return f.op;
  }
  return std::nullopt;
}

}  // namespace

CValue CReader::evaluateCall(const clang::CallExpr &e) {
  const clang::FunctionDecl *f = e.getDirectCallee();
  if (f == nullptr) {
    fail("c-call", e.getBeginLoc(), "a function is called through a pointer", "call it by its name");
    return {};
  }
  const clang::FunctionDecl *defined = nullptr;
  if (f->hasBody(defined)) return inlineCall(*defined, e);
  const std::string name = f->getNameAsString();
  const auto op = mathFunction(name);
  if (!op || e.getNumArgs() != static_cast<unsigned>(argumentCount(*op))) {
    const bool isMemory = name == "memset" || name == "memcpy" || name == "memmove";
    fail("c-call", e.getBeginLoc(), fmt::format("'{}' is neither defined in this file nor a known function", name),
         isMemory ? "write it as a loop over the elements"
                  : "known: exp log sqrt tanh fabs fmin fmax (also with f) and abs; functions defined in the file are "
                    "inlined");
    return {};
  }
  std::array<int, 3> args{-1, -1, -1};
  const DType type = scalarType(e.getType(), e.getBeginLoc());
  for (unsigned a = 0; a < e.getNumArgs() && isFine(); ++a) args[a] = pool_.cast(type, scalar(e.getArg(a)));
  return isFine() ? scalarValue(pool_.op(*op, type, args[0], args[1])) : CValue{};
}

CValue CReader::inlineCall(const clang::FunctionDecl &f, const clang::CallExpr &e) {
  constexpr std::size_t kDeepestCalls = 64;
  const bool isRecursive =
      std::any_of(frames_.begin(), frames_.end(), [&](const Frame &frame) { return frame.function == &f; });
  if (isRecursive || frames_.size() > kDeepestCalls || f.isVariadic() || e.getNumArgs() != f.getNumParams()) {
    fail("c-call", e.getBeginLoc(),
         isRecursive ? fmt::format("'{}' calls itself", f.getNameAsString())
                     : fmt::format("'{}' cannot be inlined here", f.getNameAsString()),
         "all calls are inlined: replace recursion by a loop, and use a fixed argument list");
    return {};
  }
  std::vector<CValue> args;
  for (const clang::Expr *a : e.arguments()) args.push_back(evaluate(a));
  flushDelayed();
  if (!isFine()) return {};
  for (unsigned p = 0; p < f.getNumParams(); ++p) {
    Variable v;
    v.value = args[p];
    variables_[f.getParamDecl(p)] = std::move(v);
  }
  for (unsigned p = 0; p < f.getNumParams() && isFine(); ++p) {
    // Rows of an array must be as long as the function believes.
    const clang::VarDecl &param = *f.getParamDecl(p);
    if (args[p].kind != CValue::Kind::kPointer || args[p].pointer.scalar != nullptr) continue;
    std::vector<std::int64_t> shape;
    DType element = DType::kI32;
    if (!shapeOf(f.getParamDecl(p)->getOriginalType(), shape, element, param)) return {};
    const NestBuffer &buffer = program_.buffers[static_cast<std::size_t>(args[p].pointer.buffer)];
    const std::size_t first = args[p].pointer.level;
    bool isSame = first + shape.size() == buffer.shape.size() && element == buffer.type;
    for (std::size_t d = 1; isSame && d < shape.size(); ++d) isSame = shape[d] == buffer.shape[first + d];
    if (!isSame) {
      fail("c-type", e.getArg(p)->getBeginLoc(),
           fmt::format("'{}' takes '{}' in a different shape from its declaration", f.getNameAsString(),
                       param.getNameAsString()),
           "declare the parameter with the shape of the array");
    }
  }
  frames_.push_back({&f, {}, loops_.size()});
  const bool isTail = std::exchange(isTail_, true);
  run(f.getBody());
  isTail_ = isTail;
  const CValue result = frames_.back().result;
  frames_.pop_back();
  return result;
}

}  // namespace pimento::frontend
