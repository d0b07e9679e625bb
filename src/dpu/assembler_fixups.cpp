// The end of assembly: symbols that stand for expressions, and every field that waited for its labels.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/dpu/assembler_state.h"

namespace pimento::dpu {

Result<Object> AssemblerState::finish() {
  settleAssignments();
  for (const Fixup &fixup : fixups_) {
    if (isFull()) break;
    settle(fixup);
  }
  if (!diagnostics_.empty()) {
    std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                     [](const Diagnostic &a, const Diagnostic &b) { return a.where.line < b.where.line; });
    return std::move(diagnostics_);
  }
  // What nobody defines is looked for elsewhere.
  for (Symbol &symbol : object_.symbols) {
    if (symbol.section == Symbol::kUndefined && symbol.binding == Binding::kLocal) symbol.binding = Binding::kGlobal;
  }
  return std::move(object_);
}

void AssemblerState::settleAssignments() {
  // In order, and once more for those that use a later one.
  std::vector<Assignment> open = std::move(assignments_);
  for (const Assignment &assignment : open) {
    if (!assignment.isSize && object_.symbols[assignment.symbol].section != Symbol::kUndefined) {
      line_ = assignment.line;
      report("dpu-asm-defined-twice", assignment.column,
             fmt::format("'{}' is already defined", object_.symbols[assignment.symbol].name), "rename one of them");
      return;
    }
  }
  auto isSettled = [&](const Assignment &assignment) {
    return std::all_of(assignment.expression.terms.begin(), assignment.expression.terms.end(), [&](const auto &term) {
      const auto found = symbols_.find(withoutQuotes(term.symbol));
      return term.symbol == "." ||
             (found != symbols_.end() && object_.symbols[found->second].section != Symbol::kUndefined);
    });
  };
  for (bool isProgress = true; isProgress && !open.empty();) {
    std::vector<Assignment> later;
    for (const Assignment &assignment : open) {
      if (!isSettled(assignment)) {
        later.push_back(assignment);
      } else if (!assign(assignment)) {
        return;
      }
    }
    isProgress = later.size() < open.size();
    open = std::move(later);
  }
  for (const Assignment &assignment : open) {
    line_ = assignment.line;
    report("dpu-asm-expression", assignment.column,
           fmt::format("the value of '{}' is not known at this point", object_.symbols[assignment.symbol].name),
           "use labels and values that this file defines");
  }
}

bool AssemblerState::assign(const Assignment &assignment) {
  line_ = assignment.line;
  Value value;
  const Context context{assignment.section, assignment.offset, false, false, assignment.line, assignment.column};
  if (!evaluate(assignment.expression, context, value)) return false;
  Symbol &symbol = object_.symbols[assignment.symbol];
  if (assignment.isSize) {
    if (value.hasSymbol || value.number < 0 || value.number > UINT32_MAX) {
      return report("dpu-asm-expression", assignment.column,
                    fmt::format("the size of '{}' is not a number", symbol.name), "write a size as . - NAME");
    }
    symbol.size = static_cast<std::uint32_t>(value.number);
    return true;
  }
  if (symbol.section != Symbol::kUndefined) {
    return report("dpu-asm-defined-twice", assignment.column, fmt::format("'{}' is already defined", symbol.name),
                  "rename one of them");
  }
  if (value.hasSymbol) {
    symbol.section = object_.symbols[value.symbol].section;
    symbol.value = static_cast<std::uint32_t>(object_.symbols[value.symbol].value + value.number);
    symbol.kind = object_.symbols[value.symbol].kind;
  } else {
    symbol.section = Symbol::kAbsolute;
    symbol.value = static_cast<std::uint32_t>(value.number);
  }
  return true;
}

