// Random modules of LLVM IR without undefined behaviour, as ir_model.h has them.
//
// Integers of 1 to 128 bits, odd widths too, float, double, small vectors; branches, switches and loops with phis;
// memory of any alignment; calls; intrinsics. No NaN's bits are looked at: they differ between machines.
#pragma once

#include <algorithm>

#include "test/support/random_ir_builder.h"

namespace pimento::test {

class RandomIr : private RandomIrBuilder {
 public:
  RandomIr(Choices &choices, const RandomIrOptions &options) : RandomIrBuilder(choices, options) {
    for (const char *name : {"memory", "more"}) {
      IrArea area{name, std::vector<std::uint8_t>(kAreaBytes)};
      for (std::uint8_t &b : area.bytes) b = static_cast<std::uint8_t>(choices_.below(256));
      module_.areas.push_back(area);
    }
    for (int i = 0; i < options.functions; ++i) function();
    for (int i = 0; i < options.functions; ++i)
      for (int k = 0; k < 3; ++k) call(i);
  }

  const IrModule &module() const { return module_; }

 private:
  static constexpr unsigned kAreaBytes = 64;

  void function() {
    IrFunction made;
    made.name = fmt::format("f{}", module_.functions.size());
    module_.functions.push_back(made);
    f_ = &module_.functions.back();
    static constexpr const char *kAttributes[] = {"noinline", "", "noinline optnone", "noinline minsize optsize"};
    f_->attributes = choices_.of(kAttributes);
    f_->isLeaf = module_.functions.size() == 1 || choices_.below(2) != 0;
    visible_.clear();
    for (int i = choices_.integer(0, 6); i > 0; --i) {
      const IrType t = type();
      static constexpr const char *kExtensions[] = {"", "zeroext ", "signext "};
      f_->parameters.push_back(t);
      f_->extensions.emplace_back(t.isInt() && t.isScalar() && t.bits < 32 ? choices_.of(kExtensions) : "");
      visible_.push_back(static_cast<int>(f_->values.size()));
      f_->values.push_back({IrOp::kFreeze, t, {}, {}});
    }
    f_->result = type();
    block_ = newBlock();
    for (int i = choices_.integer(0, 2); i > 0; --i) {
      f_->areas.push_back({fmt::format("area{}", f_->areas.size()), std::vector<std::uint8_t>(kAreaBytes)});
      const int area = static_cast<int>(module_.areas.size() + f_->areas.size()) - 1;
      const IrOperand byte = operand({IrType::Kind::kInt, 8, 1});
      emit({IrOp::kFill, {}, {}, {byte, constant(kIrI32, kAreaBytes)}, {}, {area, 0, 0, 1, 0, 0, 8}});
    }
    statements(choices_.integer(1, options_.statements), 0);
    // Much of what was computed ends up in the result, so that little is dead.
    IrOperand result = operand(f_->result);
    for (int i = 0; i < 6 && f_->result.isInt(); ++i) {
      const IrOperand turned = binary("mul", result, constant(f_->result, 37));
      result = binary("add", turned, operand(f_->result));
    }
    f_->blocks[static_cast<std::size_t>(block_)].operands = {result};
  }

  void call(int number) {
    IrCall c{number, {}};
    for (const IrType &t : module_.functions[static_cast<std::size_t>(number)].parameters) {
      IrLanes lanes{};
      for (unsigned l = 0; l < t.lanes; ++l) lanes[l] = laneConstant(t);
      c.arguments.push_back(lanes);
    }
    module_.calls.push_back(c);
  }

  // ---- control flow

  void statements(int count, int depth) {
    for (int i = 0; i < count; ++i) {
      const std::uint64_t which = choices_.below(depth < 3 ? 16 : 13);
      if (which < 13)
        instruction();
      else if (which == 13)
        diamond(depth);
      else if (which == 14)
        switchOn(depth);
      else
        loop(depth);
    }
  }

  IrOperand condition() {
    if (choices_.below(3) == 0) return operand(kIrI1);
    compare(choices_.below(4) == 0 && options_.hasFloats ? doubleType() : scalarInt());
    return {kIrI1, visible_.back()};
  }
  IrType scalarInt() {
    const IrType t = intType();
    return t.isScalar() ? t : kIrI32;
  }

