// What commands of a DRAM device with PIM units mean for energy: counts of commands times how much one does.
//
// One table: the counts that reports show, by name, and for every action the counts that make it up. It is what runs
// are priced by and what `explain` shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/energy/actions.h"
#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::evaluate {

/// The counts of a run: purposes of column commands (in the order of program::Purpose), then row commands.
inline constexpr int kDeviceCounts = program::kPurposes + 7;
/// "pim_mac", "activates", "column_commands".
std::string_view deviceCountName(int which);

using DeviceCounts = std::array<std::int64_t, kDeviceCounts>;
/// Of one channel.
DeviceCounts deviceCounts(const program::Process &process, const sim::dram::ChannelCounts &counts);

/// What one command does this often for every action of a kind.
enum class ActionPer : std::uint8_t { kCommand, kBlock, kLane };

/// `times` actions per command, or per command and unit, or per command, unit and lane.
struct ActionPart {
  energy::Action action = energy::Action::kActivations;
  int count = 0;  ///< which device count
  int times = 1;
  ActionPer per = ActionPer::kCommand;
};
const std::vector<ActionPart> &actionParts();

/// Units and lanes that a part is multiplied with.
std::int64_t multiplier(const ActionPart &part, const machine::Machine &machine);

/// Device totals of `instances` identical channels.
energy::ActionCounts deviceActions(const machine::Machine &machine, const DeviceCounts &perChannel,
                                   std::int64_t instances);

}  // namespace pimento::evaluate
