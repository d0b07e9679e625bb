// Cuts a failing module of ir_model.h down while it still fails.
//
// Calls go, branches take one way, values become the constant they had at first, stores go; what is then dead goes too.
#pragma once

#include <functional>

#include "test/support/ir_interpreter.h"

namespace pimento::test {

class IrReducer {
 public:
  /// `fails` says whether a module shows the failure, given what it should compute.
  IrReducer(IrModule module, std::function<bool(const IrModule &, const IrAnswer &)> fails)
      : module_(std::move(module)), fails_(std::move(fails)) {}

  IrModule run() {
    for (bool isSmaller = true; isSmaller;) {
      isSmaller = removeCalls();
      isSmaller |= straighten();
      isSmaller |= forceValues();
      isSmaller |= plainArguments();
    }
    return module_;
  }

 private:
  static IrFunction &at(IrModule &m, std::size_t f) { return m.functions[f]; }

  // The failure may sit in what nobody uses, so what is dead stays if need be.
  bool accept(const IrModule &candidate) { return accept(candidate, true) || accept(candidate, false); }

  bool accept(IrModule candidate, bool withoutDead) {
    clean(candidate, withoutDead);
    const auto answer = IrInterpreter(candidate).run();
    if (!answer || !fails_(candidate, *answer)) return false;
    module_ = std::move(candidate);
    return true;
  }

  static void clean(IrModule &m, bool withoutDead) {
    for (IrFunction &f : m.functions) {
      removeBlocks(f);
      if (withoutDead) removeValues(f);
    }
    for (std::size_t f = m.functions.size(); f-- > 0;) {
      bool isUsed = false;
      for (const IrCall &c : m.calls) isUsed |= c.function == static_cast<int>(f);
      for (const IrFunction &caller : m.functions)
        for (const IrInstruction &i : caller.values)
          isUsed |= !caller.isRemoved && !i.isRemoved && !i.forced && i.callee == static_cast<int>(f);
      m.functions[f].isRemoved = !isUsed;
    }
  }

  static void removeBlocks(IrFunction &f) {
    std::vector<bool> isReached(f.blocks.size());
    std::vector<std::size_t> open = {0};
    isReached[0] = true;
    while (!open.empty()) {
      const std::size_t b = open.back();
      open.pop_back();
      for (const int next : f.blocks[b].next)
        if (!isReached[static_cast<std::size_t>(next)]) {
          isReached[static_cast<std::size_t>(next)] = true;
          open.push_back(static_cast<std::size_t>(next));
        }
    }
    for (std::size_t b = 0; b < f.blocks.size(); ++b) {
      IrBlock &block = f.blocks[b];
      block.isRemoved = !isReached[b];
      for (const int value : block.instructions) {
        IrInstruction &i = f.values[static_cast<std::size_t>(value)];
        if (block.isRemoved) i.isRemoved = true;
        for (std::size_t k = i.from.size(); k-- > 0;) {
          const std::size_t from = static_cast<std::size_t>(i.from[k]);
          const std::vector<int> &next = f.blocks[from].next;
          if (isReached[from] && std::find(next.begin(), next.end(), static_cast<int>(b)) != next.end()) continue;
          i.from.erase(i.from.begin() + static_cast<std::ptrdiff_t>(k));
          i.operands.erase(i.operands.begin() + static_cast<std::ptrdiff_t>(k));
        }
      }
    }
  }

  static void removeValues(IrFunction &f) {
    std::vector<bool> isUsed(f.values.size());
    std::vector<int> open;
    const auto use = [&](const IrOperand &o) {
      if (o.value < 0 || isUsed[static_cast<std::size_t>(o.value)]) return;
      isUsed[static_cast<std::size_t>(o.value)] = true;
      open.push_back(o.value);
    };
    const auto useOperands = [&](const IrInstruction &i) {
      if (!i.forced && !i.isRemoved)
        for (const IrOperand &o : i.operands) use(o);
    };
    for (const IrBlock &b : f.blocks)
      if (!b.isRemoved)
        for (const IrOperand &o : b.operands) use(o);
    for (const IrInstruction &i : f.values)
      if (!i.hasValue() || i.op == IrOp::kCall) useOperands(i);
    while (!open.empty()) {
      const int value = open.back();
      open.pop_back();
      useOperands(f.values[static_cast<std::size_t>(value)]);
    }
    for (std::size_t v = f.parameters.size(); v < f.values.size(); ++v) {
      IrInstruction &i = f.values[v];
      if (i.hasValue() && i.op != IrOp::kCall && !isUsed[v]) i.isRemoved = true;
    }
  }

  bool removeCalls() {
    bool isSmaller = false;
    for (std::size_t c = module_.calls.size(); c-- > 0 && module_.calls.size() > 1;) {
      IrModule candidate = module_;
      candidate.calls.erase(candidate.calls.begin() + static_cast<std::ptrdiff_t>(c));
      isSmaller |= accept(candidate);
    }
    return isSmaller;
  }

  bool straighten() {
    bool isSmaller = false;
    for (std::size_t f = 0; f < module_.functions.size(); ++f)
      for (std::size_t b = 0; b < at(module_, f).blocks.size() && !at(module_, f).isRemoved; ++b) {
        const IrBlock block = at(module_, f).blocks[b];
        for (std::size_t n = 0; n < block.next.size() && block.next.size() > 1 && !block.isRemoved; ++n) {
          IrModule candidate = module_;
          IrBlock &changed = at(candidate, f).blocks[b];
          changed.next = {block.next[n]};
          changed.cases.clear();
          changed.operands.clear();
          if (!accept(candidate)) continue;
          isSmaller = true;
          break;
        }
      }
    return isSmaller;
  }

  bool forceValues() {
    bool isSmaller = false;
    for (std::size_t f = 0; f < module_.functions.size(); ++f)
      for (std::size_t v = at(module_, f).values.size(); v-- > at(module_, f).parameters.size();) {
        const IrInstruction &now = at(module_, f).values[v];
        if (at(module_, f).isRemoved || now.isRemoved || now.forced) continue;
        IrModule candidate = module_;
        IrInstruction &changed = at(candidate, f).values[v];
        if (changed.hasValue())
          changed.forced = changed.seen;
        else
          changed.isRemoved = true;
        isSmaller |= accept(candidate);
      }
    return isSmaller;
  }

  bool plainArguments() {
    bool isSmaller = false;
    for (std::size_t f = 0; f < module_.functions.size(); ++f) {
      if (at(module_, f).attributes == "noinline") continue;
      IrModule candidate = module_;
      at(candidate, f).attributes = "noinline";
      if (!candidate.functions[f].isRemoved) isSmaller |= accept(candidate);
    }
    return isSmaller;
  }

  IrModule module_;
  std::function<bool(const IrModule &, const IrAnswer &)> fails_;
};

}  // namespace pimento::test
