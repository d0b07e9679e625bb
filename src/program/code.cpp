#include "pimento/program/code.h"

#include <algorithm>

namespace pimento::program {

const Code::Symbol *Code::symbolNamed(std::string_view name) const {
  const auto it = std::ranges::lower_bound(symbols, name, {}, &Symbol::name);
  return it != symbols.end() && it->name == name ? &*it : nullptr;
}

const Code::Symbol *Code::functionAt(std::uint32_t pc) const {
  const Symbol *best = nullptr;
  for (const Symbol &s : symbols) {
    if (!s.isFunction || s.address < kIramBase || s.address >= kAtomicBase) continue;
    const std::uint32_t first = (s.address - kIramBase) >> 3;
    if (pc < first || (s.size != 0 && pc >= first + s.size / 8)) continue;
    if (best == nullptr || s.address > best->address) best = &s;
  }
  return best;
}

std::uint32_t Code::mramHeap() const {
  if (const Symbol *s = symbolNamed("__sys_used_mram_end"))
    return s->address >= kMramBase ? s->address - kMramBase : s->address;
  return (mramUsed + 7U) & ~7U;
}

}  // namespace pimento::program
