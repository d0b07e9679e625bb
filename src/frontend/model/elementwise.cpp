// Operators that compute each element by itself, with operands broadcast to one shape.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pimento/frontend/model/importer.h"
#include "pimento/frontend/nest/math_ops.h"

namespace pimento::frontend::model {

using kernel::KernelBuilder;
using kernel::Op;

namespace {

/// A kernel's body as MathOps takes it.
class Body {
 public:
  explicit Body(KernelBuilder &k) : k_(k) {}
  int real(DType type, double x) { return k_.constant(type, x); }
  int integer(DType type, std::int64_t x) { return k_.integer(type, x); }
  int op(Op op, DType type, int a, int b = -1, int c = -1) { return k_.op(op, type, a, b, c); }
  int cast(DType type, int a) { return k_.cast(type, a); }
  DType typeOf(int value) const { return k_.typeOf(value); }

 private:
  KernelBuilder &k_;
};
using Floats = MathOps<Body>;

/// y = f(operands) for every element; `f` takes the operands' values.
template <typename F>
Status elementwise(Importer &m, const Operator &op, std::size_t operands, std::optional<DType> type, const F &f) {
  std::vector<Value> values;
  Shape shape;
  for (std::size_t i = 0; i < operands; ++i) {
    Result<Value> v = m.input(op, i);
    if (!v) return v.diagnostics();
    const std::optional<Shape> both = values.empty() ? v->shape : broadcast(shape, v->shape);
    if (!both)
      return Importer::wrong(op, "model-shape", "operands of " + text(shape) + " and " + text(v->shape) + " elements",
                             "dimensions are equal, or one of them is 1");
    shape = *both;
    values.push_back(std::move(*v));
  }
  const Value y = m.fresh(op, type.value_or(values.back().type), shape);
  KernelBuilder k = m.kernel(op, "", Importer::parallel(shape));
  const auto at = Importer::indices(k, 0, shape.size());
  std::vector<int> loaded;
  for (const Value &v : values) loaded.push_back(m.loadBroadcast(k, v, at));
  Body body(k);
  m.store(k, y, at, f(body, loaded));
  m.add(k);
  m.give(op, 0, y);
  return okStatus();
}

template <Op kOp>
Status unary(Importer &m, const Operator &op) {
  return elementwise(m, op, 1, {}, [](Body &b, const std::vector<int> &x) { return b.op(kOp, b.typeOf(x[0]), x[0]); });
}

template <Op kOp>
Status binary(Importer &m, const Operator &op) {
  return elementwise(m, op, 2, {},
                     [](Body &b, const std::vector<int> &x) { return b.op(kOp, b.typeOf(x[0]), x[0], x[1]); });
}

template <Op kOp>
Status comparison(Importer &m, const Operator &op) {
  return elementwise(m, op, 2, DType::kU8,
                     [](Body &b, const std::vector<int> &x) { return b.op(kOp, DType::kU8, x[0], x[1]); });
}

/// Minimum, maximum and sum take any number of operands.
template <Op kOp>
Status several(Importer &m, const Operator &op) {
  if (op.inputs.empty()) return Importer::wrong(op, "model-value", "no inputs", "the model is not one that checks");
  return elementwise(m, op, op.inputs.size(), {}, [](Body &b, const std::vector<int> &x) {
    int all = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) all = b.op(kOp, b.typeOf(all), all, x[i]);
    return all;
  });
}

template <typename F>
Status function(Importer &m, const Operator &op, const F &f) {
  return elementwise(m, op, 1, {}, [&](Body &b, const std::vector<int> &x) {
    Floats floats(b, b.typeOf(x[0]));
    return f(floats, x[0]);
  });
}

int sigmoidOf(Floats &f, int x) {
  return f.div(f.number(1), f.add(f.number(1), f.op(Op::kExp, f.negated(x))));
}

Status sigmoid(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return sigmoidOf(f, x); });
}
Status silu(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.mul(x, sigmoidOf(f, x)); });
}
Status erf(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.erf(x); });
}
Status sine(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.sin(x); });
}
Status cosine(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.cos(x); });
}
Status reciprocal(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.div(f.number(1), x); });
}
Status floorOf(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.floor(x); });
}
Status ceilOf(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.ceil(x); });
}
Status roundOf(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) { return f.roundEven(x); });
}
Status softplus(Importer &m, const Operator &op) {
  // log(1 + exp(x)) without overflow.
  return function(m, op, [](Floats &f, int x) {
    return f.add(f.op(Op::kMax, x, f.number(0)), f.log1p(f.op(Op::kExp, f.negated(f.abs(x)))));
  });
}