  // Runs `arms`, each in a block of its own, then joins them with phis.
  void join(int arms, int depth, const std::vector<int> &entries, bool fallsThrough) {
    std::vector<IrType> types;
    for (int i = choices_.integer(0, 3); i > 0; --i) types.push_back(type());
    const int after = newBlock(), before = block_;
    std::vector<IrInstruction> phis;
    for (const IrType &t : types) phis.push_back({IrOp::kPhi, t});
    const std::vector<int> outside = visible_;
    for (int arm = 0; arm < arms; ++arm) {
      block_ = entries[static_cast<std::size_t>(arm)];
      statements(choices_.integer(0, 3), depth + 1);
      for (std::size_t i = 0; i < types.size(); ++i) phis[i].operands.push_back(operand(types[i]));
      for (IrInstruction &phi : phis) phi.from.push_back(block_);
      jump(after);
      visible_ = outside;
    }
    if (fallsThrough) {
      for (std::size_t i = 0; i < types.size(); ++i) {
        // No instruction may be added to the block that has branched already.
        phis[i].operands.push_back(constant(types[i]));
        phis[i].from.push_back(before);
      }
      for (int &next : f_->blocks[static_cast<std::size_t>(before)].next)
        if (next < 0) next = after;
    }
    block_ = after;
    for (IrInstruction &phi : phis) emit(std::move(phi));
  }

  void diamond(int depth) {
    const IrOperand on = condition();
    const int yes = newBlock();
    if (choices_.below(3) == 0) {
      branch(on, {yes, -1});
      return join(1, depth, {yes}, true);
    }
    const int no = newBlock();
    branch(on, {yes, no});
    join(2, depth, {yes, no}, false);
  }

  void switchOn(int depth) {
    IrType t = scalarInt();
    if (t.bits == 1 || t.bits > 64) t = kIrI32;
    IrOperand on = operand(t);
    const int count = choices_.integer(1, 7);
    const bool isDense = choices_.below(2) != 0 && t.bits >= 5;
    if (isDense) on = binary("urem", on, constant(t, static_cast<IrWord>(count + 1)));
    std::vector<int> entries = {newBlock()};
    std::vector<IrWord> cases;
    for (int i = 0; i < count; ++i) {
      const IrWord value = isDense ? static_cast<IrWord>(i) : laneConstant(t);
      if (std::find(cases.begin(), cases.end(), value) != cases.end()) continue;
      cases.push_back(value);
      entries.push_back(choices_.isOneIn(4) && entries.size() > 1 ? entries.back() : newBlock());
    }
    branch(on, entries);
    f_->blocks[static_cast<std::size_t>(block_)].cases = cases;
    std::vector<int> arms = entries;
    arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
    join(static_cast<int>(arms.size()), depth, arms, false);
  }

  // Counts at the end, or (`isWhile`) at the beginning.
  void loop(int depth) {
    const int before = block_, header = newBlock(), body = newBlock(), after = newBlock();
    const bool isWhile = choices_.below(2) != 0;
    std::vector<IrInstruction> phis = {{IrOp::kPhi, kIrI32, {}, {constant(kIrI32, 0)}, {before}}};
    for (int i = choices_.integer(0, 3); i > 0; --i) {
      const IrType t = type();
      phis.push_back({IrOp::kPhi, t, {}, {operand(t)}, {before}});
    }
    IrOperand times = constant(kIrI32, choices_.below(5));
    if (choices_.below(3) == 0) times = binary("and", operand(kIrI32), constant(kIrI32, 3));
    jump(header);
    block_ = header;
    const std::vector<int> outside = visible_;
    std::vector<int> carried;
    for (const IrInstruction &phi : phis) carried.push_back(emit(phi).value);
    const IrOperand counter{kIrI32, carried[0]};
    const std::vector<int> inHeader = visible_;
    if (isWhile) {
      const IrOperand goes = emit({IrOp::kCompare, kIrI1, "icmp ult", {counter, times}});
      branch(goes, {body, after});
    } else {
      jump(body);
    }
    block_ = body;
    statements(choices_.integer(1, depth == 0 ? 5 : 3), depth + 1);
    std::vector<IrOperand> next = {constant(kIrI32)};
    for (std::size_t i = 1; i < phis.size(); ++i) next.push_back(operand(phis[i].type));
    next[0] = binary("add", counter, constant(kIrI32, 1));
    if (isWhile) {
      jump(header);
    } else {
      const IrOperand goes = emit({IrOp::kCompare, kIrI1, "icmp ult", {next[0], times}});
      branch(goes, {header, after});
    }
    for (std::size_t i = 0; i < phis.size(); ++i) {
      IrInstruction &phi = f_->values[static_cast<std::size_t>(carried[i])];
      phi.operands.push_back(next[i]);
      phi.from.push_back(block_);
    }
    if (isWhile) {
      visible_ = inHeader;
    } else {
      visible_ = outside;
      visible_.insert(visible_.end(), carried.begin(), carried.end());
      for (const IrOperand &o : next)
        if (o.value >= 0) visible_.push_back(o.value);
    }
    block_ = after;
  }

