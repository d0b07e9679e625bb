// Reads words, numbers and punctuation from line-oriented text, remembering where each stands.
//
// Shared by the text forms of programs (program/text.h) and of kernels with their mappings, and by the HBM-PIM assembly
// (program/hbm_pim_isa.h). It scans on demand, because what a name may contain depends on the place: `hbm-pim` is one
// name after `program` and a subtraction elsewhere.
// Comments run from ';' or '#' to the end of the line. Nothing here throws or reports: callers ask, then complain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento {

class Scanner {
 public:
  /// `text` must outlive the scanner. Lines count from `firstLine`.
  Scanner(std::string_view text, std::string file, int firstLine = 1);

  /// No text left.
  bool isAtEnd() const { return pos_ >= text_.size(); }
  /// Nothing but a comment left on this line.
  bool isAtLineEnd() const { return isAtEnd() || text_[pos_] == '\n'; }
  /// Drops the rest of the line and moves to the next line.
  void nextLine();
  /// Moves over empty lines.
  void skipEmptyLines();

  /// Where the next token starts.
  Location where() const;
  /// The next token as a user would quote it: "'word'", "end of line", "end of file".
  std::string found() const;

  /// The next identifier ([A-Za-z_][A-Za-z0-9_]*), left in place; empty if there is none.
  std::string_view peekWord() const;
  /// Takes the next identifier; empty (and nothing taken) if there is none.
  std::string_view takeWord();
  /// Takes the next identifier if it is `word`.
  bool takeWord(std::string_view word);
  /// Takes the next character if it is `c`.
  bool takePunctuation(char c);
  /// The next character; '\0' at the end of a line.
  char peekCharacter() const { return isAtLineEnd() ? '\0' : text_[pos_]; }
  /// Takes a bare name ([A-Za-z0-9_.:-]+) or a quoted one ("..." with \\ \" and \xHH); empty optional if there is none.
  std::optional<std::string> takeName();

  /// Takes an identifier or a quoted name; empty optional if there is none.
  std::optional<std::string> takeIdentifier();

  enum class Number { kNone, kTaken, kOutOfRange };
  /// Takes an unsigned decimal number; `isNegated` says that a minus sign was taken before it, and negates it.
  Number takeInteger(std::int64_t &value, bool isNegated = false);

 private:
  void skipBlanks();

  std::string_view text_;
  std::string file_;
  std::size_t pos_ = 0;
  std::size_t lineStart_ = 0;
  int line_ = 1;
};

/// `name` as takeName() reads it back: bare where possible, quoted otherwise.
std::string spellName(std::string_view name);
/// `name` as takeIdentifier() reads it back: bare where it is an identifier, quoted otherwise.
std::string spellWord(std::string_view name);
/// Whether `text` is an identifier as takeWord() takes it.
bool isIdentifier(std::string_view text);

}  // namespace pimento
