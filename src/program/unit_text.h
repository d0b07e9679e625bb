// The text of virtual instructions and of what they refer to. Internal to the room; text.h has the grammar.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/program/text_reader.h"
#include "pimento/program/virtual.h"

namespace pimento::program {

/// Arrays and parameters, a line each, indented as the body of a process.
std::string printDeclarations(const Unit &unit);
/// Without indentation and line end.
std::string printInstruction(const Instruction &i, const Unit &unit, const std::vector<std::string> &variables);

/// Reads statements of a process with threads into its unit.
class UnitReader {
 public:
  UnitReader(TextReader &reader, Unit &unit) : reader_(reader), unit_(unit) {}

  /// Takes a declaration, right or wrong; false where none stands here.
  bool declaration();
  /// An instruction up to the end of its line; nothing after a mistake.
  std::optional<Instruction> instruction();
  bool hasParameter(std::string_view name) const;

 private:
  bool array();
  bool parameter();
  bool type(DType &into);
  bool registerNumber(int &into, const char *what);
  /// `data`: where an index from data may stand.
  bool arrayElement(int &array, Address &at, DataIndex *data = nullptr);
  bool dataIndex(DataIndex &data);
  bool condition(Instruction &i);
  bool constant(Instruction &i);
  bool operation(Instruction &i, const std::string &word);
  bool store(Instruction &i);
  bool move(Instruction &i);

  TextReader &reader_;
  Unit &unit_;
};

}  // namespace pimento::program
