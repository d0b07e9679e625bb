#include "pimento/kernel/notation_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::kernel {

using Kind = SyntaxNode::Kind;

namespace {

struct Function {
  std::string_view name;
  Op op;
  std::size_t arguments;
  bool isFloatOnly;
};

constexpr std::array<Function, 10> kFunctions{{{"relu", Op::kRelu, 1, false},
                                               {"exp", Op::kExp, 1, true},
                                               {"log", Op::kLog, 1, true},
                                               {"sqrt", Op::kSqrt, 1, true},
                                               {"tanh", Op::kTanh, 1, true},
                                               {"abs", Op::kAbs, 1, false},
                                               {"neg", Op::kNeg, 1, false},
                                               {"min", Op::kMin, 2, false},
                                               {"max", Op::kMax, 2, false},
                                               {"select", Op::kSelect, 3, false}}};

struct BinaryOperator {
  std::string_view text;
  Op op;
};

constexpr std::array<BinaryOperator, 16> kBinaries{{{"+", Op::kAdd},
                                                    {"-", Op::kSub},
                                                    {"*", Op::kMul},
                                                    {"/", Op::kDiv},
                                                    {"%", Op::kRem},
                                                    {"&", Op::kAnd},
                                                    {"|", Op::kOr},
                                                    {"^", Op::kXor},
                                                    {"<<", Op::kShl},
                                                    {">>", Op::kShr},
                                                    {"==", Op::kCmpEq},
                                                    {"!=", Op::kCmpNe},
                                                    {"<", Op::kCmpLt},
                                                    {"<=", Op::kCmpLe},
                                                    {">", Op::kCmpGt},
                                                    {">=", Op::kCmpGe}}};

template <typename Table>
auto lookUp(const Table &table, const std::string &text) {
  return std::find_if(table.begin(), table.end(), [&](const auto &row) {
    if constexpr (requires { row.text; }) {
      return row.text == text;
    } else {
      return row.name == text;
    }
  });
}

Op binaryOp(const std::string &text) {
  const auto row = lookUp(kBinaries, text);
  PIMENTO_CHECK(row != kBinaries.end());
  return row->op;
}

bool isComparison(Op op) {
  return op >= Op::kCmpEq && op <= Op::kCmpGe;
}
bool isBitwise(Op op) {
  return op >= Op::kAnd && op <= Op::kShr;
}

std::vector<std::string> functionNames() {
  std::vector<std::string> names;
  for (const Function &f : kFunctions) names.emplace_back(f.name);
  for (const DType t : allDTypes()) names.emplace_back(name(t));
  return names;
}

}  // namespace

ValueEmitter::ValueEmitter(const SyntaxTree &tree, const StatementIndices &indices, const Graph &graph, DType type,
                           const std::string &file, KernelBuilder &builder)
    : tree_(tree),
      indices_(indices),
      graph_(graph),
      type_(type),
      file_(file),
      builder_(builder),
      types_(tree.nodes.size()) {}

int ValueEmitter::run(int root) {
  return emit(root, typeOr(root, type_));
}

int ValueEmitter::fail(const char *code, const SyntaxNode &at, const std::string &message, std::string hint) {
  if (!failure_) failure_ = error(code, {file_, at.line, at.column}, message, std::move(hint));
  return -1;
}

int ValueEmitter::mismatch(const SyntaxNode &at, DType given, DType wanted) {
  return fail("type-mismatch", at, fmt::format("this is {}, but {} is needed", name(given), name(wanted)),
              fmt::format("convert it: {}(...)", name(wanted)));
}

// ---- Types ----

std::optional<DType> ValueEmitter::typeOf(int n) {
  auto &known = types_[static_cast<std::size_t>(n)];
  if (!known) known = findType(n);
  return *known;
}

