// Code of a guest in blocks, decoded once each and found by address.
//
// A block ends with a branch, a call of the system, or after kMost instructions, or before code that cannot be fetched.
// Blocks stay as long as this object, since streams hand them on (trace/stream.h); after a flush a block whose bytes
// are still the same is used again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/guest/rv64/instruction.h"
#include "pimento/guest/rv64/memory.h"
#include "pimento/trace/instruction.h"

namespace pimento::guest::rv64 {

struct CodeBlock {
  static constexpr int kMost = 64;

  std::uint64_t address = 0, end = 0;
  std::vector<Decoded> code;  ///< the last one is kEndOfBlock
  std::string bytes;
  int count = 0;
  std::array<CodeBlock *, 2> next{};  ///< blocks that ran after it and are not cut
  bool isCut = false;                 ///< it begins at an address of cutAt()
  std::unique_ptr<trace::Block> recorded;
};

class Code {
 public:
  explicit Code(const Memory &memory) : memory_(memory) {}

  /// Null: the first instruction cannot be fetched. Flushes by itself where the memory's code has changed.
  CodeBlock *at(std::uint64_t address);
  /// The block at an address after this one, as a rule without a search.
  CodeBlock *after(CodeBlock &block, std::uint64_t address) {
    for (CodeBlock *n : block.next)
      if (n != nullptr && n->address == address && version_ == memory_.codeVersion()) return n;
    return search(block, address);
  }
  /// Code may have been written (fence.i).
  void flush();
  /// From now on a block begins at this address, and none goes over it.
  void cutAt(std::uint64_t address);
  /// As consumers take it. Diagnostics: those of the decoder (frontend/decoder/decoder.h).
  Result<const trace::Block *> record(CodeBlock &block);
  /// Instructions among those that were recorded which LLVM does not know.
  std::int64_t undecodable() const { return undecodable_; }

 private:
  static constexpr std::size_t kQuick = 4096;

  CodeBlock *search(CodeBlock &block, std::uint64_t address);
  bool isSame(const CodeBlock &block) const;
  std::unique_ptr<CodeBlock> make(std::uint64_t address) const;

  const Memory &memory_;
  std::uint64_t version_ = 0;
  std::array<CodeBlock *, kQuick> quick_{};                 ///< by the lower bits of the address
  std::unordered_map<std::uint64_t, CodeBlock *> current_;  ///< by address, since the last flush
  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<CodeBlock>>> all_;
  std::unordered_set<std::uint64_t> cuts_;
  std::vector<std::unique_ptr<CodeBlock>> retired_;  ///< went over a cut
  std::int64_t undecodable_ = 0;
};

}  // namespace pimento::guest::rv64
