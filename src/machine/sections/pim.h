// Units beside the banks of a DRAM: HBM-PIM's, with the modes that reach them, and those that work by commands (AttAcc,
// GDDR6-AiM).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/machine/sections/dram.h"

namespace pimento::machine {

/// Mode of an HBM-PIM device: single bank, all bank, all bank with PIM execution.
enum class PimMode : std::uint8_t { kSingleBank, kAllBank, kAllBankPim };

/// The device changes from `from` to `to` once `command` for `row` has arrived at every bank of `banks`.
/// For writes to the control register, `column` and `value` (byte 0) must match as well.
struct ModeRule {
  PimMode from = PimMode::kSingleBank, to = PimMode::kAllBank;
  CommandKind command = CommandKind::kActivate;
  std::int64_t row = 0;
  std::vector<int> banks;
  std::optional<std::int64_t> column, value;
};

/// The PIM unit beside the banks (HBM-PIM; ISCA 2021, section III).
struct PimUnit {
  std::int64_t blocks = 0, lanes = 0, banksPerBlock = 0;  ///< blocks per rank
  std::int64_t grfEntries = 0;                            ///< entries of GRF_A and of GRF_B, one burst each
  std::int64_t srfEntries = 0;                            ///< scalars of SRF_M and of SRF_A
  std::int64_t crfWords = 0;
  DType type = DType::kF16;
  std::int64_t pimRanks = 1;  ///< ranks per channel with units (the first ones)
  /// Rows at or above this one are control or parking rows, never data.
  std::int64_t firstControlRow = 0;
  std::map<std::string, std::int64_t> rows;     ///< "park" "enter_all_bank" "leave_all_bank" "registers"
  std::map<std::string, std::int64_t> columns;  ///< "mode" "control" "srf" "crf" "grf_a" "grf_b"
  std::vector<ModeRule> modeRules;
};

/// What the units of a channel share where scores become weights: a buffer for results of the units, whose entries are
/// bursts, accumulators that add up what several banks have of one, and a unit for the softmax over a head's scores.
/// Commands are rows of the machine's table (index, -1: there is none); an entry is the row of their address.
struct SoftmaxUnit {
  std::int64_t entries = 0;
  DType accumulator = DType::kF32;           ///< of the accumulators, and of the sum of exponentials
  ScopeLevel merges = ScopeLevel::kChannel;  ///< banks of one such node can be added up
  std::int64_t passes = 1;                   ///< over a head's scores
  int move = -1;                             ///< adds the accumulators of its bank to an entry, and clears them
  int set = -1;      ///< writes scale, number of scores, scores per stretch of the buffer, number of stretches
  int run = -1;      ///< the scores from its entry on become weights; its length: entries times passes
  int load = -1;     ///< copies an entry to buffer entry `column` of its bank
  int loadAll = -1;  ///< likewise to all banks of a channel
  int read = -1;     ///< reads an entry to the host, and empties it
};

/// A unit per bank: multipliers for the elements of a burst, an adder tree, accumulators, a buffer for the operand that
/// it shares with no bank. Commands are rows of the machine's table (index, -1: there is none).
struct NearBankUnit {
  std::int64_t lanes = 0;
  DType type = DType::kF16;         ///< of operands, and of what a multiplier gives
  DType accumulator = DType::kF32;  ///< of the adder tree and the accumulators
  DType moved = DType::kF16;        ///< of results when they leave the unit
  std::int64_t bufferEntries = 0;   ///< bursts
  std::int64_t accumulators = 0;
  int multiply = -1;      ///< a column of all its banks times a buffer entry, summed, onto an accumulator
  int load = -1;          ///< writes a burst into the buffers of its banks
  int loadAll = -1;       ///< likewise of all banks of a channel
  int result = -1;        ///< reads the accumulators of its banks and clears them
  int mergedResult = -1;  ///< likewise, but of all banks of its node added up, in their order
  int setColumns = -1;    ///< writes how many columns make a result, and begins with the first accumulator

  // Element by element.
  int multiplyElements = -1;  ///< in every bank group, the first bank's burst times the second's into the third's
  int preload = -1;           ///< writes a burst into the accumulators, an element for each unit
  int function = -1;          ///< the function of every unit's accumulator, beside it
  int functionResult = -1;    ///< reads what `function` left
  int copyOut = -1;           ///< a burst of a bank into the buffer
  int copyIn = -1;            ///< the buffer's entry into a burst of a bank

  // The host's data, where they lie in the same banks, and the memory through which they are moved.
  Bytes onChip;                ///< of the host; 0: its data lie elsewhere
  std::vector<int> hostBanks;  ///< banks of a channel in the order in which the host's addresses fill a row of each
  std::optional<SoftmaxUnit> softmax = {};
};

}  // namespace pimento::machine
