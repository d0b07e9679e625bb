// What reading statements of programs has in common: mistakes with places, numbers, names, affine forms. Internal to
// the room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/scanner.h"
#include "pimento/program/virtual.h"

namespace pimento::program {

/// The text of an affine form over loop variables, outermost first, and parameters; what has no name prints as '?'.
std::string printAffine(const Address &a, const std::vector<std::string> &variables,
                        const std::vector<Parameter> &parameters);

/// Functions return false after reporting a mistake.
class TextReader {
 public:
  static constexpr std::size_t kMaxDiagnostics = 20;
  static constexpr std::int64_t kLargest = INT64_MAX;

  TextReader(std::string_view text, std::string file) : scan_(text, std::move(file)) {}

  Scanner &scan() { return scan_; }
  bool report(std::string code, Location where, std::string message, std::string hint);
  bool expected(std::string_view what, std::string hint);
  /// Moves to the next line with text; false at the end of the file.
  bool nextStatement();
  bool lineEnd();
  bool word(std::string_view text, const char *hint);
  bool nameInto(std::string &into, std::string_view what);
  /// A number with an optional minus sign, `low` to `high`; `code` names the mistake of being outside.
  bool number(std::int64_t &into, std::string_view what, std::int64_t low, std::int64_t high, const char *code);
  /// An affine form over the variables of the enclosing loops, and parameters if there are any.
  bool affine(Address &into, const std::vector<Parameter> &parameters);
  bool affine(Operand &into);
  /// A variable of an enclosing loop?
  bool hasVariable(std::string_view name) const;

 protected:
  Scanner scan_;
  std::vector<std::string> variables_;  ///< of the enclosing loops, outermost first
  Diagnostics found_;

 private:
  bool term(Address &into, const std::vector<Parameter> &parameters, bool isNegative);
  bool variable(Address &into, const std::vector<Parameter> &parameters, std::int64_t *&sum);
};

}  // namespace pimento::program
