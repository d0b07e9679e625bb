// What a program executed, block after block, as consumers take it: timing, graphs, files.
//
// A producer (a guest, a saved trace) hands every block that ran with its accesses to memory; consumers keep what they
// need. The instruction after a block is the first of the next one.
#pragma once

#include <cstdint>
#include <span>

#include "pimento/trace/instruction.h"
#include "pimento/trace/program.h"

namespace pimento::trace {

struct Access {
  std::uint64_t address = 0;
  std::uint16_t instruction = 0;  ///< index in the block
  std::uint8_t bytes = 0;
  bool isStore = false;
  std::uint64_t value = 0;  ///< what was loaded or stored; 0 where values are not recorded
};

class Consumer {
 public:
  virtual ~Consumer() = default;

  /// Before the first block: whose instructions come, and whether accesses have their values. The program lives as long
  /// as the producer.
  virtual void onStart(const Program & /*program*/, bool /*hasValues*/) {}
  /// The first `count` instructions of a block ran (all of them, unless one faulted). `accesses`: in order; an
  /// instruction may have none (its predicate is false) or several. `block` lives as long as the producer.
  virtual void onBlock(const Block &block, int count, std::span<const Access> accesses) = 0;
  /// Nothing comes any more; blocks are still there.
  virtual void onEnd() {}
  /// False: whatever may still come is not wanted; a producer may leave it out.
  virtual bool wantsMore() const { return true; }
};

}  // namespace pimento::trace
