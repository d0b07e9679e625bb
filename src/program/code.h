// A process body that is machine code: the linked image of a UPMEM DPU program.
//
// What a loader would copy into the device before a launch, with the symbols and lines that make results readable.
// The `dpu` room makes it (linker, ELF reader) and knows what the words mean; the DPU engine runs it. Addresses are
// link addresses: WRAM from 0, MRAM from 0x08000000, IRAM from 0x80000000 with 8 bytes per instruction, atomic bits
// from 0xF0000000.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::program {

inline constexpr std::uint32_t kMramBase = 0x08000000, kIramBase = 0x80000000, kAtomicBase = 0xF0000000;

struct Code {
  /// Bytes that a loader copies; `address` is a link address in WRAM or MRAM.
  struct Segment {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> bytes;

    bool operator==(const Segment &) const = default;
  };
  struct Symbol {
    std::string name;
    std::uint32_t address = 0;  ///< link address
    std::uint32_t size = 0;     ///< bytes; 0 where the file does not say
    bool isFunction = false;
    bool isAbsolute = false;  ///< a number, not an address: NR_TASKLETS

    bool operator==(const Symbol &) const = default;
  };
  /// Where an instruction came from; file < 0: unknown.
  struct Line {
    std::int32_t file = -1, line = 0;

    bool operator==(const Line &) const = default;
  };

  std::vector<std::uint64_t> instructions;  ///< 48-bit words
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;  ///< sorted by name
  std::vector<std::string> files;
  std::vector<Line> lines;     ///< empty, or one per instruction
  std::uint32_t entry = 0;     ///< instruction index
  std::int64_t tasklets = 1;   ///< NR_TASKLETS it was linked for
  std::uint32_t wramUsed = 0;  ///< bytes of WRAM that data, stacks and tables take; the heap begins here
  std::uint32_t mramUsed = 0;  ///< bytes of MRAM from its start that the program reserves

  /// Null where there is none.
  const Symbol *symbolNamed(std::string_view name) const;
  /// The function that contains instruction `pc`; null where no symbol says.
  const Symbol *functionAt(std::uint32_t pc) const;

  /// Offset of the first byte of MRAM that the program leaves free, as the symbol __sys_used_mram_end says, or else as
  /// `mramUsed` does.
  std::uint32_t mramHeap() const;

  bool operator==(const Code &) const = default;
};

}  // namespace pimento::program
