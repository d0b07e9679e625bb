#include "pimento/energy/actions.h"

namespace pimento::energy {

namespace {
constexpr std::array<std::string_view, kActions> kNames{
    "activations",     "all_bank_activations", "precharges",   "host_reads",    "host_writes",
    "near_bank_reads", "near_bank_writes",     "broadcasts",   "macs",          "alu_operations",
    "register_reads",  "register_writes",      "refreshes",    "merges",        "host_memory_bytes",
    "host_operations", "link_bytes",           "instructions", "wram_accesses", "dma_transfers",
    "dma_bytes",       "rank_cycles"};
}  // namespace

std::string_view name(Action a) {
  return kNames[static_cast<std::size_t>(a)];
}

std::optional<Action> parseAction(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Action>(i);
  }
  return std::nullopt;
}

}  // namespace pimento::energy
