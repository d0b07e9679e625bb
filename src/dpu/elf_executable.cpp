// Executables: segments and symbols of an ELF file as code that can run.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pimento/dpu/elf.h"
#include "pimento/dpu/elf_file.h"
#include "pimento/dpu/elf_format.h"
#include "pimento/dpu/linker.h"

namespace pimento::dpu {

namespace {

using program::kAtomicBase;
using program::kIramBase;
using program::kMramBase;

class ElfExecutableReader : private ElfFile {
 public:
  ElfExecutableReader(std::string_view bytes, std::string_view file) : ElfFile(bytes, file) {}

  Result<program::Code> run(std::int64_t tasklets);

 private:
  bool readSegments(program::Code &code);
  bool isDisjoint();
  bool addCode(program::Code &code, std::uint32_t address, std::string_view content);
  bool addLines(program::Code &code);
  void addDwarf(program::Code &code) const;
  void addCodeSymbols(program::Code &code);
  void settle(program::Code &code, std::int64_t tasklets);

  /// Addresses that something is loaded to.
  struct Range {
    std::uint64_t begin = 0, end = 0;
    std::string what;
  };

  std::uint64_t wramEnd_ = 0, mramEnd_ = 0;
  std::vector<Range> loaded_;
};

Result<program::Code> ElfExecutableReader::run(std::int64_t tasklets) {
  program::Code code;
  if (!readHeader(elf::kExecutable) || !readSegments(code) || !isDisjoint()) return *problem_;
  addCodeSymbols(code);
  settle(code, tasklets);
  if (!addLines(code)) return *problem_;
  if (!sectionNamed(elf::kLinesSection)) addDwarf(code);
  return code;
}

bool ElfExecutableReader::readSegments(program::Code &code) {
  const std::uint32_t table = word(28), count = half(44), size = half(42);
  if (count > 0 && size < elf::kSegmentSize) {
    return fail("dpu-elf-header", fmt::format("program headers of {} bytes", size),
                fmt::format("ELF32 program headers have {} bytes", elf::kSegmentSize));
  }
  if (!isInside(table, std::uint64_t{count} * size)) return truncated("the program headers");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + std::uint64_t{i} * size;
    const std::uint32_t offset = word(at + 4), address = word(at + 8), inFile = word(at + 16), inMemory = word(at + 20);
    if (word(at) != elf::kLoad || address >= kAtomicBase) continue;
    if (!isInside(offset, inFile)) return truncated(fmt::format("the contents of segment {}", i));
    const std::uint64_t end = std::uint64_t{address} + std::max(inFile, inMemory);
    const std::uint64_t limit = address >= kIramBase ? kAtomicBase : address >= kMramBase ? kIramBase : kMramBase;
    if (end > limit) {
      return fail("dpu-elf-segment", fmt::format("segment {} at 0x{:x} has {} bytes", i, address, end - address),
                  "WRAM begins at 0, MRAM at 0x08000000, IRAM at 0x80000000; a segment lies in one of them");
    }
    if (inFile > 0) loaded_.push_back({address, std::uint64_t{address} + inFile, fmt::format("segment {}", i)});
    const std::string_view bytes = bytes_.substr(offset, inFile);
    if (address >= kIramBase) {
      if (!addCode(code, address, bytes)) return false;
      continue;
    }
    std::uint64_t &used = address >= kMramBase ? mramEnd_ : wramEnd_;
    used = std::max(used, address >= kMramBase ? end - kMramBase : end);
    if (!bytes.empty()) code.segments.push_back({address, {bytes.begin(), bytes.end()}});
  }
  if (code.instructions.empty()) {
    return fail("dpu-elf-segment", "no segment holds instructions", "code must load at 0x80000000");
  }
  const std::uint32_t entry = word(24);
  code.entry = entry >= kIramBase ? (entry - kIramBase) / 8 : 0;
  if (code.entry >= code.instructions.size()) {
    return fail("dpu-elf-segment", fmt::format("the entry point 0x{:x} is not an instruction", entry),
                "programs start at 0x80000000");
  }
  return true;
}

/// Of what is loaded to one place the last would win. Segments among themselves, and the sections that they hold.
bool ElfExecutableReader::isDisjoint() {
  std::vector<Range> sections;
  for (const SectionHeader &s : sections_) {
    if (!(s.flags & elf::kAlloc) || s.type != elf::kProgbits || s.size == 0 || s.address >= kAtomicBase) continue;
    sections.push_back({s.address, std::uint64_t{s.address} + s.size, fmt::format("section '{}'", s.name)});
  }
  for (std::vector<Range> *ranges : {&loaded_, &sections}) {
    std::stable_sort(ranges->begin(), ranges->end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < ranges->size(); ++i) {
      const Range &a = (*ranges)[i - 1], &b = (*ranges)[i];
      if (b.begin >= a.end) continue;
      return fail("dpu-elf-overlap",
                  fmt::format("{} (0x{:x} to 0x{:x}) and {} (0x{:x} to 0x{:x}) overlap", a.what, a.begin, a.end, b.what,
                              b.begin, b.end),
                  "link the program again: every address is loaded once");
    }
  }
  return true;
}

bool ElfExecutableReader::addCode(program::Code &code, std::uint32_t address, std::string_view content) {
  constexpr std::size_t kMostInstructions = 1 << 16;  // a branch target has 16 bits
  const std::size_t first = (address - kIramBase) / 8, count = content.size() / 8;
  if (address % 8 || content.size() % 8 || first + count > kMostInstructions) {
    return fail("dpu-elf-segment", fmt::format("{} bytes of code at 0x{:x}", content.size(), address),
                fmt::format("an instruction has 8 bytes; there are at most {}", kMostInstructions));
  }
  code.instructions.resize(std::max(code.instructions.size(), first + count));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (std::size_t byte = 8; byte-- > 0;) value = value << 8 | static_cast<std::uint8_t>(content[8 * i + byte]);
    code.instructions[first + i] = value;
  }
  return true;
}

