#include "pimento/frontend/mlir/later_ops.h"

#include <array>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

namespace pimento::frontend {

namespace {

using Values = mlir::ValueRange;

/// What both ops are made of.
struct Parts {
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<mlir::Type> results;
  mlir::NamedAttrList attributes;
  bool isUnsigned = false;  ///< integers are widened as unsigned ones
};

/// [indexing_maps = [...]]
mlir::ParseResult parseMaps(mlir::OpAsmParser &parser, Parts &parts) {
  if (mlir::failed(parser.parseOptionalKeyword("indexing_maps"))) return mlir::success();
  mlir::ArrayAttr maps;
  const auto where = parser.getCurrentLocation();
  if (parser.parseEqual() || parser.parseAttribute(maps)) return mlir::failure();
  for (const mlir::Attribute a : maps) {
    const auto map = mlir::dyn_cast<mlir::AffineMapAttr>(a);
    if (!map) return parser.emitError(where, "expected affine maps");
    parts.maps.push_back(map.getValue());
  }
  return mlir::success();
}

mlir::ParseResult parseOperands(mlir::OpAsmParser &parser, llvm::StringRef keyword,
                                llvm::SmallVectorImpl<mlir::Value> &values) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;
  const auto where = parser.getCurrentLocation();
  return mlir::failure(parser.parseKeyword(keyword) || parser.parseLParen() || parser.parseOperandList(operands) ||
                       parser.parseColonTypeList(types) || parser.parseRParen() ||
                       parser.resolveOperands(operands, types, where, values));
}

/// {cast = ...} ins(...) outs(...) -> types
mlir::ParseResult parseRest(mlir::OpAsmParser &parser, Parts &parts) {
  if (parser.parseOptionalAttrDict(parts.attributes)) return mlir::failure();
  if (const auto cast = mlir::dyn_cast_or_null<mlir::linalg::TypeFnAttr>(parts.attributes.erase("cast")))
    parts.isUnsigned = cast.getValue() == mlir::linalg::TypeFn::cast_unsigned;
  if (parseOperands(parser, "ins", parts.inputs) || parseOperands(parser, "outs", parts.outputs))
    return mlir::failure();
  return parser.parseOptionalArrowTypeList(parts.results);
}

/// The value in another type.
mlir::Value converted(mlir::OpBuilder &build, mlir::Location at, mlir::Value x, mlir::Type to, bool isUnsigned) {
  const mlir::Type from = x.getType();
  if (from == to) return x;
  const unsigned before = from.getIntOrFloatBitWidth(), after = to.getIntOrFloatBitWidth();
  const bool isFloat = mlir::isa<mlir::FloatType>(from), toFloat = mlir::isa<mlir::FloatType>(to);
  using namespace mlir::arith;
  if (isFloat && toFloat)
    return after > before ? build.create<ExtFOp>(at, to, x).getResult() : build.create<TruncFOp>(at, to, x);
  if (isFloat) return isUnsigned ? build.create<FPToUIOp>(at, to, x).getResult() : build.create<FPToSIOp>(at, to, x);
  if (toFloat) return isUnsigned ? build.create<UIToFPOp>(at, to, x).getResult() : build.create<SIToFPOp>(at, to, x);
  if (after < before) return build.create<TruncIOp>(at, to, x);
  return isUnsigned ? build.create<ExtUIOp>(at, to, x).getResult() : build.create<ExtSIOp>(at, to, x);
}

using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, Values)>;

