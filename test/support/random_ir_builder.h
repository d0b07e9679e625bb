// A function of random IR while it is made: types, constants, operands that are in sight, where the next instruction
// goes.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "test/support/choices.h"
#include "test/support/ir_model.h"

namespace pimento::test {

struct RandomIrOptions {
  int functions = 4, statements = 12;
  bool hasVectors = true, hasFloats = true, hasWide = true;  ///< wide: more than 64 bits
};

class RandomIrBuilder {
 protected:
  RandomIrBuilder(Choices &choices, const RandomIrOptions &options) : choices_(choices), options_(options) {}

  // ---- types and constants

  IrType type() {
    static constexpr unsigned kBits[] = {32, 32, 32, 64, 64, 8, 16, 1, 7, 24, 33, 5, 12, 31, 40, 48, 63};
    if (options_.hasFloats && choices_.isOneIn(6)) return choices_.below(2) ? floatType() : doubleType();
    if (options_.hasVectors && choices_.isOneIn(10)) return vectorType();
    if (options_.hasWide && choices_.isOneIn(30)) return {IrType::Kind::kInt, choices_.below(2) ? 128U : 65U, 1};
    return {IrType::Kind::kInt, choices_.of(kBits), 1};
  }
  IrType intType() {
    IrType t = type();
    while (!t.isInt()) t = {IrType::Kind::kInt, 32, 1};
    return t;
  }
  static IrType floatType() { return {IrType::Kind::kFloat, 32, 1}; }
  static IrType doubleType() { return {IrType::Kind::kDouble, 64, 1}; }
  IrType vectorType() {
    using enum IrType::Kind;
    static constexpr IrType kVectors[] = {{kInt, 32, 2}, {kInt, 8, 4}, {kInt, 16, 2}, {kInt, 32, 4},
                                          {kInt, 64, 2}, {kInt, 8, 2}, {kInt, 16, 4}, {kFloat, 32, 2}};
    return choices_.of(std::span(kVectors, options_.hasFloats ? 8 : 7));
  }

  IrWord laneConstant(const IrType &t) {
    if (t.isInt()) {
      const IrWord low = edgyNumber(choices_);
      return (t.bits > 64 ? low | IrWord{edgyNumber(choices_)} << 64 : low) & t.mask();
    }
    static constexpr double kPlain[] = {0,     1,   -1,   0.5,          2,    3,    0.1,  100,
                                        -7.25, 1e9, 1e-9, 4294967296.0, -0.0, 1e30, 1e-42};
    const double x = choices_.of(kPlain);
    return t.bits == 32 ? IrWord{std::bit_cast<std::uint32_t>(static_cast<float>(x))}
                        : IrWord{std::bit_cast<std::uint64_t>(x)};
  }
  IrOperand constant(const IrType &t) {
    IrOperand o{t};
    for (unsigned l = 0; l < t.lanes; ++l) o.constant[l] = laneConstant(t);
    return o;
  }
  static IrOperand constant(const IrType &t, IrWord value) {
    IrOperand o{t};
    for (unsigned l = 0; l < t.lanes; ++l) o.constant[l] = value;
    return o;
  }

  /// A value in sight of this type, or a constant; what does not exist is made of another value where that is easy.
  IrOperand operand(const IrType &t) {
    if (choices_.below(6) == 0) return constant(t);
    std::vector<int> fitting;
    for (const int v : visible_)
      if (f_->values[static_cast<std::size_t>(v)].type == t) fitting.push_back(v);
    if (!fitting.empty() && choices_.below(8) != 0) {
      // The latest ones more often: chains of dependent operations.
      const std::size_t at = choices_.below(2)
                                 ? fitting.size() - 1 - choices_.below(std::min<std::size_t>(6, fitting.size()))
                                 : choices_.below(fitting.size());
      return {t, fitting[at]};
    }
    if (t.isInt() && t.isScalar() && !visible_.empty()) {
      const int v = choices_.of(visible_);
      const IrType from = f_->values[static_cast<std::size_t>(v)].type;
      if (from.isInt() && from.isScalar() && from.bits != t.bits) {
        static constexpr const char *kExtend[] = {"zext", "sext"};
        return emit({IrOp::kCast, t, from.bits > t.bits ? "trunc" : choices_.of(kExtend), {{from, v}}});
      }
    }
    return fitting.empty() ? constant(t) : IrOperand{t, choices_.of(fitting)};
  }

  // ---- building

  IrOperand emit(IrInstruction i) {
    const int value = static_cast<int>(f_->values.size());
    const IrType t = i.type;
    const bool hasValue = i.hasValue();
    f_->values.push_back(std::move(i));
    f_->blocks[static_cast<std::size_t>(block_)].instructions.push_back(value);
    if (hasValue) visible_.push_back(value);
    return {t, value};
  }
  int newBlock() {
    f_->blocks.emplace_back();
    return static_cast<int>(f_->blocks.size()) - 1;
  }
  void jump(int to) { f_->blocks[static_cast<std::size_t>(block_)].next = {to}; }
  void branch(const IrOperand &on, std::vector<int> next) {
    IrBlock &b = f_->blocks[static_cast<std::size_t>(block_)];
    b.operands = {on};
    b.next = std::move(next);
  }
  IrOperand binary(std::string name, const IrOperand &a, const IrOperand &b) {
    return emit({IrOp::kBinary, a.type, std::move(name), {a, b}});
  }

  Choices &choices_;
  RandomIrOptions options_;
  IrModule module_;
  IrFunction *f_ = nullptr;
  int block_ = 0;
  std::vector<int> visible_;
};

}  // namespace pimento::test
