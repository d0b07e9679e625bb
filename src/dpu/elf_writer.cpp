#include <algorithm>
#include <vector>

#include "pimento/dpu/elf.h"
#include "pimento/dpu/elf_format.h"

namespace pimento::dpu {

namespace {

using program::kAtomicBase;
using program::kIramBase;
using program::kMramBase;

/// Little-endian numbers one after another.
class Bytes {
 public:
  void number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(value >> (8 * i));
  }
  void word(std::uint32_t value) { number(value, 4); }
  void words(std::initializer_list<std::uint32_t> values) {
    for (const std::uint32_t value : values) word(value);
  }
  void text(std::string_view value) { text_ += value; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  const std::string &str() const { return text_; }

 private:
  std::string text_;
};

/// A string table.
class Strings {
 public:
  Strings() { bytes_.number(0, 1); }
  std::uint32_t add(std::string_view value) {
    if (value.empty()) return 0;
    const std::uint32_t at = bytes_.size();
    bytes_.text(value);
    bytes_.number(0, 1);
    return at;
  }
  const std::string &str() const { return bytes_.str(); }

 private:
  Bytes bytes_;
};

struct OutSection {
  std::string name;
  std::uint32_t type = 0, flags = 0, address = 0, link = 0, info = 0, alignment = 1, entrySize = 0;
  std::string content;
  std::uint32_t size = 0;  ///< of sections without bits
};

struct OutSegment {
  std::uint32_t address = 0, flags = 0;
  std::size_t section = 0;  ///< whose bytes it loads
};

/// Header, program headers, contents, section headers.
std::string layOut(std::uint16_t type, std::uint32_t entry, std::vector<OutSection> sections,
                   const std::vector<OutSegment> &segments) {
  Strings names;
  std::vector<std::uint32_t> nameAt;
  OutSection nameTable;
  nameTable.name = ".shstrtab";
  nameTable.type = elf::kStrtab;
  sections.push_back(std::move(nameTable));
  for (const OutSection &section : sections) nameAt.push_back(names.add(section.name));
  sections.back().content = names.str();

  std::vector<std::uint32_t> offsets;
  std::string contents;
  const auto begin = elf::kHeaderSize + static_cast<std::uint32_t>(segments.size()) * elf::kSegmentSize;
  for (const OutSection &section : sections) {
    while ((begin + contents.size()) % std::max(8u, section.alignment)) contents += '\0';
    offsets.push_back(begin + static_cast<std::uint32_t>(contents.size()));
    contents += section.content;
  }
  while ((begin + contents.size()) % 4) contents += '\0';

  Bytes file;
  file.text(elf::kMagic);
  while (file.size() < 16) file.number(0, 1);
  file.number(type, 2);
  file.number(elf::kMachine, 2);
  file.words({1, entry, segments.empty() ? 0 : elf::kHeaderSize, begin + static_cast<std::uint32_t>(contents.size()),
              elf::kFlags});
  for (const std::size_t half :
       {std::size_t{elf::kHeaderSize}, std::size_t{segments.empty() ? 0 : elf::kSegmentSize}, segments.size(),
        std::size_t{elf::kSectionSize}, sections.size(), sections.size() - 1}) {
    file.number(half, 2);
  }
  for (const OutSegment &segment : segments) {
    const OutSection &section = sections[segment.section];
    const auto size = static_cast<std::uint32_t>(section.content.size());
    file.words({elf::kLoad, offsets[segment.section], segment.address, segment.address, size, size, segment.flags, 8});
  }
  file.text(contents);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const OutSection &s = sections[i];
    const std::uint32_t size = s.type == elf::kNobits ? s.size : static_cast<std::uint32_t>(s.content.size());
    file.words({nameAt[i], s.type, s.flags, s.address, i == 0 ? 0 : offsets[i], size, s.link, s.info,
                i == 0 ? 0 : s.alignment, s.entrySize});
  }
  return file.str();
}

struct OutSymbol {
  std::string_view name;
  std::uint32_t value = 0, size = 0;
  std::uint8_t binding = 0, type = 0;
  std::uint16_t section = 0;
};

/// Adds .symtab and .strtab; the symbols stand with the local ones first.
void addSymbolTable(std::vector<OutSection> &sections, const std::vector<OutSymbol> &symbols) {
  Strings names;
  Bytes table;
  table.words({0, 0, 0, 0});
  std::uint32_t locals = 1;
  for (const OutSymbol &symbol : symbols) {
    table.words({names.add(symbol.name), symbol.value, symbol.size});
    table.number(static_cast<std::uint64_t>(symbol.binding << 4 | symbol.type), 1);
    table.number(0, 1);
    table.number(symbol.section, 2);
    locals += symbol.binding == elf::kLocal;
  }
  OutSection symtab;
  symtab.name = ".symtab";
  symtab.type = elf::kSymtab;
  symtab.link = static_cast<std::uint32_t>(sections.size()) + 1;
  symtab.info = locals;
  symtab.alignment = 4;
  symtab.entrySize = elf::kSymbolSize;
  symtab.content = table.str();
  sections.push_back(std::move(symtab));
  OutSection strtab;
  strtab.name = ".strtab";
  strtab.type = elf::kStrtab;
  strtab.content = names.str();
  sections.push_back(std::move(strtab));
}

/// Lines by section number: files, then tables.
struct LineTable {
  std::uint32_t section = 0;
  const std::vector<SectionLine> *lines = nullptr;
};

void addLines(std::vector<OutSection> &sections, const std::vector<std::string> &files,
              const std::vector<LineTable> &tables) {
  if (tables.empty()) return;
  Bytes bytes;
  bytes.word(static_cast<std::uint32_t>(files.size()));
  for (const std::string &file : files) {
    bytes.word(static_cast<std::uint32_t>(file.size()));
    bytes.text(file);
  }
  bytes.word(static_cast<std::uint32_t>(tables.size()));
  for (const LineTable &table : tables) {
    bytes.words({table.section, static_cast<std::uint32_t>(table.lines->size())});
    for (const SectionLine &line : *table.lines) {
      bytes.words({line.offset, static_cast<std::uint32_t>(line.file), static_cast<std::uint32_t>(line.line)});
    }
  }
  OutSection section;
  section.name = elf::kLinesSection;
  section.type = elf::kProgbits;
  section.content = bytes.str();
  sections.push_back(std::move(section));
}

std::string asText(const std::vector<std::uint8_t> &bytes) {
  return {bytes.begin(), bytes.end()};
}

OutSymbol outSymbol(const Symbol &symbol) {
  OutSymbol out{symbol.name, symbol.value, symbol.size};
  out.binding = symbol.binding == Binding::kLocal  ? elf::kLocal
                : symbol.binding == Binding::kWeak ? elf::kWeak
                                                   : elf::kGlobal;
  out.type = symbol.kind == SymbolKind::kFunction ? elf::kFunctionType
             : symbol.kind == SymbolKind::kObject ? elf::kObjectType
                                                  : elf::kNoType;
  out.section = symbol.section == Symbol::kUndefined  ? elf::kUndefined
                : symbol.section == Symbol::kAbsolute ? elf::kAbsolute
                : symbol.section == Symbol::kCommon   ? elf::kCommon
                                                      : static_cast<std::uint16_t>(symbol.section + 1);
  return out;
}

}  // namespace

