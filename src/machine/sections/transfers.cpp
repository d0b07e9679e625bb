#include "pimento/machine/sections/transfers.h"

namespace pimento::machine {

std::vector<Dpu::Transfer> transfers(const Contents &c, const std::string &path) {
  std::vector<Dpu::Transfer> table;
  for (const Entry &e : c.entries(path)) {
    const std::string at = path + "." + e.key + ".";
    if (c.get(at + "size") == nullptr) continue;  // source and confidence of the table
    table.push_back({c.bytes(at + "size"), c.real(at + "latency"), c.real(at + "occupancy")});
  }
  return table;
}

void checkTransfers(const Contents &c, const std::string &path, const std::vector<Dpu::Transfer> &table,
                    std::int64_t unit) {
  if (table.empty()) return c.impossible(path, "'" + path + "' has no sizes", "add at least one");
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Dpu::Transfer &t = table[i];
    const std::string size = std::to_string(t.size.value) + " B";
    if (t.size.value % unit != 0)
      c.impossible(path, size + " is not a multiple of " + std::to_string(unit) + " B", "use valid transfer sizes");
    if (i > 0 && t.size <= table[i - 1].size)
      c.impossible(path, size + " is listed after " + std::to_string(table[i - 1].size.value) + " B",
                   "list the sizes in ascending order, each once");
    if (t.occupancy > t.latency)
      c.impossible(path, "a transfer of " + size + " occupies the engine for longer than its latency",
                   "occupancy must not exceed latency");
  }
}

}  // namespace pimento::machine
