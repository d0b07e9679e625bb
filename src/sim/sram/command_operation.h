// The operation of a compute command, as micro-programs know it.
#pragma once

#include "pimento/kernel/scalar.h"
#include "pimento/program/sram_command.h"
#include "pimento/sim/sram/operations.h"

namespace pimento::sim::sram {

/// Comparisons are named by what they compare.
inline Operation operationOf(const program::SramCommand &command) {
  const DType type = kernel::isComparison(command.op) ? command.argument : command.type;
  return {command.op, type, command.argument};
}

}  // namespace pimento::sim::sram
