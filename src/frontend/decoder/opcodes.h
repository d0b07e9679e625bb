// What LLVM's names of opcodes say: "ADDWrs", "t2ADDri", "C_ADDIW".
//
// The first letters of a name are its mnemonic, and the forms of one operation share them, so tables of prefixes are
// enough. Not here: operands (decoder.cpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "pimento/trace/instruction.h"

namespace pimento::frontend::decoder {

/// By name alone; what operands decide (a comparison writes no register, a jump returns) is decoder.cpp's.
trace::Operation operationOf(trace::Isa isa, std::string_view opcode);

/// Bits of an integer computation: 32 or 64.
int widthOf(trace::Isa isa, std::string_view opcode);

/// Does a load extend its sign?
bool isSignedLoad(trace::Isa isa, std::string_view opcode);

/// Does it change its base register (pre- and post-indexed, `!`)?
bool writesBack(trace::Isa isa, std::string_view opcode);

/// Exclusive, acquire, release, atomic.
bool isExclusive(trace::Isa isa, std::string_view opcode);

/// Registers that a store stores, before those of its address: 1 or 2; lists are told by their form.
int storedRegisters(std::string_view opcode);

}  // namespace pimento::frontend::decoder
