// A reshaped program as whoever executes it sees it: what became of each instruction, and what caches do with lines.
//
// All of it comes in the order of the program. Who simulates caches tells of lines before the instruction that moves
// them; so data can be kept where the lines are, and a cache that computes does it on the bytes that it has.
// Not here: who tells (targets/cim/execution.h), and who executes (guest/rv64/reshaped_guest.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pimento/trace/candidates.h"
#include "pimento/trace/reshape.h"
#include "pimento/trace/stream.h"

namespace pimento::trace {

/// Caches by their index into Machine::caches.
struct CacheShape {
  std::vector<std::string> names;
  std::vector<int> next;  ///< behind each; -1: memory
  int data = 0;           ///< the first one for data
  CimRules rules;         ///< whose geometry it is
};

/// What happens to lines. Addresses are physical, those of lines of their first byte.
class LineMoves {
 public:
  virtual ~LineMoves() = default;
  /// A page of `bytes` has its frame. Without any, addresses are physical ones.
  virtual void onFrame(std::uint64_t page, std::uint64_t frame, std::uint64_t bytes) = 0;
  /// `cache` has a line now, as what is behind it has it.
  virtual void onFill(int cache, std::uint64_t line) = 0;
  /// A line leaves `cache`; a dirty one goes to what is behind it. `isForced`: what is behind computes with it.
  virtual void onLeave(int cache, std::uint64_t line, bool isDirty, bool isForced) = 0;
  /// `cache` reads an operand at `address`, or is about to write a result there.
  virtual void onGather(int cache, std::uint64_t address) = 0;
  /// The operand that was gathered last is copied to where the first one, at `to`, lies.
  virtual void onCopy(int cache, std::uint64_t to) = 0;
};

class Executor : public LineMoves {
 public:
  /// Before anything else.
  virtual void onStart(const Program &program, const CacheShape &caches) = 0;
  /// The next step, with the accesses that it has in the reshaped stream: of one that computes its operands in the
  /// order of its tree, then the result's, if it is stored.
  virtual void onStep(const ReshapedStep &step, std::span<const Access> accesses) = 0;
  virtual void onEnd() = 0;
  /// False: it went wrong, and nothing more is wanted.
  virtual bool wantsMore() const = 0;
};

}  // namespace pimento::trace