bool AssemblerState::addTerm(const Expression::Term &term, const Context &context, std::vector<Value> &terms) {
  if (term.symbol == ".") {
    // A symbol of no name is the section itself.
    terms.push_back({true, UINT32_MAX, context.offset});
    return true;
  }
  if (readRegister(term.symbol)) {
    return report("dpu-asm-expression", term.column, fmt::format("'{}' is a register, not a number", term.symbol),
                  "an expression is a sum of decimal or 0x numbers, symbols and '.', as in label + 2");
  }
  const std::uint32_t index = symbolIndex(term.symbol);
  const Symbol &symbol = object_.symbols[index];
  if (symbol.section == Symbol::kAbsolute) {
    terms.push_back({false, 0, static_cast<std::int32_t>(symbol.value)});
  } else {
    terms.push_back({true, index, 0});
  }
  return true;
}

bool AssemblerState::evaluate(const Expression &expression, const Context &context, Value &value) {
  line_ = context.line;
  std::vector<Value> plus, minus;
  std::int64_t sum = expression.number;
  for (const Expression::Term &term : expression.terms) {
    if (!addTerm(term, context, term.isNegative ? minus : plus)) return false;
    Value &added = (term.isNegative ? minus : plus).back();
    if (added.hasSymbol) continue;
    sum += term.isNegative ? -added.number : added.number;
    (term.isNegative ? minus : plus).pop_back();
  }
  auto sectionOf = [&](const Value &v) {
    return v.symbol == UINT32_MAX ? static_cast<std::int32_t>(context.section) : object_.symbols[v.symbol].section;
  };
  auto offsetOf = [&](const Value &v) {
    return v.symbol == UINT32_MAX ? v.number : static_cast<std::int64_t>(object_.symbols[v.symbol].value);
  };
  auto isCode = [&](const Value &v) {
    const std::int32_t section = sectionOf(v);
    return section >= 0 ? object_.sections[static_cast<std::size_t>(section)].memory == Memory::kIram
                        : context.isTarget && section == Symbol::kUndefined;
  };
  // Differences of places in one section are numbers.
  while (!minus.empty()) {
    const Value subtracted = minus.back();
    const auto partner = std::find_if(plus.begin(), plus.end(), [&](const Value &v) {
      return sectionOf(v) >= 0 && sectionOf(v) == sectionOf(subtracted);
    });
    if (partner == plus.end()) {
      return report("dpu-asm-expression", context.column, "a subtracted symbol is not matched by an added one",
                    "both labels of a difference must be in one section of this file");
    }
    const std::int64_t bytes = offsetOf(*partner) - offsetOf(subtracted);
    sum += context.isInstruction && isCode(subtracted) ? bytes / 8 : bytes;
    plus.erase(partner);
    minus.pop_back();
  }
  if (plus.size() > 1) {
    return report("dpu-asm-expression", context.column, "a sum of several labels is not an address",
                  "use one label and a number, as in label + 2");
  }
  if (plus.empty()) {
    value = {false, 0, sum};
    return true;
  }
  const Value &base = plus.front();
  if (sum < INT32_MIN / 8 || sum > INT32_MAX / 8) {
    return report("dpu-asm-expression", context.column, fmt::format("{} is too far from a label", sum),
                  "no DPU memory is that large");
  }
  // Beside a label of code, numbers count instructions.
  const bool countsInstructions = isCode(base) && (context.isInstruction || base.symbol != UINT32_MAX);
  value = {true, base.symbol, countsInstructions ? sum * 8 : sum};
  if (base.symbol == UINT32_MAX) {
    value.symbol = sectionSymbol(context.section);
    value.number += base.number;
  }
  return true;
}

std::uint32_t AssemblerState::sectionSymbol(std::size_t section) {
  const std::string name = ".L " + std::to_string(section);  // a name that no text can define
  const std::uint32_t index = symbolIndex(name);
  object_.symbols[index].section = static_cast<std::int32_t>(section);
  return index;
}