/// x where it is not negative, else something of it.
template <typename F>
Status kinked(Importer &m, const Operator &op, const F &below) {
  return function(m, op, [&](Floats &f, int x) { return f.choose(f.is(Op::kCmpLt, x, 0.0), below(f, x), x); });
}
Status leakyRelu(Importer &m, const Operator &op) {
  const double alpha = m.attribute(op, "alpha", 0.01);
  return kinked(m, op, [&](Floats &f, int x) { return f.mul(f.number(alpha), x); });
}
Status elu(Importer &m, const Operator &op) {
  const double alpha = m.attribute(op, "alpha", 1.0);
  return kinked(m, op, [&](Floats &f, int x) { return f.mul(f.number(alpha), f.expm1(x)); });
}
Status hardSigmoid(Importer &m, const Operator &op) {
  const double alpha = m.attribute(op, "alpha", 0.2), beta = m.attribute(op, "beta", 0.5);
  return function(m, op, [&](Floats &f, int x) {
    const int line = f.add(f.mul(f.number(alpha), x), f.number(beta));
    return f.op(Op::kMax, f.number(0), f.op(Op::kMin, f.number(1), line));
  });
}
Status hardSwish(Importer &m, const Operator &op) {
  return function(m, op, [](Floats &f, int x) {
    const int line = f.add(f.mul(f.number(1.0 / 6), x), f.number(0.5));
    return f.mul(x, f.op(Op::kMax, f.number(0), f.op(Op::kMin, f.number(1), line)));
  });
}
/// 0.5 x (1 + erf(x / sqrt 2)), or its approximation by tanh.
Status gelu(Importer &m, const Operator &op) {
  const bool isTanh = m.attribute(op, "approximate", "none") == "tanh";
  return function(m, op, [&](Floats &f, int x) {
    constexpr double kRoot2OverPi = 0.79788456080286535588, kCubed = 0.044715, kRootHalf = 0.70710678118654752440;
    const int inner =
        isTanh
            ? f.op(Op::kTanh, f.mul(f.number(kRoot2OverPi), f.add(x, f.mul(f.number(kCubed), f.mul(x, f.mul(x, x))))))
            : f.erf(f.mul(x, f.number(kRootHalf)));
    return f.mul(f.mul(f.number(0.5), x), f.add(f.number(1), inner));
  });
}

/// The number of a constant operand.
std::optional<double> numberOf(Importer &m, const Operator &op, std::size_t i) {
  if (!Importer::has(op, i)) return std::nullopt;
  const Result<Value> v = m.input(op, i);
  if (!v || !v->isConstant() || v->constant->elements() != 1) return std::nullopt;
  return v->constant->asDouble(0);
}

Status power(Importer &m, const Operator &op) {
  const std::optional<double> exponent = numberOf(m, op, 1);
  if (!exponent)
    return Importer::wrong(op, "model-operator", "the exponent is not one known number",
                           "write it with Exp and Log, or as a constant");
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  if (!isFloat(x->type))
    return elementwise(m, op, 1, {}, [&](Body &b, const std::vector<int> &v) {
      int all = b.integer(b.typeOf(v[0]), 1);
      for (int i = 0; i < static_cast<int>(*exponent); ++i) all = b.op(Op::kMul, b.typeOf(v[0]), all, v[0]);
      return all;
    });
  constexpr double kMostFactors = 16;
  const double e = *exponent;
  if (e != std::trunc(e) && e != 0.5 && e != -0.5)
    return Importer::wrong(op, "model-operator", "the exponent is neither whole nor a half",
                           "write it with Exp and Log");
  if (std::abs(e) > kMostFactors)
    return Importer::wrong(op, "model-operator", "the exponent is large", "write it with Exp and Log");
  return function(m, op, [&](Floats &f, int v) {
    if (e == 0) return f.number(1);
    if (e == 1) return v;
    if (e == 2) return f.mul(v, v);
    if (e == 0.5) return f.op(Op::kSqrt, v);
    if (e == -0.5) return f.rsqrt(v);
    return f.product(v, static_cast<int>(e));
  });
}

Status clip(Importer &m, const Operator &op) {
  // Bounds became inputs with operator set 11.
  std::optional<double> low = numberOf(m, op, 1), high = numberOf(m, op, 2);
  if ((Importer::has(op, 1) && !low) || (Importer::has(op, 2) && !high))
    return Importer::wrong(op, "model-value", "bounds are not known before the model runs", "make them constants");
  if (op.attributes.contains("min")) low = m.attribute(op, "min", 0.0);
  if (op.attributes.contains("max")) high = m.attribute(op, "max", 0.0);
  return elementwise(m, op, 1, {}, [&](Body &b, const std::vector<int> &x) {
    const DType t = b.typeOf(x[0]);
    const auto number = [&](double v) {
      return isFloat(t) ? b.real(t, v) : b.integer(t, static_cast<std::int64_t>(v));
    };
    int y = x[0];
    if (low) y = b.op(Op::kMax, t, y, number(*low));
    if (high) y = b.op(Op::kMin, t, y, number(*high));
    return y;
  });
}

