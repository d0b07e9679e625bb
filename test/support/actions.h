// Names of actions, for tests of energy formulas that know no engine.
#pragma once

#include <string_view>

namespace pimento::test {

/// All that machines of today count.
inline constexpr std::string_view kActions[] = {
    "activations",     "all_bank_activations", "precharges",   "host_reads",    "host_writes",
    "near_bank_reads", "near_bank_writes",     "broadcasts",   "macs",          "alu_operations",
    "register_reads",  "register_writes",      "refreshes",    "merges",        "host_memory_bytes",
    "host_operations", "link_bytes",           "instructions", "wram_accesses", "dma_transfers",
    "dma_bytes",       "rank_cycles"};

}  // namespace pimento::test
