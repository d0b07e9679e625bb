#include "pimento/targets/near_bank/passes.h"

#include <fmt/format.h>

#include <array>

namespace pimento::targets::near_bank {

namespace {

using machine::Machine;

bool isInBanks(const Machine &m) {
  return m.nearBank->onChip.value > 0;
}
bool always(const Machine & /*machine*/) {
  return true;
}

constexpr std::array<PassRow, 7> kPasses = {{
    {Pass::kOnChipBlocks, "data move to the banks in blocks of on-chip memory / channels; without it, burst by burst",
     isInBanks},
    {Pass::kBankGroupOrder, "reads and writes of a block go round the bank groups; without it, bank by bank", always},
    {Pass::kRowAlignment,
     "the host's tensors begin with a row of all banks, so that blocks are alike; without it, where the last one ended",
     isInBanks},
    {Pass::kGroupLoads,
     "operands that banks share go to all of them by one command; without it, to one bank after the other",
     [](const Machine &m) { return m.nearBank->loadAll >= 0 && m.nearBank->load >= 0; }},
    {Pass::kGroupMerge, "the device adds up partial results of neighbouring banks; without it, the host does",
     [](const Machine &m) { return m.nearBank->mergedResult >= 0; }},
    {Pass::kBatchReuse, "weights are placed once for all vectors of a batch; without it, once for each", always},
    {Pass::kKvAppend, "of weights that grow (append=N) the new rows alone are placed; without it, all of them", always},
}};

bool isLeftOut(const mapping::Mapping &mapping, Pass pass) {
  const auto said = mapping.parameters.find(std::string(name(pass)));
  return said != mapping.parameters.end() && said->second == 0;
}

}  // namespace

std::span<const PassRow> passes() {
  return kPasses;
}

Passes::Passes(const mapping::Mapping &mapping, const Machine &machine) {
  for (const PassRow &p : kPasses)
    if (p.isFor(machine) && !isLeftOut(mapping, p.pass)) on_ |= 1U << static_cast<unsigned>(p.pass);
}

bool loadsGroups(const Passes &passes, const machine::NearBankUnit &unit) {
  return unit.loadAll >= 0 && (unit.load < 0 || passes.has(Pass::kGroupLoads));
}

std::vector<std::string> leftOut(const mapping::Mapping &mapping, const Machine &machine) {
  std::vector<std::string> out;
  for (const PassRow &p : kPasses)
    if (p.isFor(machine) && isLeftOut(mapping, p.pass)) out.push_back(fmt::format("without pass {}", name(p.pass)));
  return out;
}

std::string print(const mapping::Mapping &mapping, const Machine &machine) {
  const Passes on(mapping, machine);
  std::string out;
  for (const PassRow &p : kPasses)
    out += fmt::format("{:<17} {:<9} {}\n", name(p.pass),
                       on.has(p.pass)     ? "on"
                       : p.isFor(machine) ? "left out"
                                          : "no use",
                       p.about);
  return out;
}

}  // namespace pimento::targets::near_bank
