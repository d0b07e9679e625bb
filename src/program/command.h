// Commands of a DRAM channel in loops: what a memory controller is asked for.
//
// Commands address (rank, bank, row, column) of one channel. Row commands follow from the bank state; the controller
// issues them. Not here: time, and the data that writes send (images are named, their contents belong to the lowering).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/program/loops.h"

namespace pimento::program {

/// What a column command is for: energy and the functional model count by it.
enum class Purpose : std::uint8_t {
  kHostRead,   ///< host reads or parks a burst (single bank)
  kHostWrite,  ///< host writes a burst (single bank)
  kControl,    ///< writes a mode or control register
  kProgram,    ///< writes instructions into the CRF of all blocks
  kBroadcast,  ///< writes GRF or SRF of all blocks
  kPimRead,    ///< all blocks read their bank and execute one instruction that is neither of the next two
  kPimMac,     ///< ... a multiply-accumulate
  kPimAlu,     ///< ... an addition or multiplication
  kPimMove,    ///< ... a register-to-register instruction; the bank access only triggers it
  kPimStore,   ///< all blocks write a register to their bank
};
std::string_view name(Purpose p);
inline constexpr int kPurposes = 10;

/// One column command (read or write).
struct Command {
  bool isWrite = false;
  bool isBarrier = false;  ///< nothing behind it may issue before it
  Purpose purpose = Purpose::kHostRead;
  std::uint8_t rank = 0;
  std::uint8_t bank = 0;  ///< flat within the rank: bank group * banks per group + bank
  Operand row, column;    ///< column counts bursts
  int image = -1;         ///< writes: which image the data come from
  Operand burst;          ///< writes: burst number in that image

  bool operator==(const Command &) const = default;
};

using CommandNode = Node<Command>;
/// What every channel of a process receives.
using CommandLoops = std::vector<CommandNode>;

}  // namespace pimento::program
