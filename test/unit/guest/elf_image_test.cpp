// Programs as files: what is told of a good one, and what is said of others. Files are made here, byte by byte.
#include "pimento/guest/elf_image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "test/support/folder.h"

namespace pimento::guest {
namespace {

/// An executable with one function and nothing to load.
std::string program64(std::uint16_t machine, std::uint8_t order = ELFDATA2LSB) {
  Elf64_Ehdr h{};
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_ident[EI_DATA] = order;
  h.e_type = ET_EXEC;
  h.e_machine = machine;
  h.e_shoff = sizeof h;
  h.e_shentsize = sizeof(Elf64_Shdr);
  h.e_shnum = 2;
  Elf64_Shdr symbols{}, names{};
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_link = 1;
  symbols.sh_offset = sizeof h + 2 * sizeof(Elf64_Shdr);
  symbols.sh_size = sizeof(Elf64_Sym);
  names.sh_type = SHT_STRTAB;
  names.sh_offset = symbols.sh_offset + sizeof(Elf64_Sym);
  Elf64_Sym main{};
  main.st_name = 1;
  main.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  main.st_value = 0x400100;
  main.st_size = 0x20;
  std::string out;
  const auto add = [&](const auto &part) { out.append(reinterpret_cast<const char *>(&part), sizeof part); };
  add(h);
  add(symbols);
  add(names);
  add(main);
  out += std::string("\0main\0", 6);
  return out;
}

std::string codeOf(const std::string &bytes) {
  const test::Folder folder;
  const std::string path = folder / "program";
  std::ofstream(path, std::ios::binary) << bytes;
  const Result<ElfImage> image = readElfImage(path);
  if (image) return "";
  EXPECT_FALSE(image.diagnostics().front().hint.empty());
  return image.diagnostics().front().code;
}

TEST(ElfImage, KnowsItsFunctions) {
  const test::Folder folder;
  const std::string path = folder / "program";
  std::ofstream(path, std::ios::binary) << program64(EM_AARCH64);
  const Result<ElfImage> image = readElfImage(path);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->isa, trace::Isa::kA64);
  ASSERT_NE(image->functionAt(0x40011f), nullptr);
  EXPECT_EQ(image->functionAt(0x40011f)->name, "main");
  EXPECT_EQ(image->functionAt(0x400120), nullptr);
  EXPECT_EQ(image->functionAt(0x4000ff), nullptr);
}

TEST(ElfImage, IsOfAMachineThatRunsAsAGuest) {
  EXPECT_EQ(codeOf(program64(EM_RISCV)), "");
  EXPECT_EQ(codeOf(program64(EM_X86_64)), "unsupported-program");
  EXPECT_EQ(codeOf(program64(EM_ARM)), "unsupported-program") << "32-bit Arm in a 64-bit file";
}

TEST(ElfImage, IsLittleEndian) {
  std::string big = program64(EM_AARCH64, ELFDATA2MSB);
  std::swap(big[18], big[19]);
  EXPECT_EQ(codeOf(big), "unsupported-program");
}

TEST(ElfImage, IsNoScriptNoTextNoFolder) {
  EXPECT_EQ(codeOf("#!/bin/sh\necho\n"), "not-a-program");
  EXPECT_EQ(codeOf("hello"), "not-a-program");
  EXPECT_EQ(codeOf(""), "not-a-program");
  const test::Folder folder;
  const Result<ElfImage> image = readElfImage(folder / "");
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.diagnostics().front().code, "not-a-program");
}

TEST(ElfImage, IsWhole) {
  const std::string whole = program64(EM_AARCH64);
  for (std::size_t bytes = 20; bytes < whole.size(); bytes += 7) EXPECT_NE(codeOf(whole.substr(0, bytes)), "") << bytes;
}

}  // namespace
}  // namespace pimento::guest