std::string writeObject(const Object &object) {
  std::vector<OutSection> sections(1);
  std::vector<LineTable> lineTables;
  for (const Section &section : object.sections) {
    OutSection out;
    out.name = section.name;
    out.type = section.isNoBits ? elf::kNobits : elf::kProgbits;
    out.flags = elf::kAlloc | (section.memory == Memory::kIram ? elf::kExecute : elf::kWrite) |
                (section.isRetained ? elf::kRetain : 0);
    out.alignment = section.alignment;
    out.content = asText(section.bytes);
    out.size = section.size;
    if (!section.lines.empty()) {
      lineTables.push_back({static_cast<std::uint32_t>(sections.size()), &section.lines});
    }
    sections.push_back(std::move(out));
  }
  // Local symbols first, as the format wants them.
  std::vector<OutSymbol> symbols;
  std::vector<std::uint32_t> indices(object.symbols.size());
  for (const bool isLocal : {true, false}) {
    for (std::size_t i = 0; i < object.symbols.size(); ++i) {
      if ((object.symbols[i].binding == Binding::kLocal) != isLocal) continue;
      symbols.push_back(outSymbol(object.symbols[i]));
      indices[i] = static_cast<std::uint32_t>(symbols.size());
    }
  }
  std::uint32_t symbolTable = static_cast<std::uint32_t>(sections.size());
  for (const Section &section : object.sections) symbolTable += !section.relocations.empty();
  for (std::size_t i = 0; i < object.sections.size(); ++i) {
    if (object.sections[i].relocations.empty()) continue;
    Bytes table;
    for (const Relocation &r : object.sections[i].relocations) {
      table.words({r.offset, indices[r.symbol] << 8 | r.type, static_cast<std::uint32_t>(r.addend)});
    }
    OutSection out;
    out.name = ".rela" + object.sections[i].name;
    out.type = elf::kRela;
    out.link = symbolTable;
    out.info = static_cast<std::uint32_t>(i + 1);
    out.alignment = 4;
    out.entrySize = elf::kRelaSize;
    out.content = table.str();
    sections.push_back(std::move(out));
  }
  addSymbolTable(sections, symbols);
  addLines(sections, object.files, lineTables);
  return layOut(elf::kRelocatable, 0, std::move(sections), {});
}

