#include "pimento/dpu/listing.h"

#include <fmt/format.h>

#include <map>

#include "pimento/dpu/disassembler.h"
#include "pimento/dpu/isa.h"

namespace pimento::dpu {

namespace {

/// Index of the instruction at a link address in IRAM; nothing elsewhere.
std::optional<std::uint32_t> indexOf(const program::Code::Symbol &s) {
  if (s.isAbsolute || (s.address & program::kIramBase) == 0 || s.address >= program::kAtomicBase) return std::nullopt;
  return (s.address - program::kIramBase) / 8;
}

}  // namespace

std::string listing(const program::Code &code) {
  std::multimap<std::uint32_t, std::string> labels;
  for (const program::Code::Symbol &s : code.symbols)
    if (const auto index = indexOf(s)) labels.emplace(*index, s.name);
  std::string out = fmt::format("// {} instructions, {} tasklets, {} bytes of WRAM before the heap\n",
                                code.instructions.size(), code.tasklets, code.wramUsed);
  for (std::uint32_t pc = 0; pc < code.instructions.size(); ++pc) {
    for (auto [at, end] = labels.equal_range(pc); at != end; ++at) out += at->second + ":\n";
    const auto instruction = decode(code.instructions[pc]);
    if (!instruction) {
      out += fmt::format("        // {:5}  {:#014x}, no instruction\n", pc, code.instructions[pc]);
      continue;
    }
    std::string note = fmt::format("{:5}", pc);
    const bool isDirect = instruction->op == Op::kCall && instruction->a == kZero && instruction->b == kImmediate &&
                          instruction->imm >= 0;
    if (isDirect)
      if (const auto name = labels.find(static_cast<std::uint32_t>(instruction->imm)); name != labels.end())
        note += "  " + name->second;
    out += fmt::format("        {:<40} // {}\n", print(*instruction, pc), note);
  }
  return out;
}

}  // namespace pimento::dpu
