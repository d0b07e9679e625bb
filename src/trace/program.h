// The program whose instructions a stream has, and how it ended.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pimento/trace/instruction.h"
#include "pimento/trace/source_map.h"

namespace pimento::trace {

struct Function {
  std::string name;
  std::uint64_t address = 0, size = 0;

  bool operator==(const Function &) const = default;
};

/// Of functions by ascending address, the one that an address lies in, or null. Of overlapping ones the last that
/// begins before it; one without a size reaches to the next.
const Function *functionAt(std::span<const Function> functions, std::uint64_t address);

struct Program {
  std::string name;
  Isa isa = Isa::kA64;  ///< kA32 of all programs for 32-bit Arm
  std::int64_t arguments = 0;
  std::vector<Function> functions;  ///< by ascending address, as the file has them
  std::uint64_t loadedAt = 0;       ///< what is added to the file's addresses in memory
  std::uint64_t codeEnd = 0;        ///< behind the file's last instruction; 0: not known
  SourceMap sources;                ///< of saved traces, where the program had debug information

  bool operator==(const Program &) const = default;
  /// By an address in memory.
  const Function *functionAt(std::uint64_t address) const { return trace::functionAt(functions, address - loadedAt); }
};

/// How a program ended, and what share of it a stream has.
struct ProgramEnd {
  int exitStatus = 0;
  int signal = 0;                 ///< that ended it; 0: none
  bool wasReplaced = false;       ///< by another program (exec), whose instructions are not known
  std::int64_t instructions = 0;  ///< of the first thread, in the stream
  std::int64_t leftOut = 0;       ///< of the first thread, before, after and between the parts that were asked for
  std::int64_t otherThreads = 0, otherProcesses = 0, otherInstructions = 0;
  std::int64_t undecodable = 0;  ///< static instructions
  std::string cause;             ///< of the signal, in words; empty where it is not known; not saved in traces

  bool operator==(const ProgramEnd &) const = default;
};

}  // namespace pimento::trace
