#include "pimento/targets/hbm_pim/microkernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/dtype.h"

namespace pimento::targets::hbm_pim {

using program::Purpose;
using program::hbm_pim::Opcode;
using program::hbm_pim::Source;

namespace {

constexpr int kColumnsPerStep = 8;  // AAM: one instruction covers eight columns

Instruction compute(Opcode op, Source dst, Source src0, Source src1) {
  Instruction i;
  i.op = op;
  i.dst = dst;
  i.src0 = src0;
  i.src1 = src1;
  i.isAam = true;
  return i;
}

Instruction transfer(Opcode op, Source dst, Source src, bool isRelu) {
  Instruction i;
  i.op = op;
  i.dst = dst;
  i.src0 = src;
  i.isAam = op != Opcode::kFill;  // FILL always covers eight commands
  i.isRelu = isRelu;
  return i;
}

Instruction jump(std::int64_t count, int back) {
  Instruction i;
  i.op = Opcode::kJump;
  i.jumpCount = static_cast<int>(count);
  i.jumpOffset = back;
  return i;
}

Instruction nop(int count) {
  Instruction i;
  i.op = Opcode::kNop;
  i.nopCount = count;
  return i;
}

Instruction exitInstruction() {
  Instruction i;
  i.op = Opcode::kExit;
  return i;
}

/// Emits one bank pass of an element-wise kernel. Register `kMain` ends with the result, `kSpare` is free.
class PassEmitter {
 public:
  PassEmitter(ElementwiseCode &code, bool isOdd)
      : code_(code), isOdd_(isOdd), bank_(isOdd ? Source::kOddBank : Source::kEvenBank) {}

  std::vector<Instruction> instructions;
  std::vector<Step> steps;
  bool isTooDeep = false;

  void expression(const Chain &c) { evaluate(c, 0); }
  /// One more term for the main register, which holds what there was before.
  void accumulate(const Chain &term, bool isProduct) {
    using Kind = Chain::Kind;
    const Opcode op = isProduct ? Opcode::kMul : Opcode::kAdd;
    const Source sum = file(0), spare = file(1);
    const bool isMultiple = !isProduct && term.kind == Kind::kMul && term.arguments[0].arguments.empty() &&
                            term.arguments[1].arguments.empty();
    if (term.kind == Kind::kLoad) return read(compute(op, sum, sum, bank_), term, Purpose::kPimAlu);
    if (isMultiple) {
      const Chain *a = &term.arguments[0], *b = &term.arguments[1];
      if (rank(*a) < rank(*b)) std::swap(a, b);
      if (b->kind == Kind::kConstant)
        return read(compute(Opcode::kMac, sum, bank_, Source::kSrfM), *a, Purpose::kPimMac);
      evaluate(*a, 1);
      return multiplyAccumulate(sum, spare, *b);
    }
    evaluate(term, 1);
    move(compute(op, sum, sum, spare), Purpose::kPimAlu);
  }
  void start() { instructions.push_back(transfer(Opcode::kMov, file(0), Source::kSrfA, false)); }

  void store(int region) {
    instructions.push_back(nop(kColumnsPerStep - 1));
    steps.push_back({true, region, Purpose::kPimStore});
  }

 private:
  // Register 0 is the file that can be stored to this bank.
  Source file(int reg) const { return (reg == 0) != isOdd_ ? Source::kGrfA : Source::kGrfB; }

  int region(const Chain &load) {
    const auto it = std::find(code_.loads.begin(), code_.loads.end(), load.load);
    PIMENTO_CHECK(it != code_.loads.end());
    return static_cast<int>(it - code_.loads.begin());
  }

  void read(Instruction i, const Chain &load, Purpose purpose) {
    instructions.push_back(i);
    lastRegion_ = region(load);
    steps.push_back({false, lastRegion_, purpose});
  }

  void move(Instruction i, Purpose purpose) {
    instructions.push_back(i);
    steps.push_back({false, lastRegion_, purpose});
  }

  /// MAC takes GRF_A's number from other address bits than the destination's, so each of eight commands has a word.
  void multiplyAccumulate(Source sum, Source factor, const Chain &load) {
    for (int c = 0; c < kColumnsPerStep; ++c) {
      Instruction i = compute(Opcode::kMac, sum, factor, bank_);
      i.isAam = false;
      i.dstIndex = i.src0Index = c;
      instructions.push_back(i);
    }
    lastRegion_ = region(load);
    steps.push_back({false, lastRegion_, Purpose::kPimMac});
  }

  void evaluate(const Chain &c, int reg) {
    const Source dst = file(reg);
    switch (c.kind) {
      case Chain::Kind::kLoad:
        read(transfer(Opcode::kFill, dst, bank_, false), c, Purpose::kPimRead);
        break;
      case Chain::Kind::kConstant:
        move(transfer(Opcode::kMov, dst, Source::kSrfA, false), Purpose::kPimMove);
        break;
      case Chain::Kind::kRelu:
        relu(c.arguments[0], reg);
        break;
      case Chain::Kind::kAdd:
      case Chain::Kind::kMul:
        binary(c, reg);
        break;
    }
  }

