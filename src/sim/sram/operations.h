// Operations of kernels as micro-op programs for SRAM arrays, for every type but the 8-bit floats.
//
// Values and corners are those of kernel.h: integers wrap, x / 0 = 0, floating point is IEEE 754 with ties to even and
// subnormals. The first argument stands in Place::kFirst and so on, the result in Place::kResult, apart from all of
// them. A comparison gives a u8. exp, log, sqrt, tanh and the remainder of floating-point numbers have no program:
// streams and cores compute them.
#pragma once

#include "pimento/base/diagnostics.h"
#include "pimento/base/element_bits.h"
#include "pimento/kernel/kernel.h"
#include "pimento/sim/sram/micro_op.h"

namespace pimento::sim::sram {

struct Operation {
  kernel::Op op = kernel::Op::kAdd;
  DType type = DType::kF32;      ///< of the result; of comparisons: of the arguments
  DType argument = DType::kF32;  ///< kCast: of what is cast; kSelect: of the condition
  /// False: products, quotients and casts to narrower formats read subnormal numbers as 0 and give 0 for them, as fast
  /// hardware does; shorter programs, not the interpreter's results.
  bool hasSubnormals = true;
};

/// By argument, the wordlines it takes; 0 where the operation has no such argument.
int argumentBits(const Operation &operation, int argument);
int resultBits(const Operation &operation);

/// Diagnostic: sram-operation.
Result<MicroProgram> microProgram(const Operation &operation);

}  // namespace pimento::sim::sram
