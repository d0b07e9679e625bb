#include "pimento/sim/pim/all_bank.h"

#include <algorithm>

namespace pimento::sim::pim {

using machine::CommandKind;

namespace {

dram::Modes modesOf(const machine::PimUnit &p, const machine::Organization &o) {
  dram::Modes m;
  m.ranks = static_cast<int>(p.pimRanks);
  m.firstControlRow = p.firstControlRow;
  dram::Modes::Mode allBank;
  for (std::int64_t b = 0; b < p.pimRanks * o.banks(); ++b) {
    const std::uint64_t bit = std::uint64_t{1} << b;
    allBank.wide |= bit;
    if (b % o.banks() >= p.banksPerBlock) allBank.refused |= bit;
  }
  m.modes.push_back(allBank);
  m.reservedRows.push_back(p.firstControlRow);
  for (const auto &[name, row] : p.rows) m.reservedRows.push_back(row);
  for (const machine::ModeRule &r : p.modeRules) {
    // Writes switch between the two all-bank modes.
    if (r.command == CommandKind::kWrite || r.command == CommandKind::kRead) continue;
    std::uint64_t banks = 0;
    for (const int b : r.banks) banks |= std::uint64_t{1} << b;
    m.changes.push_back({r.to == machine::PimMode::kSingleBank ? 0 : 1, r.command, r.row, banks});
    m.reservedRows.push_back(r.row);
  }
  std::sort(m.reservedRows.begin(), m.reservedRows.end());
  m.reservedRows.erase(std::unique(m.reservedRows.begin(), m.reservedRows.end()), m.reservedRows.end());
  return m;
}

}  // namespace

dram::ChannelSpec channelSpec(const machine::Machine &machine) {
  const machine::Dram &d = *machine.dram;
  return dram::ChannelSpec(d, machine.pim ? modesOf(*machine.pim, d.organization) : dram::Modes{});
}

dram::ChannelSpec channelSpec(const machine::Machine &machine, const std::vector<program::NamedCommand> &names) {
  // Modes make commands of others.
  return machine.pim ? channelSpec(machine) : dram::ChannelSpec(*machine.dram, {}, names);
}

}  // namespace pimento::sim::pim
