// The rule that numbers of tensors, values, accesses and dims exist, part of verify(). Internal to the room.
#pragma once

#include <string>

#include "pimento/kernel/verify_loops.h"

namespace pimento::kernel {

class ReferenceVerifier : private Findings {
 public:
  using Findings::Findings;

  /// Any kernel of the graph.
  Diagnostics check(const Kernel &kernel);

 private:
  void checkAffine(const Affine &affine, const std::string &what);
  void checkAccess(const Access &access);
  void checkIndirect(const Access &access, const Tensor &tensor);
  void checkFollower(const Store &store);
  void checkValue(std::size_t v);
  void checkBodyIndex(int value, const std::string &what);
};

}  // namespace pimento::kernel
