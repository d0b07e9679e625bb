#include "pimento/evaluate/counts.h"

#include <algorithm>

namespace pimento::evaluate {

std::vector<std::string_view> actionsOf(const CountTable &table) {
  std::vector<std::string_view> out = {kRankCycles};
  for (const CountRow &row : table.rows)
    for (const ActionShare &share : row.actions)
      if (std::find(out.begin(), out.end(), share.action) == out.end()) out.push_back(share.action);
  return out;
}

std::int64_t multiplierOf(const ActionShare &share, const machine::Machine &machine) {
  std::int64_t product = share.times;
  for (const std::string_view path : share.factors)
    if (const auto n = machine.numbers.find(std::string(path)); n != machine.numbers.end())
      product = multiplySaturated(product, static_cast<std::int64_t>(n->second.canonical));
  return product;
}

void setCounts(DeviceRun &run, const CountTable &table, std::span<const std::int64_t> totals,
               const machine::Machine &machine, std::int64_t ranks) {
  PIMENTO_CHECK(totals.size() == table.rows.size());
  run.counts.clear();
  run.actions = {};
  for (std::size_t i = 0; i < totals.size(); ++i) {
    run.counts.emplace(table.rows[i].name, totals[i]);
    for (const ActionShare &share : table.rows[i].actions)
      run.actions.add(share.action, totals[i] == 0 ? 0 : multiplySaturated(totals[i], multiplierOf(share, machine)));
  }
  run.actions.add(kRankCycles, multiplySaturated(ranks, run.cycles.value));
}

}  // namespace pimento::evaluate
