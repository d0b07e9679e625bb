// A whole guest of RV64: a hart, its memory, and Linux under it; run block by block, or as fast as it goes.
//
// Not here: consumers of streams (interpreter.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/guest/elf_image.h"
#include "pimento/guest/rv64/code.h"
#include "pimento/guest/rv64/hart.h"
#include "pimento/guest/rv64/linux.h"
#include "pimento/guest/rv64/loader.h"
#include "pimento/guest/rv64/memory.h"
#include "pimento/guest/rv64/witness.h"

namespace pimento::guest::rv64 {

struct MachineSetup {
  std::vector<std::string> arguments;  ///< without the program's name
  int output = 2;                      ///< the host's file for standard output
  bool reachesHost = true;             ///< false: no files (LinuxSetup)
  bool hasValues = false;              ///< accesses have them
  Witness *witness = nullptr;          ///< gets calls; may be null
};

/// How a guest ended.
struct MachineEnd {
  int exitStatus = 0;
  int signal = 0;
  std::string cause;  ///< of a fault, in words: "it loads from 0x10, at main + 0x4"
};

/// A block that ran.
struct Step {
  const CodeBlock *block = nullptr;
  int count = 0;  ///< its first instructions that ran; all, unless one faulted
  std::span<const trace::Access> accesses;
};

class Machine {
 public:
  /// `bytes`: of `image.file`. Diagnostics: those of loadProgram, makeStack and Memory::make.
  static Result<std::unique_ptr<Machine>> make(const ElfImage &image, std::string_view bytes,
                                               const MachineSetup &setup);

  /// Runs the next block, and the call at its end; the guest must not have ended. A block of which nothing ran has the
  /// count 0; of one that an interception ran instead, `block` is null. Diagnostics: "unknown-call" (a system call that
  /// is not served), "guest-blocks" (it waits for what never comes), "signal-handler" (one would run now).
  Result<Step> step();
  /// The same for some blocks, without accesses.
  Status run(std::int64_t blocks);
  bool hasEnded() const { return end_.has_value(); }
  const MachineEnd &end() const { return *end_; }

  /// Called where a block would begin at this address, before it runs. True: it ran something else instead, and has
  /// set `pc`; false: the guest goes on. Blocks end before the address.
  using Interception = std::function<bool(Machine &)>;
  void intercept(std::uint64_t address, Interception by);
  /// The block as consumers take it.
  Result<const trace::Block *> record(const CodeBlock &block) { return code_.record(const_cast<CodeBlock &>(block)); }

  Hart &hart() { return hart_; }
  const Hart &hart() const { return hart_; }
  Memory &memory() { return *memory_; }
  std::uint64_t loadedAt() const { return program_.loadedAt; }
  std::int64_t undecodable() const { return code_.undecodable(); }

 private:
  Machine(const ElfImage &image, const MachineSetup &setup, std::unique_ptr<Memory> memory, LoadedProgram program,
          std::uint64_t stackPointer);
  CodeBlock *nextBlock();
  bool isIntercepted(const CodeBlock &block);
  Status handle(Stop why);
  Status take(const CallOutcome &outcome, std::string cause);
  void fault(Stop why);
  std::string place(std::uint64_t address) const;
  Diagnostic unknownCall(std::uint64_t number) const;

  std::string file_;
  std::vector<Function> functions_;
  bool hasValues_;
  Witness *witness_;
  std::unique_ptr<Memory> memory_;
  LoadedProgram program_;
  Code code_;
  Hart hart_;
  Linux linux_;
  CodeBlock *last_ = nullptr;
  std::unordered_map<std::uint64_t, Interception> interceptions_;
  std::optional<MachineEnd> end_;
};

}  // namespace pimento::guest::rv64
