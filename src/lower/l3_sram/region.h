// Just-in-time lowering: a scheduled region with numbers for names, in a layout -> commands for the banks.
//
// Infinity Stream, section 4.2. Each node becomes commands on the pieces of its box; a sync stands between a move to
// other tiles and the first command that touches where it goes, or a stream, or the end. Reductions combine the upper
// half of each tile onto the lower one; a stream takes what is left of each tile. What streams do stands in the list by
// number (`streams`), for whoever runs it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/lower/l3_sram/layout.h"
#include "pimento/program/sram_command.h"
#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::lower::l3_sram {

/// What a stream does between commands.
struct StreamWork {
  enum class Kind : std::uint8_t {
    kLoad,    ///< lays out what node `node` (kStrm) reads at `wordline`
    kStore,   ///< carries out output `output`, whose value is at `wordline`
    kReduce,  ///< the last rounds of node `node`: partial results at `partials`, one per tile, onto `before`; the
              ///< result to `wordline`
    kSpill,   ///< takes node's value out of `wordline`
    kRefill,  ///< brings it back
  } kind = Kind::kLoad;
  int node = -1, output = -1;
  int wordline = -1;
  int partials = -1;
  int before = -1;    ///< kReduce: -1: the identity
  int indirect = -1;  ///< kLoad, kStore: where the integers stand that an index comes from; -1: none does
  bool operator==(const StreamWork &) const = default;
};

/// A command that writes the value of a kConst node.
struct ConstantUse {
  int command = -1, node = -1;
  bool operator==(const ConstantUse &) const = default;
};

struct RegionCode {
  program::SramCommands commands;
  std::vector<StreamWork> streams;     ///< by SramCommand::stream
  std::vector<ConstantUse> constants;  ///< commands that hang on nothing but a node's value
  bool operator==(const RegionCode &) const = default;
};

/// Wordlines behind an array's own that commands name: literal operands, and what a reduction moves.
inline constexpr int kLiteralRows = 64, kOperandRows = 3 * kLiteralRows;

/// `constants`: by node, bits of the value of each kConst node. The region has a graph, its domain is not empty.
/// `used`: code that nobody needs any more, for the memory that it has. Diagnostics: no-command (a reduction in a tile
/// that is no power of two).
Result<RegionCode> lowerRegion(const tdfg::Instance &instance, const tdfg::Schedule &schedule, const Layout &layout,
                               std::span<const std::uint64_t> constants, RegionCode used = {});

}  // namespace pimento::lower::l3_sram
