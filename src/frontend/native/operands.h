// The operands of a text that runs on this machine: where they lie, what is in them, and what the way it ended says.
#pragma once

#include <string>
#include <vector>

#include "pimento/frontend/native.h"
#include "pimento/frontend/native/guarded_array.h"
#include "pimento/frontend/native/process.h"

namespace pimento::frontend {

/// One array that the text is given, in memory of its own.
struct NativeOperand {
  std::string name;  ///< in the text
  int tensor = -1;   ///< of the graph, -1: of none
  /// Who says how long it is: the text, or the graph alone.
  bool isDeclared = false;
  bool isResult = false;  ///< only written, what the tensor holds at first lies elsewhere
  Location where;         ///< its declaration
  GuardedArray memory;
};

class NativeOperands {
 public:
  /// `file`: where diagnostics are that have no other place. Both references must outlive this.
  NativeOperands(const kernel::Graph &graph, const kernel::DataSet &data, std::string file);

  /// Memory of a tensor with what it holds at first: the user's data, or of outputs something that is not an answer
  /// (0 of what a selection fills, whose tail stays as it is). Null: no memory.
  std::byte *addTensor(std::string name, int tensor, bool isDeclared, Location where, bool isResult = false);
  /// Zeros for what the graph does not have.
  std::byte *addOther(std::string name, std::size_t bytes, Location where);

  /// Runs the function and says what it left, or what went wrong.
  Result<NativeAnswer> run(void (*entry)(void **), std::vector<void *> &arguments, const NativeLimits &limits) const;

 private:
  Diagnostic fault(const void *address) const;
  Diagnostic outside(const NativeOperand &o, std::ptrdiff_t offset) const;
  Result<NativeAnswer> ended(const ChildEnd &end, const NativeLimits &limits) const;
  Result<NativeAnswer> collect() const;

  const kernel::Graph &graph_;
  const kernel::DataSet &data_;
  std::string file_;
  std::vector<NativeOperand> operands_;
};

}  // namespace pimento::frontend
