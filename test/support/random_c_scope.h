// What a random C program has written so far, and what the place it has come to may mention.
//
// Functions, arrays and structures that exist; scalars in sight (CExpressions::places); the text. RandomCProgram and
// its statements build on it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "test/support/random_c_expression.h"

namespace pimento::test {

class CScope {
 protected:
  explicit CScope(Choices &choices) : choices_(choices), expressions_(choices) {}

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

  static std::string word(CType type, const std::string &text) {
    return isFloating(type) ? filled("bits_{}({})", {nameOf(type), text}) : filled("(u64){}", {text});
  }

  Choices &choices_;
  CExpressions expressions_;
  std::string text_;
  std::size_t indent_ = 0;
  int names_ = 0;
  std::vector<std::vector<Field>> structures_;
  std::vector<std::pair<std::string, int>> shared_;  ///< global structures
  std::vector<Array> arrays_;
  std::vector<Function> functions_;
  std::vector<Scope> scopes_;
  std::string variadic_, tableName_;
  CType tableType_ = CType::kI32;
};

}  // namespace pimento::test
