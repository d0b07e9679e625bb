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

/// Does it load or store? By LLVM's marks, unless they say too little (`strt`), too much (exclusive accesses have both)
/// or what is not so (`sadd8` and `sel` have them, too).
enum class Memory { kAsMarked, kNeither, kLoads, kStores };
Memory memoryOf(trace::Isa isa, std::string_view opcode);

/// What A32 and T32 do with Q and GE, parts of the flags that LLVM does not list: nothing, set them and keep the other
/// flags, use them.
enum class PartOfFlags { kNone, kSets, kUses };
PartOfFlags partOfFlags(std::string_view opcode);

/// Registers d of a list of A32 and T32 of which LLVM gives the first alone (`vld1` and `vtbl` of three and four); 0:
/// it gives all.
int listedByFirst(std::string_view opcode);

/// Does LLVM not list the base register that it changes (`vld1`, `ldc`)?
bool hidesItsBase(std::string_view opcode);

/// Exclusive, acquire, release, atomic.
bool isExclusive(trace::Isa isa, std::string_view opcode);

/// Operands that a store stores, before those of its address: 0 to 2; lists are told by their form.
int storedOperands(trace::Isa isa, std::string_view opcode);

}  // namespace pimento::frontend::decoder
