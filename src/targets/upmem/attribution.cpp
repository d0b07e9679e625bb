#include "pimento/targets/upmem/attribution.h"

#include <fmt/format.h>

#include <array>

namespace pimento::targets::upmem {

evaluate::Attribution attributionOf(const program::Code &code, std::span<const std::int64_t> issued,
                                    std::span<const std::int64_t> waited, Cycles interval) {
  // The last is what a row took of the tasklets' time at least.
  evaluate::AttributionSum sum({{"slots", "slots", "", true, true},
                                {"dma_wait_cycles", "DMA waits", "cycle", true, false},
                                {"tasklet_cycles", "time", "cycle", false, true}});
  for (std::size_t pc = 0; pc < issued.size(); ++pc) {
    if (issued[pc] == 0) continue;
    const std::int64_t wait = pc < waited.size() ? waited[pc] : 0;
    const std::array<std::int64_t, 3> amounts = {issued[pc], wait, interval.value * issued[pc] + wait};
    const bool isInCode = pc < code.instructions.size();
    const program::Code::Symbol *f = isInCode ? code.functionAt(static_cast<std::uint32_t>(pc)) : nullptr;
    const std::string function = f == nullptr ? std::string() : f->name;
    sum.addToFunction(function, amounts);
    if (code.lines.empty()) continue;
    const program::Code::Line line = pc < code.lines.size() ? code.lines[pc] : program::Code::Line{};
    if (line.file >= 0 && static_cast<std::size_t>(line.file) < code.files.size())
      sum.addToLine(code.files[static_cast<std::size_t>(line.file)], line.line, function, amounts);
    else
      sum.addToLine("", 0, function, amounts);
  }
  return sum.take(fmt::format(
      "time: {} cycles per issue slot, plus waiting for transfers, over all tasklets; waiting for a turn or "
      "for other tasklets is not attributed to lines",
      interval.value));
}

}  // namespace pimento::targets::upmem
