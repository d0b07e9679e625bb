// Random C statements without undefined behaviour: bodies of the functions of RandomCProgram.
//
// Loops end, since they count variables of their own; calls end, since `fuel` does. One statement stands on a line.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "test/support/random_c_scope.h"

namespace pimento::test {

inline constexpr std::size_t kCResults = 16;

class CStatements : protected CScope {
 protected:
  using CScope::CScope;

  void statements(int count, int depth) {
    for (int i = 0; i < count; ++i) statement(depth);
  }

  void statement(int depth) {
    const std::uint64_t which = choices_.below(depth < 3 ? 22 : 12);
    if (which < 6) return assignment();
    if (which < 8) return local();
    if (which < 10) return isPure_ ? assignment() : callStatement();
    if (which == 10) return isPure_ ? local() : checkStatement();
    if (which == 11) return isPure_ ? assignment() : memoryStatement();
    if (which < 15) return branch(depth);
    if (which < 18) return loop(depth);
    if (which < 20) return switchStatement(depth);
    if (which == 20) return jump(depth);
    return walk(depth);
  }

  const CPlace *target() {
    std::vector<const CPlace *> fitting;
    for (const CPlace &place : expressions_.places)
      if (place.isWritable) fitting.push_back(&place);
    return fitting.empty() ? nullptr : choices_.of(fitting);
  }

  void assignment() {
    const CPlace *found = target();
    if (found == nullptr) return local();
    const CPlace place = *found;
    const std::string left = expressions_.text(place, 2);
    const bool isWide = bitsOf(place.type) >= 32;
    if (choices_.below(2)) return line("{} = {};", {left, of(place.type)});
    if (isFloating(place.type)) {
      static constexpr std::string_view kFloating[] = {"+=", "-=", "*=", "/="};
      return line("{} {} {};", {left, choices_.of(kFloating), of(place.type)});
    }
    if (!isSigned(place.type) && isWide) {
      static constexpr std::string_view kUnsigned[] = {"+=", "-=", "*=", "^=", "|=", "&="};
      return line("{} {} {};", {left, choices_.of(kUnsigned), of(place.type)});
    }
    static constexpr std::string_view kBits[] = {"^=", "|=", "&=", "+=", "-="};
    if (isWide) return line("{} {} {};", {left, choices_.of(std::span(kBits, 3)), of(place.type)});
    if (choices_.isOneIn(4)) return line("{}{};", {choices_.below(2) ? "++" : "--", left});
    return line("{} {} {};", {left, choices_.of(kBits), of(choices_.below(2) ? place.type : CType::kI16)});
  }

  void local() {
    const CType type = anyType();
    const std::string name = fresh("v");
    const int structure = choices_.integer(0, static_cast<int>(structures_.size()) - 1);
    std::vector<const Array *> large;
    for (const Array &array : arrays_)
      if (array.mask >= 7) large.push_back(&array);
    switch (choices_.below(8)) {
      case 0: {
        const std::string values = filled("{}, {}, {}", {of(type, 2), of(type, 2), of(type, 1)});
        line("{} {}[8] = {{{}}};", {nameOf(type), name, values});
        return knowArray(name, type, 7);
      }
      case 1:
        line("struct S{} {} = {};", {structure, name, initialiser(structure)});
        return know({name}, {}, structure, true);
      case 2: {
        std::vector<const std::pair<std::string, int> *> sources;
        if (!isPure_)
          for (const auto &source : shared_) sources.push_back(&source);
        if (sources.empty()) break;
        const auto &[source, of] = *choices_.of(sources);
        if (choices_.below(2)) {
          line("struct S{} {} = {};", {of, name, source});
          return know({name}, {}, of, true);
        }
        line("struct S{} *{} = &{};", {of, name, source});
        return know({filled("(*{})", {name})}, {}, of, true);
      }
      case 3:
        if (!large.empty()) {
          const Array array = *choices_.of(large);
          const std::string_view constness = array.isWritable ? "" : "const ";
          line("{}{} *{} = &{}[{}];",
               {constness, nameOf(array.type), name, array.name, expressions_.index(array.mask - 4, 1)});
          expressions_.places.push_back({{name, ""}, {3}, array.type, array.isWritable, false});
          return;
        }
        break;
      default:
        break;
    }
    line("{} {} = {};", {nameOf(type), name, of(type)});
    know(name, type);
  }

