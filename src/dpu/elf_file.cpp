#include "pimento/dpu/elf_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/dpu/elf.h"
#include "pimento/dpu/elf_format.h"

namespace pimento::dpu {

bool ElfFile::fail(std::string code, std::string message, std::string hint) {
  problem_ = error(std::move(code), {file_}, std::move(message), std::move(hint));
  return false;
}

bool ElfFile::truncated(std::string_view what) {
  return fail("dpu-elf-truncated", fmt::format("{} extend past the end of the file ({} bytes)", what, bytes_.size()),
              "the file is truncated or damaged; get it again");
}

bool ElfFile::damagedLines() {
  return fail("dpu-elf-lines", fmt::format("section '{}' is damaged", elf::kLinesSection),
              "get the file again, or strip the section: it only provides lines for messages");
}

std::uint32_t ElfFile::number(std::uint64_t offset, int bytes) const {
  std::uint32_t value = 0;
  if (!isInside(offset, static_cast<std::uint64_t>(bytes))) return 0;
  for (int i = bytes; i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes_[offset + static_cast<std::uint64_t>(i)]);
  }
  return value;
}

std::string_view ElfFile::content(const SectionHeader &section) const {
  if (section.type == elf::kNobits || !isInside(section.offset, section.size)) return {};
  return bytes_.substr(section.offset, section.size);
}

std::string ElfFile::string(std::string_view table, std::uint32_t offset) {
  if (offset >= table.size()) return {};
  return std::string(table.substr(offset, std::min(table.find('\0', offset), table.size()) - offset));
}

bool ElfFile::readHeader(std::uint16_t type) {
  if (bytes_.size() < elf::kHeaderSize) return truncated("the headers");
  if (const std::string other = otherMachine(bytes_); !other.empty()) {
    return fail(
        "dpu-elf-header", fmt::format("an ELF file for another machine: {}", other),
        fmt::format("DPU files are ELF32, little endian, for machine {}; make objects with `pimento upmem-cc -c`",
                    elf::kMachine));
  }
  if (!bytes_.starts_with(elf::kMagic)) {
    return fail("dpu-elf-header", "not a 32-bit little-endian ELF file", "DPU files are ELF32, little endian");
  }
  if (half(16) != type) {
    return fail("dpu-elf-header", fmt::format("an ELF file of type {}", half(16)),
                fmt::format("use type {} ({})", type, type == elf::kRelocatable ? "relocatable object" : "executable"));
  }
  return readSections() && readSymbols();
}

bool ElfFile::readSections() {
  const std::uint32_t table = word(32), count = half(48);
  if (table == 0 || count == 0) return true;
  if (half(46) < elf::kSectionSize) {
    return fail("dpu-elf-header", fmt::format("section headers of {} bytes", half(46)),
                fmt::format("ELF32 section headers have {} bytes", elf::kSectionSize));
  }
  if (!isInside(table, std::uint64_t{count} * half(46))) return truncated("the section headers");
  std::vector<std::uint32_t> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + std::uint64_t{i} * half(46);
    names.push_back(word(at));
    SectionHeader s;
    s.type = word(at + 4);
    s.flags = word(at + 8);
    s.address = word(at + 12);
    s.offset = word(at + 16);
    s.size = word(at + 20);
    s.link = word(at + 24);
    s.info = word(at + 28);
    s.alignment = word(at + 32);
    if (s.type != 0 && s.type != elf::kNobits && !isInside(s.offset, s.size)) {
      return truncated(fmt::format("the contents of section {}", i));
    }
    sections_.push_back(std::move(s));
  }
  if (half(50) < sections_.size()) {
    const std::string_view table = content(sections_[half(50)]);
    for (std::size_t i = 0; i < sections_.size(); ++i) sections_[i].name = string(table, names[i]);
  }
  return true;
}

bool ElfFile::readSymbols() {
  for (const SectionHeader &section : sections_) {
    if (section.type != elf::kSymtab) continue;
    if (section.link >= sections_.size()) {
      return fail("dpu-elf-symbol", "the symbol table has no string table", "the file is damaged; get it again");
    }
    const std::string_view names = content(sections_[section.link]);
    for (std::uint64_t at = section.offset; at + elf::kSymbolSize <= std::uint64_t{section.offset} + section.size;
         at += elf::kSymbolSize) {
      const std::uint32_t info = number(at + 12, 1);
      symbols_.push_back({string(names, word(at)), word(at + 4), word(at + 8), static_cast<std::uint8_t>(info >> 4),
                          static_cast<std::uint8_t>(info & 15), half(at + 14)});
    }
    return true;  // there is one
  }
  return true;
}

