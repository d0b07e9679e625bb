// Commands of SRAM arrays that compute on their bitlines, and lists of them for the banks of a cache.
//
// A command names bitlines of a tile and tiles of a lattice by patterns, and values by their first wordlines; all banks
// whose tiles it names take it, in order. Tiles lie in arrays one behind the other: tile t in array t, bank t / arrays
// of a bank. Infinity Stream, sections 4.2 and 5.2. In text, one per line (print):
//
//   add f32 96 = 0, 32 | bitlines 0:1:256 | tiles 0:1:16384
//   shift 32 64 = 0 by 1 | bitlines 0:1:255 | tiles 0:1:16384
//   tile-shift 32 64 = 0 by 1 tiles -255 | bitlines 255 | tiles 0:1:16383
//   broadcast 32 64 = 0 by 0:128:4 tiles 0:16:16 | bitlines 0 | tiles 0:1:4
//   sync
//
// Not here: what is computed by streams, and time.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/kernel/kernel.h"
#include "pimento/program/sram_pattern.h"

namespace pimento::program {

enum class SramCommandKind : std::uint8_t {
  kCompute,    ///< dest = op(operands), bitline by bitline
  kConstant,   ///< dest = `constant`, in all bitlines
  kCopy,       ///< dest = operand 0, where it is
  kShift,      ///< dest = operand 0, moved within tiles
  kTileShift,  ///< the same, to other tiles
  kBroadcast,  ///< the same, to several places
  kStream,     ///< stream number `stream` reads or writes tensors: whoever runs the commands knows it
  kSync,       ///< all that was moved has arrived
};

inline constexpr std::size_t kMostSramBanks = 256;

struct SramCommand {
  SramCommandKind kind = SramCommandKind::kSync;
  kernel::Op op = kernel::Op::kAdd;  ///< kCompute
  DType type = DType::kF32;          ///< kCompute: as kernel::Value
  DType argument = DType::kF32;      ///< kCompute: of its first argument
  int bits = 0;                      ///< of what is moved, copied or written
  std::array<int, 3> operands{-1, -1, -1};
  int dest = -1;
  std::uint64_t constant = 0;  ///< kConstant: the element's bits
  int stream = -1;
  SramPattern bitlines, tiles;  ///< of what is read (computed, written)
  // Moves: from bitline b of tile t to (t + tileDistance, b + bitlineDistance); broadcasts also to every place that
  // copies add.
  std::int64_t tileDistance = 0, bitlineDistance = 0;
  SramPattern tileCopies, bitlineCopies;
  std::bitset<kMostSramBanks> banks;  ///< which take it

  bool isMove() const { return kind >= SramCommandKind::kShift && kind <= SramCommandKind::kBroadcast; }
  bool operator==(const SramCommand &) const = default;
};

/// All commands in order; a bank's list is those that name it.
struct SramCommands {
  std::vector<SramCommand> list;

  bool operator==(const SramCommands &) const = default;
};

/// Which banks have one of these tiles.
std::bitset<kMostSramBanks> banksOf(const SramPattern &tiles, std::int64_t arraysPerBank);

std::string print(const SramCommand &command);
std::string print(const SramCommands &commands);
/// Reads print()'s text. `arraysPerBank` says which banks take a command. Diagnostics: sram-command (with its line),
/// sram-pattern.
Result<SramCommands> parseSramCommands(std::string_view text, std::int64_t arraysPerBank, const std::string &file = {});

}  // namespace pimento::program
