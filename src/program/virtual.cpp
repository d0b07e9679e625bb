#include "pimento/program/virtual.h"

#include <algorithm>
#include <bit>

namespace pimento::program {

using Kind = Instruction::Kind;
using kernel::Op;

bool Address::operator==(const Address &o) const {
  const std::size_t n = std::max(parameters.size(), o.parameters.size());
  for (std::size_t i = 0; i < n; ++i)
    if (of(i) != o.of(i)) return false;
  return loops == o.loops;
}

bool Instruction::operator==(const Instruction &o) const {
  // Constants by their bits: a NaN equals itself, and the zeros differ.
  return kind == o.kind && op == o.op && type == o.type && result == o.result && arguments == o.arguments &&
         condition == o.condition && integer == o.integer && array == o.array && from == o.from && at == o.at &&
         fromAt == o.fromAt && data == o.data && count == o.count &&
         std::bit_cast<std::uint64_t>(constant) == std::bit_cast<std::uint64_t>(o.constant);
}

std::string_view operationName(const Instruction &i) {
  switch (i.kind) {
    case Kind::kSet:
      return "set";
    case Kind::kIndex:
      return "index";
    case Kind::kTest:
      return "test";
    case Kind::kLoad:
      return "load";
    case Kind::kStore:
      return "store";
    case Kind::kMove:
      return "move";
    default:
      return kernel::name(i.op);
  }
}

const std::vector<std::string> &operationNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names{"loop", "set", "index", "test", "load", "store", "move"};
    for (int op = static_cast<int>(Op::kAdd); op <= static_cast<int>(Op::kCast); ++op)
      names.emplace_back(kernel::name(static_cast<Op>(op)));
    return names;
  }();
  return kNames;
}

DType costType(const Instruction &i, const Unit &unit, const std::vector<DType> &registers) {
  const auto typeOf = [&](int r) { return registers[static_cast<std::size_t>(r)]; };
  switch (i.kind) {
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kMove:
      return unit.arrays[static_cast<std::size_t>(i.array)].type;
    case Kind::kTest:
      return DType::kI32;
    case Kind::kOperation:
      if (i.op == Op::kCast || (i.op >= Op::kCmpEq && i.op <= Op::kCmpGe)) return typeOf(i.arguments[0]);
      return i.type;
    default:
      return i.type;
  }
}

std::vector<DType> registerTypes(const UnitLoops &loops) {
  std::vector<DType> types;
  std::vector<bool> isKnown;
  forEachStatement(loops.nodes, [&](const Instruction &i, std::int64_t) {
    if (i.result < 0) return;
    const auto r = static_cast<std::size_t>(i.result);
    if (r >= types.size()) {
      types.resize(r + 1, DType::kU8);
      isKnown.resize(r + 1);
    }
    if (isKnown[r]) return;
    isKnown[r] = true;
    if (i.kind == Kind::kLoad)
      types[r] = loops.unit.arrays[static_cast<std::size_t>(i.array)].type;
    else
      types[r] = i.kind == Kind::kTest ? DType::kU8 : i.type;
  });
  return types;
}

}  // namespace pimento::program
