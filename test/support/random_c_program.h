// Random C programs without undefined behaviour, to be compiled by the host's compiler and by ours.
//
// Every program folds what it computes into `results`, an array of kCResults 64-bit words: on a DPU a variable of the
// host (`__host`), on the host printed, one word a line (-DON_HOST). It has one answer in every C compiler with 32-bit
// int and 64-bit long long. One statement stands on a line, so that a failing program can be cut down line by line
// (reduce_c_program.h): what ends loops and recursion stands on the line of the block it guards.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "test/support/random_c_expression.h"

namespace pimento::test {

inline constexpr std::size_t kCResults = 16;

class RandomCProgram {
 public:
  explicit RandomCProgram(Choices &choices) : choices_(choices), expressions_(choices) {
    line("{}", {kCHelpers});
    line("#ifdef ON_HOST");
    line("#include <stdio.h>");
    line("#include <string.h>");
    line("#define __host");
    line("#else");
    line("#include <defs.h>");
    line("#include <string.h>");
    line("#endif");
    line("__host u64 results[{}];", {kCResults});
    line("static i32 fuel = 8;");
    line("static inline void check(u32 n, u64 x) {{ u64 *r = &results[n % {}]; *r = (*r ^ x) * 0x100000001b3ull; }}",
         {kCResults});
    for (int i = choices_.integer(1, 4); i > 0; --i) structure();
    for (int i = choices_.integer(4, 10); i > 0; --i) global();
    for (int i = choices_.integer(0, 3); i > 0; --i) pureFunction();
    if (choices_.below(2)) variadicFunction();
    for (int i = choices_.integer(1, 5); i > 0; --i) function();
    table();
    mainFunction();
  }

  const std::string &text() const { return text_; }

 private:
  struct Array {
    std::string name;
    CType type = CType::kI32;
    unsigned mask = 3;
    bool isWritable = true;
  };
  struct Field {
    std::string name;
    CType type = CType::kI32;
    unsigned bits = 0, mask = 0;  ///< of a bit-field, of an array
    int structure = -1;
  };
  struct Function {
    std::string name;
    std::string result;  ///< as C writes it
    CType type = CType::kI32;
    int structure = -1;  ///< that it returns
    std::vector<std::string> parameters;
    std::vector<CType> types;     ///< of pointers, what they point to
    std::vector<int> structures;  ///< -1: a scalar, -2: a pointer to at least four
  };
  struct Scope {
    std::size_t places, arrays;
  };

  void line(std::string_view pattern, std::initializer_list<Part> parts = {}) {
    text_.append(indent_, ' ');
    text_ += filled(pattern, parts) + '\n';
  }
  std::string fresh(std::string_view kind) { return filled("{}{}", {kind, names_++}); }
  std::string of(CType type, int depth = 3) { return expressions_.of(type, depth); }
  CType anyType() { return choices_.of(kCTypes); }

  void open() {
    indent_ += 2;
    scopes_.push_back({expressions_.places.size(), arrays_.size()});
  }
  void close() {
    expressions_.places.resize(scopes_.back().places);
    arrays_.resize(scopes_.back().arrays);
    scopes_.pop_back();
    indent_ -= 2;
  }

  // ---- declarations

  void structure() {
    std::vector<Field> fields;
    const int self = static_cast<int>(structures_.size());
    line("struct S{} {{", {self});
    for (int i = choices_.integer(1, 6); i > 0; --i) {
      Field field{filled("f{}", {fields.size()}), anyType(), 0, 0, -1};
      switch (choices_.below(6)) {
        case 0:
          if (!isFloating(field.type)) field.bits = 1 + static_cast<unsigned>(choices_.below(bitsOf(field.type)));
          break;
        case 1:
          field.mask = choices_.below(2) ? 3 : 7;
          break;
        case 2:
          if (self > 0) field.structure = choices_.integer(0, self - 1);
          break;
        default:
          break;
      }
      if (field.structure >= 0)
        line("  struct S{} {};", {field.structure, field.name});
      else if (field.bits != 0)
        line("  {} {} : {};", {nameOf(field.type), field.name, field.bits});
      else if (field.mask != 0)
        line("  {} {}[{}];", {nameOf(field.type), field.name, field.mask + 1});
      else
        line("  {} {};", {nameOf(field.type), field.name});
      fields.push_back(field);
    }
    line("}};");
    structures_.push_back(fields);
  }

  std::string list(CType type, unsigned count) {
    std::string all;
    for (unsigned i = 0; i < count; ++i) all += (i == 0 ? "" : ", ") + expressions_.literal(type);
    return "{" + all + "}";
  }
  std::string initialiser(int structure) {
    std::string all;
    for (const Field &field : structures_[static_cast<std::size_t>(structure)]) {
      all += all.empty() ? "" : ", ";
      all += field.structure >= 0 ? initialiser(field.structure)
             : field.mask != 0    ? list(field.type, field.mask + 1)
                                  : expressions_.literal(field.type);
    }
    return "{" + all + "}";
  }