/// Makes the state that of a linalg.generic. Loops that no output has are reductions.
mlir::ParseResult makeGeneric(mlir::OpAsmParser &parser, mlir::OperationState &state, const Parts &parts, Body body) {
  const auto where = parser.getNameLoc();
  if (parts.maps.size() != parts.inputs.size() + parts.outputs.size())
    return parser.emitError(where, "expected one indexing map for each operand");
  const unsigned loops = parts.maps.front().getNumDims();
  llvm::SmallVector<mlir::utils::IteratorType> kinds(loops, mlir::utils::IteratorType::reduction);
  for (const mlir::AffineMap map : parts.maps)
    if (map.getNumDims() != loops) return parser.emitError(where, "indexing maps have different numbers of loops");
  for (const mlir::AffineExpr e : parts.maps.back().getResults())
    if (const auto d = mlir::dyn_cast<mlir::AffineDimExpr>(e))
      kinds[d.getPosition()] = mlir::utils::IteratorType::parallel;
  state.name = mlir::OperationName(mlir::linalg::GenericOp::getOperationName(), state.getContext());
  mlir::OpBuilder build(parser.getContext());
  bool isGood = true;
  mlir::linalg::GenericOp::build(
      build, state, parts.results, parts.inputs, parts.outputs, parts.maps, kinds,
      [&](mlir::OpBuilder &inside, mlir::Location at, Values arguments) {
        const mlir::Value value = body(inside, at, arguments);
        isGood = value != nullptr;
        inside.create<mlir::linalg::YieldOp>(at, value ? value : arguments.back());
      },
      parts.attributes);
  return isGood
             ? mlir::success()
             : mlir::ParseResult(parser.emitError(where, "the elements have no such operation, or too few operands"));
}

bool isFloat(Values values) {
  return mlir::isa<mlir::FloatType>(values.back().getType());
}

/// out + a * b, in the type of the output.
mlir::Value multiplyAdd(mlir::OpBuilder &build, mlir::Location at, Values v, bool isUnsigned) {
  const mlir::Type type = v[2].getType();
  const mlir::Value a = converted(build, at, v[0], type, isUnsigned), b = converted(build, at, v[1], type, isUnsigned);
  using namespace mlir::arith;
  if (isFloat(v)) return build.create<AddFOp>(at, v[2], build.create<MulFOp>(at, a, b));
  return build.create<AddIOp>(at, v[2], build.create<MulIOp>(at, a, b));
}

template <typename Op>
mlir::Value make(mlir::OpBuilder &build, mlir::Location at, Values v) {
  return build.create<Op>(at, v);
}

template <typename Float, typename Integer>
mlir::Value makeOf(mlir::OpBuilder &build, mlir::Location at, Values v) {
  return isFloat(v) ? make<Float>(build, at, v) : make<Integer>(build, at, v);
}

mlir::Value square(mlir::OpBuilder &build, mlir::Location at, Values v) {
  return makeOf<mlir::arith::MulFOp, mlir::arith::MulIOp>(build, at, {v[0], v[0]});
}

mlir::Value reciprocal(mlir::OpBuilder &build, mlir::Location at, Values v) {
  auto one = build.create<mlir::arith::ConstantOp>(at, build.getFloatAttr(v[0].getType(), 1.0));
  return build.create<mlir::arith::DivFOp>(at, one, v[0]);
}

struct Kind {
  std::string_view name;
  unsigned arguments;
  bool isOfFloats;  ///< only
  mlir::Value (*make)(mlir::OpBuilder &, mlir::Location, Values);
};

namespace arith = mlir::arith;
namespace math = mlir::math;

constexpr std::array kKinds{
    Kind{"exp", 1, true, make<math::ExpOp>},
    Kind{"log", 1, true, make<math::LogOp>},
    Kind{"abs", 1, false, makeOf<math::AbsFOp, math::AbsIOp>},
    Kind{"ceil", 1, true, make<math::CeilOp>},
    Kind{"floor", 1, true, make<math::FloorOp>},
    Kind{"negf", 1, true, make<arith::NegFOp>},
    Kind{"reciprocal", 1, true, reciprocal},
    Kind{"round", 1, true, make<math::RoundOp>},
    Kind{"sqrt", 1, true, make<math::SqrtOp>},
    Kind{"rsqrt", 1, true, make<math::RsqrtOp>},
    Kind{"square", 1, false, square},
    Kind{"tanh", 1, true, make<math::TanhOp>},
    Kind{"erf", 1, true, make<math::ErfOp>},
    Kind{"add", 2, false, makeOf<arith::AddFOp, arith::AddIOp>},
    Kind{"sub", 2, false, makeOf<arith::SubFOp, arith::SubIOp>},
    Kind{"mul", 2, false, makeOf<arith::MulFOp, arith::MulIOp>},
    Kind{"div", 2, false, makeOf<arith::DivFOp, arith::DivSIOp>},
    Kind{"div_unsigned", 2, false, makeOf<arith::DivFOp, arith::DivUIOp>},
    Kind{"max_signed", 2, false, makeOf<arith::MaximumFOp, arith::MaxSIOp>},
    Kind{"min_signed", 2, false, makeOf<arith::MinimumFOp, arith::MinSIOp>},
    Kind{"max_unsigned", 2, false, makeOf<arith::MaximumFOp, arith::MaxUIOp>},
    Kind{"min_unsigned", 2, false, makeOf<arith::MinimumFOp, arith::MinUIOp>},
    Kind{"powf", 2, true, make<math::PowFOp>},
    Kind{"select", 3, false, make<arith::SelectOp>},
};