  void checkStatement() {
    const CType type = anyType();
    line("check({}, {});", {choices_.below(kCResults), word(type, of(type))});
  }

  void memoryStatement() {
    // No floating values: of a NaN, not even a byte is looked at or left standing.
    std::vector<const Array *> sources, targets;
    for (const Array &array : arrays_) {
      if (isFloating(array.type)) continue;
      sources.push_back(&array);
      if (array.isWritable) targets.push_back(&array);
    }
    if (targets.empty()) return checkStatement();
    const Array to = *choices_.of(targets), from = *choices_.of(sources);
    const auto bytesOf = [](const Array &array) { return (array.mask + 1) * bitsOf(array.type) / 8; };
    const unsigned size = std::min(bytesOf(to), bytesOf(from));
    const std::string length = choices_.below(2) ? filled("{}", {choices_.below(size + 1)})
                                                 : filled("({} & {})", {of(CType::kU32, 1), size - 1});
    const std::uint64_t which = choices_.below(4);
    if (which == 0) return line("memset({}, {}, {});", {to.name, of(CType::kU8, 1), length});
    if (which == 1 && from.isWritable)
      return line("memmove({0}, (const u8 *){0} + {1}, {2} / 2);", {from.name, choices_.below(size / 2 + 1), length});
    if (which == 2 && from.isWritable)
      return line("memmove((u8 *){0} + {1}, {0}, {2} / 2);", {from.name, choices_.below(size / 2 + 1), length});
    if (to.name != from.name && choices_.below(2)) return line("memcpy({}, {}, {});", {to.name, from.name, length});
    line("check({}, (u64)(memcmp({}, {}, {}) < 0));", {choices_.below(kCResults), to.name, from.name, length});
  }

  void callStatement() {
    if (!tableName_.empty() && choices_.isOneIn(3)) {
      const std::string index = expressions_.index(3, 2);
      return assigned(tableType_, filled("{}[{}]({}, {})", {tableName_, index, of(CType::kI32, 2), of(tableType_, 2)}));
    }
    if (!variadic_.empty() && choices_.isOneIn(4)) {
      static constexpr std::array kOrder = {CType::kI32, CType::kI64, CType::kF64, CType::kU32};
      const std::size_t count = choices_.below(9);
      std::string arguments = filled("{}", {count});
      for (std::size_t i = 0; i < count; ++i) arguments += ", " + of(kOrder[i % 4], 2);
      return assigned(CType::kI64, filled("{}({})", {variadic_, arguments}));
    }
    if (functions_.empty()) return assignment();
    const Function f = choices_.of(functions_);
    call(f);
  }

  void call(const Function &f) {
    std::string arguments;
    for (std::size_t i = 0; i < f.types.size(); ++i) arguments += (i == 0 ? "" : ", ") + argument(f, i);
    const std::string text = filled("{}({})", {f.name, arguments});
    if (f.structure < 0) return assigned(f.type, text);
    for (const auto &[name, structure] : shared_)
      if (structure == f.structure) return line("{} = {};", {name, text});
    const std::string name = fresh("r");
    line("struct S{} {} = {};", {f.structure, name, text});
    know({name}, {}, f.structure, true);
  }

  std::string argument(const Function &f, std::size_t i) {
    if (f.structures[i] == -1) return of(f.types[i], 2);
    if (f.structures[i] >= 0) {
      for (const auto &[name, structure] : shared_)
        if (structure == f.structures[i]) return name;
      return filled("(struct S{}){}", {f.structures[i], initialiser(f.structures[i])});
    }
    std::vector<const Array *> fitting;
    for (const Array &array : arrays_)
      if (array.type == f.types[i] && array.isWritable) fitting.push_back(&array);
    if (fitting.empty()) return filled("({}[4]){}", {nameOf(f.types[i]), list(f.types[i], 4)});
    const Array array = *choices_.of(fitting);
    return array.mask >= 7 && choices_.below(2) ? filled("{} + {}", {array.name, array.mask - 3}) : array.name;
  }