  /// Makes what lies at `pieces` [masks] known, all scalars of a structure each for itself.
  void know(std::vector<std::string> pieces, std::vector<unsigned> masks, int structure, bool isWritable) {
    for (const Field &field : structures_[static_cast<std::size_t>(structure)]) {
      auto path = pieces;
      auto indices = masks;
      path.back() += "." + field.name;
      if (field.structure >= 0) {
        know(path, indices, field.structure, isWritable);
        continue;
      }
      if (field.mask != 0) {
        path.emplace_back();
        indices.push_back(field.mask);
      }
      expressions_.places.push_back({path, indices, field.type, isWritable, field.bits != 0});
    }
  }
  void know(std::string name, CType type, bool isWritable = true) {
    expressions_.places.push_back({{std::move(name)}, {}, type, isWritable, false});
  }
  void knowArray(const std::string &name, CType type, unsigned mask, bool isWritable = true) {
    expressions_.places.push_back({{name, ""}, {mask}, type, isWritable, false});
    arrays_.push_back({name, type, mask, isWritable});
  }

  void global() {
    const CType type = anyType();
    const std::string name = fresh("g");
    const std::string_view storage = choices_.below(3) ? "static " : "";
    const int structure = choices_.integer(0, static_cast<int>(structures_.size()) - 1);
    const unsigned mask = (4U << choices_.below(3)) - 1;
    switch (choices_.below(7)) {
      case 0:
        line("{}{} {} = {};", {storage, nameOf(type), name, expressions_.literal(type)});
        return know(name, type);
      case 1:
        line("{}const {} {}[{}] = {};", {storage, nameOf(type), name, mask + 1, list(type, mask + 1)});
        return knowArray(name, type, mask, false);
      case 2:
        line("{}struct S{} {} = {};", {storage, structure, name, initialiser(structure)});
        shared_.push_back({name, structure});
        return know({name}, {}, structure, true);
      case 3:
        line("{}struct S{} {}[4] = {{{}, {}}};",
             {storage, structure, name, initialiser(structure), initialiser(structure)});
        return know({name, ""}, {3}, structure, true);
      case 4: {
        line("{}{} {}[4][{}];", {storage, nameOf(type), name, mask + 1});
        expressions_.places.push_back({{name, "", ""}, {3, mask}, type, true, false});
        return;
      }
      case 5:
        line("{}{} {}[{}] = {};", {storage, nameOf(type), name, mask + 1, list(type, mask / 2)});
        line("static {} *const p{} = {} + {};", {nameOf(type), name, name, mask - 3});
        knowArray(name, type, mask);
        expressions_.places.push_back({{"p" + name, ""}, {3}, type, true, false});
        return;
      default:
        line("{}{} {}[{}];", {storage, nameOf(type), name, mask + 1});
        return knowArray(name, type, mask);
    }
  }

  // ---- functions

  std::string_view inlining() { return choices_.below(2) ? "static __attribute__((noinline)) " : "static "; }

  void pureFunction() {
    CPure pure{fresh("pure"), anyType(), {}};
    std::string parameters;
    const auto outside = std::exchange(expressions_.places, {});
    const auto arraysOutside = std::exchange(arrays_, {});
    for (int i = choices_.integer(1, 4); i > 0; --i) {
      pure.parameters.push_back(anyType());
      const std::string name = fresh("a");
      parameters += filled("{}{} {}", {parameters.empty() ? "" : ", ", nameOf(pure.parameters.back()), name});
      know(name, pure.parameters.back());
    }
    line("{}{} {}({}) {{", {inlining(), nameOf(pure.result), pure.name, parameters});
    open();
    isPure_ = true;
    statements(choices_.integer(0, 3), 1);
    line("return {};", {of(pure.result)});
    isPure_ = false;
    close();
    line("}}");
    expressions_.places = outside;
    arrays_ = arraysOutside;
    expressions_.pures.push_back(pure);
  }

  // Its arguments are int, 64-bit integer, double, unsigned, and so on.
  void variadicFunction() {
    variadic_ = fresh("variadic");
    line("{}i64 {}(i32 count, ...) {{", {inlining(), variadic_});
    line("  u64 sum = 5;");
    line("  __builtin_va_list list;");
    line("  __builtin_va_start(list, count);");
    line("  for (i32 i = 0; i < count; ++i) {{");
    line("    switch (i & 3) {{");
    line("      case 0: sum = sum * 31 + (u64)__builtin_va_arg(list, i32); break;");
    line("      case 1: sum = sum * 37 + (u64)__builtin_va_arg(list, i64); break;");
    line("      case 2: sum = sum * 41 + bits_f64(__builtin_va_arg(list, f64)); break;");
    line("      default: sum = sum * 43 + __builtin_va_arg(list, u32); break;");
    line("    }}");
    line("  }}");
    line("  __builtin_va_end(list);");
    line("  return (i64)sum;");
    line("}}");
  }

