// What every part of the parser of CNM IR needs: a scanner, and the ways to ask it and to complain. Internal to the
// room. Functions return false after reporting a mistake.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/scanner.h"
#include "pimento/kernel/kernel.h"

namespace pimento::mapping {

class CnmText {
 public:
  CnmText(std::string_view text, std::string file) : scan(text, std::move(file)) {}

  Scanner scan;
  Diagnostics found;
  std::map<std::string, std::int64_t> sizes;  ///< declared so far

  /// NUMBER, ID, NUMBER*ID or ID*NUMBER; `name` stays empty where there is none.
  struct Term {
    std::int64_t factor = 1;
    std::string name;
    Location where;  ///< of the name
  };

  bool isFull() const;
  bool report(std::string code, Location where, std::string message, std::string hint);
  /// cnm-syntax: something else stands here.
  bool expected(std::string_view what, std::string hint);
  /// cnm-unknown-word, with the nearest choice; cnm-syntax where no word stands.
  bool unknownWord(std::string_view what, const std::vector<std::string> &choices);
  /// cnm-duplicate.
  bool duplicate(const Location &where, const std::string &what, const std::string &hint);

  bool lineEnd();
  bool punctuation(char c, const char *hint);
  bool name(std::string &into, std::string_view what);
  bool identifier(std::string &into, std::string_view what);
  /// A number, `low` to `high`, with an optional minus sign.
  bool number(std::int64_t &into, std::string_view what, std::int64_t low, std::int64_t high);
  /// A sum of numbers and sizes, `low` to `high`. Diagnostics: those of number(), unknown-size.
  bool extent(std::int64_t &into, std::string_view what, std::int64_t low, std::int64_t high);
  /// `hint`: what sums are made of.
  bool term(Term &into, bool isNegative, std::string_view what, const char *hint);
  /// One of `choices`, as its index.
  bool word(std::size_t &into, std::string_view what, const std::vector<std::string> &choices);
  bool type(DType &into);
};

}  // namespace pimento::mapping
