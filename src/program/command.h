// Commands of a DRAM channel in loops: what a memory controller is asked for.
//
// Commands address (rank, bank, row, column) of one channel. Row commands follow from the bank state; the controller
// issues them. A column command is the machine's plain read or write, or a row of its command table by name, which may
// address several banks, or registers alone. Not here: time, and the data that writes send (images are named, their
// contents belong to the lowering).
#pragma once

#include <cstdint>
#include <string>
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
inline constexpr std::int32_t kMostLength = 65536;

/// A row of the machine's command table that a program uses beside the plain read and write.
struct NamedCommand {
  std::string name;      ///< as in the machine file: "MAC16"
  bool isWrite = false;  ///< it sends data; else it reads, or works inside the device

  bool operator==(const NamedCommand &) const = default;
};

/// Channels of a shared process that a command goes to, in this order: `count` of them from `first` on, `step` apart.
/// No count: all of the process.
struct Channels {
  std::uint8_t first = 0, count = 0, step = 1;

  bool operator==(const Channels &) const = default;
};

/// One column command, or a barrier.
struct Command {
  bool isWrite = false;
  bool isBarrier = false;  ///< nothing behind it may issue before it
  Purpose purpose = Purpose::kHostRead;
  std::uint8_t rank = 0;
  std::uint8_t bank = 0;   ///< flat within the rank: bank group * banks per group + bank; of many, any of them
  std::uint8_t named = 0;  ///< 0: plain read or write; n: number n - 1 of Program::commands, `isWrite` as there
  /// `column` is the address of a byte in the bank, from which row and column follow; `row` is 0.
  bool isLinear = false;
  Channels channels = {};
  Operand row, column;  ///< column counts bursts
  int image = -1;       ///< writes: which image the data come from
  Operand burst;        ///< writes: burst number in that image
  /// How much a command of the device works through where its time grows with that (machine::TimingConstraint); at most
  /// kMostLength.
  std::int32_t length = 0;

  bool operator==(const Command &) const = default;
};

using CommandNode = Node<Command>;
/// What every channel of a process receives.
using CommandLoops = std::vector<CommandNode>;

}  // namespace pimento::program
