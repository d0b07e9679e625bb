// Files that are no DPU program, and what is said about them.
#include "pimento/dpu/elf.h"

#include <gtest/gtest.h>

#include "pimento/dpu/assembler.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/load.h"

namespace pimento::dpu {
namespace {

Object object(std::string_view text) {
  Result<Object> assembled = assemble(text, "a.s");
  EXPECT_TRUE(assembled.ok());
  return assembled ? *assembled : Object{};
}

constexpr const char *kText = " nop\n jump f\nf: stop\n .data\n .p2align 3\n .long 1\n";

std::string executable() {
  return writeExecutable(*link({object(kText)}, {}));
}

/// A little-endian number in the file.
std::string with(std::string file, std::size_t at, std::uint32_t value, int bytes = 4) {
  for (int i = 0; i < bytes; ++i) file[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
  return file;
}

std::uint32_t word(const std::string &file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file[at + i]);
  return value;
}

/// Where the header of section `index` begins.
std::size_t sectionAt(const std::string &file, std::size_t index) {
  return word(file, 32) + 40 * index;
}

std::string complaint(const Diagnostics &found) {
  if (found.empty()) return "none";
  EXPECT_FALSE(found.front().hint.empty());
  EXPECT_EQ(found.front().where.file, "a.elf");
  return found.front().code;
}

std::string executableComplaint(const std::string &file) {
  const auto code = readExecutable(file, "a.elf");
  return code ? "none" : complaint(code.diagnostics());
}

std::string objectComplaint(const std::string &file) {
  const auto read = readObject(file, "a.elf");
  return read ? "none" : complaint(read.diagnostics());
}

TEST(ElfErrors, FilesOfOtherMachinesAndKindsAreRefused) {
  const std::string file = executable();
  EXPECT_EQ(executableComplaint(file), "none");
  EXPECT_EQ(executableComplaint(with(file, 18, 62, 2)), "dpu-elf-header") << "x86-64";
  EXPECT_EQ(executableComplaint(with(file, 4, 2, 1)), "dpu-elf-header") << "64 bits";
  EXPECT_EQ(objectComplaint(file), "dpu-elf-header") << "an executable is no object";
  EXPECT_EQ(executableComplaint(with(file, 46, 8, 2)), "dpu-elf-header") << "section headers of 8 bytes";
  EXPECT_EQ(executableComplaint(with(file, 42, 8, 2)), "dpu-elf-header") << "program headers of 8 bytes";
}

TEST(ElfErrors, AFileThatWasCutOff) {
  const std::string file = executable();
  EXPECT_EQ(executableComplaint(file.substr(0, 40)), "dpu-elf-truncated");
  EXPECT_EQ(executableComplaint(file.substr(0, file.size() - 1)), "dpu-elf-truncated");
  EXPECT_EQ(executableComplaint(with(file, 28, 0x7fffffff)), "dpu-elf-truncated") << "program headers";
  EXPECT_EQ(executableComplaint(with(file, 52 + 16, 0x7fffffff)), "dpu-elf-truncated") << "contents of a segment";
}

TEST(ElfErrors, SegmentsLieInOneMemory) {
  const std::string file = executable();
  EXPECT_EQ(executableComplaint(with(file, 52 + 8, 0x80000004)), "dpu-elf-segment") << "half an instruction";
  EXPECT_EQ(executableComplaint(with(file, 52 + 32 + 20, 0x08000001)), "dpu-elf-segment") << "WRAM into MRAM";
  EXPECT_EQ(executableComplaint(with(file, 52, 4)), "dpu-elf-segment") << "no code is loaded";
  EXPECT_EQ(executableComplaint(with(file, 24, 0x80001000)), "dpu-elf-segment") << "entry behind the code";
}

TEST(ElfErrors, SectionsOfObjects) {
  const std::string file = writeObject(object(kText));
  EXPECT_EQ(objectComplaint(file), "none");
  EXPECT_EQ(objectComplaint(with(file, sectionAt(file, 1) + 32, 24)), "dpu-elf-section") << "alignment 24";
  EXPECT_EQ(objectComplaint(with(file, sectionAt(file, 1) + 20, 12)), "dpu-elf-section") << "1.5 instructions";
}

TEST(ElfErrors, SymbolsAndRelocationsNameWhatIsThere) {
  const std::string file = writeObject(object(kText));
  // Sections: null, .text, .data, .rela.text, .symtab, .strtab.
  const std::size_t rela = word(file, sectionAt(file, 3) + 16), symbols = word(file, sectionAt(file, 4) + 16);
  EXPECT_EQ(objectComplaint(with(file, rela + 4, 99u << 8 | 128)), "dpu-elf-relocation");
  EXPECT_EQ(objectComplaint(with(file, rela + 4, 128)), "dpu-elf-relocation") << "no symbol";
  EXPECT_EQ(objectComplaint(with(file, sectionAt(file, 3) + 4, 9)), "dpu-elf-relocation") << "REL";
  EXPECT_EQ(objectComplaint(with(file, symbols + 16 + 14, 77, 2)), "dpu-elf-symbol") << "section 77";
  EXPECT_EQ(objectComplaint(with(file, sectionAt(file, 4) + 24, 77)), "dpu-elf-symbol") << "no string table";
  const std::string common = with(with(file, symbols + 16 + 14, 0xfff2, 2), symbols + 16 + 4, 3);
  EXPECT_EQ(objectComplaint(common), "dpu-elf-symbol") << "aligned to 3";
}

TEST(ElfErrors, DamagedLinesAreNamed) {
  const std::string file = executable();
  std::size_t lines = 0;  // the last section but the names of sections
  for (std::size_t i = 0; i + 1 < static_cast<unsigned char>(file[48]); ++i)
    lines = word(file, sectionAt(file, i) + 16);
  EXPECT_EQ(executableComplaint(with(file, lines, 1000)), "dpu-elf-lines");
}

TEST(ElfErrors, AnythingElseIsReadAsText) {
  const auto code = loadProgram(
      "\x7f"
      "ELE\x01",
      "a.elf", {});
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.diagnostics().front().code, "dpu-asm-mnemonic");
}

}  // namespace
}  // namespace pimento::dpu
