#include "pimento/targets/upmem/counts.h"

#include <array>

#include "pimento/base/integer.h"

namespace pimento::targets::upmem {

using sim::dpu::Counts;

const evaluate::CountTable &countTable() {
  static const evaluate::CountTable kTable = {
      {{"instructions", "instructions issued, one slot each; counted by the engine", {{"instructions"}}},
       {"idle_cycles", "cycles in which no tasklet issued; counted by the engine"},
       {"wram_loads", "loads; counted by the engine", {{"wram_accesses"}}},
       {"wram_stores", "stores; counted by the engine", {{"wram_accesses"}}},
       {"wram_load_bytes", "bytes that loads read; counted by the engine"},
       {"wram_store_bytes", "bytes that stores wrote; counted by the engine"},
       {"mram_reads", "transfers from MRAM; counted by the engine", {{"dma_transfers"}}},
       {"mram_writes", "transfers to MRAM; counted by the engine", {{"dma_transfers"}}},
       {"mram_read_bytes", "bytes of transfers from MRAM; counted by the engine", {{"dma_bytes"}}},
       {"mram_write_bytes", "bytes of transfers to MRAM; counted by the engine", {{"dma_bytes"}}},
       {"multiply_steps", "steps of multiplications and divisions; counted by the engine"},
       {"sync_attempts", "acquire, boot and resume instructions; counted by the engine"},
       {"failed_attempts", "atomic instructions that failed and were retried; counted by the engine"}}};
  return kTable;
}

std::span<const CountMember> countMembers() {
  static constexpr std::array<CountMember, 13> kMembers = {
      &Counts::instructions,  &Counts::idleCycles,     &Counts::wramLoads,     &Counts::wramStores,
      &Counts::wramLoadBytes, &Counts::wramStoreBytes, &Counts::mramReads,     &Counts::mramWrites,
      &Counts::mramReadBytes, &Counts::mramWriteBytes, &Counts::multiplySteps, &Counts::syncAttempts,
      &Counts::failedAttempts};
  return kMembers;
}

void addCounts(Counts &to, const Counts &o, std::int64_t times) {
  for (const CountMember m : countMembers()) to.*m = addSaturated(to.*m, multiplySaturated(o.*m, times));
}

void setCounts(evaluate::DeviceRun &run, const Counts &counts, const machine::Machine &machine, std::int64_t ranks) {
  std::vector<std::int64_t> totals;
  for (const CountMember m : countMembers()) totals.push_back(counts.*m);
  evaluate::setCounts(run, countTable(), totals, machine, ranks);
}

}  // namespace pimento::targets::upmem