  void relu(const Chain &argument, int reg) {
    const Source dst = file(reg);
    if (argument.kind == Chain::Kind::kLoad)
      return read(transfer(Opcode::kFill, dst, bank_, true), argument, Purpose::kPimRead);
    evaluate(argument, reg);
    move(transfer(Opcode::kMov, dst, dst, true), Purpose::kPimMove);
  }

  // Registers an expression needs beside its destination.
  static int need(const Chain &c) {
    if (c.arguments.empty()) return 0;
    if (c.arguments.size() == 1) return need(c.arguments[0]);
    const bool easy0 = c.arguments[0].arguments.empty(), easy1 = c.arguments[1].arguments.empty();
    const int n0 = need(c.arguments[0]), n1 = need(c.arguments[1]);
    if (easy0 || easy1) return std::max(n0, n1);
    return std::max({std::min(n0, n1) + 1, std::max(n0, n1)});
  }

  void binary(const Chain &c, int reg) {
    const bool isMultiply = c.kind == Chain::Kind::kMul;
    const Opcode op = isMultiply ? Opcode::kMul : Opcode::kAdd;
    const Source dst = file(reg);
    // Both operations commute: the simple operand (memory, constant) goes second.
    const Chain *a = &c.arguments[0], *b = &c.arguments[1];
    if (rank(*a) < rank(*b)) std::swap(a, b);
    if (b->kind == Chain::Kind::kConstant) {
      const Source scalar = isMultiply ? Source::kSrfM : Source::kSrfA;
      if (a->kind == Chain::Kind::kLoad) return read(compute(op, dst, bank_, scalar), *a, Purpose::kPimAlu);
      evaluate(*a, reg);
      return move(compute(op, dst, dst, scalar), Purpose::kPimAlu);
    }
    if (b->kind == Chain::Kind::kLoad) {
      evaluate(*a, reg);
      return read(compute(op, dst, dst, bank_), *b, Purpose::kPimAlu);
    }
    if (reg != 0) {  // only two files: nothing is left to hold this result
      isTooDeep = true;
      return;
    }
    if (need(*b) > need(*a)) std::swap(a, b);
    evaluate(*a, 0);
    evaluate(*b, 1);
    move(compute(op, dst, dst, file(1)), Purpose::kPimAlu);
  }

  static int rank(const Chain &c) {
    switch (c.kind) {
      case Chain::Kind::kConstant:
        return 0;
      case Chain::Kind::kLoad:
        return 1;
      default:
        return 2;
    }
  }

  ElementwiseCode &code_;
  bool isOdd_;
  Source bank_;
  int lastRegion_ = 0;
};

/// Finds the operand regions of an expression. One multiplicand and one addend fit the SRF; every further constant
/// becomes a region that the host fills with it.
class OperandCollector {
 public:
  OperandCollector(const kernel::Kernel &kernel, ElementwiseCode &code) : kernel_(kernel), code_(code) {}

  void visit(Chain &c, bool isFactor) {
    if (c.kind == Chain::Kind::kConstant) constant(c, isFactor);
    if (c.kind == Chain::Kind::kLoad && c.load >= 0) load(c);
    for (Chain &a : c.arguments) visit(a, c.kind == Chain::Kind::kMul);
  }

 private:
  void constant(Chain &c, bool isFactor) {
    std::optional<double> &scalar = isFactor ? code_.factor : code_.addend;
    // By bits: +0 and -0 are different constants.
    const auto isSame = [&](double x) { return encodeFloat(DType::kF16, x) == encodeFloat(DType::kF16, c.constant); };
    if (!scalar) scalar = c.constant;
    if (isSame(*scalar)) return;
    auto &list = code_.constants;
    const auto it = std::find_if(list.begin(), list.end(), isSame);
    c.kind = Chain::Kind::kLoad;
    c.load = ElementwiseCode::constantRegion(static_cast<int>(it - list.begin()));
    if (it != list.end()) return;
    list.push_back(c.constant);
    code_.loads.push_back(c.load);
  }

  void load(Chain &c) {
    for (const int l : code_.loads)
      if (l >= 0 && operandAccess(kernel_, l) == operandAccess(kernel_, c.load)) {
        c.load = l;
        return;
      }
    code_.loads.push_back(c.load);
  }

