// Relocatable objects: what is loaded of an ELF file, with its relocations.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "pimento/dpu/elf.h"
#include "pimento/dpu/elf_file.h"
#include "pimento/dpu/elf_format.h"
#include "pimento/dpu/field.h"
#include "pimento/dpu/linker.h"

namespace pimento::dpu {

namespace {

class ElfObjectReader : private ElfFile {
 public:
  ElfObjectReader(std::string_view bytes, std::string_view file) : ElfFile(bytes, file) {}

  Result<Object> run();

 private:
  bool addSections(Object &object);
  bool addSymbols(Object &object);
  bool addRelocations(Object &object, const SectionHeader &header);
  bool addLines(Object &object);
  void addDwarf(Object &object) const;

  std::vector<std::int32_t> places_;  ///< of ELF sections in the object; -1: not loaded
};

Result<Object> ElfObjectReader::run() {
  Object object;
  object.file = file_;
  bool isGood = readHeader(elf::kRelocatable) && addSections(object) && addSymbols(object);
  for (std::size_t i = 0; isGood && i < sections_.size(); ++i) {
    const SectionHeader &section = sections_[i];
    if (section.type == elf::kRela || section.type == elf::kRel) isGood = addRelocations(object, section);
  }
  if (!isGood || !addLines(object)) return *problem_;
  if (!sectionNamed(elf::kLinesSection)) addDwarf(object);
  return object;
}

bool ElfObjectReader::addSections(Object &object) {
  constexpr std::uint32_t kLargestAlignment = 4096;
  places_.assign(sections_.size(), -1);
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const SectionHeader &header = sections_[i];
    if (header.type == 0 || header.type == elf::kSymtab || header.type == elf::kStrtab || header.type == elf::kRela ||
        header.type == elf::kRel || !(header.flags & elf::kAlloc)) {
      continue;
    }
    const std::uint32_t alignment = std::max(1u, header.alignment);
    if (!std::has_single_bit(alignment) || alignment > kLargestAlignment) {
      return fail("dpu-elf-section", fmt::format("section '{}' is aligned to {} bytes", header.name, alignment),
                  fmt::format("alignments are powers of two up to {}", kLargestAlignment));
    }
    Section section;
    section.name = header.name;
    section.memory = memoryOf(header.name, true);
    section.isNoBits = header.type == elf::kNobits;
    section.isRetained = (header.flags & elf::kRetain) != 0;
    section.alignment = alignment;
    if (section.memory == Memory::kIram && (section.isNoBits || header.size % 8)) {
      return fail("dpu-elf-section", fmt::format("code section '{}' of {} bytes", header.name, header.size),
                  "an instruction has 8 bytes in the file");
    }
    if (section.isNoBits) {
      section.size = header.size;
    } else {
      const std::string_view bytes = content(header);
      section.bytes.assign(bytes.begin(), bytes.end());
    }
    places_[i] = static_cast<std::int32_t>(object.sections.size());
    object.sections.push_back(std::move(section));
  }
  return true;
}

bool ElfObjectReader::addSymbols(Object &object) {
  for (std::size_t i = 1; i < symbols_.size(); ++i) {
    const ElfSymbol &from = symbols_[i];
    Symbol symbol;
    symbol.name = from.type == elf::kFile ? "" : from.name;
    symbol.value = from.value;
    symbol.size = from.size;
    symbol.binding = from.binding == elf::kWeak    ? Binding::kWeak
                     : from.binding == elf::kLocal ? Binding::kLocal
                                                   : Binding::kGlobal;
    symbol.kind = from.type == elf::kFunctionType ? SymbolKind::kFunction
                  : from.type == elf::kObjectType ? SymbolKind::kObject
                                                  : SymbolKind::kNone;
    if (from.section == elf::kAbsolute) {
      symbol.section = Symbol::kAbsolute;
    } else if (from.section == elf::kCommon) {
      symbol.section = Symbol::kCommon;
      if (!std::has_single_bit(std::max(1u, symbol.value)) || symbol.value > 4096) {
        return fail("dpu-elf-symbol", fmt::format("common symbol '{}' is aligned to {}", symbol.name, symbol.value),
                    "alignments are powers of two up to 4096");
      }
    } else if (from.section != elf::kUndefined) {
      if (from.section >= sections_.size()) {
        return fail("dpu-elf-symbol", fmt::format("symbol '{}' refers to section {}", from.name, from.section),
                    fmt::format("the file has {} sections", sections_.size()));
      }
      symbol.section = places_[from.section] >= 0 ? places_[from.section] : Symbol::kUndefined;
    }
    object.symbols.push_back(std::move(symbol));
  }
  return true;
}

bool ElfObjectReader::addRelocations(Object &object, const SectionHeader &header) {
  if (header.info >= places_.size() || places_[header.info] < 0) return true;  // of debug information
  Section &section = object.sections[static_cast<std::size_t>(places_[header.info])];
  if (header.type == elf::kRel) {
    return fail("dpu-elf-relocation", fmt::format("section '{}' has relocations without addends", section.name),
                "DPU files use RELA");
  }
  for (std::uint64_t at = header.offset; at + elf::kRelaSize <= std::uint64_t{header.offset} + header.size;
       at += elf::kRelaSize) {
    const std::uint32_t info = word(at + 4), symbol = info >> 8;
    if (symbol >= symbols_.size()) {
      return fail("dpu-elf-relocation", fmt::format("a relocation of '{}' uses symbol {}", section.name, symbol),
                  fmt::format("the file has {} symbols", symbols_.size()));
    }
    if ((info & 0xff) == 0) continue;
    if (symbol == 0) {
      return fail("dpu-elf-relocation", fmt::format("a relocation of '{}' has no symbol", section.name),
                  "the file is damaged; get it again");
    }
    section.relocations.push_back(
        {word(at), static_cast<std::uint8_t>(info), symbol - 1, static_cast<std::int32_t>(word(at + 8)), 0});
  }
  return true;
}

// Lines.

bool ElfObjectReader::addLines(Object &object) {
  LineTables found;
  if (!readLines(found)) return false;
  for (LineTable &table : found.tables) {
    if (table.section >= places_.size() || places_[table.section] < 0) return damagedLines();
    object.sections[static_cast<std::size_t>(places_[table.section])].lines = std::move(table.lines);
  }
  object.files = std::move(found.files);
  return true;
}

void ElfObjectReader::addDwarf(Object &object) const {
  const SectionHeader *section = sectionNamed(".debug_line");
  if (!section) return;
  // Sections have no addresses yet: every one gets a 16 MiB room of its own.
  constexpr unsigned kRoomBits = 24;
  std::string table(content(*section));
  for (const SectionHeader &rela : sections_) {
    if (rela.type != elf::kRela || rela.info != static_cast<std::uint32_t>(section - sections_.data())) continue;
    for (std::uint64_t at = rela.offset; at + elf::kRelaSize <= std::uint64_t{rela.offset} + rela.size;
         at += elf::kRelaSize) {
      const std::uint32_t offset = word(at), info = word(at + 4), symbol = info >> 8;
      if ((info & 0xff) != kRelocate32 || symbol >= symbols_.size() || std::uint64_t{offset} + 4 > table.size())
        continue;
      const std::uint16_t home = symbols_[symbol].section;
      if (home >= places_.size() || places_[home] < 0 || places_[home] > 126) continue;
      const std::uint32_t value =
          (static_cast<std::uint32_t>(places_[home] + 1) << kRoomBits) + symbols_[symbol].value + word(at + 8);
      for (std::uint32_t i = 0; i < 4; ++i) table[offset + i] = static_cast<char>(value >> (8 * i));
    }
  }
  DwarfLines lines = dwarfLines(table);
  const auto shift = static_cast<std::int32_t>(object.files.size());
  object.files.insert(object.files.end(), lines.files.begin(), lines.files.end());
  for (const DwarfLines::Row &row : lines.rows) {
    const std::uint32_t room = row.address >> kRoomBits;
    if (room == 0 || room > object.sections.size()) continue;
    object.sections[room - 1].lines.push_back(
        {row.address & ((1u << kRoomBits) - 1), row.file < 0 ? -1 : row.file + shift, row.line});
  }
}

}  // namespace

Result<Object> readObject(std::string_view bytes, std::string_view file) {
  return ElfObjectReader(bytes, file).run();
}

}  // namespace pimento::dpu