void ElfExecutableReader::addCodeSymbols(program::Code &code) {
  for (const ElfSymbol &symbol : symbols_) {
    if (symbol.name.empty() || symbol.section == elf::kUndefined || symbol.type == elf::kSection ||
        symbol.type == elf::kFile) {
      continue;
    }
    code.symbols.push_back(
        {symbol.name, symbol.value, symbol.size, symbol.type == elf::kFunctionType, symbol.section == elf::kAbsolute});
  }
  std::stable_sort(code.symbols.begin(), code.symbols.end(),
                   [](const auto &a, const auto &b) { return a.name < b.name; });
}

void ElfExecutableReader::settle(program::Code &code, std::int64_t tasklets) {
  code.tasklets = tasklets;
  if (const auto *symbol = code.symbolNamed("NR_TASKLETS")) {
    if (symbol->address >= 1 && symbol->address <= kMostTasklets) code.tasklets = symbol->address;
  }
  for (const SectionHeader &section : sections_) {
    if (!(section.flags & elf::kAlloc) || section.address >= kIramBase) continue;
    const std::uint64_t end = std::uint64_t{section.address} + section.size;
    std::uint64_t &used = section.address >= kMramBase ? mramEnd_ : wramEnd_;
    if (section.address >= kMramBase && end <= kIramBase) used = std::max(used, end - kMramBase);
    if (section.address < kMramBase && end <= kMramBase) used = std::max(used, end);
  }
  code.wramUsed = static_cast<std::uint32_t>(wramEnd_);
  code.mramUsed = static_cast<std::uint32_t>(mramEnd_);
  for (const char *name : {"__sys_heap_pointer_reset", "__heap_start"}) {
    const auto *symbol = code.symbolNamed(name);
    if (symbol && symbol->address < kMramBase) code.wramUsed = symbol->address;
  }
  if (const auto *symbol = code.symbolNamed("__sys_used_mram_end"); symbol && symbol->address < kIramBase) {
    code.mramUsed = symbol->address & ~kMramBase;
  }
}

// Lines.

bool ElfExecutableReader::addLines(program::Code &code) {
  LineTables found;
  if (!readLines(found)) return false;
  if (found.tables.empty()) return true;
  const std::vector<SectionLine> &lines = found.tables.back().lines;
  code.files = std::move(found.files);
  code.lines.assign(code.instructions.size(), {});
  std::size_t k = 0;
  program::Code::Line line;
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    for (; k < lines.size() && lines[k].offset <= 8 * i; ++k) line = {lines[k].file, lines[k].line};
    code.lines[i] = line;
  }
  return true;
}

void ElfExecutableReader::addDwarf(program::Code &code) const {
  const SectionHeader *section = sectionNamed(".debug_line");
  if (!section) return;
  DwarfLines lines = dwarfLines(content(*section));
  if (lines.rows.empty()) return;
  code.files = std::move(lines.files);
  std::size_t next = 0;
  program::Code::Line line;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const std::uint32_t address = kIramBase + 8 * static_cast<std::uint32_t>(i);
    for (; next < lines.rows.size() && lines.rows[next].address <= address; ++next) {
      line = {lines.rows[next].file, lines.rows[next].line};
    }
    code.lines.push_back(line);
  }
}

}  // namespace

Result<program::Code> readExecutable(std::string_view bytes, std::string_view file, std::int64_t tasklets) {
  return ElfExecutableReader(bytes, file).run(tasklets);
}

}  // namespace pimento::dpu
