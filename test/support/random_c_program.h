// Random C programs without undefined behaviour, to be compiled by the host's compiler and by ours.
//
// Every program folds what it computes into `results`, an array of kCResults 64-bit words: on a DPU a variable of the
// host (`__host`), on the host printed, one word a line (-DON_HOST). It has one answer in every C compiler with 32-bit
// int and 64-bit long long. One statement stands on a line, so that a failing program can be cut down line by line
// (reduce_c_program.h): what ends loops and recursion stands on the line of the block it guards.
#pragma once

#include <utility>

#include "test/support/random_c_statements.h"

namespace pimento::test {

class RandomCProgram : private CStatements {
 public:
  explicit RandomCProgram(Choices &choices) : CStatements(choices) {
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
  // ---- declarations

  static unsigned scalarBytes(const Field &field) { return bitsOf(field.type) / 8 * (field.mask + 1); }
  unsigned bytesOf(const std::vector<Field> &fields) const {
    unsigned bytes = 0;
    for (const Field &f : fields)
      bytes += f.structure < 0 ? scalarBytes(f) : bytesOf(structures_[static_cast<std::size_t>(f.structure)]);
    return bytes;
  }

  void structure() {
    // A function has a copy of each structure that it passes on: frames of eight calls are to fit a stack.
    constexpr unsigned kMostBytes = 160;
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
          if (bytesOf(fields) + scalarBytes(field) > kMostBytes) field.mask = 0;
          break;
        case 2: {
          const int other = self > 0 ? choices_.integer(0, self - 1) : -1;
          if (other >= 0 && bytesOf(fields) + bytesOf(structures_[static_cast<std::size_t>(other)]) <= kMostBytes)
            field.structure = other;
          break;
        }
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

  void checkAll(const CPlace &place, std::size_t number) {
    if (!place.isWritable) return;
    std::string loops, text = place.pieces[0];
    for (std::size_t i = 0; i < place.masks.size(); ++i) {
      loops += filled("for (int i{0} = 0; i{0} < {1}; ++i{0}) ", {i, place.masks[i] + 1});
      text += filled("[i{}]{}", {i, place.pieces[i + 1]});
    }
    line("{}check({}, {});", {loops, number % kCResults, word(place.type, text)});
  }
};

}  // namespace pimento::test
