// A stream taken one instruction at a time.
#pragma once

#include <span>
#include <vector>

#include "pimento/trace/stream.h"

namespace pimento::targets::cim {

/// Instructions one by one, each with its accesses, and the address of the one after it.
class Walker : public trace::Consumer {
 public:
  void onStart(const trace::Program &program, bool hasValues) override {
    program_ = &program;
    hasValues_ = hasValues;
    begin();
  }
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override {
    // Where a block goes on is known once the next one runs.
    flush(block.instructions.front().address);
    block_ = &block;
    count_ = count;
    accesses_.assign(accesses.begin(), accesses.end());
  }
  void onEnd() override {
    flush(0);
    finish();
  }

 protected:
  virtual void begin() {}
  /// The block that the next instructions are of; it lives as long as the producer.
  virtual void beginBlock(const trace::Block & /*block*/, int /*count*/, std::span<const trace::Access> /*accesses*/) {}
  virtual void onInstruction(const trace::Instruction &in, std::span<const trace::Access> accesses,
                             std::uint64_t next) = 0;
  virtual void finish() {}

  const trace::Program &program() const { return *program_; }
  bool hasValues() const { return hasValues_; }
  /// Of the instruction that is looked at.
  std::int64_t number() const { return number_; }

 private:
  void flush(std::uint64_t next) {
    if (block_ == nullptr) return;
    beginBlock(*block_, count_, accesses_);
    std::size_t first = 0;
    for (int i = 0; i < count_; ++i) {
      std::size_t end = first;
      while (end < accesses_.size() && accesses_[end].instruction == i) ++end;
      const bool isLast = i + 1 == count_;
      onInstruction(block_->instructions[static_cast<std::size_t>(i)], std::span(accesses_).subspan(first, end - first),
                    isLast ? next : block_->instructions[static_cast<std::size_t>(i) + 1].address);
      first = end;
      ++number_;
    }
    block_ = nullptr;
  }

  const trace::Program *program_ = nullptr;
  bool hasValues_ = false;
  const trace::Block *block_ = nullptr;
  int count_ = 0;
  std::vector<trace::Access> accesses_;
  std::int64_t number_ = 0;
};

}  // namespace pimento::targets::cim
