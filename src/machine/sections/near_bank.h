// Units beside the banks of a DRAM that work by commands, without modes (AttAcc, GDDR6-AiM).
#pragma once

#include <cstdint>

#include "pimento/base/dtype.h"

namespace pimento::machine {

/// A unit per bank: multipliers for the elements of a burst, an adder tree, accumulators, a buffer for the operand that
/// it shares with no bank. Commands are rows of the machine's table (index, -1: there is none).
struct NearBankUnit {
  std::int64_t lanes = 0;
  DType type = DType::kF16;         ///< of operands, and of what a multiplier gives
  DType accumulator = DType::kF32;  ///< of the adder tree and the accumulators
  DType moved = DType::kF16;        ///< of results when they leave the unit
  std::int64_t bufferEntries = 0;   ///< bursts
  std::int64_t accumulators = 0;
  int multiply = -1;    ///< a column of all its banks times a buffer entry, summed, onto an accumulator
  int load = -1;        ///< writes a burst into the buffers of its banks
  int loadAll = -1;     ///< likewise of all banks of a channel
  int result = -1;      ///< reads the accumulators of its banks and clears them
  int setColumns = -1;  ///< writes how many columns make a result, and begins with the first accumulator
};

}  // namespace pimento::machine
