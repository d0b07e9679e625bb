// What the assembler remembers between lines. Only the assembler's sources include it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/dpu/assembly_text.h"
#include "pimento/dpu/isa.h"
#include "pimento/dpu/object.h"

namespace pimento::dpu {

/// Lines go in one after another; what refers to symbols is settled at the end.
class AssemblerState {
 public:
  explicit AssemblerState(std::string_view file);

  void take(const Statement &statement, int line);
  bool isFull() const { return diagnostics_.size() >= 20; }
  Result<Object> finish();

 private:
  /// A field to fill once all labels are known.
  struct Fixup {
    std::size_t section = 0;
    std::uint32_t offset = 0;
    const Operand *operand = nullptr;  ///< of an instruction; null: data
    int bytes = 0;                     ///< of data
    Expression expression;
    int line = 0, column = 0;
  };
  struct Assignment {
    std::uint32_t symbol = 0;
    Expression expression;
    int line = 0, column = 0;
    std::size_t section = 0;  ///< where "." stands
    std::uint32_t offset = 0;
    bool isSize = false;  ///< of the symbol, not its value
  };
  /// symbol + addend, or a number where there is no symbol.
  struct Value {
    bool hasSymbol = false;
    std::uint32_t symbol = 0;
    std::int64_t number = 0;
  };
  /// Where an expression stands, and what its numbers count.
  struct Context {
    std::size_t section = 0;
    std::uint32_t offset = 0;
    bool isInstruction = false;  ///< numbers beside a label are instructions
    bool isTarget = false;       ///< what is unknown is code
    int line = 0, column = 0;
  };

  struct SectionName {
    std::string name;
    bool isAllocated = true, isNoBits = false, isRetained = false;
  };

  bool report(std::string code, int column, std::string message, std::string hint);
  bool report(const Diagnostics &found);
  Location place() const { return {object_.file, line_, 0}; }
  Section &current() { return object_.sections[section_]; }
  bool hasRoom(std::uint64_t bytes, int column);

  void enterSection(const SectionName &to);
  std::uint32_t symbolIndex(std::string_view text);
  bool isSymbolName(const Piece &piece);
  void defineLabel(const Piece &label);
  /// With labels that are numbers as the ones they mean here. Diagnostics: dpu-asm-expression, dpu-asm-undefined.
  Result<Expression> expression(const Piece &piece);
  void setSymbol(const Piece &name, const Piece &value);

  void takeInstruction(const Statement &statement);
  void explainOperands(const Statement &statement, const std::vector<std::uint16_t> &candidates);
  void emitInstruction(const Form &form, const Statement &statement);

  // Directives (assembler_directives.cpp).
  void takeDirective(const Statement &statement);
  bool takeSectionDirective(std::string_view name, const Statement &statement);
  bool takeSymbolDirective(std::string_view name, const Statement &statement);
  bool takeDataDirective(std::string_view name, const Statement &statement);
  bool takeLineDirective(std::string_view name, const Statement &statement);
  void switchSection(const Statement &statement);
  void declareCommon(const Statement &statement, bool isLocal);
  void align(const Statement &statement, bool isPower);
  void emitZeros(const Statement &statement, bool isFill);
  void emitText(const Statement &statement, bool isTerminated);
  void emitNumbers(const Statement &statement, int bytes);
  bool emitByte(std::uint8_t byte, std::uint64_t count, int column);
  /// A number that needs no label. False, with a diagnostic: not one, or outside the bounds.
  bool number(const Statement &statement, std::size_t operand, std::int64_t low, std::int64_t high,
              std::int64_t &value);
  bool hasOperands(const Statement &statement, std::size_t least, std::size_t most);

  // The end (assembler_fixups.cpp).
  void settleAssignments();
  bool assign(const Assignment &assignment);
  /// False, with a diagnostic: it uses a name of this file that nothing defines.
  bool hasLocalLabels(const Expression &expression);
  void settle(const Fixup &fixup);
  void settleInstruction(const Fixup &fixup, const Value &value);
  void settleData(const Fixup &fixup, const Value &value);
  /// False, with a diagnostic: no sum of one symbol and a number.
  bool evaluate(const Expression &expression, const Context &context, Value &value);
  /// A local symbol at the start of the section.
  std::uint32_t sectionSymbol(std::size_t section);
  bool addTerm(const Expression::Term &term, const Context &context, std::vector<Value> &terms);

  Object object_;
  std::map<std::string, std::uint32_t, std::less<>> symbols_;
  std::map<std::string, std::uint32_t> localNumbers_;          ///< how often a number was a label so far
  std::map<std::string, std::string, std::less<>> writtenAs_;  ///< references to them, by the label's own name
  std::map<std::string, std::string, std::less<>> definedAt_;  ///< where labels stand
  std::size_t section_ = 0;
  bool isSkipping_ = false;  ///< in a section that is not loaded
  SectionName here_{".text"}, previous_{".text"};
  int line_ = 0;
  std::uint64_t total_ = 0;  ///< bytes so far
  std::vector<Fixup> fixups_;
  std::vector<Assignment> assignments_;
  std::map<std::int64_t, std::int32_t> fileNumbers_;  ///< of .file directives
  std::int32_t locFile_ = -1, locLine_ = 0;           ///< of the last .loc
  Diagnostics diagnostics_;
};

}  // namespace pimento::dpu
