// The compute hierarchy that mappings spread work over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace pimento::machine {

/// What the instances of a level are, whatever a machine calls them.
enum class LevelRole : std::uint8_t {
  kGroup,   ///< groups of units: channel, rank, module
  kUnit,    ///< what executes a program of its own: block, DPU
  kBank,    ///< banks that one unit works on
  kThread,  ///< threads of a unit, which take turns
  kLane,    ///< lanes of a unit, in lock step
};
/// The word of machine files: "group", "unit", ...
std::string_view name(LevelRole role);

/// One level of the compute hierarchy, outermost first. Mapping vectors have one tuple per level plus the range.
struct Level {
  std::string name;              ///< "channel", "block", "lane"; "rank", "dpu", "tasklet"
  std::int64_t count = 1;        ///< instances inside one instance of the level above
  bool splitsReduction = false;  ///< partial results of this level can be merged (by `merge`)
  std::string merge;             ///< who merges them: "host", ...; empty if none
  bool mustFill = false;  ///< all instances work in lock step; a mapping must name them all (idle ones are padding)
  LevelRole role = LevelRole::kGroup;
};

/// The role of a level that a file says none of: `inside` levels stand inside of it. `hasLanes`: units have lanes.
LevelRole usualRole(std::size_t inside, bool hasLanes);

/// The outermost level with this role, or null.
const Level *levelOf(std::span<const Level> levels, LevelRole role);

/// How many levels there are down to that of the units; all groups where no level has that role.
std::size_t unitLevels(std::span<const Level> levels);
/// Units in all of the machine: instances of the levels down to that of the units, all groups where no level has that
/// role.
std::int64_t unitCount(std::span<const Level> levels);

/// Whether the levels, outermost first, are exactly these.
bool haveRoles(std::span<const Level> levels, std::initializer_list<LevelRole> roles);

}  // namespace pimento::machine
