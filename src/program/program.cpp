#include "pimento/program/program.h"

namespace pimento::program {

std::string_view name(Purpose p) {
  static constexpr std::string_view kNames[kPurposes] = {"host_read", "host_write", "control", "program",  "broadcast",
                                                         "pim_read",  "pim_mac",    "pim_alu", "pim_move", "pim_store"};
  return kNames[static_cast<int>(p)];
}

Range rangeOf(const Operand &operand, const std::vector<std::int64_t> &trips) {
  Range r{operand.base, operand.base};
  for (std::size_t d = 0; d < trips.size() && d < kMaxDepth; ++d) {
    const std::int64_t reach = operand.stride[d] * (trips[d] - 1);
    (reach < 0 ? r.low : r.high) += reach;
  }
  return r;
}

std::array<std::int64_t, kPurposes> countCommands(const Process &process) {
  std::array<std::int64_t, kPurposes> out{};
  if (const auto *loops = std::get_if<CommandLoops>(&process.body))
    forEachStatement(*loops, [&](const Command &c, std::int64_t times) {
      std::int64_t &total = out[static_cast<std::size_t>(c.purpose)];
      total = addSaturated(total, multiplySaturated(times, channelsOf(process, c)));
    });
  return out;
}

}  // namespace pimento::program
