// Buffers that change over time, turned into a Graph of tensors and kernels.
//
// A memref, or one SSA tensor value, is a Buffer. What it holds at a moment of the import is nothing yet, one constant
// in every element, or a graph tensor. Overwriting a buffer whole gives it a fresh tensor, so that an intermediate is a
// temporary and not a second write to an output; updating it keeps its tensor. Knows nothing of MLIR.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// A constant of either kind of type.
struct Constant {
  double real = 0;
  std::int64_t integer = 0;
};

/// Whether accumulating from a constant is accumulating from nothing.
bool isNeutral(const Constant &c, kernel::Combine combine, DType type);

enum class Holds : std::uint8_t { kNothing, kConstant, kTensor };

struct Buffer {
  std::string name;  ///< may be empty
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;
  Holds holds = Holds::kNothing;
  Constant constant;  ///< kConstant
  int tensor = -1;    ///< kTensor
  int argument = -1;  ///< graph tensor of the user's contents, if it is a function argument
  bool isMemref = false;
  bool isConstant = false;  ///< an argument that is the same in every run
  bool isBit = false;       ///< bytes of which the lowest bit counts
  bool isShared = false;    ///< another value stands for the same contents: never updated in place
};

class GraphBuilder {
 public:
  GraphBuilder(std::string name, Location where);

  int addBuffer(Buffer buffer);
  /// A function argument: it holds the user's contents.
  int addArgument(Buffer buffer);
  Buffer &buffer(int b) { return buffers_[static_cast<std::size_t>(b)]; }

  /// Gives the buffer a fresh tensor and returns it.
  int overwrite(int b);
  /// Makes the buffer hold a tensor that may be updated, filling or copying first where needed.
  /// `from` is the buffer whose contents are updated; `mayReuse` says that no one else needs them.
  int update(int b, int from, bool mayReuse, const Location &where);
  /// What follows, up to closeLoop(), runs in rounds. Buffers that change in it must hold tensors by then: update()
  /// them.
  void openLoop(std::string name, std::int64_t extent, const Location &where);
  /// `swaps`: tensors that exchange their names after every round.
  void closeLoop(std::vector<std::array<int, 2>> swaps = {});
  /// Appends a kernel; its name is made unique.
  void add(kernel::Kernel kernel);
  std::size_t kernelCount() const { return graph_.kernels.size(); }
  /// Gives the last kernel a name, if no other has it, and a mapping.
  void annotate(const std::string &name, const std::string &mapping);
  /// Gives the kernel of that name, once there is one, a mapping.
  void noteMapping(const std::string &kernel, const std::string &mapping) { mappings_[kernel] = mapping; }
  std::string mappingOf(const std::string &kernel) const;
  /// to = from, element by element.
  void copy(int from, int to, const Location &where);
  /// Whether the contents of an argument, a memref, change.
  bool isWritten(int b) const;
  /// The buffer is a result of the function.
  void returned(int b, const Location &where);
  /// After finish(): the graph's tensor whose contents are those of an argument; -1: no result needs it.
  int tensorOfArgument(int b) const;
  /// After finish(): by call of returned(), the tensor that is the result; -1 where an argument holds it.
  const std::vector<int> &results() const { return results_; }

  /// Settles roles and names, drops what no result needs, verifies. `neededHint`: what makes a kernel, where none is.
  Result<kernel::Graph> finish(
      std::string neededHint = "it needs a linalg op whose result is returned or written to a memref argument");

 private:
  int addTensor(const Buffer &buffer, kernel::Role role, int order);
  void fill(int b, const Location &where);
  bool isTouched(int tensor) const;
  bool isStored(int tensor) const;
  int storageOf(int tensor) const;
  void settleArgument(int b);
  std::vector<bool> neededTensors() const;
  void startFromIdentity(int tensor, const Location &where);
  void prune();
  void renumber();
  void nameTensors();

  kernel::Graph graph_;
  Location where_;
  std::vector<Buffer> buffers_;
  std::vector<int> order_;  ///< per tensor: arguments keep their place, others follow as made
  std::vector<int> arguments_;
  std::vector<int> results_;                     ///< tensors
  std::vector<int> renumbered_;                  ///< tensors of finish() by those before it
  std::vector<std::size_t> open_;                ///< loops around what comes next
  std::map<std::string, std::string> mappings_;  ///< by kernel
};

}  // namespace pimento::frontend