  // ---- instructions

  void instruction() {
    switch (choices_.below(options_.hasFloats ? 14 : 11)) {
      case 0:
      case 1:
      case 2:
        return arithmetic(intType());
      case 3:
        return compare(type());
      case 4:
        return select();
      case 5:
        return intrinsic();
      case 6:
        return load();
      case 7:
        return store();
      case 8:
        return choices_.below(2) ? vector() : move();
      case 9:
        return callOther();
      case 10:
        return overflow();
      case 11:
      case 12:
        return floating();
      default:
        return convert();
    }
  }

  void arithmetic(const IrType &t) {
    static constexpr const char *kSimple[] = {"add", "sub", "mul", "and", "or", "xor", "add", "sub"};
    static constexpr const char *kShifts[] = {"shl", "lshr", "ashr"};
    static constexpr const char *kDivisions[] = {"udiv", "sdiv", "urem", "srem"};
    const std::uint64_t which = choices_.below(8);
    if (which < 5 || t.bits == 1) {
      const std::string name = choices_.of(kSimple);
      const IrOperand a = operand(t), b = operand(t);
      binary(name, a, b);
    } else if (which < 7) {
      const IrOperand a = operand(t);
      const std::string name = choices_.of(kShifts);
      binary(name, a, amount(t));
    } else if (t.bits <= 64) {
      const IrOperand a = operand(t);
      const std::string name = choices_.of(kDivisions);
      IrOperand b = operand(t);
      if (choices_.below(2))
        b = constant(t, 1 + choices_.below(std::min<std::uint64_t>(200, (std::uint64_t{1} << (t.bits - 1)) - 1)));
      else if (name[0] == 's')  // neither 0 nor -1
        b = binary("or", binary("lshr", b, constant(t, 1)), constant(t, 1));
      else
        b = binary("or", b, constant(t, 1));
      binary(name, a, b);
    } else {
      const IrOperand a = operand(t), b = operand(t);
      binary("mul", a, b);
    }
  }
  IrOperand amount(const IrType &t) {
    if (choices_.below(2)) return constant(t, choices_.below(t.bits));
    if (std::has_single_bit(t.bits)) return binary("and", operand(t), constant(t, t.bits - 1));
    if (t.bits > 64) return constant(t, choices_.below(t.bits));
    return binary("urem", operand(t), constant(t, t.bits));
  }

  void compare(const IrType &t) {
    static constexpr const char *kInt[] = {"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"};
    static constexpr const char *kFloat[] = {"oeq", "ogt", "oge", "olt", "ole", "one", "ord",  "ueq",
                                             "ugt", "uge", "ult", "ule", "une", "uno", "true", "false"};
    const std::string name =
        t.isInt() ? std::string("icmp ") + choices_.of(kInt) : std::string("fcmp ") + choices_.of(kFloat);
    const IrOperand a = operand(t), b = operand(t);
    emit({IrOp::kCompare, t.with(1), name, {a, b}});
  }

  void select() {
    const IrType t = type();
    IrOperand on = operand(kIrI1);
    if (on.value < 0) on = condition();
    const IrOperand yes = operand(t), no = operand(t);
    emit({IrOp::kSelect, t, {}, {on, yes, no}});
  }

