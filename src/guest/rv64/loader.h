// Puts a static program of RV64 into memory, and its first stack, as Linux does.
//
// Not here: dynamic programs, which need their loader (guest.h runs them in QEMU).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/guest/rv64/memory.h"

namespace pimento::guest::rv64 {

/// Where things lie: positions of programs that have none of their own, the stack, and mappings below it.
inline constexpr std::uint64_t kPositionIndependent = 0x2'0000'0000, kStackTop = 0xf'ffff'0000,
                               kStackBytes = std::uint64_t{8} << 20, kMappingsTop = 0xf'8000'0000;
/// What user and group ids of a guest are, and its process id.
inline constexpr std::uint64_t kUser = 1000, kProcess = 1000;

struct LoadedProgram {
  std::uint64_t loadedAt = 0;  ///< what is added to the file's addresses
  std::uint64_t entry = 0;
  std::uint64_t breakAt = 0;  ///< the end of its data, at a page's begin
  std::uint64_t headers = 0, headerBytes = 0, headerCount = 0;
};

/// `bytes`: of `file`. Diagnostics: "bad-elf" (cut, or inconsistent), "unsupported-program" (of another machine,
/// dynamic, no executable, outside the address space), "guest-memory".
Result<LoadedProgram> loadProgram(std::string_view bytes, const std::string &file, Memory &memory);

/// Maps the stack with arguments, an empty environment and the auxiliary vector; returns the stack pointer.
/// Diagnostics: "guest-arguments" (they take more than half of it), "guest-memory".
Result<std::uint64_t> makeStack(const LoadedProgram &program, const std::string &file,
                                const std::vector<std::string> &arguments, Memory &memory);

}  // namespace pimento::guest::rv64
