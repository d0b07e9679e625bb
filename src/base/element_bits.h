// How many bits an element has: a wordline each in arrays that compute bit by bit.
#pragma once

#include "pimento/base/dtype.h"

namespace pimento {

inline int bitsOf(DType t) {
  return static_cast<int>(8 * sizeOf(t).value);
}

}  // namespace pimento