  void intrinsic() {
    static constexpr const char *kOne[] = {"ctpop", "ctlz", "cttz", "bitreverse", "abs", "bswap"};
    static constexpr const char *kTwo[] = {"smin",     "smax",     "umin",     "umax",     "sadd.sat",
                                           "uadd.sat", "ssub.sat", "usub.sat", "sshl.sat", "ushl.sat"};
    static constexpr const char *kThree[] = {"fshl", "fshr"};
    IrType t = intType();
    if (t.bits == 1) t.bits = 32;
    switch (choices_.below(4)) {
      case 0: {
        const std::string name = choices_.of(kOne);
        if (name == "bswap" && t.bits % 16 != 0) t.bits = 32;
        if (t.lanes * t.bits > 128) t.lanes = 1;
        emit({IrOp::kIntrinsic, t, name, {operand(t)}});
        return;
      }
      case 1: {
        const std::string name = choices_.of(kThree);
        // LLVM knows no remainder for odd widths of more than 64 bits.
        const IrOperand a = operand(t), b = operand(t), by = t.bits > 64 ? constant(t) : operand(t);
        emit({IrOp::kIntrinsic, t, name, {a, b, by}});
        return;
      }
      default: {
        const std::string name = choices_.of(kTwo);
        const IrOperand a = operand(t), b = name.substr(1, 3) == "shl" ? amount(t) : operand(t);
        emit({IrOp::kIntrinsic, t, name, {a, b}});
      }
    }
  }

  void overflow() {
    static constexpr const char *kNames[] = {"sadd", "uadd", "ssub", "usub", "smul", "umul"};
    IrType t = scalarInt();
    if (t.bits > 64) t.bits = 64;
    const std::string name = choices_.of(kNames);
    const IrOperand a = operand(t), b = operand(t);
    IrInstruction i{IrOp::kOverflow, t, name, {a, b}};
    emit(i);
    i.part = 1;
    i.type = kIrI1;
    emit(i);
  }

  // An access that stays in its area: 31 bytes of index, 16 more of offset, 16 of the access.
  IrAccess access(unsigned bytes) {
    IrAccess a;
    a.area = static_cast<int>(choices_.below(module_.areas.size() + f_->areas.size()));
    a.scale = 1U << choices_.below(4);
    a.mask = choices_.below(3) == 0 ? 0 : (a.scale == 8 ? 3U : 32 / a.scale - 1);
    a.offset = static_cast<unsigned>(choices_.below(2) ? choices_.below(4) * 4 : choices_.below(17));
    if (bytes > 16) a.offset = 0, a.mask = 0;
    unsigned align = a.mask != 0 ? a.scale : 8;
    while (a.offset % align != 0) align /= 2;
    a.align = choices_.below(4) == 0 ? 1 : align;
    return a;
  }
  // All of whose bits memory holds, so that any bytes are a value.
  IrType memoryType() {
    IrType t = type();
    if (t.bits * t.lanes % 8 != 0 || t.bits % 8 != 0)
      t = choices_.below(2) ? kIrI32 : IrType{IrType::Kind::kInt, 24, 1};
    return t;
  }
  void load() {
    const IrType t = memoryType();
    const IrAccess a = access(t.bytes());
    std::vector<IrOperand> index;
    if (a.mask != 0) index.push_back(operand(kIrI32));
    emit({IrOp::kLoad, t, {}, index, {}, a});
  }
  void store() {
    const IrType t = memoryType();
    const IrAccess a = access(t.bytes());
    IrOperand index = constant(kIrI32, 0), value = operand(t);
    if (a.mask != 0) index = operand(kIrI32);
    if (!t.isInt()) value = withOneNan(value);
    emit({IrOp::kStore, {}, {}, {index, value}, {}, a});
  }
  IrOperand withOneNan(const IrOperand &value) {
    const IrType &t = value.type;
    const IrOperand isNan = emit({IrOp::kCompare, t.with(1), "fcmp uno", {value, constant(t, 0)}});
    const IrOperand nan = constant(t, t.bits == 32 ? IrWord{0x7fc00000} : IrWord{0x7ff8000000000000});
    return emit({IrOp::kSelect, t, {}, {isNan, nan, value}});
  }

  // memset, memcpy, memmove.
  void move() {
    const unsigned most = choices_.below(2) ? 8 : 32;
    IrOperand length = constant(kIrI32, choices_.below(most));
    if (choices_.below(2)) length = binary("and", operand(kIrI32), constant(kIrI32, most - 1));
    IrAccess a;
    a.area = static_cast<int>(choices_.below(module_.areas.size() + f_->areas.size()));
    a.source = static_cast<int>(choices_.below(module_.areas.size() + f_->areas.size()));
    a.align = 1U << choices_.below(4);
    a.offset = a.align * static_cast<unsigned>(choices_.below(32 / a.align));
    a.sourceOffset = a.align * static_cast<unsigned>(choices_.below(32 / a.align));
    if (choices_.below(3) == 0) {
      const IrOperand byte = operand({IrType::Kind::kInt, 8, 1});
      emit({IrOp::kFill, {}, {}, {byte, length}, {}, a});
    } else {
      emit({IrOp::kCopy, {}, a.area == a.source || choices_.below(2) ? "memmove" : "memcpy", {length}, {}, a});
    }
  }

