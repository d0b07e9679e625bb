#include "pimento/evaluate/dpu_actions.h"

namespace pimento::evaluate {

using energy::Action;
using sim::dpu::Counts;

const std::vector<DpuCount> &dpuCountTable() {
  static const std::vector<DpuCount> kTable = {
      {"instructions", "instructions issued, one slot each", &Counts::instructions, {Action::kInstructions}},
      {"idle_cycles", "cycles in which no tasklet issued", &Counts::idleCycles},
      {"wram_loads", "loads", &Counts::wramLoads, {Action::kWramAccesses}},
      {"wram_stores", "stores", &Counts::wramStores, {Action::kWramAccesses}},
      {"wram_load_bytes", "bytes that loads read", &Counts::wramLoadBytes},
      {"wram_store_bytes", "bytes that stores wrote", &Counts::wramStoreBytes},
      {"mram_reads", "transfers from MRAM", &Counts::mramReads, {Action::kDmaTransfers}},
      {"mram_writes", "transfers to MRAM", &Counts::mramWrites, {Action::kDmaTransfers}},
      {"mram_read_bytes", "bytes of transfers from MRAM", &Counts::mramReadBytes, {Action::kDmaBytes}},
      {"mram_write_bytes", "bytes of transfers to MRAM", &Counts::mramWriteBytes, {Action::kDmaBytes}},
      {"multiply_steps", "steps of multiplications and divisions", &Counts::multiplySteps},
      {"sync_attempts", "acquire, boot and resume", &Counts::syncAttempts},
      {"failed_attempts", "of these, those that failed and were tried again", &Counts::failedAttempts}};
  return kTable;
}

void addCounts(Counts &to, const Counts &o, std::int64_t times) {
  for (const DpuCount &c : dpuCountTable())
    to.*c.member = addSaturated(to.*c.member, multiplySaturated(o.*c.member, times));
}

std::map<std::string, std::int64_t> dpuCounts(const Counts &counts) {
  std::map<std::string, std::int64_t> out;
  for (const DpuCount &c : dpuCountTable()) out.emplace(c.name, counts.*c.member);
  return out;
}

energy::ActionCounts dpuActions(const Counts &counts, std::int64_t ranks, Cycles cycles) {
  energy::ActionCounts out;
  for (const DpuCount &c : dpuCountTable())
    for (const Action a : c.actions) out.add(a, counts.*c.member);
  out.add(Action::kRankCycles, multiplySaturated(ranks, cycles.value));
  return out;
}

}  // namespace pimento::evaluate
