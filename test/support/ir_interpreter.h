// What a module of ir_model.h computes, found out without LLVM: values bit by bit in 128-bit integers.
//
// Also notes of every instruction which promises (nsw, exact, nneg, ...) held whenever it was executed. Nothing comes
// back where the module has undefined behaviour, which its maker avoids but a reducer may bring in.
#pragma once

#include <algorithm>
#include <cmath>

#include "test/support/ir_model.h"

namespace pimento::test {

struct IrAnswer {
  std::vector<std::uint8_t> out;                  ///< of @out
  std::vector<std::vector<std::uint8_t>> memory;  ///< of the module's areas
};

class IrInterpreter {
 public:
  explicit IrInterpreter(IrModule &module) : module_(module) {}

  std::optional<IrAnswer> run(std::int64_t most = 200000) {
    left_ = most;
    IrAnswer answer;
    for (IrFunction &f : module_.functions)
      for (IrInstruction &i : f.values) {
        i.isExecuted = false;
        i.nuw = i.nsw = i.exact = i.disjoint = i.nneg = i.nonzero = true;
      }
    for (const IrArea &area : module_.areas) answer.memory.push_back(area.bytes);
    memory_ = &answer.memory;
    for (const IrCall &c : module_.calls) {
      const IrType &type = module_.functions[static_cast<std::size_t>(c.function)].result;
      IrLanes result = call(c.function, c.arguments);
      for (unsigned lane = 0; lane < type.lanes; ++lane) {
        IrWord word = result[lane];
        if (!type.isInt() && isNan(type, word))
          word = type.bits == 32 ? IrWord{0x7fc00000} : IrWord{0x7ff8000000000000};
        for (int byte = 0; byte < 16; ++byte) answer.out.push_back(static_cast<std::uint8_t>(word >> (8 * byte)));
      }
    }
    if (left_ < 0 || isUndefined_) return std::nullopt;
    return answer;
  }

  static bool isNan(const IrType &type, IrWord bits) { return std::isnan(number(type, bits)); }

 private:
  struct Frame {
    std::vector<IrLanes> values;
    std::vector<std::vector<std::uint8_t>> areas;
  };