  void callOther() {
    std::vector<int> others;
    for (std::size_t i = 0; i + 1 < module_.functions.size(); ++i)
      if (module_.functions[i].isLeaf) others.push_back(static_cast<int>(i));
    if (f_->isLeaf || others.empty()) return arithmetic(intType());
    const int callee = choices_.of(others);
    IrInstruction i{IrOp::kCall, module_.functions[static_cast<std::size_t>(callee)].result};
    for (const IrType &t : module_.functions[static_cast<std::size_t>(callee)].parameters)
      i.operands.push_back(operand(t));
    i.callee = callee;
    emit(std::move(i));
  }

  void vector() {
    if (!options_.hasVectors) return arithmetic(intType());
    const IrType t = vectorType();
    const IrOperand v = operand(t);
    IrOperand at = constant(kIrI32, choices_.below(t.lanes));
    switch (choices_.below(4)) {
      case 0:
        if (choices_.below(3) == 0) at = binary("and", operand(kIrI32), constant(kIrI32, t.lanes - 1));
        emit({IrOp::kExtract, t.lane(), {}, {v, at}});
        return;
      case 1:
        if (choices_.below(3) == 0) at = binary("and", operand(kIrI32), constant(kIrI32, t.lanes - 1));
        emit({IrOp::kInsert, t, {}, {v, operand(t.lane()), at}});
        return;
      case 2: {
        IrInstruction i{IrOp::kShuffle, t, {}, {v, operand(t)}};
        for (unsigned l = 0; l < t.lanes; ++l) i.lanes[l] = choices_.below(2 * t.lanes);
        emit(std::move(i));
        return;
      }
      default: {
        static constexpr const char *kNames[] = {"add", "and", "or", "xor", "smax", "smin", "umax", "umin", "mul"};
        if (!t.isInt()) return;
        emit({IrOp::kIntrinsic, t.lane(), std::string("vector.reduce.") + choices_.of(kNames), {v}});
      }
    }
  }

  // ---- floating point

  IrType anyFloat() {
    if (options_.hasVectors && choices_.isOneIn(6)) return {IrType::Kind::kFloat, 32, 2};
    return choices_.below(2) ? floatType() : doubleType();
  }
  void floating() {
    static constexpr const char *kNames[] = {"fadd", "fsub", "fmul", "fdiv"};
    const IrType t = anyFloat();
    const std::uint64_t which = choices_.below(6);
    if (which == 0)
      emit({IrOp::kFneg, t, {}, {operand(t)}});
    else if (which == 1)
      emit({IrOp::kIntrinsic, t, "fabs", {operand(t)}});
    else {
      const std::string name = choices_.of(kNames);
      const IrOperand a = operand(t), b = operand(t);
      binary(name, a, b);
    }
  }

  void convert() {
    const IrType t = choices_.below(2) ? floatType() : doubleType();
    IrType whole = scalarInt();
    if (whole.bits > 64) whole.bits = 64;
    switch (choices_.below(6)) {
      case 0:
      case 1:
        emit({IrOp::kCast, t, choices_.below(2) ? "sitofp" : "uitofp", {operand(whole)}});
        return;
      case 2:
        if (whole.bits < 8) whole.bits = 32;
        emit({IrOp::kIntrinsic, whole, choices_.below(2) ? "fptosi.sat" : "fptoui.sat", {operand(t)}});
        return;
      case 3:
        if (t.bits == 32)
          emit({IrOp::kCast, doubleType(), "fpext", {operand(t)}});
        else
          emit({IrOp::kCast, floatType(), "fptrunc", {operand(t)}});
        return;
      case 4:
        emit({IrOp::kCast, {IrType::Kind::kInt, t.bits, 1}, "bitcast", {withOneNan(operand(t))}});
        return;
      default:
        emit({IrOp::kCast, t, "bitcast", {operand({IrType::Kind::kInt, t.bits, 1})}});
    }
  }
};

}  // namespace pimento::test
