// Objects to a program: merges sections, resolves symbols, fills relocations.
//
// IRAM: section .text.__bootstrap first (instruction 0, where every tasklet begins), then the others as they come.
// WRAM from 0: .data.__low* (what short offsets must reach), data, .dpu_host*, sections without bits, common symbols,
// the stack table, one stack per tasklet, the heap. MRAM from its first byte: .mram.noinit_keep*, what has contents,
// what has none. Atomic bits from number 200 up. Objects of a library are linked only where they define a symbol that
// is still missing (the whole object), and the one that defines __bootstrap where nobody else does.
//
// The linker defines, unless an object does:
//   NR_TASKLETS, STACK_SIZE_TASKLET_0 to _23 (0 for tasklets that are not used): numbers
//   __stack_table: WRAM, per tasklet {stack size, stack address}, 4 bytes each
//   __heap_start, also __sys_heap_pointer_reset: first byte of WRAM behind everything else, 8-byte aligned
//   __sys_used_mram_end: first free byte of MRAM, 8-byte aligned
//   __atomic_start, __atomic_end: numbers of the first atomic bit in use and of the one behind the last
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/object.h"
#include "pimento/program/code.h"

namespace pimento::dpu {

/// As many tasklets as the file format has names for.
inline constexpr std::int64_t kMostTasklets = 24;

/// An absolute symbol of whatever our compiler made: 0, or 1 with --like=vendor. Times of such programs are of its
/// code.
inline constexpr std::string_view kCompiledHere = "compiled_by.pimento";

struct LinkOptions {
  std::int64_t tasklets = 16;
  std::uint32_t stackBytes = 1024;            ///< per tasklet
  std::vector<std::uint32_t> stackBytesOf{};  ///< of single tasklets, from tasklet 0; the others take `stackBytes`
  bool collects = true;                       ///< leaves out sections that nobody needs
  std::vector<std::string> keep{};  ///< symbols that are linked whoever refers to them, if somebody defines them
  /// References to NAME, from objects that do not define it, mean __wrap_NAME; those to __real_NAME mean NAME.
  std::set<std::string, std::less<>> wrapped{};
  /// Of the machine; 0: not checked.
  std::int64_t instructions = 0, wramBytes = 0, mramBytes = 0;
};

/// `library` may be null. Every error found is reported. Diagnostics: dpu-link-tasklets, dpu-link-undefined,
/// dpu-link-defined-twice, dpu-link-relocation, dpu-link-range, dpu-link-empty, dpu-link-iram, dpu-link-wram,
/// dpu-link-mram, dpu-link-atomic.
Result<program::Code> link(std::vector<Object> objects, const LinkOptions &options,
                           const std::vector<Object> *library = nullptr);

/// What neither `objects`, nor those of the library that they lead to, nor the linker define; weak references left out.
std::vector<std::string> missingSymbols(std::vector<Object> objects, const std::vector<Object> *library = nullptr,
                                        const LinkOptions &options = {});

}  // namespace pimento::dpu
