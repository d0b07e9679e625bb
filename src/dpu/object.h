// A relocatable object: what the assembler makes, ELF files hold, and the linker joins.
//
// Offsets and sizes in bytes; an instruction takes 8. Names decide where a section goes: .text* is IRAM, .mram* MRAM,
// .atomic* atomic bits (one byte each), anything else that is loaded WRAM.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::dpu {

enum class Memory : std::uint8_t { kIram, kWram, kMram, kAtomic, kNone };

struct Relocation {
  std::uint32_t offset = 0;
  std::uint8_t type = 0;     ///< as in field.h
  std::uint32_t symbol = 0;  ///< index into Object::symbols
  std::int64_t addend = 0;   ///< in code a multiple of 8, or 0 to 7: that many instructions
  std::int32_t line = 0;     ///< of the object's own text; 0: unknown

  bool operator==(const Relocation &) const = default;
};

/// The instructions from `offset` on come from this line.
struct SectionLine {
  std::uint32_t offset = 0;
  std::int32_t file = -1, line = 0;  ///< file: index into Object::files

  bool operator==(const SectionLine &) const = default;
};

struct Section {
  std::string name;
  Memory memory = Memory::kWram;
  bool isNoBits = false;
  bool isRetained = false;      ///< linked even where nothing refers to it
  std::uint32_t alignment = 1;  ///< a power of two
  std::uint32_t size = 0;       ///< of sections without bits; otherwise that of `bytes`
  std::vector<std::uint8_t> bytes;
  std::vector<Relocation> relocations;
  std::vector<SectionLine> lines;  ///< by offset

  std::uint32_t length() const { return isNoBits ? size : static_cast<std::uint32_t>(bytes.size()); }
  bool operator==(const Section &) const = default;
};

enum class Binding : std::uint8_t { kLocal, kGlobal, kWeak };
enum class SymbolKind : std::uint8_t { kNone, kObject, kFunction };

struct Symbol {
  static constexpr std::int32_t kUndefined = -1, kAbsolute = -2, kCommon = -3;

  std::string name;
  std::int32_t section = kUndefined;
  std::uint32_t value = 0;  ///< offset in the section, absolute value, or alignment of a common symbol
  std::uint32_t size = 0;
  Binding binding = Binding::kLocal;
  SymbolKind kind = SymbolKind::kNone;

  bool operator==(const Symbol &) const = default;
};

struct Object {
  std::string file;                ///< for messages
  std::vector<std::string> files;  ///< that `lines` name
  std::vector<Section> sections;
  std::vector<Symbol> symbols;

  bool operator==(const Object &) const = default;
};

/// Where a section of this name goes. Sections that are not loaded (`isAllocated` false) go nowhere.
Memory memoryOf(std::string_view sectionName, bool isAllocated);

}  // namespace pimento::dpu
