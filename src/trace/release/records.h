// Instructions as the analyzer that Eva-CiM's authors released sees them: words of a disassembled line.
//
// Bug for bug: its first operand is the destination whatever the instruction does, so `cmp` defines a register; flags,
// write-back, second destinations and predicates are unknown to it; vector instructions are not there. What a program
// really does is instruction.h's business (idg.h), not this file's. Source: what the released analyzer does, observed;
// docs/models/cim.md, "Release mode".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::trace::release {

/// Where a load is served. The analyzer calls what it cannot place DRAM: forwarded loads, loads whose predicate is
/// false.
enum class Level : std::uint8_t { kL1, kL2, kL3, kDram };
inline constexpr int kLevels = 4;
/// "dcache" "l2" "l3" "dram".
std::string_view name(Level level);

/// By the first letters of the opcode.
enum class Kind : std::uint8_t {
  kAdd,      ///< add*, sub*
  kAnd,      ///< and*, orr*
  kXor,      ///< eor*, bic*
  kMove,     ///< mov*, mvn*
  kCompare,  ///< cmp, cmn, tst, teq
  kLoad,     ///< ldr*
  kOther,    ///< in trees like a move, but counted as nothing
};
/// The three kinds that a compute cache is said to run.
constexpr bool isCim(Kind kind) {
  return kind == Kind::kAdd || kind == Kind::kAnd || kind == Kind::kXor;
}

struct Record {
  std::int64_t sequence = 0;  ///< the trace's own number of the instruction
  std::string text;           ///< its disassembly
  Kind kind = Kind::kOther;
  std::string destination;             ///< empty: none
  std::array<std::string, 2> sources;  ///< registers; empty: none, or an immediate
  Level level = Level::kDram;          ///< of a load
};

/// False: the analyzer skips the line (vector instructions, opcodes without operands).
bool parse(std::string_view disassembly, Record &record);

/// A table of instructions: `seq,pc,"disassembly",accesses`; an access is `R:address:size:level` or `W:...`. Of several
/// reads the last one counts. `file` names the text in messages. Diagnostic: "bad-trace".
Result<std::vector<Record>> readRecords(std::string_view text, const std::string &file);

}  // namespace pimento::trace::release
