// The rules of dims that data bound, part of verify(). Internal to the room.
#pragma once

#include "pimento/kernel/verify_loops.h"

namespace pimento::kernel {

class BoundsVerifier : private Findings {
 public:
  using Findings::Findings;

  /// A kernel of the graph, all of whose references are fine.
  Diagnostics check(const Kernel &kernel);

 private:
  void checkBounds(const DataBounds &bounds, const Dim &dim);
  void checkValues(const DataBounds &bounds, const Dim &dim);
};

}  // namespace pimento::kernel
