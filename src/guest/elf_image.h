// A program of a host as a file: which ISA, which loader it asks for, its functions.
//
// ELF of Linux alone. UPMEM's DPU programs are dpu/elf.h's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/program.h"

namespace pimento::guest {

/// Machine numbers of ELF.
inline constexpr int kMachineArm = 40, kMachineAarch64 = 183, kMachineRiscv = 243;

/// The machine number, or -1 where the bytes begin no ELF file.
int machineOf(std::string_view bytes);
/// Whether programs of that machine number run as guests.
bool isGuestMachine(int machine);

using trace::Function;

struct ElfImage {
  std::string file;
  trace::Isa isa = trace::Isa::kA64;  ///< kA32 of all programs for 32-bit Arm
  bool isPositionIndependent = false;
  std::uint64_t codeAddress = 0;       ///< of its first instructions, in the file
  std::uint64_t codeEnd = 0;           ///< behind its last ones
  std::string loader;                  ///< program interpreter; empty: static
  std::vector<std::string> libraries;  ///< that it needs, by name; none where it says itself where they lie
  std::vector<Function> functions;     ///< by ascending address; none in a stripped file

  /// The function that an address lies in, or null. Of overlapping ones the last that begins before it.
  const Function *functionAt(std::uint64_t address) const;
};

/// Diagnostics: "not-a-program" (no ELF file: a script, a folder, text), "unsupported-program" (of another machine,
/// big-endian, 32-bit RISC-V, not an executable), "bad-elf" (cut or inconsistent), "unreadable-file".
Result<ElfImage> readElfImage(const std::string &path);
/// Likewise of bytes that have been read; `path` names them.
Result<ElfImage> elfImageOf(std::string_view bytes, const std::string &path);

}  // namespace pimento::guest