  static IrSigned asSigned(IrWord x, unsigned bits) {
    return bits == 128 ? static_cast<IrSigned>(x) : static_cast<IrSigned>(x << (128 - bits)) >> (128 - bits);
  }
  static double number(const IrType &type, IrWord bits) {
    return type.bits == 32 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))}
                           : std::bit_cast<double>(static_cast<std::uint64_t>(bits));
  }
  template <typename From>
  static IrWord floating(const IrType &type, From x) {
    return type.bits == 32 ? IrWord{std::bit_cast<std::uint32_t>(static_cast<float>(x))}
                           : IrWord{std::bit_cast<std::uint64_t>(static_cast<double>(x))};
  }

  IrLanes of(const Frame &frame, const IrOperand &o) const {
    return o.value < 0 ? o.constant : frame.values[static_cast<std::size_t>(o.value)];
  }

  IrLanes call(int number, const std::vector<IrLanes> &arguments) {
    IrFunction &f = module_.functions[static_cast<std::size_t>(number)];
    Frame frame;
    frame.values.resize(f.values.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) frame.values[i] = arguments[i];
    for (const IrArea &area : f.areas) frame.areas.emplace_back(area.bytes.size());
    for (int block = 0, before = -1; left_ >= 0 && !isUndefined_;) {
      const IrBlock &b = f.blocks[static_cast<std::size_t>(block)];
      phis(f, b, before, frame);
      for (const int value : b.instructions) {
        IrInstruction &i = f.values[static_cast<std::size_t>(value)];
        if (i.op == IrOp::kPhi || i.isRemoved) continue;
        --left_;
        IrLanes &result = frame.values[static_cast<std::size_t>(value)];
        result = i.forced ? *i.forced : execute(i, frame);
        note(i, result);
      }
      --left_;
      const int next = successor(b, frame);
      if (next < 0) return of(frame, b.operands[0]);
      before = std::exchange(block, next);
    }
    return {};
  }

  static void note(IrInstruction &i, const IrLanes &result) {
    if (!i.isExecuted) i.seen = result;
    i.isExecuted = true;
  }

  void phis(IrFunction &f, const IrBlock &block, int before, Frame &frame) {
    std::vector<std::pair<int, IrLanes>> all;
    for (const int value : block.instructions) {
      IrInstruction &i = f.values[static_cast<std::size_t>(value)];
      if (i.op != IrOp::kPhi) break;
      if (i.isRemoved) continue;
      for (std::size_t k = 0; k < i.from.size(); ++k)
        if (i.from[k] == before) all.emplace_back(value, i.forced ? *i.forced : of(frame, i.operands[k]));
    }
    for (const auto &[value, lanes] : all) {
      frame.values[static_cast<std::size_t>(value)] = lanes;
      note(f.values[static_cast<std::size_t>(value)], lanes);
    }
  }

  int successor(const IrBlock &block, const Frame &frame) const {
    if (block.next.empty()) return -1;
    if (block.next.size() == 1) return block.next[0];
    const IrWord on = of(frame, block.operands[0])[0];
    if (block.cases.empty()) return block.next[on != 0 ? 0 : 1];
    const auto found = std::find(block.cases.begin(), block.cases.end(), on);
    return found == block.cases.end() ? block.next[0]
                                      : block.next[static_cast<std::size_t>(found - block.cases.begin()) + 1];
  }

  IrLanes execute(IrInstruction &i, Frame &frame) {
    std::vector<IrLanes> in;
    for (const IrOperand &o : i.operands) in.push_back(of(frame, o));
    IrLanes result{};
    const auto each = [&](auto &&one) {
      for (unsigned lane = 0; lane < i.type.lanes; ++lane) result[lane] = one(lane) & i.type.mask();
    };
    switch (i.op) {
      case IrOp::kBinary:
        each([&](unsigned l) { return binary(i, in[0][l], in[1][l]); });
        break;
      case IrOp::kCompare:
        each([&](unsigned l) { return IrWord{compare(i, in[0][l], in[1][l])}; });
        break;
      case IrOp::kSelect:
        each([&](unsigned l) { return in[0][i.operands[0].type.isScalar() ? 0 : l] != 0 ? in[1][l] : in[2][l]; });
        break;
      case IrOp::kCast:
        if (i.name == "bitcast") return recut(i.operands[0].type, i.type, in[0]);
        each([&](unsigned l) { return cast(i, in[0][l]); });
        break;
      case IrOp::kIntrinsic:
        if (i.name.starts_with("vector.reduce")) return {reduce(i, in[0])};
        each([&](unsigned l) { return intrinsic(i, in, l); });
        break;
      case IrOp::kOverflow:
        each([&](unsigned l) { return overflow(i, in[0][l], in[1][l]); });
        break;
      case IrOp::kFneg:
        each([&](unsigned l) { return in[0][l] ^ IrWord { 1 } << (i.type.bits - 1); });
        break;
      case IrOp::kFreeze:
        return in[0];
      case IrOp::kExtract:
        return {in[0][static_cast<std::size_t>(in[1][0]) % 4]};
      case IrOp::kInsert:
        result = in[0];
        result[static_cast<std::size_t>(in[2][0]) % 4] = in[1][0];
        break;
      case IrOp::kShuffle: {
        const unsigned lanes = i.operands[0].type.lanes;
        each([&](unsigned l) {
          const auto from = static_cast<std::size_t>(i.lanes[l]);
          return from < lanes ? in[0][from] : in[1][from - lanes];
        });
        break;
      }
      case IrOp::kCall:
        return call(i.callee, in);
      case IrOp::kPhi:
        break;
      default:
        return memory(i, in, frame);
    }
    return result;
  }

  // ---- numbers

  IrWord binary(IrInstruction &i, IrWord a, IrWord b) {
    const unsigned bits = i.type.bits;
    const std::string &n = i.name;
    if (!i.type.isInt()) return floatBinary(i, a, b);
    const IrSigned x = asSigned(a, bits), y = asSigned(b, bits);
    const auto result = [&](IrWord exact, IrSigned exactSigned, bool isCarry, bool isOverflow) {
      const IrWord cut = exact & i.type.mask();
      i.nuw &= !isCarry && cut == exact;
      i.nsw &= !isOverflow && asSigned(cut, bits) == exactSigned;
      return cut;
    };
    if (n == "and") return a & b;
    if (n == "xor") return a ^ b;
    if (n == "or") {
      i.disjoint &= (a & b) == 0;
      return a | b;
    }
    IrSigned s = 0;
    IrWord u = 0;
    if (n == "add") {
      const bool carry = __builtin_add_overflow(a, b, &u), over = __builtin_add_overflow(x, y, &s);
      return result(u, s, carry, over);
    }
    if (n == "sub") {
      const bool carry = __builtin_sub_overflow(a, b, &u), over = __builtin_sub_overflow(x, y, &s);
      return result(u, s, carry, over);
    }
    if (n == "mul") {
      const bool carry = __builtin_mul_overflow(a, b, &u), over = __builtin_mul_overflow(x, y, &s);
      return result(u, s, carry, over);
    }
    return n == "shl" || n == "lshr" || n == "ashr" ? shift(i, a, b) : divide(i, a, b);
  }

  IrWord shift(IrInstruction &i, IrWord a, IrWord b) {
    const unsigned bits = i.type.bits;
    if (b >= bits) {
      isUndefined_ = true;
      return 0;
    }
    const auto by = static_cast<unsigned>(b);
    if (i.name == "shl") {
      const IrWord cut = (a << by) & i.type.mask();
      i.nuw &= cut >> by == a;
      i.nsw &= asSigned(cut, bits) >> by == asSigned(a, bits);
      return cut;
    }
    i.exact &= ((a >> by) << by) == a;
    return i.name == "lshr" ? a >> by : static_cast<IrWord>(asSigned(a, bits) >> by);
  }

  IrWord divide(IrInstruction &i, IrWord a, IrWord b) {
    const unsigned bits = i.type.bits;
    const IrSigned x = asSigned(a, bits), y = asSigned(b, bits);
    const bool isSigned = i.name[0] == 's';
    if (b == 0 || (isSigned && y == -1)) {
      isUndefined_ = true;
      return 0;
    }
    i.exact &= isSigned ? x % y == 0 : a % b == 0;
    if (i.name == "udiv") return a / b;
    if (i.name == "urem") return a % b;
    return static_cast<IrWord>(i.name == "sdiv" ? x / y : x % y);
  }

  static IrWord floatBinary(const IrInstruction &i, IrWord a, IrWord b) {
    const auto compute = [&](auto x, auto y) {
      if (i.name == "fadd") return x + y;
      if (i.name == "fsub") return x - y;
      return i.name == "fmul" ? x * y : x / y;
    };
    if (i.type.bits == 32)
      return floating(i.type, compute(static_cast<float>(number(i.type, a)), static_cast<float>(number(i.type, b))));
    return floating(i.type, compute(number(i.type, a), number(i.type, b)));
  }

  static bool compare(const IrInstruction &i, IrWord a, IrWord b) {
    const IrType &type = i.operands[0].type;
    const std::string p = i.name.substr(5);
    if (type.isInt()) {
      const IrSigned x = asSigned(a, type.bits), y = asSigned(b, type.bits);
      if (p == "eq") return a == b;
      if (p == "ne") return a != b;
      const bool isLess = p[0] == 'u' ? a < b : x < y, isEqual = a == b;
      return p[1] == 'l' ? isLess || (p[2] == 'e' && isEqual) : (!isLess && !isEqual) || (p[2] == 'e' && isEqual);
    }
    const double x = number(type, a), y = number(type, b);
    const bool isUnordered = std::isunordered(x, y);
    if (p == "true") return true;
    if (p == "false") return false;
    if (p == "ord") return !isUnordered;
    if (p == "uno") return isUnordered;
    if (isUnordered) return p[0] == 'u';
    const std::string_view relation = std::string_view(p).substr(1);
    return relation == "eq"   ? x == y
           : relation == "ne" ? x != y
           : relation == "lt" ? x < y
           : relation == "le" ? x <= y
           : relation == "gt" ? x > y
                              : x >= y;
  }

  static IrWord cast(IrInstruction &i, IrWord a) {
    const IrType &from = i.operands[0].type;
    const IrSigned x = asSigned(a, from.bits);
    const std::string &n = i.name;
    if (n == "trunc") {
      const IrWord cut = a & i.type.mask();
      i.nuw &= cut == a;
      i.nsw &= asSigned(cut, i.type.bits) == x;
      return cut;
    }
    if (n == "zext" || n == "uitofp") i.nneg &= x >= 0;
    if (n == "zext") return a;
    if (n == "sext") return static_cast<IrWord>(x);
    if (n == "uitofp") return floating(i.type, a);
    if (n == "sitofp") return floating(i.type, x);
    return floating(i.type, number(from, a));  // fpext, fptrunc
  }

  static IrLanes recut(const IrType &from, const IrType &to, const IrLanes &in) {
    IrWord all = 0;
    for (unsigned l = from.lanes; l-- > 0;) all = (from.bits == 128 ? 0 : all << from.bits) | in[l];
    IrLanes result{};
    for (unsigned l = 0; l < to.lanes; ++l) {
      result[l] = all & to.mask();
      all = to.bits == 128 ? 0 : all >> to.bits;
    }
    return result;
  }

  IrWord overflow(const IrInstruction &i, IrWord a, IrWord b) {
    IrInstruction exact;
    exact.type = i.operands[0].type;
    exact.name = i.name.substr(1);
    const IrWord value = binary(exact, a, b);
    return i.part == 0 ? value : IrWord{!(i.name[0] == 's' ? exact.nsw : exact.nuw)};
  }

  static IrWord reduce(const IrInstruction &i, const IrLanes &in) {
    const IrType &type = i.operands[0].type;
    IrWord all = in[0];
    for (unsigned l = 1; l < type.lanes; ++l) {
      const IrSigned x = asSigned(all, type.bits), y = asSigned(in[l], type.bits);
      const std::string what = i.name.substr(14);
      all = what == "add"    ? all + in[l]
            : what == "mul"  ? all * in[l]
            : what == "and"  ? all & in[l]
            : what == "or"   ? all | in[l]
            : what == "xor"  ? all ^ in[l]
            : what == "smax" ? (x > y ? all : in[l])
            : what == "smin" ? (x < y ? all : in[l])
            : what == "umax" ? std::max(all, in[l])
                             : std::min(all, in[l]);
      all &= type.mask();
    }
    return all;
  }

  static unsigned leading(IrWord x, unsigned bits) {
    unsigned n = 0;
    while (n < bits && (x >> (bits - 1 - n) & 1) == 0) ++n;
    return n;
  }
  static unsigned trailing(IrWord x, unsigned bits) {
    unsigned n = 0;
    while (n < bits && (x >> n & 1) == 0) ++n;
    return n;
  }
  static IrWord reversed(IrWord x, unsigned bits, unsigned unit) {
    IrWord y = 0;
    for (unsigned n = 0; n < bits; n += unit) y |= ((x >> n) & ((IrWord{1} << unit) - 1)) << (bits - unit - n);
    return y;
  }

  IrWord intrinsic(IrInstruction &i, const std::vector<IrLanes> &in, unsigned l) {
    const IrWord a = in[0][l], b = in.size() > 1 ? in[1][l] : 0;
    const unsigned bits = i.type.bits;
    const std::string &n = i.name;
    if (n == "fabs") return a & ~(IrWord{1} << (bits - 1));
    if (n.starts_with("fpto")) return saturated(i, a);
    const IrSigned x = asSigned(a, bits), y = asSigned(b, bits);
    if (n == "ctpop") {
      unsigned count = 0;
      for (unsigned k = 0; k < bits; ++k) count += (a >> k & 1) != 0;
      return count;
    }
    if (n == "ctlz" || n == "cttz") {
      i.nonzero &= a != 0;
      return n == "ctlz" ? leading(a, bits) : trailing(a, bits);
    }
    if (n == "bswap") return reversed(a, bits, 8);
    if (n == "bitreverse") return reversed(a, bits, 1);
    if (n == "abs") return static_cast<IrWord>(x < 0 ? -static_cast<IrWord>(x) : static_cast<IrWord>(x));
    if (n == "smin") return x < y ? a : b;
    if (n == "smax") return x > y ? a : b;
    if (n == "umin") return std::min(a, b);
    if (n == "umax") return std::max(a, b);
    if (n == "fshl" || n == "fshr") {
      const auto by = static_cast<unsigned>(in[2][l] % bits);
      if (by == 0) return n == "fshl" ? a : b;
      return n == "fshl" ? a << by | b >> (bits - by) : a << (bits - by) | b >> by;
    }
    return clamped(i, a, b);
  }

  // sadd.sat, ...
  IrWord clamped(const IrInstruction &i, IrWord a, IrWord b) {
    IrInstruction exact;
    exact.type = i.type;
    exact.name = i.name.substr(1, 3);
    const IrWord value = binary(exact, a, b), top = IrWord{1} << (i.type.bits - 1);
    if (i.name[0] == 'u') return exact.nuw ? value : exact.name == "sub" ? 0 : i.type.mask();
    if (exact.nsw) return value;
    return (a & top) != 0 ? top : top - 1;
  }

  static IrWord saturated(const IrInstruction &i, IrWord a) {
    const double x = number(i.operands[0].type, a);
    const bool isSigned = i.name == "fptosi.sat";
    const double beyond = std::ldexp(1.0, static_cast<int>(i.type.bits) - (isSigned ? 1 : 0));
    if (std::isnan(x)) return 0;
    if (x >= beyond) return isSigned ? i.type.mask() >> 1 : i.type.mask();
    if (x <= (isSigned ? -beyond : 0)) return isSigned ? IrWord{1} << (i.type.bits - 1) : 0;
    return x < 0 ? -static_cast<IrWord>(-x) : static_cast<IrWord>(x);
  }

  // ---- memory

  std::vector<std::uint8_t> &area(int number, Frame &frame) {
    const std::size_t n = static_cast<std::size_t>(number), shared = memory_->size();
    return n < shared ? (*memory_)[n] : frame.areas[n - shared];
  }

  IrLanes memory(const IrInstruction &i, const std::vector<IrLanes> &in, Frame &frame) {
    const IrAccess &a = i.access;
    std::vector<std::uint8_t> &to = area(a.area, frame);
    const std::size_t index = a.mask == 0 ? 0 : static_cast<std::size_t>(in[0][0]) & a.mask,
                      at = a.offset + index * a.scale;
    IrLanes result{};
    if (i.op == IrOp::kLoad) {
      IrWord all = 0;
      for (unsigned byte = i.type.bytes(); byte-- > 0;) all = all << 8 | to.at(at + byte);
      return recut(i.type.with(i.type.bits * i.type.lanes).lane(), i.type, {all});
    }
    if (i.op == IrOp::kStore) {
      const IrType &type = i.operands[1].type;
      const IrWord all = recut(type, type.with(type.bits * type.lanes).lane(), in[1])[0];
      for (unsigned byte = 0; byte < type.bytes(); ++byte)
        to.at(at + byte) = static_cast<std::uint8_t>(all >> (8 * byte));
    } else if (i.op == IrOp::kFill) {
      const auto first = to.begin() + a.offset;
      std::fill(first, first + static_cast<std::ptrdiff_t>(in[1][0]), static_cast<std::uint8_t>(in[0][0]));
    } else {
      const std::vector<std::uint8_t> from = area(a.source, frame);
      const auto first = from.begin() + a.sourceOffset;
      std::copy(first, first + static_cast<std::ptrdiff_t>(in[0][0]), to.begin() + a.offset);
    }
    return result;
  }

  IrModule &module_;
  std::vector<std::vector<std::uint8_t>> *memory_ = nullptr;
  std::int64_t left_ = 0;
  bool isUndefined_ = false;
};

}  // namespace pimento::test
