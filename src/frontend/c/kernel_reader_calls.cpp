// Calls: functions of the file are inlined, those of math.h are operations.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/frontend/c/kernel_library.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/nest/forms.h"

namespace pimento::frontend {

namespace {

/// What to do in place of an unknown function.
std::string hintFor(const std::string &name) {
  if (name == "malloc" || name == "calloc" || name == "realloc" || name == "aligned_alloc" || name == "free")
    return "declare a local array, float t[64], or pass the memory as a parameter";
  return fmt::format("known: {}; functions defined in the file are inlined; output and timing stay outside the kernel",
                     libraryNames());
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
  if (name == "memset" || name == "memcpy" || name == "memmove") return moveMemory(name, e);
  std::vector<int> args;
  // Their types are converted where the function is declared; isnan() and its like take any.
  for (const clang::Expr *a : e.arguments()) {
    if (!typeOf(a->getType())) {
      args.clear();
      break;
    }
    args.push_back(scalar(a));
  }
  if (!isFine()) return {};
  const int value = args.empty() ? -1 : libraryCall(pool_, name, pool_[args.front()].type, args);
  if (value < 0) {
    fail("c-call", e.getBeginLoc(), fmt::format("'{}' is neither defined in this file nor a known function", name),
         hintFor(name));
    return {};
  }
  return scalarValue(pool_.cast(scalarType(e.getType(), e.getBeginLoc()), value));
}

/// Elements of an array from `p` on, as many as `bytes` hold: loops over them are opened, and the indices of the
/// elements returned; nothing: `bytes` are no whole rows, or not known.
std::optional<CPointer> CReader::openElements(CPointer p, const clang::Expr &bytes, std::vector<int> &loops) {
  const int size = scalar(&bytes);
  const auto known = isFine() ? pool_.integerOf(size) : std::nullopt;
  if (!known || p.buffer < 0 || p.scalar != nullptr || p.data.isThere() || p.level >= p.index.size()) return {};
  const NestBuffer &buffer = program_.buffers[static_cast<std::size_t>(p.buffer)];
  std::int64_t row = sizeOf(buffer.type).value;
  for (std::size_t d = p.level + 1; d < buffer.shape.size(); ++d) row *= buffer.shape[d];
  if (row == 0 || *known % row != 0 || *known < row) return {};
  for (std::size_t d = p.level; d < p.index.size(); ++d) {
    const std::int64_t extent = d == p.level ? *known / row : buffer.shape[d];
    if (loops.size() <= d - p.level) loops.push_back(newLoop(fmt::format("d{}", d - p.level), extent, false));
    p.index[d] = plus(p.index[d], unit(loops[d - p.level]), 1).value_or(p.index[d]);
  }
  p.level = p.index.size() - 1;
  return p;
}

/// memset() to 0 and copies of whole elements: loops over them.
CValue CReader::moveMemory(const std::string &name, const clang::CallExpr &e) {
  const bool isCopy = name != "memset";
  const CValue to = evaluate(e.getArg(0)->IgnoreParenCasts());
  const CValue from = isCopy ? evaluate(e.getArg(1)->IgnoreParenCasts()) : CValue{};
  const int filler = isCopy ? -1 : scalar(e.getArg(1));
  if (!isFine()) return {};
  std::vector<int> loops;
  const auto target = to.kind == CValue::Kind::kPointer ? openElements(to.pointer, *e.getArg(2), loops) : std::nullopt;
  std::optional<CPointer> source;
  if (target && from.kind == CValue::Kind::kPointer) source = openElements(from.pointer, *e.getArg(2), loops);
  if (!isFine()) return {};
  const auto typeAt = [&](const CPointer &p) { return program_.buffers[static_cast<std::size_t>(p.buffer)].type; };
  const bool isFit = target && (isCopy ? source && typeAt(*source) == typeAt(*target) &&
                                             source->buffer != target->buffer && sameRows(*source, *target)
                                       : pool_.integerOf(filler) == 0);
  if (!isFit) {
    fail("c-call", e.getBeginLoc(), fmt::format("this use of '{}' is not supported in a kernel", name),
         "set whole rows of an array to 0, or copy them to another array of the same type and row length, with a known "
         "number of bytes; else write it as a loop over the elements");
    return {};
  }
  const std::vector<int> around = loops_;
  loops_.insert(loops_.end(), loops.begin(), loops.end());
  const DType type = typeAt(*target);
  const int value = isCopy ? load(*source, e).scalar : isFloat(type) ? pool_.real(type, 0) : pool_.integer(type, 0);
  store(*target, value, e.getBeginLoc());
  loops_ = around;
  return to;
}

/// Whether elements that follow one another in one array do so in the other.
bool CReader::sameRows(const CPointer &a, const CPointer &b) const {
  const auto rowsOf = [&](const CPointer &p) {
    const std::vector<std::int64_t> &shape = program_.buffers[static_cast<std::size_t>(p.buffer)].shape;
    return std::vector<std::int64_t>(shape.begin() + 1, shape.end());
  };
  return rowsOf(a) == rowsOf(b);
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