/// Empty where the expression takes any type: numbers and indices.
std::optional<DType> ValueEmitter::findType(int n) {
  const SyntaxNode &here = node(n);
  switch (here.kind) {
    case Kind::kNumber:
      return std::nullopt;
    case Kind::kName:
      return indices_.find(here.text) >= 0 ? std::nullopt : std::optional(tensorType(here.text));
    case Kind::kElement:
      return tensorType(here.text);
    case Kind::kUnary:
      return typeOf(here.children[0]);
    case Kind::kBinary:
      if (isComparison(binaryOp(here.text))) return DType::kU8;
      return commonType(here.children);
    case Kind::kChoice:
      return commonType({here.children[1], here.children[2]});
    case Kind::kCall:
      if (const auto type = parseDType(here.text)) return type;
      if (here.text == "select" && here.children.size() == 3) return commonType({here.children[1], here.children[2]});
      return commonType(here.children);
  }
  return std::nullopt;
}

DType ValueEmitter::tensorType(const std::string &tensor) const {
  return graph_.tensors[static_cast<std::size_t>(graph_.tensorNamed(tensor))].type;
}

std::optional<DType> ValueEmitter::commonType(const std::vector<int> &operands) {
  for (const int operand : operands) {
    if (const auto type = typeOf(operand)) return type;
  }
  return std::nullopt;
}

// ---- Values ----

int ValueEmitter::emit(int n, DType wanted) {
  if (failure_) return -1;
  const SyntaxNode &here = node(n);
  if (here.kind == Kind::kNumber) return emitNumber(here, false, wanted);
  if (here.kind == Kind::kCall) return emitCall(n, wanted);
  if (const auto given = typeOf(n); given && *given != wanted) return mismatch(here, *given, wanted);
  switch (here.kind) {
    case Kind::kName:
      return emitName(n, wanted);
    case Kind::kElement:
      return emitElement(n, wanted);
    case Kind::kUnary:
      return emitUnary(n, wanted);
    case Kind::kBinary:
      return emitBinary(n, wanted);
    default:
      return emitChoice(here, here.children[0], here.children[1], here.children[2], wanted);
  }
}

int ValueEmitter::emitNumber(const SyntaxNode &at, bool isNegative, DType wanted) {
  const std::string text = (isNegative ? "-" : "") + at.text;
  if (isFloat(wanted)) {
    const auto value = parseNumber(text);
    if (!value) {
      return fail("literal-range", at, fmt::format("'{}' is outside the range of every number type", at.text),
                  "use a number within the range of double precision");
    }
    if (!std::isfinite(decodeFloat(wanted, encodeFloat(wanted, *value)))) {
      return fail("literal-range", at, fmt::format("'{}' exceeds the largest {}", at.text, name(wanted)),
                  "use a smaller number or a wider type");
    }
    return builder_.constant(wanted, *value);
  }
  if (at.text.find_first_not_of("0123456789") != std::string::npos) {
    return fail("literal-type", at, fmt::format("'{}' is not a whole number, but {} is needed", at.text, name(wanted)),
                "use a whole number, or a floating type for the tensors");
  }
  const auto value = parseInteger(text);
  if (!value || wrapInteger(wanted, *value) != *value || (!isSigned(wanted) && *value < 0)) {
    return fail("literal-range", at, fmt::format("'{}' does not fit in {}", text, name(wanted)),
                "use a smaller number or a wider type");
  }
  return builder_.integer(wanted, *value);
}

int ValueEmitter::emitName(int n, DType wanted) {
  const int dim = indices_.find(node(n).text);
  if (dim < 0) return builder_.load(graph_.tensorNamed(node(n).text), tensorType(node(n).text), std::vector<Affine>());
  const DType type = isFloat(wanted) ? DType::kI64 : wanted;
  int value = builder_.indexValue(dim, type);
  if (const std::int64_t start = indices_.startOf(dim); start != 0)
    value = builder_.op(Op::kAdd, type, value, builder_.integer(type, start));
  return builder_.cast(wanted, value);
}

int ValueEmitter::emitElement(int n, DType) {
  const TensorReference &reference = indices_.at(n);
  return builder_.load(tensorType(reference.name), access(reference));
}

