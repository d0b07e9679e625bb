#include "pimento/sim/dpu/library_fault.h"

#include <algorithm>

#include "pimento/dpu/runtime.h"

namespace pimento::sim::dpu {

using program::Code;

namespace {

constexpr std::uint32_t kReturnAddress = pimento::dpu::kRegisters - 1, kStackPointer = kReturnAddress - 1;

const std::string *fileOf(const Code &code, std::uint32_t pc) {
  if (pc >= code.lines.size() || code.lines[pc].file < 0) return nullptr;
  return &code.files[static_cast<std::size_t>(code.lines[pc].file)];
}

/// The file of the library that defines the function at `pc`; null where a program does. All its lines decide: what a
/// program inlines from headers is the program's.
const std::string *libraryFileOf(const Code &code, std::uint32_t pc) {
  const Code::Symbol *function = code.functionAt(pc);
  if (function == nullptr) return nullptr;
  const std::string *found = nullptr;
  const std::uint32_t first = (function->address - program::kIramBase) / 8, end = first + function->size / 8;
  for (std::uint32_t i = first; i < std::max(end, pc + 1); ++i) {
    const std::string *file = fileOf(code, i);
    if (file == nullptr) continue;
    if (!pimento::dpu::isLibraryFile(*file)) return nullptr;
    if (found == nullptr) found = file;
  }
  return found;
}

bool areSame(const std::string *a, const std::string *b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

/// Is `address` after a call of a function of the library's `file`, made elsewhere? It is not known where a call
/// through a register led: it counts where `address` comes from a place that holds nothing but return addresses.
bool isReturnAddress(const Core &core, std::uint32_t address, const std::string *file, bool isSure) {
  if (address == 0 || address >= core.steps.size()) return false;
  const Step &s = core.steps[address - 1];
  const Code &code = core.image->code;
  if (s.kind != Class::kCall || s.dst != kReturnAddress || areSame(libraryFileOf(code, address - 1), file))
    return false;
  if (s.a != pimento::dpu::kZero || s.b != kImmediateSlot) return isSure;
  return areSame(libraryFileOf(code, s.imm), file);
}

std::uint32_t wordAt(const Core &core, std::uint32_t address) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4; ++i) word |= std::uint32_t{core.wram[address + i]} << (8 * i);
  return word;
}

}  // namespace

std::optional<std::uint32_t> callIntoLibrary(const Core &core, int tasklet, std::uint32_t pc) {
  const Code &code = core.image->code;
  const std::string *file = libraryFileOf(code, pc);
  if (file == nullptr) return std::nullopt;
  const Context &k = core.tasklets[static_cast<std::size_t>(tasklet)];
  std::uint32_t stack = k.regs[kStackPointer];
  if (isReturnAddress(core, k.regs[kReturnAddress], file, true)) pc = k.regs[kReturnAddress] - 1;
  constexpr int kMostCalls = 32;
  for (int calls = 0; calls < kMostCalls; ++calls) {
    file = libraryFileOf(code, pc);
    if (file == nullptr) return pc;
    // Routines without a frame keep their return address in some other register.
    const auto kept = std::find_if(k.regs.begin(), k.regs.begin() + kStackPointer,
                                   [&](std::uint32_t address) { return isReturnAddress(core, address, file, false); });
    if (kept != k.regs.begin() + kStackPointer) {
      pc = *kept - 1;
      continue;
    }
    if (stack < 8 || stack > core.wram.size()) return std::nullopt;
    const std::uint32_t to = wordAt(core, stack - 8), before = wordAt(core, stack - 4);
    if (before >= stack) return std::nullopt;
    stack = before;
    // What r23 said may be the caller that this frame holds.
    if (to == pc + 1) continue;
    if (!isReturnAddress(core, to, file, true)) return std::nullopt;
    pc = to - 1;
  }
  return std::nullopt;
}

std::optional<LibraryFault> libraryFault(const Core &core, int tasklet) {
  const std::uint32_t pc = core.tasklets[static_cast<std::size_t>(tasklet)].pc;
  const std::optional<std::uint32_t> call = callIntoLibrary(core, tasklet, pc);
  if (!call) return std::nullopt;
  const pimento::dpu::FaultMeaning meaning = pimento::dpu::faultMeaning(*libraryFileOf(core.image->code, pc));
  return LibraryFault{*call, meaning.text, meaning.hint};
}

}  // namespace pimento::sim::dpu
