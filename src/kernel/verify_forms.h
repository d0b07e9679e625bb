// The rules of indirect kernels and selections, part of verify(). Internal to the room.
#pragma once

#include "pimento/kernel/verify_loops.h"

namespace pimento::kernel {

class FormVerifier : private Findings {
 public:
  using Findings::Findings;

  /// A kernel of the graph, all of whose references are fine.
  Diagnostics check(const Kernel &kernel);

 private:
  void checkSelect();
  std::int64_t pointsPerRow(const Access &append) const;
  void requireIntegerIndex(const Access &access);
};

}  // namespace pimento::kernel
