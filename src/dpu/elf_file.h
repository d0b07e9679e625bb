// What objects and executables have in common: the headers, the symbol table, and source lines. Internal to the room;
// elf_object.cpp and elf_executable.cpp make something of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/dwarf_lines.h"
#include "pimento/dpu/object.h"

namespace pimento::dpu {

/// The tables of an ELF file. Functions that return bool return false, with the diagnostic in `problem_`, if the file
/// is damaged.
class ElfFile {
 protected:
  ElfFile(std::string_view bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  struct SectionHeader {
    std::string name;
    std::uint32_t type = 0, flags = 0, address = 0, offset = 0, size = 0, link = 0, info = 0, alignment = 0;
  };

  struct ElfSymbol {
    std::string name;
    std::uint32_t value = 0, size = 0;
    std::uint8_t binding = 0, type = 0;
    std::uint16_t section = 0;
  };

  /// Section .pimento.lines. `section`: its number in the file; executables have one table.
  struct LineTable {
    std::uint32_t section = 0;
    std::vector<SectionLine> lines;
  };
  struct LineTables {
    std::vector<std::string> files;
    std::vector<LineTable> tables;
  };

  /// The header of a file of type `type`, its section headers and symbols.
  bool readHeader(std::uint16_t type);
  bool readLines(LineTables &found);
  /// Sections that are not loaded.
  const SectionHeader *sectionNamed(std::string_view name) const;
  DwarfLines dwarfLines(std::string_view table) const;

  bool fail(std::string code, std::string message, std::string hint);
  bool truncated(std::string_view what);
  bool damagedLines();
  bool isInside(std::uint64_t offset, std::uint64_t size) const { return offset + size <= bytes_.size(); }
  std::uint32_t number(std::uint64_t offset, int bytes) const;
  std::uint32_t word(std::uint64_t offset) const { return number(offset, 4); }
  std::uint16_t half(std::uint64_t offset) const { return static_cast<std::uint16_t>(number(offset, 2)); }
  std::string_view content(const SectionHeader &section) const;

  std::string_view bytes_;
  std::string file_;
  std::vector<SectionHeader> sections_;
  std::vector<ElfSymbol> symbols_;
  std::optional<Diagnostic> problem_;

 private:
  bool readSections();
  bool readSymbols();
  /// The string at `offset` of a string table; empty where there is none.
  static std::string string(std::string_view table, std::uint32_t offset);
};

}  // namespace pimento::dpu
