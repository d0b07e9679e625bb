// Is the answer right? Compares what the device computed with the reference interpreter, bit for bit.
//
// Kernel by kernel, on the same operands: a kernel that the host runs is the interpreter's anyway, so nothing is
// computed twice but the device's part, and a wrong answer is found where it arises.
#pragma once

#include <cstddef>
#include <map>

#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"

namespace pimento::evaluate {

class Checker {
 public:
  /// Makes the outputs and temporaries of `data`; null: there is nothing to check. Both must outlive the checker.
  Checker(const kernel::Graph &graph, kernel::DataSet *data);

  /// Keeps what the part's kernels are about to write to.
  void before(const PlannedPart &part);

  /// Evaluates the part's kernels, each in its order (none: the interpreter's own), and compares what others can see.
  /// All NaNs are equal; everything else must agree bit for bit. The device's results stay in the data. Diagnostics:
  /// wrong-answer, and those of the interpreter. `mayReorder`: of the part, which is one kernel: floating-point results
  /// within the error of any order are right.
  Status after(const PlannedPart &part, const std::vector<kernel::Order> &orders, bool mayReorder = false);

 private:
  Status afterReordered(const PlannedPart &part);

  const kernel::Graph &graph_;
  kernel::DataSet *data_;
  std::map<std::size_t, kernel::TensorData> kept_;  ///< by tensor
};

}  // namespace pimento::evaluate
