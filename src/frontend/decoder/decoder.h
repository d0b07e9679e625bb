// Machine code of a host's program as decoded instructions (needs LLVM's MC layer).
//
// LLVM's tables say which operands are written, which are implied, which predicate. Where they say too little or too
// much (lists of loads stand among the uses, `adc` lists the flags, returns do not list their register, RISC-V's jumps
// are no branches, `qadd` does not list Q, `strt` does not store), the decoder mends it. test/unit/frontend/ has what
// the manuals say of 150 and more instructions of each ISA (decoder_rows_*.h) and of IT blocks (decoder_it_test.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/instruction.h"

namespace pimento::frontend {

/// An instruction in memory. `text`: as another disassembler has it; tells A32 from T32 where sizes do not.
struct EncodedInstruction {
  std::uint64_t address = 0;
  std::string bytes;
  std::string text;
};

/// Instructions that follow each other. Of Arm, `isa` is either of A32 and T32: which one it is shows by sizes and
/// texts. What cannot be decoded has a text that begins with ".inst", reads and writes nothing, and is of kind kOther.
/// Diagnostics: "needs-llvm", "llvm-module".
Result<std::vector<trace::Instruction>> decodeInstructions(trace::Isa isa, std::span<const EncodedInstruction> code);

}  // namespace pimento::frontend
