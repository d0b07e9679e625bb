// How rooms that know neither LLVM nor guests have a C program for a host built and run.
//
// `targets/cim` writes kernels as C; `driver` hands in who compiles, links and runs them (Clang, ld.lld-19, and the
// interpreter for RISC-V 64). Not here: consumers of what runs (stream.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "pimento/base/diagnostics.h"

namespace pimento::trace {

class Consumer;

/// A program in a memory of its own, which has not begun.
class HostProcess {
 public:
  virtual ~HostProcess() = default;
  /// False: no memory of the program's is there.
  virtual bool write(std::uint64_t address, std::span<const std::byte> bytes) = 0;
  virtual bool read(std::uint64_t address, std::span<std::byte> bytes) const = 0;
  /// Runs it to its end, once. What the named function runs, from its first instruction to its return, goes to
  /// `consumer`; null: nothing does. Diagnostics: "host-program" (it faults, or never comes to the function), those of
  /// the interpreter.
  virtual Status run(const std::string &function, Consumer *consumer) = 0;
};

class HostTools {
 public:
  virtual ~HostTools() = default;
  /// A static ELF file of RV64GC for freestanding C, whose variables without initial values begin at `variablesAt`.
  /// Diagnostics: "host-c" (what Clang says), "missing-linker", "host-link", "host-compiler-absent" (a build without
  /// LLVM).
  virtual Result<std::string> build(const std::string &text, std::uint64_t variablesAt) = 0;
  /// Its assembly.
  virtual Result<std::string> assembly(const std::string &text) = 0;
  /// `elf`: of build(). Diagnostics: those of guest::rv64::Machine::make.
  virtual Result<std::unique_ptr<HostProcess>> load(const std::string &elf) = 0;
};

}  // namespace pimento::trace
