#include "pimento/targets/near_bank/counts.h"

#include <algorithm>

namespace pimento::targets::near_bank {

namespace {

using evaluate::ActionShare;

constexpr std::string_view kOfProgram = "requests of the program, of all channels";
constexpr std::string_view kOfEngine = "counted by the engine, since it depends on time";
/// Of a unit, elements of a burst. Two products of one-byte elements count as one of two bytes.
constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kSoftmaxOperations = 6;  // of a score: scale, compare, subtract, exponential, add, divide

/// A command that all banks of a channel execute.
ActionShare perBank(std::string_view action, std::int64_t times = 1) {
  return {action, times, {"organization.ranks", "organization.bank_groups", "organization.banks_per_group"}};
}

/// A command that works in every bank group.
ActionShare perGroup(std::string_view action, std::int64_t times = 1) {
  return {action, times, {"organization.ranks", "organization.bank_groups"}};
}

/// Of a command by a name that no published stream has.
std::size_t rowOfPurpose(const program::Command &c) {
  constexpr std::size_t kBarriers = 14, kMultiplies = 15, kLoads = 16, kResults = 17, kSettings = 18,
                        kElementMultiplies = 19, kFunctions = 20;
  switch (c.purpose) {
    case program::Purpose::kPimMac:
      return kMultiplies;
    case program::Purpose::kBroadcast:
      return kLoads;
    case program::Purpose::kPimMove:
      return c.isWrite ? kFunctions : kResults;
    case program::Purpose::kControl:
      return c.isWrite ? kSettings : kBarriers;
    case program::Purpose::kPimAlu:
      return kElementMultiplies;
    default:
      return c.isWrite ? 1 : 0;
  }
}

constexpr std::size_t kSoftmaxEntries = 21, kCommands = 22;

}  // namespace

const evaluate::CountTable &countTable() {
  static const evaluate::CountTable kTable = {
      {{"RD", kOfProgram, {{"host_reads"}}},
       {"WR", kOfProgram, {{"host_writes"}}},
       {"WRGB", kOfProgram, {{"buffer_moves"}}},
       {"MACAB", kOfProgram, {perBank("near_bank_reads"), perBank("macs", kLanes)}},
       {"MVSB", kOfProgram, {{"buffer_moves"}}},
       {"MVGB", kOfProgram, {{"buffer_moves"}}},
       {"SFM", kOfProgram, {{"alu_operations", kLanes}}},
       {"LD_OP1", kOfProgram, {{"near_bank_reads"}}},
       {"ADD_OP1", kOfProgram, {{"near_bank_reads"}, {"alu_operations", kLanes}}},
       {"MAC_OP1", kOfProgram, {{"near_bank_reads"}, {"macs", kLanes}}},
       {"WB_ACC", kOfProgram, {{"near_bank_writes"}}},
       {"WB_RES", kOfProgram, {{"near_bank_writes"}}},
       {"ACC_RESET", kOfProgram, {}},
       {"RELU", kOfProgram, {{"near_bank_reads"}, {"alu_operations", kLanes}}},
       {"BARRIER", kOfProgram, {}},
       {"multiplies", kOfProgram, {perBank("near_bank_reads"), perBank("macs", kLanes)}},
       {"buffer_loads", kOfProgram, {{"buffer_moves"}}},
       {"results", kOfProgram, {{"buffer_moves"}}},
       {"settings", kOfProgram, {}},
       {"element_multiplies",
        kOfProgram,
        {perGroup("near_bank_reads", 2), perGroup("near_bank_writes"), perGroup("alu_operations", kLanes)}},
       {"functions", kOfProgram, {perBank("alu_operations")}},
       {"softmax_entries",
        "entries of softmax buffers that the units worked through, passes counted; of all channels",
        {{"alu_operations", kLanes * kSoftmaxOperations}}},
       {"activates", kOfEngine, {{"activations"}}},
       {"all_bank_activates", kOfEngine, {perBank("activations")}},
       {"precharges", kOfEngine, {}},
       {"all_bank_precharges", kOfEngine, {}},
       {"refreshes", kOfEngine, {{"refreshes"}}},
       {"lost_refreshes", kOfEngine, {}},
       {"column_commands", "issued; reads that a waiting write served are not", {}}},
      "requests"};
  return kTable;
}

const dram::Counting &counting() {
  static const dram::Counting kCounting = {
      countTable(), kCommands,
      [](const program::Program &p, const program::Command &c) -> std::size_t {
        if (c.named == 0) return c.isWrite ? 1 : 0;
        if (c.length > 0) return kSoftmaxEntries;
        const std::string &name = p.commands[static_cast<std::size_t>(c.named) - 1].name;
        const auto &rows = countTable().rows;
        const auto end = rows.begin() + kCommands;
        const auto found = std::find_if(rows.begin(), end, [&](const auto &r) { return r.name == name; });
        return found != end ? static_cast<std::size_t>(found - rows.begin()) : rowOfPurpose(c);
      },
      false};
  return kCounting;
}

}  // namespace pimento::targets::near_bank