// Lines.

const ElfFile::SectionHeader *ElfFile::sectionNamed(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const SectionHeader &s) {
    return s.name == name && s.type == elf::kProgbits && !(s.flags & elf::kAlloc);
  });
  return found == sections_.end() ? nullptr : &*found;
}

DwarfLines ElfFile::dwarfLines(std::string_view table) const {
  auto contentOf = [&](std::string_view name) {
    const SectionHeader *section = sectionNamed(name);
    return section ? content(*section) : std::string_view();
  };
  return readDwarfLines(table, contentOf(".debug_line_str"), contentOf(".debug_str"));
}

bool ElfFile::readLines(LineTables &found) {
  for (const SectionHeader &header : sections_) {
    if (header.name != elf::kLinesSection || header.type != elf::kProgbits || (header.flags & elf::kAlloc)) continue;
    std::uint64_t at = header.offset;
    const std::uint64_t end = std::uint64_t{header.offset} + header.size;
    auto next = [&]() -> std::uint32_t {
      at += 4;
      return at <= end ? word(at - 4) : 0;
    };
    for (std::uint32_t files = next(); files > 0; --files) {
      const std::uint32_t length = next();
      if (at > end || length > end - at) return damagedLines();
      found.files.emplace_back(bytes_.substr(at, length));
      at += length;
    }
    for (std::uint32_t tables = next(); tables > 0; --tables) {
      const std::uint32_t section = next(), count = next();
      if (at > end || count > (end - at) / 12) return damagedLines();
      std::vector<SectionLine> lines(count);
      for (SectionLine &line : lines) {
        line.offset = next();
        line.file = static_cast<std::int32_t>(next());
        line.line = static_cast<std::int32_t>(next());
        if (line.file >= static_cast<std::int64_t>(found.files.size())) return damagedLines();
      }
      if (!std::is_sorted(lines.begin(), lines.end(),
                          [](const SectionLine &a, const SectionLine &b) { return a.offset < b.offset; })) {
        return damagedLines();
      }
      found.tables.push_back({section, std::move(lines)});
    }
    if (at > end) return damagedLines();
  }
  return true;
}

std::string otherMachine(std::string_view bytes) {
  struct Machine {
    unsigned number;
    const char *name;
  };
  static constexpr Machine kMachines[] = {{2, "SPARC"},      {3, "x86"},       {8, "MIPS"},     {20, "PowerPC"},
                                          {21, "PowerPC64"}, {22, "S390"},     {40, "Arm"},     {62, "x86-64"},
                                          {183, "AArch64"},  {224, "AMD GPU"}, {243, "RISC-V"}, {247, "BPF"},
                                          {258, "LoongArch"}};
  if (!bytes.starts_with(elf::kMagic.substr(0, 4)) || bytes.size() < 20) return {};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[at])); };
  const bool isBig = byte(5) == 2, is64 = byte(4) == 2;
  const unsigned number = isBig ? byte(18) << 8 | byte(19) : byte(19) << 8 | byte(18);
  if (number == elf::kMachine && !isBig && !is64) return {};
  const auto *machine =
      std::find_if(std::begin(kMachines), std::end(kMachines), [&](const Machine &m) { return m.number == number; });
  return (machine == std::end(kMachines) ? fmt::format("machine {}", number) : std::string(machine->name)) +
         (is64 ? ", 64 bits" : "") + (isBig ? ", big endian" : "");
}

ElfKind elfKind(std::string_view bytes) {
  if (!bytes.starts_with(elf::kMagic.substr(0, 4))) return ElfKind::kNone;
  const bool isRelocatable = bytes.size() > 17 && bytes[16] == elf::kRelocatable && bytes[17] == 0;
  return isRelocatable ? ElfKind::kRelocatable : ElfKind::kExecutable;
}

}  // namespace pimento::dpu