  void assigned(CType type, const std::string &value) {
    std::vector<const CPlace *> fitting;
    for (const CPlace &place : expressions_.places)
      if (place.isWritable && place.type == type) fitting.push_back(&place);
    // An index would be computed before or behind the call, as the compiler likes.
    std::erase_if(fitting, [](const CPlace *place) { return !place->masks.empty(); });
    if (!fitting.empty()) return line("{} = {};", {choices_.of(fitting)->pieces[0], value});
    const std::string name = fresh("v");
    line("{} {} = {};", {nameOf(type), name, value});
    know(name, type);
  }

  void block(int count, int depth) {
    open();
    statements(count, depth + 1);
    if (loops_ > 0 && choices_.isOneIn(4))
      line("if ({}) {};", {expressions_.condition(2), choices_.below(2) ? "break" : "continue"});
    if (loops_ > 0 && choices_.isOneIn(4)) statement(depth + 1);
    close();
  }

  void branch(int depth) {
    line("if ({}) {{", {expressions_.condition(3)});
    block(choices_.integer(1, 3), depth);
    if (choices_.below(2)) {
      line("}} else {{");
      block(choices_.integer(1, 3), depth);
    }
    line("}}");
  }

  void loop(int depth) {
    const std::string name = fresh("n");
    const std::uint64_t times = 1 + choices_.below(depth == 0 ? 9 : 3);
    const std::uint64_t kind = choices_.below(4);
    const CType type = choices_.of(kCWhole);
    if (kind == 0) line("for ({} {} = 0; {} < {}; ++{}) {{", {nameOf(type), name, name, times, name});
    if (kind == 1)
      line("for ({} {} = {}; {} > 0; {} -= 3) {{", {"i32", name, 3 * times - choices_.below(3), name, name});
    if (kind == 2) line("{{ {} {} = {}; while ({}-- != 0) {{", {nameOf(type), name, times, name});
    if (kind == 3) line("{{ {} {} = {}; do {{", {nameOf(type), name, times});
    open();
    expressions_.places.push_back({{name}, {}, kind == 1 ? CType::kI32 : type, false, false});
    ++loops_;
    block(choices_.integer(1, 4), depth);
    --loops_;
    close();
    line("{}", {kind < 2 ? "}" : kind == 2 ? "} }" : filled("}} while (--{} != 0); }}", {name})});
  }

  void switchStatement(int depth) {
    const CType type = choices_.of(kCWhole);
    const bool isDense = choices_.below(2) != 0;
    const int count = choices_.integer(2, 9);
    line("switch ({}{}) {{", {of(type), isDense ? filled(" % {}", {count + 1}) : ""});
    std::vector<std::uint64_t> labels;
    const int loopsOutside = std::exchange(loops_, 0);  // break would end the switch
    for (int i = 0; i < count; ++i) {
      const std::uint64_t label = isDense ? static_cast<std::uint64_t>(i) : edgyNumber(choices_) & 0x7f;
      if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
      labels.push_back(label);
      line("  case {}: {{", {label});
      block(choices_.integer(0, 2), depth);
      line("  }} {}", {choices_.isOneIn(4) ? "" : "break;"});
    }
    if (choices_.below(2)) {
      line("  default: {{");
      block(choices_.integer(0, 2), depth);
      line("  }}");
    }
    loops_ = loopsOutside;
    line("}}");
  }

  // Out of a block, to its end.
  void jump(int depth) {
    const std::string label = fresh("L");
    line("{{");
    open();
    for (int i = choices_.integer(1, 3); i > 0; --i) {
      statement(depth + 1);
      line("if ({}) goto {};", {expressions_.condition(2), label});
    }
    statement(depth + 1);
    close();
    line("}} {}:;", {label});
  }

  // A pointer moves over an array.
  void walk(int depth) {
    const CPlace *found = target();
    if (arrays_.empty() || found == nullptr) return branch(depth);
    const Array array = choices_.of(arrays_);
    const std::string pointer = fresh("q");
    line("for (const {0} *{1} = {2}; {1} < {2} + {3}; {1} += {4}) {{",
         {nameOf(array.type), pointer, array.name, array.mask + 1, choices_.integer(1, 2)});
    open();
    expressions_.places.push_back({{filled("(*{})", {pointer})}, {}, array.type, false, false});
    expressions_.places.push_back({{filled("(i32)({} - {})", {pointer, array.name})}, {}, CType::kI32, false, false});
    assignment();
    if (choices_.below(2)) assignment();
    close();
    line("}}");
  }

  bool isPure_ = false;
  int loops_ = 0;
};

}  // namespace pimento::test
