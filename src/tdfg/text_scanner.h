// What reading statements of tensor graphs has in common: words, numbers, forms, ranges, and mistakes with places.
// Internal to the room.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/scanner.h"
#include "pimento/base/text.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Functions return false after reporting a mistake.
class TextScanner {
 protected:
  TextScanner(std::string_view text, std::string file) : scan_(text, std::move(file)) {}

  bool fail(const std::string &code, Location where, const std::string &message, const std::string &hint = {});
  bool expected(const std::string &what, const std::string &hint = {});
  bool punctuation(char c);
  bool word(const char *text);
  bool number(std::int64_t &into, const char *what, std::int64_t low, std::int64_t high);
  bool numberInto(int &into, const char *what, std::int64_t low = 0);
  bool identifier(std::string &into, const char *what);
  /// Text in quotation marks.
  bool quoted(std::string &into, const char *what);
  bool lineEnd();
  /// One of `words`, as the enumerator of its number; `others` may stand there too.
  template <typename E, std::size_t N>
  bool choice(const std::array<std::string_view, N> &words, E &into, const char *what, const char *others = nullptr) {
    const auto at = std::find(words.begin(), words.end(), scan_.peekWord());
    if (at == words.end()) {
      std::vector<std::string> all(words.begin(), words.end());
      if (others) all.emplace_back(others);
      return expected(what, join(all, ", "));
    }
    scan_.takeWord();
    into = static_cast<E>(at - words.begin());
    return true;
  }
  bool type(DType &into);
  bool arrayName(int &into);
  bool sizeName(int &into, const char *what);
  /// An affine form of names; with `factors`, of `$` variables too, which `dims` names.
  bool form(Form &into, std::vector<std::int64_t> *factors = nullptr, const std::vector<std::string> *dims = nullptr);
  bool forms(std::vector<Form> &into);
  bool range(Range &into);
  bool box(Box &into);
  bool operation(kernel::Op &into);
  bool combine(kernel::Combine &into);
  /// A literal of its type: an integer, or a number in quotation marks, `inf`, `-inf`, `nan`.
  bool literal(DType type, double &constant, std::int64_t &integer);

  Scanner scan_;
  Program program_;
  Diagnostics found_;

 private:
  bool isFactor(std::int64_t factor, const Location &where);
  bool term(Form &into, std::vector<std::int64_t> *factors, const std::vector<std::string> *dims, bool isNegative);
  bool variable(std::int64_t factor, std::vector<std::int64_t> *factors, const std::vector<std::string> *dims);
  bool bound(std::vector<Form> &into, const char *function);
};

}  // namespace pimento::tdfg