Access ValueEmitter::access(const TensorReference &reference) {
  Access access{graph_.tensorNamed(reference.name), reference.index};
  if (reference.indirectAt < 0) return access;
  const DType type = typeOr(reference.indirectNode, DType::kI32);
  if (isFloat(type)) {
    fail("type-mismatch", node(reference.indirectNode), fmt::format("the index is {}", name(type)),
         "convert it: i32(...)");
    return access;
  }
  access.indirectAt = reference.indirectAt;
  access.indirectIndex = emit(reference.indirectNode, type);
  return access;
}

int ValueEmitter::runAs(int root, DType wanted) {
  return builder_.cast(wanted, run(root));
}

int ValueEmitter::emitUnary(int n, DType wanted) {
  const SyntaxNode &here = node(n);
  const SyntaxNode &operand = node(here.children[0]);
  const bool isMinus = here.text == "-";
  if (isMinus && operand.kind == Kind::kNumber) return emitNumber(operand, true, wanted);
  const int value = emit(here.children[0], wanted);
  return failure_ || !isMinus ? value : builder_.op(Op::kNeg, wanted, value);
}

int ValueEmitter::emitBinary(int n, DType wanted) {
  const SyntaxNode &here = node(n);
  const Op op = binaryOp(here.text);
  if (isBitwise(op) && isFloat(wanted)) {
    return fail("type-mismatch", here, fmt::format("'{}' is not defined on {}", here.text, name(wanted)),
                "use an integer type");
  }
  DType operandType = wanted;
  if (isComparison(op)) {
    if (wanted != DType::kU8) return mismatch(here, DType::kU8, wanted);
    operandType = commonType(here.children).value_or(type_);
  }
  const int left = emit(here.children[0], operandType);
  const int right = emit(here.children[1], operandType);
  return failure_ ? -1 : builder_.op(op, wanted, left, right);
}

int ValueEmitter::emitChoice(const SyntaxNode &at, int condition, int yes, int no, DType wanted) {
  const DType conditionType = typeOr(condition, DType::kI64);
  if (isFloat(conditionType)) {
    return fail("type-mismatch", at, fmt::format("the condition is {}", name(conditionType)),
                "compare it, as in x[i] > 0");
  }
  const int test = emit(condition, conditionType);
  const int first = emit(yes, wanted);
  const int second = emit(no, wanted);
  return failure_ ? -1 : builder_.op(Op::kSelect, wanted, test, first, second);
}

int ValueEmitter::emitCall(int n, DType wanted) {
  const SyntaxNode &here = node(n);
  const auto castType = parseDType(here.text);
  const auto function = lookUp(kFunctions, here.text);
  if (!castType && function == kFunctions.end()) {
    return fail("unknown-function", here, fmt::format("unknown function '{}'", here.text),
                suggest(here.text, functionNames()));
  }
  const std::size_t arguments = castType ? 1 : function->arguments;
  if (here.children.size() != arguments) {
    return fail("wrong-arguments", here,
                fmt::format("'{}' takes {} argument{}, {} given", here.text, arguments, arguments == 1 ? "" : "s",
                            here.children.size()),
                fmt::format("pass exactly {}", arguments));
  }
  if (const auto given = typeOf(n); given && *given != wanted) return mismatch(here, *given, wanted);
  if (castType) {
    const int value = emit(here.children[0], typeOr(here.children[0], wanted));
    return failure_ ? -1 : builder_.cast(wanted, value);
  }
  if (function->op == Op::kSelect) {
    return emitChoice(here, here.children[0], here.children[1], here.children[2], wanted);
  }
  if (function->isFloatOnly && !isFloat(wanted)) {
    return fail("type-mismatch", here, fmt::format("'{}' is not defined on {}", here.text, name(wanted)),
                "convert the argument to a floating type, or choose one for the tensors");
  }
  const int first = emit(here.children[0], wanted);
  const int second = arguments > 1 ? emit(here.children[1], wanted) : -1;
  return failure_ ? -1 : builder_.op(function->op, wanted, first, second);
}

}  // namespace pimento::kernel
