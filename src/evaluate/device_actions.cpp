#include "pimento/evaluate/device_actions.h"

#include "pimento/base/integer.h"

namespace pimento::evaluate {

using energy::Action;
using program::Purpose;

namespace {

/// Row commands, behind the purposes.
enum Row : int {
  kActivates = program::kPurposes,
  kAllBankActivates,
  kPrecharges,
  kAllBankPrecharges,
  kRefreshes,
  kLostRefreshes,
  kColumns,
};

int of(Purpose p) {
  return static_cast<int>(p);
}

}  // namespace

std::string_view deviceCountName(int which) {
  constexpr std::array<std::string_view, 7> kRows = {"activates",           "all_bank_activates", "precharges",
                                                     "all_bank_precharges", "refreshes",          "lost_refreshes",
                                                     "column_commands"};
  if (which < program::kPurposes) return program::name(static_cast<Purpose>(which));
  return kRows[static_cast<std::size_t>(which - program::kPurposes)];
}

DeviceCounts deviceCounts(const program::Process &process, const sim::dram::ChannelCounts &c) {
  DeviceCounts out{};
  const auto commands = program::countCommands(process);
  for (std::size_t p = 0; p < commands.size(); ++p) out[p] = commands[p];
  out[kActivates] = c.activates;
  out[kAllBankActivates] = c.allBankActivates;
  out[kPrecharges] = c.precharges;
  out[kAllBankPrecharges] = c.allBankPrecharges;
  out[kRefreshes] = c.refreshes;
  out[kLostRefreshes] = c.lostRefreshes;
  out[kColumns] = c.columns;
  return out;
}

const std::vector<ActionPart> &actionParts() {
  using enum Purpose;
  constexpr ActionPer kOne = ActionPer::kCommand, kUnit = ActionPer::kBlock, kLane = ActionPer::kLane;
  static const std::vector<ActionPart> kParts = {
      {Action::kActivations, kActivates, 1, kOne},
      {Action::kAllBankActivations, kAllBankActivates, 1, kUnit},  // one per bank that opens
      {Action::kPrecharges, kPrecharges, 1, kOne},
      {Action::kPrecharges, kAllBankPrecharges, 1, kUnit},
      {Action::kHostReads, of(kHostRead), 1, kOne},
      {Action::kHostWrites, of(kHostWrite), 1, kOne},
      {Action::kNearBankReads, of(kPimMac), 1, kUnit},
      {Action::kNearBankReads, of(kPimAlu), 1, kUnit},
      {Action::kNearBankReads, of(kPimRead), 1, kUnit},
      {Action::kNearBankReads, of(kPimMove), 1, kUnit},
      {Action::kNearBankWrites, of(kPimStore), 1, kUnit},
      {Action::kBroadcasts, of(kBroadcast), 1, kOne},
      {Action::kBroadcasts, of(kControl), 1, kOne},
      {Action::kBroadcasts, of(kProgram), 1, kOne},
      {Action::kMacs, of(kPimMac), 1, kLane},
      {Action::kAluOperations, of(kPimAlu), 1, kLane},
      {Action::kRegisterReads, of(kPimMac), 2, kUnit},
      {Action::kRegisterReads, of(kPimAlu), 1, kUnit},
      {Action::kRegisterReads, of(kPimStore), 1, kUnit},
      {Action::kRegisterReads, of(kPimMove), 1, kUnit},
      {Action::kRegisterWrites, of(kPimMac), 1, kUnit},
      {Action::kRegisterWrites, of(kPimAlu), 1, kUnit},
      {Action::kRegisterWrites, of(kPimRead), 1, kUnit},
      {Action::kRegisterWrites, of(kPimMove), 1, kUnit},
      {Action::kRegisterWrites, of(kBroadcast), 1, kUnit},
      {Action::kRefreshes, kRefreshes, 1, kOne},
  };
  return kParts;
}

std::int64_t multiplier(const ActionPart &part, const machine::Machine &machine) {
  if (part.per == ActionPer::kCommand || !machine.pim) return 1;
  return part.per == ActionPer::kBlock ? machine.pim->blocks : machine.pim->blocks * machine.pim->lanes;
}

energy::ActionCounts deviceActions(const machine::Machine &machine, const DeviceCounts &perChannel,
                                   std::int64_t instances) {
  energy::ActionCounts a;
  for (const ActionPart &p : actionParts()) {
    const std::int64_t commands = multiplySaturated(perChannel[static_cast<std::size_t>(p.count)], instances);
    a.add(p.action, multiplySaturated(multiplySaturated(commands, p.times), multiplier(p, machine)));
  }
  return a;
}

}  // namespace pimento::evaluate