  void parameter(Function &f) {
    const std::string name = fresh("a");
    const CType type = anyType();
    f.types.push_back(type);
    switch (choices_.below(8)) {
      case 0: {
        const int structure = choices_.integer(0, static_cast<int>(structures_.size()) - 1);
        f.structures.push_back(structure);
        f.parameters.push_back(filled("struct S{} {}", {structure, name}));
        know({name}, {}, structure, true);
        return;
      }
      case 1:
        f.structures.push_back(-2);
        f.parameters.push_back(filled("{} *{}", {nameOf(type), name}));
        expressions_.places.push_back({{name, ""}, {3}, type, true, false});
        return;
      default:
        f.structures.push_back(-1);
        f.parameters.push_back(filled("{} {}", {nameOf(type), name}));
        know(name, type);
    }
  }

  void function() {
    Function f;
    f.name = fresh("call");
    open();
    for (int i = choices_.integer(0, choices_.isOneIn(3) ? 10 : 4); i > 0; --i) parameter(f);
    f.type = anyType();
    f.result = nameOf(f.type);
    if (choices_.isOneIn(4)) {
      f.structure = choices_.integer(0, static_cast<int>(structures_.size()) - 1);
      f.result = filled("struct S{}", {f.structure});
    }
    std::string outOfFuel = expressions_.literal(f.type);
    if (f.structure >= 0) {
      outOfFuel = fresh("e");
      line("  static struct S{} {} = {};", {f.structure, outOfFuel, initialiser(f.structure)});
    }
    std::string parameters;
    for (const std::string &p : f.parameters) parameters += (parameters.empty() ? "" : ", ") + p;
    line("{}{} {}({}) {{ if (--fuel < 0) return {};",
         {inlining(), f.result, f.name, parameters.empty() ? "void" : parameters, outOfFuel});
    if (choices_.isOneIn(3)) functions_.push_back(f);  // calls itself
    const bool isRecursive = !functions_.empty() && functions_.back().name == f.name;
    statements(choices_.integer(2, 8), 0);
    if (f.structure >= 0) {
      const std::string name = fresh("s");
      line("struct S{} {} = {};", {f.structure, name, initialiser(f.structure)});
      know({name}, {}, f.structure, true);
      statements(2, 2);
      line("return {};", {name});
    } else {
      line("return {};", {of(f.type)});
    }
    close();
    line("}}");
    if (!isRecursive) functions_.push_back(f);
  }

  // A table of functions of one type.
  void table() {
    tableType_ = anyType();
    std::vector<std::string> members;
    for (int i = 0; i < 4; ++i) {
      members.push_back(fresh("t"));
      line("static {} {}(i32 a, {} b) {{", {nameOf(tableType_), members.back(), nameOf(tableType_)});
      open();
      know("a", CType::kI32);
      know("b", tableType_);
      statements(choices_.integer(0, 1), 2);
      line("return {};", {of(tableType_)});
      close();
      line("}}");
    }
    tableName_ = fresh("table");
    line("static {} (*{}[4])(i32, {}) = {{{}, {}, {}, {}}};",
         {nameOf(tableType_), tableName_, nameOf(tableType_), members[0], members[1], members[2], members[3]});
  }

  void mainFunction() {
    line("int main(void) {{");
    open();
    const std::size_t globals = expressions_.places.size();
    statements(choices_.integer(4, 12), 0);
    for (const Function &f : functions_) {
      line("fuel = 8;");
      call(f);
    }
    for (std::size_t i = 0; i < globals; ++i) checkAll(expressions_.places[i], i);
    line("#ifdef ON_HOST");
    line("for (int i = 0; i < {}; ++i) printf(\"%llx\\n\", results[i]);", {kCResults});
    line("#endif");
    line("return 0;");
    close();
    line("}}");
  }

  static std::string word(CType type, const std::string &text) {
    return isFloating(type) ? filled("bits_{}({})", {nameOf(type), text}) : filled("(u64){}", {text});
  }

  void checkAll(const CPlace &place, std::size_t number) {
    if (!place.isWritable) return;
    std::string loops, text = place.pieces[0];
    for (std::size_t i = 0; i < place.masks.size(); ++i) {
      loops += filled("for (int i{0} = 0; i{0} < {1}; ++i{0}) ", {i, place.masks[i] + 1});
      text += filled("[i{}]{}", {i, place.pieces[i + 1]});
    }
    line("{}check({}, {});", {loops, number % kCResults, word(place.type, text)});
  }

  // ---- statements

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

  Choices &choices_;
  CExpressions expressions_;
  std::string text_;
  std::size_t indent_ = 0;
  int names_ = 0, loops_ = 0;
  bool isPure_ = false;
  std::vector<std::vector<Field>> structures_;
  std::vector<std::pair<std::string, int>> shared_;  ///< global structures
  std::vector<Array> arrays_;
  std::vector<Function> functions_;
  std::vector<Scope> scopes_;
  std::string variadic_, tableName_;
  CType tableType_ = CType::kI32;
};

}  // namespace pimento::test
