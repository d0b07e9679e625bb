#include "pimento/targets/l3_sram/run_counts.h"

#include "pimento/base/element_bits.h"
#include "pimento/base/integer.h"

namespace pimento::targets::l3_sram {

const evaluate::CountTable &countTable() {
  static const evaluate::CountTable kTable = {
      {{"compute_commands", "commands that compute, of all banks together; counted by the lowering"},
       {"move_commands", "shifts, broadcasts, copies and constants; counted by the lowering"},
       {"syncs", "barriers of all banks; counted by the lowering"},
       {"packets", "packets of the mesh that moves send; counted by the engine"},
       {"sram_bits_read",
        "bits that compute commands and moves inside arrays sense; counted by the engine",
        {{"sram_bits_read"}}},
       {"sram_bits_written", "bits that they write; counted by the engine", {{"sram_bits_written"}}},
       {"h_tree_bits", "bits up and down H trees; counted by the engine", {{"h_tree_bits"}}},
       {"compute_cycles", "cycles of commands that compute, in the bank that each sync waits for"},
       {"shift_cycles", "of shifts inside arrays"},
       {"move_cycles", "of moves between arrays"},
       {"sync_cycles", "of syncs"},
       {"lowered_regions", "regions that became commands while the program ran"},
       {"reused_regions", "regions whose commands were there, but for constants"},
       {"spilled_wordlines", "wordlines that streams took out of every array for lack of room, to bring back later"},
       {"instructions", "instructions of cores; counted by the engines", {{"instructions"}}},
       {"branches", "branches of cores; counted by the engines"},
       {"core_loads", "loads of cores; counted by the engines", {{"core_loads"}}},
       {"core_stores", "stores of cores; counted by the engines", {{"core_stores"}}},
       {"integer_operations", "scalar integer operations of cores; counted by the engines", {{"integer_operations"}}},
       {"vector_operations", "operations of cores on vectors; counted by the engines", {{"vector_operations"}}},
       {"complex_operations",
        "products and quotients of scalar integers; counted by the engines",
        {{"complex_operations"}}},
       {"l1_reads", "lines read in first caches; counted by the engines", {{"l1_reads"}}},
       {"l1_writes", "lines written there; counted by the engines", {{"l1_writes"}}},
       {"l2_reads", "lines read in second caches; counted by the engines", {{"l2_reads"}}},
       {"l2_writes", "lines written there; counted by the engines", {{"l2_writes"}}},
       {"l3_reads", "lines read in slices of the L3; counted by the engines", {{"l3_reads"}}},
       {"l3_writes", "lines written there; counted by the engines", {{"l3_writes"}}},
       {"l3_misses", "of these, lines that came from memory; counted by the engines"},
       {"memory_reads", "lines read from memory; counted by the engines", {{"memory_reads"}}},
       {"memory_writes", "lines written there; counted by the engines", {{"memory_writes"}}},
       {"memory_activates", "rows opened; counted by the engines", {{"memory_activates"}}},
       {"control_hops",
        "flits times links that they crossed: requests, answers and barriers; counted by the engines",
        {{"flit_hops"}}},
       {"data_hops", "the same of lines and operands; counted by the engines", {{"flit_hops"}}},
       {"offload_hops", "the same of what manages streams and commands; counted by the engines", {{"flit_hops"}}},
       {"inter_tile_hops", "the same of what commands move between banks; counted by the engines", {{"flit_hops"}}},
       {"stream_lines", "lines that streams read and wrote; counted by the engines", {{"stream_lines"}}},
       {"stream_messages", "messages of streams; counted by the engines"},
       {"stream_groups", "groups of elements that streams computed; counted by the engines", {{"stream_groups"}}},
       {"transposed_lines", "lines through transpose units; counted by the engines", {{"transposed_lines"}}},
       {"core_cycles", "cycles of cores with a kernel, all cores together; counted by the engines"},
       {"intra_tile_bits", "bits that moves carry inside arrays; counted by the engines"},
       {"inter_tile_bits", "bits that they carry between arrays of a bank; counted by the engines"},
       {"inter_tile_noc_bits", "bits that they carry between banks; counted by the engines"}}};
  return kTable;
}

Result<sim::sram::CommandListTime> RegionTimes::of(const Round &round) {
  if (observer_ == nullptr)
    if (const auto known = byLowering_.find(round.lowering); known != byLowering_.end()) return known->second;
  sim::sram::CommandTime &time =
      byShare_.try_emplace(round.layout->perBitline, sram_, round.layout->perBitline).first->second;
  Result<sim::sram::CommandListTime> one = time.of(round.code->commands, observer_);
  if (one) byLowering_.emplace(round.lowering, *one);
  return one;
}

Status RunCounts::add(const Round &round, const tdfg::Program &program, const tdfg::Schedule &schedule,
                      RegionTimes &times) {
  hasStreams |= !round.code->streams.empty();
  const tdfg::Region &region = program.regions[static_cast<std::size_t>(round.region)];
  for (const tdfg::Step &step : schedule.steps)
    if (step.kind == tdfg::StepKind::kSpill)
      spilledWordlines = addSaturated(spilledWordlines, bitsOf(region.nodes[static_cast<std::size_t>(step.node)].type));
  const auto one = times.of(round);
  if (!one) return one.diagnostics();
  time.add(*one);
  return okStatus();
}

std::array<std::int64_t, kCounts> RunCounts::row() const {
  return {time.computeCommands,
          time.moveCommands,
          time.syncs,
          time.packets,
          time.bitsRead,
          time.bitsWritten,
          time.treeBits,
          time.compute.value,
          time.intra.value,
          time.inter.value,
          time.sync.value,
          lowered,
          reused,
          spilledWordlines};
}

}  // namespace pimento::targets::l3_sram