/// The remainder of C where fmod is set (as it is for floats), else that with the divisor's sign.
Status modulo(Importer &m, const Operator &op) {
  const bool isOfC = m.attribute(op, "fmod", std::int64_t{0}) != 0;
  return elementwise(m, op, 2, {}, [&](Body &b, const std::vector<int> &x) {
    const DType t = b.typeOf(x[0]);
    const int rest = b.op(Op::kRem, t, x[0], x[1]);
    if (isOfC || isFloat(t) || !isSigned(t)) return rest;
    const int zero = b.integer(t, 0);
    const auto isBelow = [&](int v) { return b.op(Op::kCmpLt, DType::kU8, v, zero); };
    const int differ = b.op(Op::kXor, DType::kU8, isBelow(rest), isBelow(x[1]));
    const int moves = b.op(Op::kAnd, DType::kU8, differ, b.op(Op::kCmpNe, DType::kU8, rest, zero));
    return b.op(Op::kSelect, t, moves, b.op(Op::kAdd, t, rest, x[1]), rest);
  });
}

Status where(Importer &m, const Operator &op) {
  return elementwise(m, op, 3, {}, [](Body &b, const std::vector<int> &x) {
    return b.op(Op::kSelect, b.typeOf(x[1]), x[0], x[1], x[2]);
  });
}

Status notOf(Importer &m, const Operator &op) {
  return elementwise(m, op, 1, {}, [](Body &b, const std::vector<int> &x) {
    return b.op(Op::kCmpEq, DType::kU8, x[0], b.integer(DType::kU8, 0));
  });
}

Status prelu(Importer &m, const Operator &op) {
  return elementwise(m, op, 2, {}, [](Body &b, const std::vector<int> &x) {
    Floats f(b, b.typeOf(x[0]));
    return f.choose(f.is(Op::kCmpLt, x[0], 0.0), f.mul(x[0], x[1]), x[0]);
  });
}

/// ONNX's numbers of element types.
std::optional<DType> typeNumbered(std::int64_t number) {
  switch (number) {
    case 1:
      return DType::kF32;
    case 2:
    case 9:  // bool
      return DType::kU8;
    case 3:
      return DType::kI8;
    case 4:
      return DType::kU16;
    case 5:
      return DType::kI16;
    case 6:
      return DType::kI32;
    case 7:
      return DType::kI64;
    case 10:
      return DType::kF16;
    case 11:
      return DType::kF64;
    case 12:
      return DType::kU32;
    case 13:
      return DType::kU64;
    case 16:
      return DType::kBF16;
    default:
      return std::nullopt;
  }
}

Status cast(Importer &m, const Operator &op) {
  const std::int64_t number = m.attribute(op, "to", std::int64_t{1});
  const std::optional<DType> to = typeNumbered(number);
  if (!to) return Importer::wrong(op, "model-type", "a cast to a type that kernels do not have", "use numbers");
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  if (x->type == *to && number != 9) {
    m.give(op, 0, *x);
    return okStatus();
  }
  return elementwise(m, op, 1, to, [&](Body &b, const std::vector<int> &v) {
    if (number != 9) return b.cast(*to, v[0]);
    const DType t = b.typeOf(v[0]);
    return b.op(Op::kCmpNe, DType::kU8, v[0], isFloat(t) ? b.real(t, 0) : b.integer(t, 0));
  });
}

}  // namespace

void addElementwise(Handlers &h) {
  h.byKind.insert({{"Add", binary<Op::kAdd>},
                   {"Sub", binary<Op::kSub>},
                   {"Mul", binary<Op::kMul>},
                   {"Div", binary<Op::kDiv>},
                   {"Mod", modulo},
                   {"And", binary<Op::kAnd>},
                   {"Or", binary<Op::kOr>},
                   {"Xor", binary<Op::kXor>},
                   {"Min", several<Op::kMin>},
                   {"Max", several<Op::kMax>},
                   {"Sum", several<Op::kAdd>},
                   {"Relu", unary<Op::kRelu>},
                   {"Abs", unary<Op::kAbs>},
                   {"Neg", unary<Op::kNeg>},
                   {"Exp", unary<Op::kExp>},
                   {"Log", unary<Op::kLog>},
                   {"Sqrt", unary<Op::kSqrt>},
                   {"Tanh", unary<Op::kTanh>},
                   {"Equal", comparison<Op::kCmpEq>},
                   {"Less", comparison<Op::kCmpLt>},
                   {"LessOrEqual", comparison<Op::kCmpLe>},
                   {"Greater", comparison<Op::kCmpGt>},
                   {"GreaterOrEqual", comparison<Op::kCmpGe>},
                   {"Not", notOf},
                   {"Where", where},
                   {"Sigmoid", sigmoid},
                   {"Silu", silu},
                   {"Erf", erf},
                   {"Sin", sine},
                   {"Cos", cosine},
                   {"Floor", floorOf},
                   {"Ceil", ceilOf},
                   {"Round", roundOf},
                   {"Reciprocal", reciprocal},
                   {"Softplus", softplus},
                   {"LeakyRelu", leakyRelu},
                   {"PRelu", prelu},
                   {"Elu", elu},
                   {"HardSigmoid", hardSigmoid},
                   {"HardSwish", hardSwish},
                   {"Gelu", gelu},
                   {"Pow", power},
                   {"Clip", clip},
                   {"Cast", cast}});
}

}  // namespace pimento::frontend::model