std::string writeExecutable(const program::Code &code) {
  std::vector<OutSection> sections(1);
  std::vector<OutSegment> segments;
  auto add = [&](std::string name, std::uint32_t type, std::uint32_t flags, std::uint32_t address,
                 std::string content) {
    OutSection out;
    out.name = std::move(name);
    out.type = type;
    out.flags = elf::kAlloc | flags;
    out.address = address;
    out.alignment = 8;
    out.content = std::move(content);
    sections.push_back(std::move(out));
    return sections.size() - 1;
  };
  Bytes text;
  for (const std::uint64_t word : code.instructions) text.number(word, 8);
  const std::size_t iram = add(".text", elf::kProgbits, elf::kExecute, kIramBase, text.str());
  segments.push_back({kIramBase, elf::kReadable | elf::kExecutableCode, iram});
  const std::size_t atomic = add(".atomic", elf::kNobits, elf::kWrite, kAtomicBase, "");
  std::size_t wram = 0, mram = 0;
  for (const program::Code::Segment &segment : code.segments) {
    const bool isMram = segment.address >= kMramBase;
    const std::size_t section =
        add(isMram ? ".mram" : ".data", elf::kProgbits, elf::kWrite, segment.address, asText(segment.bytes));
    segments.push_back({segment.address, elf::kReadable | elf::kWritable, section});
    std::size_t &first = isMram ? mram : wram;
    if (first == 0) first = section;
  }
  // Symbols of memory that holds no bytes need a section too.
  if (wram == 0) wram = add(".data", elf::kNobits, elf::kWrite, 0, "");
  if (mram == 0) mram = add(".mram", elf::kNobits, elf::kWrite, kMramBase, "");
  std::vector<OutSymbol> symbols;
  for (const program::Code::Symbol &symbol : code.symbols) {
    const std::size_t section = symbol.address >= kAtomicBase ? atomic
                                : symbol.address >= kIramBase ? iram
                                : symbol.address >= kMramBase ? mram
                                                              : wram;
    symbols.push_back({symbol.name, symbol.address, symbol.size, elf::kGlobal,
                       symbol.isFunction ? elf::kFunctionType : elf::kNoType,
                       symbol.isAbsolute ? elf::kAbsolute : static_cast<std::uint16_t>(section)});
  }
  addSymbolTable(sections, symbols);
  std::vector<SectionLine> lines;
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    const program::Code::Line &line = code.lines[i];
    if (i == 0 || line != code.lines[i - 1]) lines.push_back({static_cast<std::uint32_t>(8 * i), line.file, line.line});
  }
  if (!lines.empty()) addLines(sections, code.files, {{static_cast<std::uint32_t>(iram), &lines}});
  return layOut(elf::kExecutable, kIramBase + 8 * code.entry, std::move(sections), segments);
}

}  // namespace pimento::dpu
