// The surface of assembly text: lines into label, mnemonic and operands; operands into registers and expressions.
// The assembler gives them meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::dpu {

/// A piece of a line and the column at which it begins, from 1.
struct Piece {
  std::string_view text;
  int column = 0;
};

struct Statement {
  std::vector<Piece> labels;
  Piece mnemonic;  ///< or directive; empty: nothing but labels
  std::vector<Piece> operands;
  Piece rest;  ///< everything behind the mnemonic, unsplit
};

/// A line without comments (blanked out, so that columns stay) into its statements, which semicolons separate, and
/// their parts. `isInComment` carries /* over lines.
class LineReader {
 public:
  /// At least one. The blanked line lives until the next call.
  std::vector<Statement> read(std::string_view line);

 private:
  /// Where statements end: semicolons outside of literals, and the end of the line.
  std::vector<std::size_t> blank();

  std::string line_;
  bool isInComment_ = false;
};

/// r5, zero, id8 (number 0 to 31), s5, d4. s24 to s31 are the read-only registers as sources of stack-checked forms.
struct RegisterName {
  char bank = 'r';  ///< r, s or d; read-only registers are r
  unsigned number = 0;
};

/// Empty: not written like a register. A letter r, s or d with a number that does not exist has `number` >= 64.
std::optional<RegisterName> readRegister(std::string_view text);

/// Sum of a number and symbols; "." is the place where the expression stands.
struct Expression {
  struct Term {
    std::string symbol;
    bool isNegative = false;
    int column = 0;
  };
  std::int64_t number = 0;
  std::vector<Term> terms;
};

/// Diagnostic: dpu-asm-expression.
Result<Expression> readExpression(Piece text, const Location &line);

/// A string literal with its escapes resolved. Diagnostic: dpu-asm-string.
Result<std::string> readString(Piece text, const Location &line);

/// A symbol in quotes: how a name that is also a register's is written.
bool isQuotedName(std::string_view text);
std::string_view withoutQuotes(std::string_view name);

/// A label that is a number may be defined many times: "64:". "64b" means the last one before, "64f" the next one.
bool isLocalNumber(std::string_view label);
bool isLocalReference(std::string_view name);

bool isSymbolStart(char c);
bool isSymbolCharacter(char c);

}  // namespace pimento::dpu
