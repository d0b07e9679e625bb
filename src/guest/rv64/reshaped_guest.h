// Executes a reshaped program of RV64, and compares it with the run of the program that it was made of.
//
// What is gone does not run, and its register holds poison. Where a cache computes, it does so on the bytes that it has
// (levelled_memory.h); operands that lie elsewhere in the cache must have been copied, else what lay there is taken.
// Addresses, and where the program goes on, are those of its own registers. Calls of the system get the answers that
// the program itself got (witness.h), and must be the same calls with the same bytes.
//
// Not here: which instructions are gone (trace/reshape.h), and what lines do (trace/execution.h).
#pragma once

#include <array>
#include <cstdint>
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
#include "pimento/guest/rv64/levelled_memory.h"
#include "pimento/guest/rv64/linux.h"
#include "pimento/guest/rv64/loader.h"
#include "pimento/guest/rv64/memory.h"
#include "pimento/guest/rv64/witness.h"
#include "pimento/trace/execution.h"

namespace pimento::guest::rv64 {

/// What was executed.
struct ExecutedCounts {
  std::int64_t instructions = 0;  ///< by the core, with additions and those that have caches compute
  std::int64_t computed = 0;      ///< by caches
  std::int64_t gone = 0;          ///< of the program
};

class ReshapedGuest final : public trace::Executor {
 public:
  /// `bytes`: of `image.file`. `witness`: of the run whose stream becomes the reshaped one; it outlives this.
  /// Diagnostics: those of Machine::make.
  static Result<std::unique_ptr<ReshapedGuest>> make(const ElfImage &image, std::string_view bytes,
                                                     const std::vector<std::string> &arguments, const Witness &witness);

  /// Diagnostic: "reshaped-differs": it did something else than the program. Known once the stream has ended.
  Status outcome() const;
  const ExecutedCounts &counts() const { return counts_; }

  void onStart(const trace::Program &program, const trace::CacheShape &caches) override;
  void onFrame(std::uint64_t page, std::uint64_t frame, std::uint64_t bytes) override;
  void onFill(int cache, std::uint64_t line) override { levels_.fill(cache, line); }
  void onLeave(int cache, std::uint64_t line, bool isDirty, bool isForced) override;
  void onGather(int cache, std::uint64_t address) override;
  void onCopy(int cache, std::uint64_t to) override;
  void onStep(const trace::ReshapedStep &step, std::span<const trace::Access> accesses) override;
  void onEnd() override;
  bool wantsMore() const override { return !failure_; }

 private:
  /// One instruction as a block of its own.
  struct One {
    const trace::Instruction *in = nullptr;
    CodeBlock block;
  };
  /// What a cache has read at the place of an operand or result.
  struct Gathered {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint64_t bytes = 0;  ///< up to the end of its line, at most 8; 0: the cache does not have it
    bool isCopied = false;
  };

  ReshapedGuest(const ElfImage &image, const Witness &witness, std::unique_ptr<Memory> memory,
                const LoadedProgram &program, std::uint64_t stackPointer);
  CodeBlock alone(std::uint64_t address) const;
  One &one(const trace::Instruction &in);
  bool isHere(const trace::Instruction &in);
  std::uint64_t addressOf(const trace::Instruction &in);
  void run(const trace::Instruction &in, std::span<const trace::Access> accesses);
  void skip(const trace::Instruction &in);
  void compute(const trace::ReshapedStep &step, std::span<const trace::Access> accesses);
  std::optional<std::uint64_t> operand(const trace::ReshapedTree &tree, std::size_t number, std::uint64_t bytes);
  void store(const trace::ReshapedTree &tree, const trace::Instruction &site, const trace::Access &access,
             std::uint64_t result);
  bool isNear(int cache, std::uint64_t a, std::uint64_t b) const;
  void call();
  void answer(const CallRecord &record);
  void mapAgain(const CallRecord &record);
  void finish();
  void fail(const trace::Instruction *in, const std::string &what);
  std::string place(std::uint64_t address) const;

  std::string file_;
  std::vector<trace::Function> functions_;
  const Witness &witness_;
  std::unique_ptr<Memory> memory_;
  std::uint64_t loadedAt_;
  Hart hart_;
  Linux linux_;  ///< for what it maps
  LevelledMemory levels_;
  trace::CacheShape caches_;
  std::unordered_map<const trace::Instruction *, std::unique_ptr<One>> ones_;
  std::vector<One *> recent_;
  std::array<std::uint64_t, trace::kRegisters> kept_{};
  std::vector<Gathered> gathered_;                                      ///< of the instruction in hand
  std::vector<std::unordered_map<std::size_t, std::uint64_t>> copies_;  ///< by cache and number of the operand
  const trace::Instruction *computed_ = nullptr;                        ///< the root whose result is in its register
  std::size_t calls_ = 0;
  bool hasExited_ = false;
  std::int64_t number_ = 0;  ///< of the program's instruction in hand
  ExecutedCounts counts_;
  std::optional<Diagnostic> failure_;
};

}  // namespace pimento::guest::rv64
