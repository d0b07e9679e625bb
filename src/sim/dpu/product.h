// Where a program computes 32-bit products, for machines with a multiplier that programs know nothing of.
//
// DPUs multiply by steps, one bit of a factor each: our compiler's products in place, and the library routine that
// products elsewhere call, are one pattern of instructions. A what-if machine with a multiplier (machine::Dpu) executes
// each as one instruction, so that any program shows what the unit would be worth: the pattern is found when the
// program is loaded, its registers get what the steps would leave, one instruction issues, and the tasklet goes on when
// the unit is done. Others issue meanwhile, their products too: the unit is pipelined. Products by 8-bit instructions
// and by shifts stay what they are.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/sim/dpu/step.h"

namespace pimento::sim::dpu {

struct Image;

struct Product {
  std::uint32_t first = 0, end = 0;     ///< the instruction that becomes the product, and where the program goes on
  std::uint64_t reads = 0, writes = 0;  ///< registers, bit by number
  std::uint64_t link = 0;               ///< ... that a call of the routine sets besides
};

/// All of a program, by `first`.
std::vector<Product> findProducts(const Image &image);

}  // namespace pimento::sim::dpu