/// What an op that only the parser sees has in common: it never exists.
template <typename Self>
class ParsedAway : public mlir::Op<Self, mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults> {
 public:
  using mlir::Op<Self, mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults>::Op;
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

class Contract : public ParsedAway<Contract> {
 public:
  using ParsedAway::ParsedAway;
  static llvm::StringRef getOperationName() { return "linalg.contract"; }

  static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &state) {
    Parts parts;
    if (parseMaps(parser, parts) || parseRest(parser, parts)) return mlir::failure();
    if (parts.inputs.size() != 2 || parts.outputs.size() != 1)
      return parser.emitError(parser.getNameLoc(), "expected two inputs and one output");
    return makeGeneric(parser, state, parts, [&](mlir::OpBuilder &build, mlir::Location at, Values v) {
      return multiplyAdd(build, at, v, parts.isUnsigned);
    });
  }
};

class Elementwise : public ParsedAway<Elementwise> {
 public:
  using ParsedAway::ParsedAway;
  static llvm::StringRef getOperationName() { return "linalg.elementwise"; }

  static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &state) {
    Parts parts;
    std::string name;
    if (parser.parseKeyword("kind") || parser.parseEqual()) return mlir::failure();
    const auto where = parser.getCurrentLocation();
    if (parser.parseString(&name) || parseMaps(parser, parts) || parseRest(parser, parts)) return mlir::failure();
    const auto *const kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind &k) { return k.name == name; });
    if (kind == kKinds.end()) return parser.emitError(where, "'") << name << "' is not a kind of linalg.elementwise";
    if (parts.outputs.size() != 1) return parser.emitError(parser.getNameLoc(), "expected one output");
    if (parts.maps.empty()) {
      const auto type = mlir::dyn_cast<mlir::ShapedType>(parts.outputs.front().getType());
      const unsigned rank = type && type.hasRank() ? static_cast<unsigned>(type.getRank()) : 0;
      parts.maps.assign(parts.inputs.size() + 1, mlir::AffineMap::getMultiDimIdentityMap(rank, parser.getContext()));
    }
    return makeGeneric(parser, state, parts, [&](mlir::OpBuilder &build, mlir::Location at, Values v) -> mlir::Value {
      if (v.size() != kind->arguments + 1 || (kind->isOfFloats && !isFloat(v))) return {};
      llvm::SmallVector<mlir::Value> values;
      for (unsigned i = 0; i < kind->arguments; ++i) {
        const bool isCondition = name == "select" && i == 0;
        values.push_back(isCondition ? v[i] : converted(build, at, v[i], v.back().getType(), parts.isUnsigned));
      }
      return kind->make(build, at, values);
    });
  }
};

/// A product of matrices that says how its operands are indexed. `Batch`: how its name goes on, and its loops in front
/// of those of the product.
template <typename Batch>
class Mapped : public ParsedAway<Mapped<Batch>> {
 public:
  using ParsedAway<Mapped<Batch>>::ParsedAway;
  static llvm::StringRef getOperationName() { return Batch::kName; }

