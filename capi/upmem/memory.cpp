#include "memory.h"

#include <fmt/format.h>

#include <string>

#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"

namespace pimento::upmem {

using program::Code;

namespace {

constexpr std::uint32_t kMramUnit = 8, kWramUnit = 4;  // of the host's accesses, as the documentation has them

bool isVariable(const Code::Symbol &s) {
  return !s.isAbsolute && !s.isFunction && s.address < program::kIramBase;
}

Outcome noVariable(const Code &code, std::string_view name) {
  std::vector<std::string> names = {DPU_MRAM_HEAP_POINTER_NAME};
  for (const Code::Symbol &s : code.symbols)
    if (isVariable(s) && !s.name.starts_with(".") && !s.name.starts_with("__")) names.push_back(s.name);
  return failure(DPU_ERR_UNKNOWN_SYMBOL,
                 fmt::format("the program has no variable '{}'\n  hint: {}", name, suggest(name, names)));
}

Outcome noProgram(const Selection &s) {
  for (const dpu_t *d : s.dpus)
    if (d->program == nullptr)
      return failure(DPU_ERR_NO_PROGRAM_LOADED,
                     fmt::format("{} has no program\n  hint: call dpu_load first", s.system->nameOf(*d)));
  return {};
}

}  // namespace

Outcome findSymbol(const dpu_program_t &program, std::string_view name, dpu_symbol_t &symbol) {
  const Code &code = program.code();
  if (name == DPU_MRAM_HEAP_POINTER_NAME) {
    symbol.address = program::kMramBase + code.mramHeap();
    symbol.size = static_cast<std::uint32_t>(program.mram.value - code.mramHeap());
    return {};
  }
  const Code::Symbol *s = code.symbolNamed(name);
  if (s == nullptr || s->isAbsolute || s->address >= program::kAtomicBase) return noVariable(code, name);
  symbol = {s->address, s->size};
  return {};
}

Outcome locate(const Selection &s, const char *name, std::uint32_t offset, std::size_t length, Area &area) {
  if (name == nullptr) return failure(DPU_ERR_UNKNOWN_SYMBOL, "the name of the symbol is NULL");
  if (Outcome o = noProgram(s); !o) return o;
  dpu_symbol_t first{};
  const dpu_t *seen = nullptr;
  for (const dpu_t *d : s.dpus) {
    if (seen != nullptr && d->program == seen->program) continue;
    dpu_symbol_t symbol{};
    if (Outcome o = findSymbol(*d->program, name, symbol); !o) return o;
    if (seen != nullptr && (symbol.address != first.address || symbol.size != first.size))
      return failure(DPU_ERR_DIFFERENT_DPU_PROGRAMS,
                     fmt::format("'{}' is {} bytes at {:#x} in the program of {}, and {} bytes at {:#x} in that of {}",
                                 name, first.size, first.address, s.system->nameOf(*seen), symbol.size, symbol.address,
                                 s.system->nameOf(*d)));
    first = symbol;
    seen = d;
  }
  Outcome o = locate(s, first, offset, length, area);
  if (!o) o.reason = fmt::format("'{}': {}", name, o.reason);
  return o;
}

Outcome locate(const Selection &s, const dpu_symbol_t &symbol, std::uint32_t offset, std::size_t length, Area &area) {
  if (Outcome o = noProgram(s); !o) return o;
  if (symbol.address >= program::kIramBase)
    return failure(DPU_ERR_INVALID_IRAM_ACCESS, "a function, not a variable in WRAM or MRAM");
  const machine::Dpu &machine = *s.system->setup.machine.dpu;
  area.isMram = symbol.address >= program::kMramBase;
  const std::uint32_t base = area.isMram ? symbol.address - program::kMramBase : symbol.address;
  const std::uint64_t end = std::uint64_t{offset} + length, memory = (area.isMram ? machine.mram : machine.wram).value;
  const char *name = area.isMram ? "MRAM" : "WRAM";
  const dpu_error_t code = area.isMram ? DPU_ERR_INVALID_MRAM_ACCESS : DPU_ERR_INVALID_WRAM_ACCESS;
  // Sums below cannot overflow once the length is known to be sane.
  if (length > memory || base + end > memory)
    return failure(code, fmt::format("{} bytes at offset {} of address {:#x}; {} ends at {:#x}", length, offset, base,
                                     name, memory));
  if (symbol.size > 0 && end > symbol.size)
    return failure(DPU_ERR_INVALID_SYMBOL_ACCESS,
                   fmt::format("{} bytes at offset {}; the variable has {} bytes\n  hint: declare a larger variable; "
                               "transfer sizes are padded to {} bytes",
                               length, offset, symbol.size, area.isMram ? kMramUnit : kWramUnit));
  const std::uint32_t unit = area.isMram ? kMramUnit : kWramUnit;
  if ((base + offset) % unit != 0 || length % unit != 0)
    return failure(code,
                   fmt::format("{} bytes at offset {} of address {:#x}; addresses and lengths in {} must be multiples "
                               "of {}",
                               length, offset, base, name, unit));
  area.address = base + offset;
  area.length = length;
  return {};
}

void writeTo(dpu_t &dpu, const Area &area, const void *from) {
  const std::span bytes(static_cast<const std::byte *>(from), area.length);
  if (area.isMram)
    dpu.engine->writeMram(area.address, bytes);
  else
    dpu.engine->writeWram(area.address, bytes);
}

void readFrom(const dpu_t &dpu, const Area &area, void *to) {
  const std::span bytes(static_cast<std::byte *>(to), area.length);
  if (area.isMram)
    dpu.engine->readMram(area.address, bytes);
  else
    dpu.engine->readWram(area.address, bytes);
}

void moveAll(const Setup &setup, const std::vector<Part> &parts, const Area &area, bool isToDpu) {
  constexpr std::size_t kWorthAThread = 1 << 18;  // bytes: about a tenth of a millisecond
  parallelFor(area.length >= kWorthAThread ? setup.jobs : 1, static_cast<std::int64_t>(parts.size()),
              [&](std::int64_t i) {
                const Part &p = parts[static_cast<std::size_t>(i)];
                if (isToDpu)
                  writeTo(*p.dpu, area, p.buffer);
                else
                  readFrom(*p.dpu, area, p.buffer);
              });
}

}  // namespace pimento::upmem
