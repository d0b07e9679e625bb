// CRF programs: what the units execute while the host streams column commands past them.
//
// An element-wise expression is evaluated for eight columns of a bank at a time. Each instruction is repeated for the
// eight commands that trigger it (AAM); an instruction that needs no operand from the bank is triggered by reading the
// row that is open anyway. Results must be in GRF_A for the even and GRF_B for the odd bank, where NOP + WR stores
// them; the other file holds at most one intermediate result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pimento/program/hbm_pim_isa.h"
#include "pimento/program/program.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

using program::hbm_pim::Instruction;

/// Eight column commands of one bank.
struct Step {
  bool isStore = false;
  int region = 0;  ///< operand or result region whose row is accessed: loads first, then one per store
  program::Purpose purpose = program::Purpose::kPimRead;
};

/// Element-wise kernel: the steps of one bank pass (the same for both banks) and the CRF words of both passes.
struct ElementwiseCode {
  std::vector<int> loads;         ///< operand region -> load (first of several equal accesses) or constantRegion(i)
  std::vector<double> constants;  ///< those that live in memory
  std::optional<double> factor, addend;  ///< those in SRF_M and SRF_A, in all entries
  int regions = 0;                       ///< operand regions + result regions
  std::vector<Step> steps;
  std::vector<Instruction> crf;  ///< for `tiles` repetitions of even pass, odd pass

  /// The operand region of a mask: 1 where points run, else 0.
  static constexpr int kMask = -1;
  static constexpr int constantRegion(int i) { return -2 - i; }
  static constexpr int constantOf(int load) { return -2 - load; }
};

/// Diagnostics: too-deep (needs more registers than two files give), too-long (more CRF words than the unit
/// has).
Result<ElementwiseCode> compileElementwise(const kernel::Kernel &kernel, const Elementwise &pattern,
                                           const machine::Machine &machine, std::int64_t tiles);

/// A sum or product of `length` terms: the steps of one term, and the CRF words of both passes over one tile. Before
/// the first term a step of the first region starts the accumulators. Diagnostics: as above; an expression has one
/// intermediate result.
Result<ElementwiseCode> compileStreamed(const kernel::Kernel &kernel, const Streamed &pattern,
                                        const machine::Machine &machine, std::int64_t length);

/// Matrix-vector product over `evenTiles` + `oddTiles` input tiles of 8 bursts, partial sums in GRF_B.
/// `isTree`: store and clear the partial sums after every input tile.
std::vector<Instruction> matVecMicrokernel(std::int64_t evenTiles, std::int64_t oddTiles, bool isTree);

}  // namespace pimento::targets::hbm_pim
