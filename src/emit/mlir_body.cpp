#include "pimento/emit/mlir_body.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

namespace pimento::emit {

using kernel::Op;

std::string mlirType(DType type) {
  switch (type) {
    case DType::kF8E4M3:
      return "f8E4M3FN";
    case DType::kF8E5M2:
      return "f8E5M2";
    default:
      return isFloat(type) ? std::string(name(type)) : fmt::format("i{}", 8 * sizeOf(type).value);
  }
}

std::string mlirLiteral(DType type, double x) {
  if (!std::isfinite(x)) {
    return fmt::format("0x{:0{}X}", encodeFloat(type, x), 2 * sizeOf(type).value);
  }
  std::string text = fmt::format("{}", x);
  const std::size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

std::string MlirBody::line(const std::string &op) {
  const std::string result = fmt::format("{}{}", prefix_, next_++);
  out_ += fmt::format("{}{} = {}\n", indent_, result, op);
  return result;
}

std::string MlirBody::binary(Op op, DType type, const std::string &a, const std::string &b) {
  const bool isUnsigned = !isFloat(type) && !isSigned(type);
  const char *real = "", *integer = "", *natural = nullptr;
  switch (op) {
    case Op::kAdd:
      real = "addf", integer = "addi";
      break;
    case Op::kSub:
      real = "subf", integer = "subi";
      break;
    case Op::kMul:
      real = "mulf", integer = "muli";
      break;
    case Op::kDiv:
      real = "divf", integer = "divsi", natural = "divui";
      break;
    case Op::kRem:
      real = "remf", integer = "remsi", natural = "remui";
      break;
    case Op::kMin:
      real = "minnumf", integer = "minsi", natural = "minui";
      break;
    case Op::kMax:
      real = "maxnumf", integer = "maxsi", natural = "maxui";
      break;
    case Op::kAnd:
      integer = "andi";
      break;
    case Op::kOr:
      integer = "ori";
      break;
    case Op::kXor:
      integer = "xori";
      break;
    case Op::kShl:
      integer = "shli";
      break;
    case Op::kShr:
      integer = "shrsi", natural = "shrui";
      break;
    default:
      PIMENTO_CHECK(false);
  }
  const char *chosen = isFloat(type) ? real : isUnsigned && natural ? natural : integer;
  return line(fmt::format("arith.{} {}, {} : {}", chosen, a, b, mlirType(type)));
}

std::string MlirBody::combine(kernel::Combine how, const std::string &old, const std::string &term, DType type) {
  return how == kernel::Combine::kAssign ? term : binary(kernel::opOf(how), type, old, term);
}

/// A value as a number of its own type: comparisons, which are i1, become u8.
std::string MlirBody::wide(int value) {
  const std::string &from = names_[static_cast<std::size_t>(value)];
  return isBit(value) ? line(fmt::format("arith.extui {} : i1 to i8", from)) : from;
}

std::string MlirBody::writeCast(const std::string &from, DType fromType, DType to) {
  const std::string a = mlirType(fromType), b = mlirType(to);
  const auto convert = [&](const char *op) { return line(fmt::format("arith.{} {} : {} to {}", op, from, a, b)); };
  if (a == b) return from;
  const Bytes before = sizeOf(fromType), after = sizeOf(to);
  if (isFloat(fromType) && isFloat(to)) {
    if (before.value == after.value) {  // no op goes between formats of one width; f32 holds all of both
      return writeCast(writeCast(from, fromType, DType::kF32), DType::kF32, to);
    }
    return convert(before.value < after.value ? "extf" : "truncf");
  }
  if (isFloat(fromType)) return convert(isSigned(to) ? "fptosi" : "fptoui");
  if (isFloat(to)) return convert(isSigned(fromType) ? "sitofp" : "uitofp");
  if (before.value > after.value) return convert("trunci");
  return convert(isSigned(fromType) ? "extsi" : "extui");
}

std::string MlirBody::as(int value, DType type) {
  return writeCast(wide(value), kernel_.body[static_cast<std::size_t>(value)].type, type);
}

std::string MlirBody::bit(int value) {
  const auto v = static_cast<std::size_t>(value);
  if (isBit(value)) return names_[v];
  const DType type = kernel_.body[v].type;
  const std::string zero = line(fmt::format("arith.constant {} : {}", isFloat(type) ? "0.0" : "0", mlirType(type)));
  return line(
      fmt::format("arith.{}, {}, {} : {}", isFloat(type) ? "cmpf une" : "cmpi ne", names_[v], zero, mlirType(type)));
}

std::string MlirBody::index(int value) {
  const DType type = kernel_.body[static_cast<std::size_t>(value)].type;
  return line(
      fmt::format("arith.index_cast{} {} : {} to index", isSigned(type) ? "" : "ui", wide(value), mlirType(type)));
}

void MlirBody::open(const std::string &text) {
  out_ += indent_ + text + " {\n";
  indent_ += "  ";
}

void MlirBody::close() {
  indent_.resize(indent_.size() - 2);
  out_ += indent_ + "}\n";
}

std::string MlirBody::writeValue(const kernel::Value &v, std::size_t number) {
  const std::string type = mlirType(v.type);
  switch (v.op) {
    case Op::kConstant:
      return line(isFloat(v.type) ? fmt::format("arith.constant {} : {}", mlirLiteral(v.type, v.constant), type)
                                  : fmt::format("arith.constant {} : {}", v.integer, type));
    case Op::kLoad:
      return loads_(kernel_.loads[static_cast<std::size_t>(v.access)], v.access);
    case Op::kIndex:
      return line(fmt::format("arith.index_cast {} : index to {}", indices_[static_cast<std::size_t>(v.dim)], type));
    case Op::kCast: {
      const int from = v.args[0];
      return as(from, v.type);
    }
    case Op::kSelect: {
      const std::string condition = bit(v.args[0]);
      const std::string yes = wide(v.args[1]), no = wide(v.args[2]);
      return line(fmt::format("arith.select {}, {}, {} : {}", condition, yes, no, type));
    }
    default:
      break;
  }
  if (v.op >= Op::kCmpEq && v.op <= Op::kCmpGe) {
    static constexpr std::array<const char *, 6> kReal{"oeq", "une", "olt", "ole", "ogt", "oge"};
    static constexpr std::array<const char *, 6> kSigned{"eq", "ne", "slt", "sle", "sgt", "sge"};
    static constexpr std::array<const char *, 6> kUnsigned{"eq", "ne", "ult", "ule", "ugt", "uge"};
    const DType of = kernel_.body[static_cast<std::size_t>(v.args[0])].type;
    const auto p = static_cast<std::size_t>(v.op) - static_cast<std::size_t>(Op::kCmpEq);
    const std::string a = wide(v.args[0]), b = wide(v.args[1]);
    isBit_[number] = true;
    return line(fmt::format("arith.{} {}, {}, {} : {}", isFloat(of) ? "cmpf" : "cmpi",
                            isFloat(of) ? kReal[p] : (isSigned(of) ? kSigned[p] : kUnsigned[p]), a, b, mlirType(of)));
  }
  const std::string a = wide(v.args[0]);
  const auto zero = [&] { return line(fmt::format("arith.constant {} : {}", isFloat(v.type) ? "0.0" : "0", type)); };
  switch (v.op) {
    case Op::kNeg:
      if (isFloat(v.type)) return line(fmt::format("arith.negf {} : {}", a, type));
      return line(fmt::format("arith.subi {}, {} : {}", zero(), a, type));
    case Op::kAbs:
      if (!isFloat(v.type) && !isSigned(v.type)) return a;
      return line(fmt::format("math.{} {} : {}", isFloat(v.type) ? "absf" : "absi", a, type));
    case Op::kExp:
    case Op::kLog:
    case Op::kSqrt:
    case Op::kTanh:
      return line(fmt::format("math.{} {} : {}", kernel::name(v.op), a, type));
    case Op::kRelu: {
      if (!isFloat(v.type) && !isSigned(v.type)) return a;
      const std::string none = zero();
      return line(fmt::format("arith.{} {}, {} : {}", isFloat(v.type) ? "maximumf" : "maxsi", a, none, type));
    }
    default:
      return binary(v.op, v.type, a, wide(v.args[1]));
  }
}

void MlirBody::write() {
  std::vector<int> all(kernel_.body.size());
  std::iota(all.begin(), all.end(), 0);
  write(all);
}

void MlirBody::write(const std::vector<int> &values) {
  isBit_.assign(kernel_.body.size(), false);
  names_.assign(kernel_.body.size(), {});
  for (const int v : values) {
    const auto number = static_cast<std::size_t>(v);
    names_[number] = writeValue(kernel_.body[number], number);
  }
}

}  // namespace pimento::emit