  static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &state) {
    Parts parts;
    if (parseMaps(parser, parts) || parseRest(parser, parts)) return mlir::failure();
    const auto where = parser.getNameLoc();
    if (parts.inputs.size() != 2 || parts.outputs.size() != 1 || parts.maps.size() != 3)
      return parser.emitError(where, "expected two inputs, one output and three indexing maps");
    llvm::SmallVector<unsigned> result;  // of the loops: batch, rows, columns, and last what is summed over
    constexpr unsigned kLoops = Batch::kBatches + 3;
    for (unsigned d = Batch::kIsReduced ? Batch::kBatches : 0; d + 1 < kLoops; ++d) result.push_back(d);
    for (const mlir::AffineMap map : parts.maps)
      if (map.getNumDims() != kLoops || map.getNumSymbols() != 0 || !map.isProjectedPermutation())
        return parser.emitError(where, "expected maps that pick some of the ") << kLoops << " loops of the product";
    if (parts.maps[2] != mlir::AffineMap::getMultiDimMapWithTargets(kLoops, result, parser.getContext()))
      return parser.emitError(where,
                              "the map of the output must be that of the product: only inputs are transposed or "
                              "broadcast");
    return makeGeneric(parser, state, parts, [&](mlir::OpBuilder &build, mlir::Location at, Values v) {
      return multiplyAdd(build, at, v, parts.isUnsigned);
    });
  }
};

struct OneProduct {
  static constexpr llvm::StringLiteral kName{"linalg.mapped"};
  static constexpr unsigned kBatches = 0;
  static constexpr bool kIsReduced = false;
};
struct BatchOfProducts {
  static constexpr llvm::StringLiteral kName{"linalg.batch_mapped"};
  static constexpr unsigned kBatches = 1;
  static constexpr bool kIsReduced = false;
};
struct SumOfProducts {
  static constexpr llvm::StringLiteral kName{"linalg.batch_reduce_mapped"};
  static constexpr unsigned kBatches = 1;
  static constexpr bool kIsReduced = true;
};

template <typename Op>
void add(mlir::MLIRContext &context) {
  if (!mlir::RegisteredOperationName::lookup(Op::getOperationName(), &context))
    mlir::RegisteredOperationName::insert<Op>(*context.getOrLoadDialect<mlir::linalg::LinalgDialect>());
}

}  // namespace

void addLaterOps(mlir::MLIRContext &context) {
  add<Contract>(context);
  add<Elementwise>(context);
  add<Mapped<OneProduct>>(context);
  add<Mapped<BatchOfProducts>>(context);
  add<Mapped<SumOfProducts>>(context);
}

namespace {

void renameKinds(std::string &plain) {
  constexpr std::string_view kAttribute = "#linalg.elementwise_kind<";
  for (std::size_t at = plain.find(kAttribute); at != std::string::npos; at = plain.find(kAttribute, at)) {
    const std::size_t begin = at + kAttribute.size(), end = plain.find('>', begin);
    if (end == std::string::npos) break;
    const std::string name = '"' + plain.substr(begin, end - begin) + '"';
    plain.replace(at, end + 1 - at, name + std::string(end + 1 - at - name.size(), ' '));
  }
}

/// Whether the text before `at` ends in `word`.
bool follows(std::string_view text, std::size_t at, std::string_view word) {
  return at >= word.size() && text.substr(at - word.size(), word.size()) == word;
}

void renameProducts(std::string &plain) {
  constexpr std::string_view kProduct = "matmul", kMapped = "mapped", kMaps = "indexing_maps";
  static_assert(kProduct.size() == kMapped.size());
  for (std::size_t at = plain.find(kProduct); at != std::string::npos; at = plain.find(kProduct, at + 1)) {
    const std::size_t next = plain.find_first_not_of(" \t\r\n", at + kProduct.size());
    const bool isMapped =
        next != std::string::npos && next > at + kProduct.size() && plain.compare(next, kMaps.size(), kMaps) == 0;
    const bool isOp = follows(plain, at, "linalg.") || follows(plain, at, "linalg.batch_") ||
                      follows(plain, at, "linalg.batch_reduce_");
    if (isMapped && isOp) plain.replace(at, kProduct.size(), kMapped);
  }
}

}  // namespace

std::string withPlainNames(std::string_view text) {
  std::string plain(text);
  renameKinds(plain);
  renameProducts(plain);
  return plain;
}

}  // namespace pimento::frontend
