// A program as the fast interpreter (interpreter.h) runs it: one small record per instruction.
//
// A record names the piece of code that executes the instruction, specialised by operation and condition, and holds its
// operands. An immediate is added to register `b`, which then is the register that reads 0: no piece has to ask.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/sim/dpu/step.h"

namespace pimento::sim::dpu {

/// What a piece of code executes. `kGeneric` executes any instruction of class kAlu; the others are named after an
/// operation and a condition of fast_pieces.def.
enum class Piece : std::uint16_t {
  kEvent,  ///< ends the run of the interpreter
  kGeneric,
  kJump,  ///< calls and jumps whose target is known
  kCall,  ///< others
  kLoadOther,
  kStoreOther,
  kMulStep,
  kMulStepZ,
  kDivStep,
  kMovd,
#define PIMENTO_LOAD(op) k##op,
#define PIMENTO_STORE(op) k##op,
#define PIMENTO_PLAIN(op) k##op,
#define PIMENTO_BRANCH(op, condition) k##op##condition,
#define PIMENTO_SET(op, condition) k##op##Set##condition,
#include "pimento/sim/dpu/fast_pieces.def"
};

struct FastOp {
  Piece piece = Piece::kGeneric;
  std::uint8_t dst = kDiscardSlot, a = 0, b = 0, shift = 0;
  std::uint16_t bytes = 0;
  std::uint32_t imm = 0;    ///< added to register b; of loads and stores to the address
  std::int32_t jump = 0;    ///< of branches: records to the target
  std::uint32_t value = 0;  ///< of stores of an immediate
};

class FastCode {
 public:
  explicit FastCode(const std::vector<Step> &steps);

  const std::vector<FastOp> &ops() const { return ops_; }
  /// Does it load instructions? Then what this was made from does not stay.
  bool changesItself() const { return changesItself_; }

 private:
  std::vector<FastOp> ops_;
  bool changesItself_ = false;
};

}  // namespace pimento::sim::dpu