  const kernel::Kernel &kernel_;
  ElementwiseCode &code_;
};

Status checkLength(const ElementwiseCode &code, const kernel::Kernel &kernel, const machine::Machine &machine) {
  const auto words = static_cast<std::int64_t>(code.crf.size());
  if (words <= machine.pim->crfWords) return okStatus();
  return capacityError("too-long", kernel.where,
                       fmt::format("kernel '{}' needs {} instructions, but the CRF of a unit holds {}", kernel.name,
                                   words, machine.pim->crfWords),
                       "split it into several statements");
}

}  // namespace

Result<ElementwiseCode> compileElementwise(const kernel::Kernel &kernel, const Elementwise &pattern,
                                           const machine::Machine &machine, std::int64_t tiles) {
  ElementwiseCode code;
  std::vector<Chain> expressions = pattern.expressions;
  OperandCollector operands(kernel, code);
  for (Chain &c : expressions) operands.visit(c, false);
  // An expression of constants alone still needs a row to trigger it: its own result row.
  code.regions = static_cast<int>(code.loads.size() + expressions.size());
  for (const bool isOdd : {false, true}) {
    PassEmitter pass(code, isOdd);
    for (std::size_t e = 0; e < expressions.size(); ++e) {
      pass.expression(expressions[e]);
      pass.store(static_cast<int>(code.loads.size() + e));
    }
    if (pass.isTooDeep)
      return unsupported("too-deep", kernel.where,
                         fmt::format("kernel '{}' needs more than two intermediate results at once", kernel.name),
                         "split the expression into two statements; the first result is then stored in memory");
    code.crf.insert(code.crf.end(), pass.instructions.begin(), pass.instructions.end());
    code.steps = pass.steps;
  }
  if (tiles > 1) code.crf.push_back(jump(tiles - 1, static_cast<int>(code.crf.size())));
  code.crf.push_back(exitInstruction());
  if (const Status s = checkLength(code, kernel, machine); !s) return s.diagnostics();
  return code;
}

Result<ElementwiseCode> compileStreamed(const kernel::Kernel &kernel, const Streamed &pattern,
                                        const machine::Machine &machine, std::int64_t length) {
  ElementwiseCode code;
  code.addend = pattern.isProduct ? 1 : 0;
  Chain term = pattern.expression;
  if (pattern.isMasked) {
    code.loads.push_back(ElementwiseCode::kMask);
    term = {Chain::Kind::kMul, -1, 0, {std::move(term), {Chain::Kind::kLoad, ElementwiseCode::kMask, 0, {}}}};
  }
  OperandCollector(kernel, code).visit(term, false);
  code.regions = static_cast<int>(code.loads.size()) + 1;
  for (const bool isOdd : {false, true}) {
    PassEmitter pass(code, isOdd);
    pass.start();
    pass.accumulate(term, pattern.isProduct);
    if (pass.isTooDeep)
      return unsupported(
          "too-deep", kernel.where,
          fmt::format("kernel '{}' needs more than one intermediate result beside what it accumulates", kernel.name),
          "split the expression into two statements; the first result is then stored in memory");
    if (length > 1) pass.instructions.push_back(jump(length - 1, static_cast<int>(pass.instructions.size()) - 1));
    code.steps = pass.steps;
    pass.store(code.regions - 1);
    code.crf.insert(code.crf.end(), pass.instructions.begin(), pass.instructions.end());
  }
  code.crf.push_back(exitInstruction());
  if (const Status s = checkLength(code, kernel, machine); !s) return s.diagnostics();
  return code;
}

std::vector<Instruction> matVecMicrokernel(std::int64_t evenTiles, std::int64_t oddTiles, bool isTree) {
  const auto mac = [](Source bank) { return compute(Opcode::kMac, Source::kGrfB, Source::kGrfA, bank); };
  const auto clear = [] { return transfer(Opcode::kFill, Source::kGrfB, Source::kEvenBank, false); };
  constexpr std::int64_t kBurstsPerTile = 8;
  std::vector<Instruction> crf;
  if (!isTree) {
    crf.push_back(mac(Source::kEvenBank));
    crf.push_back(jump(kBurstsPerTile * evenTiles - 1, 1));
    if (oddTiles > 0) {
      crf.push_back(mac(Source::kOddBank));
      crf.push_back(jump(kBurstsPerTile * oddTiles - 1, 1));
    }
    crf.push_back(nop(kColumnsPerStep - 1));
    crf.push_back(exitInstruction());
    return crf;
  }
  for (const Source bank : {Source::kEvenBank, Source::kOddBank}) {
    if (bank == Source::kOddBank && oddTiles == 0) break;
    crf.push_back(mac(bank));
    crf.push_back(jump(kBurstsPerTile - 1, 1));
    crf.push_back(nop(kColumnsPerStep - 1));
    crf.push_back(clear());
  }
  if (evenTiles > 1) crf.push_back(jump(evenTiles - 1, static_cast<int>(crf.size())));
  crf.push_back(exitInstruction());
  return crf;
}

}  // namespace pimento::targets::hbm_pim