bool AssemblerState::hasLocalLabels(const Expression &expression) {
  for (const Expression::Term &term : expression.terms) {
    if (!term.symbol.starts_with(".L") || object_.symbols[symbolIndex(term.symbol)].section != Symbol::kUndefined) {
      continue;
    }
    std::vector<std::string> labels;
    for (const Symbol &symbol : object_.symbols) {
      if (symbol.section >= 0) labels.push_back(symbol.name);
    }
    const std::string near = nearest(term.symbol, labels);
    if (const auto number = writtenAs_.find(term.symbol); number != writtenAs_.end()) {
      return report(
          "dpu-asm-undefined", term.column,
          fmt::format("no label '{}:' stands after this line", number->second.substr(0, number->second.size() - 1)),
          "64f means the next label 64:, 64b the last one before");
    }
    return report(
        "dpu-asm-undefined", term.column, fmt::format("this file has no label '{}'", term.symbol),
        near.empty() ? "names that begin with .L are local to the file" : fmt::format("did you mean '{}'?", near));
  }
  return true;
}

void AssemblerState::settle(const Fixup &fixup) {
  line_ = fixup.line;
  if (!hasLocalLabels(fixup.expression)) return;
  const bool isInstruction = fixup.operand != nullptr;
  const bool isTarget = isInstruction && (fixup.operand->kind == OperandKind::kTarget);
  Value value;
  const Context context{fixup.section, fixup.offset, isInstruction, isTarget, fixup.line, fixup.column};
  if (!evaluate(fixup.expression, context, value)) return;
  if (isInstruction) {
    settleInstruction(fixup, value);
  } else {
    settleData(fixup, value);
  }
}

void AssemblerState::settleInstruction(const Fixup &fixup, const Value &value) {
  const Operand &operand = *fixup.operand;
  Section &section = object_.sections[fixup.section];
  if (value.hasSymbol) {
    section.relocations.push_back({fixup.offset, operand.relocation, value.symbol, value.number, fixup.line});
    return;
  }
  const std::int64_t half = 1LL << (operand.width - 1);
  const std::int64_t low = operand.isUnsigned ? 0 : -half;
  const std::int64_t high = operand.isUnsigned || operand.isEitherSign ? 2 * half - 1 : half - 1;
  if (value.number < low || value.number > high) {
    report("dpu-asm-range", fixup.column, fmt::format("{} does not fit in {} bits", value.number, operand.width),
           fmt::format("{} to {} fit{}", low, high,
                       operand.width < 32 ? "; load a wider number into a register (move)" : ""));
    return;
  }
  std::uint64_t word = 0;
  for (int byte = 7; byte >= 0; --byte) word = word << 8 | section.bytes[fixup.offset + static_cast<unsigned>(byte)];
  word = scatter(word, operand.ranges, static_cast<std::uint32_t>(value.number));
  for (int byte = 0; byte < 8; ++byte) {
    section.bytes[fixup.offset + static_cast<unsigned>(byte)] = static_cast<std::uint8_t>(word >> (8 * byte));
  }
}

void AssemblerState::settleData(const Fixup &fixup, const Value &value) {
  Section &section = object_.sections[fixup.section];
  const unsigned bits = 8u * static_cast<unsigned>(fixup.bytes);
  if (value.hasSymbol) {
    const std::uint8_t type = fixup.bytes == 1   ? kRelocate8
                              : fixup.bytes == 2 ? kRelocate16
                              : fixup.bytes == 4 ? kRelocate32
                                                 : kRelocate64;
    section.relocations.push_back({fixup.offset, type, value.symbol, value.number, fixup.line});
    return;
  }
  if (bits < 64 && (value.number < -(1LL << (bits - 1)) || value.number >= 1LL << bits)) {
    report("dpu-asm-range", fixup.column, fmt::format("{} does not fit in {} bytes", value.number, fixup.bytes),
           fmt::format("{} to {} fit", -(1LL << (bits - 1)), (1LL << bits) - 1));
    return;
  }
  for (int byte = 0; byte < fixup.bytes; ++byte) {
    section.bytes[fixup.offset + static_cast<unsigned>(byte)] =
        static_cast<std::uint8_t>(static_cast<std::uint64_t>(value.number) >> (8 * byte));
  }
}

}  // namespace pimento::dpu
