#include "pimento/evaluate/unit_actions.h"

#include "pimento/base/integer.h"
#include "pimento/evaluate/dpu_actions.h"

namespace pimento::evaluate {

using energy::Action;
using sim::cnm::Counts;

namespace {

struct UnitCount {
  CountEntry entry;
  std::int64_t Counts::*member = nullptr;  ///< null: idle cycles
  bool isPerLane = false;
};

const std::vector<UnitCount> &table() {
  static const std::vector<UnitCount> kTable = {
      {{"instructions", "issue slots taken; a vector's lanes share one", {Action::kInstructions}},
       &Counts::slots,
       false},
      {{"idle_cycles", "cycles in which nothing issued", {}}, nullptr, false},
      {{"operations", "operations on values of one lane", {Action::kAluOperations}}, &Counts::operations, true},
      {{"scratchpad_accesses", "loads and stores", {Action::kWramAccesses}}, &Counts::scratchpadAccesses, true},
      {{"bank_reads", "accesses that read", {Action::kDmaTransfers}}, &Counts::bankReads, false},
      {{"bank_writes", "accesses that write", {Action::kDmaTransfers}}, &Counts::bankWrites, false},
      {{"bank_read_bytes", "bytes of accesses that read", {Action::kDmaBytes}}, &Counts::bankReadBytes, false},
      {{"bank_write_bytes", "bytes of accesses that write", {Action::kDmaBytes}}, &Counts::bankWriteBytes, false}};
  return kTable;
}

}  // namespace

std::vector<CountEntry> countEntries(const program::Process &process) {
  std::vector<CountEntry> out;
  if (process.unit)
    for (const UnitCount &c : table()) out.push_back(c.entry);
  else
    for (const DpuCount &c : dpuCountTable()) out.push_back({c.name, c.about, c.actions});
  return out;
}

std::map<std::string, std::int64_t> unitCounts(const sim::cnm::RunResult &run, std::int64_t units, std::int64_t lanes) {
  std::map<std::string, std::int64_t> out;
  for (const UnitCount &c : table()) {
    const std::int64_t one = c.member == nullptr ? run.idleCycles : run.counts.*c.member;
    out.emplace(c.entry.name, multiplySaturated(one, multiplySaturated(units, c.isPerLane ? lanes : 1)));
  }
  return out;
}

energy::ActionCounts unitActions(const std::map<std::string, std::int64_t> &counts, std::int64_t ranks, Cycles cycles) {
  energy::ActionCounts out;
  for (const UnitCount &c : table())
    for (const Action a : c.entry.actions) out.add(a, counts.at(std::string(c.entry.name)));
  out.add(Action::kRankCycles, multiplySaturated(ranks, cycles.value));
  return out;
}

}  // namespace pimento::evaluate
