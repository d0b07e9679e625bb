// Files that cannot become a DPU program, as `upmem-cc` meets them: what it says, of which file and line, and what
// helps.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/dpu/assembler.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/linker.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/upmem_cc.h"
#include "test/support/archive.h"
#include "test/support/folder.h"

namespace pimento::driver {
namespace {

std::string with(std::string file, std::size_t at, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) file[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
  return file;
}

std::uint32_t word(const std::string &file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file[at + i]);
  return value;
}

std::string objectOf(const std::string &text) {
  const Result<dpu::Object> object = dpu::assemble(text, "a.s");
  EXPECT_TRUE(object.ok()) << object.diagnostics().front().str();
  return object ? dpu::writeObject(*object) : "";
}

std::size_t sectionAt(const std::string &file, std::size_t index) {
  return word(file, 32) + 40 * index;
}

const std::string kMain = ".text\n.globl main\nmain: jump r23\n";

class UpmemInputs : public ::testing::Test {
 protected:
  std::string file(const std::string &name, const std::string &text) const {
    const std::string path = folder_ / name;
    EXPECT_TRUE(writeFile(path, text));
    return path;
  }
  /// Linking `inputs` fails, and each of `parts` is said.
  void expectRefused(std::vector<std::string> inputs, const std::vector<std::string> &parts) const {
    inputs.insert(inputs.end(), {"-o", folder_ / "out"});
    const CcOutcome done = upmemCc(inputs, {PIMENTO_SOURCE_DIR "/machines"});
    EXPECT_EQ(done.status, 1) << done.messages;
    for (const std::string &part : parts)
      EXPECT_NE(done.messages.find(part), std::string::npos) << part << " in:\n" << done.messages;
    EXPECT_NE(done.messages.find("hint: "), std::string::npos) << done.messages;
  }
  std::string main() const { return file("main.s", kMain); }

 private:
  test::Folder folder_;
};

TEST_F(UpmemInputs, ObjectsOfOtherMachinesAreNamedByTheMachine) {
  const std::string object = objectOf(kMain);
  for (const auto &[number, name] : {std::pair(62U, "x86-64"), std::pair(243U, "RISC-V"), std::pair(40U, "Arm"),
                                     std::pair(183U, "AArch64"), std::pair(3U, "x86"), std::pair(999U, "machine 999")})
    expectRefused({file("other.o", with(object, 18, number, 2))},
                  {"other.o: error: an ELF file for another machine: " + std::string(name), "[upmem-cc-kind]"});
  expectRefused({file("wide.o", with(object, 4, 2, 1))}, {"wide.o: error: ", "64 bits"});
  std::string big = with(object, 5, 2, 1);
  std::swap(big[18], big[19]);
  expectRefused({file("big.o", big)}, {"big.o: error: ", "machine 245, big endian"});
}

TEST_F(UpmemInputs, MembersOfArchivesThatAreForOtherMachines) {
  const std::string other = with(objectOf(kMain), 18, 62, 2);
  expectRefused({main(), file("libx.a", test::archiveOf({{"x.o", other}}))},
                {"libx.a(x.o): error: this member is for another machine: x86-64", "[upmem-cc-kind]"});
  expectRefused({main(), file("libt.a", test::archiveOf({{"t.o", "text"}}))},
                {"libt.a(t.o): error: this member is not a DPU object"});
  expectRefused({main(), file("libb.a", "!<arch>\nrubbish")}, {"libb.a: error: ", "[dpu-archive]"});
}

TEST_F(UpmemInputs, AProgramThatIsLinkedAlready) {
  const auto code = dpu::link({*dpu::assemble(kMain, "a.s")}, {});
  expectRefused({file("program.o", dpu::writeExecutable(*code))},
                {"program.o: error: this program is already linked [upmem-cc-kind]"});
}

TEST_F(UpmemInputs, DamagedObjectsSayWhatIsDamaged) {
  const std::string object = objectOf(".text\n.globl main\nmain: call r23, f\n jump r23\n.data\nd: .long 1\n");
  expectRefused({file("cut.o", object.substr(0, object.size() / 2))}, {"cut.o: error: ", "[dpu-elf-truncated]"});
  expectRefused({file("short.o", object.substr(0, 30))}, {"short.o: error: ", "[dpu-elf-truncated]"});
  expectRefused({file("align.o", with(object, sectionAt(object, 1) + 32, 3, 4))},
                {"align.o: error: section '.text' is aligned to 3 bytes [dpu-elf-section]"});
  expectRefused({file("odd.o", with(object, sectionAt(object, 1) + 20, 12, 4))},
                {"odd.o: error: code section '.text' of 12 bytes [dpu-elf-section]"});
  // The relocations of .text, behind the two sections.
  const std::size_t rela = sectionAt(object, 3), content = word(object, rela + 16);
  expectRefused({file("rel.o", with(object, rela + 4, 9, 4))}, {"rel.o: error: ", "[dpu-elf-relocation]"});
  expectRefused({file("far.o", with(object, content, 4096, 4))},
                {"a.s:4: error: ", "offset 4096", "[dpu-link-relocation]"});
  expectRefused({file("type.o", with(object, content + 4, 0xee, 1))},
                {"a.s:3: error: ", "of type 238", "[dpu-link-relocation]"});
  expectRefused({file("symbol.o", with(object, content + 5, 0xffff, 2))},
                {"symbol.o: error: ", "uses symbol", "[dpu-elf-relocation]"});
}

TEST_F(UpmemInputs, LabelsTwiceSayWhereTheFirstOneIs) {
  expectRefused({file("a.s", kMain + "f: nop\n nop\nf: nop\n")},
                {"a.s:6:1: error: 'f' is already defined in line 4 [dpu-asm-defined-twice]"});
  expectRefused({main(), file("b.s", ".globl main\n\nmain: jump r23\n")},
                {"b.s:3: error: 'main' is defined here and in ", "main.s:3", "[dpu-link-defined-twice]"});
}

TEST_F(UpmemInputs, LabelsThatAreNumbersStandWhereTheyAreLookedFor) {
  expectRefused({file("b.s", kMain + " jump 64b\n64: nop\n")},
                {"b.s:4:7: error: no label '64:' stands before this line [dpu-asm-undefined]", "write 64f"});
  expectRefused({file("f.s", kMain + "64: nop\n jump 64f\n")},
                {"f.s:5:7: error: no label '64:' stands after this line [dpu-asm-undefined]"});
}

TEST_F(UpmemInputs, CodeAndDataInTheWrongPlace) {
  expectRefused({file("a.s", kMain + ".data\n add r0, r0, 1\n")}, {"a.s:5:2: error: ", "[dpu-asm-place]"});
  expectRefused({file("b.s", kMain + ".bss\n .long 5\n")}, {"b.s:5", "[dpu-asm-place]"});
  expectRefused({file("c.s", kMain + "; add r0, r0, 99999999999\n")}, {"c.s:4", "99999999999 does not fit"});
  expectRefused({file("d.s", kMain + " nop; addx r0, r0, 1\n")}, {"d.s:4:7: error: unknown instruction 'addx'"});
}

TEST_F(UpmemInputs, AProgramWithoutMain) {
  expectRefused({file("a.s", ".globl start\nstart: jump r23\n")},
                {"a.s: error: the program has no function 'main' [dpu-link-undefined]"});
}

TEST_F(UpmemInputs, TooManyInstructionsNameTheLargestFunctions) {
  const auto function = [](const std::string &name, int instructions) {
    return ".section .text." + name + ",\"ax\",@progbits\n.globl " + name + "\n.type " + name + ",@function\n" + name +
           ":\n .fill " + std::to_string(instructions - 1) + ", 8, 0\n jump r23\n.size " + name + ", . - " + name +
           "\n";
  };
  expectRefused({file("a.s", function("main", 10) + " call r23, small\n call r23, large\n" + function("small", 1000) +
                                 function("large", 4000) + function("unused", 5000))},
                {"takes 5024 instructions, 928 more than the 4096 available [dpu-link-iram]",
                 "the largest: large (4000), small (1000)"});
}

TEST_F(UpmemInputs, TooMuchDataNamesTheLargestVariables) {
  expectRefused({file("a.s", kMain + " move r0, table\n move r0, few\n.data\n.type table,@object\ntable: .zero 70000\n"
                                     ".size table, 70000\n.type few,@object\nfew: .zero 8\n.size few, 8\n")},
                {"bytes of WRAM", "[dpu-link-wram]", "the largest: table (70000), few (8)"});
  expectRefused({file("m.s", kMain + ".section .mram.a,\"aw\",@nobits\na: .zero 40000000\n.size a, 40000000\n"),
                 file("n.s", ".section .mram.b,\"aw\",@nobits\nb: .zero 30000000\n.size b, 30000000\n")},
                {"bytes of MRAM", "[dpu-link-mram]", "the largest: a (40000000), b (30000000)"});
}

TEST_F(UpmemInputs, AHeapPastWram) {
  expectRefused({main(), "-DNR_TASKLETS=24", "-DSTACK_SIZE_DEFAULT=4096"},
                {"bytes of WRAM", "are stacks of 24 tasklets", "[dpu-link-wram]"});
  expectRefused({file("bits.s", kMain + " move r0, l\n.section .atomic,\"aw\",@nobits\nl: .zero 57\n")},
                {"57 atomic bits", "[dpu-link-atomic]"});
}

TEST_F(UpmemInputs, AThinArchiveWhoseFilesAreGone) {
  expectRefused({main(), file("libt.a", "!<thin>\nnone.o/         0           0     0     644     1000      `\n")},
                {"none.o"});
}

TEST_F(UpmemInputs, WhatCannotBeLinkedIsNamedByTheLineOfC) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  expectRefused({file("a.c", "int f(void);\nint main(void) {\n  return f();\n}\n")},
                {"a.c:3: error: 'f' is not defined [dpu-link-undefined]"});
  expectRefused({file("b.c", "int main(void) {\n  __asm__(\"a: nop\");\n  __asm__(\"a: nop\");\n  return 0;\n}\n")},
                {"b.c:3: error: 'a' is already defined in ", "b.c:2 [dpu-asm-defined-twice]", "1:, 1b, 1f"});
  expectRefused({file("c.c", "int x[2] = {1};\n"), file("d.c", "int x = 1;\nint main(void) { return x; }\n")},
                {"'x' is defined here and in ", "[dpu-link-defined-twice]"});
}

// Executables, as `simulate` and hosts load them.

TEST(UpmemExecutables, LoadEveryAddressOnce) {
  const auto code = dpu::link({*dpu::assemble(kMain + ".data\n.long 1, 2, 3\n", "a.s")}, {});
  const std::string file = dpu::writeExecutable(*code);
  const std::size_t segments = word(file, 28), wram = segments + 32;
  ASSERT_EQ(word(file, wram + 8), 0U);
  // A second segment for the first bytes of WRAM: the headers' room of the first one, moved.
  std::string twice = with(file, segments + 8, 4, 4);  // the code, now at WRAM 4
  const auto read = dpu::readExecutable(twice, "a.elf");
  ASSERT_FALSE(read.ok());
  const Diagnostic &d = read.diagnostics().front();
  EXPECT_TRUE(d.code == "dpu-elf-overlap" || d.code == "dpu-elf-segment") << d.str();
  // Sections that say so, though segments do not.
  std::size_t data = 0;
  for (std::size_t i = 1; i < 8 && data == 0; ++i)
    if (word(file, sectionAt(file, i) + 12) == 0 && word(file, sectionAt(file, i) + 4) == 1) data = sectionAt(file, i);
  ASSERT_NE(data, 0U);
  const auto sections = dpu::readExecutable(with(file, data + 12, 0x80000000, 4), "a.elf");
  ASSERT_FALSE(sections.ok());
  EXPECT_EQ(sections.diagnostics().front().code, "dpu-elf-overlap");
  EXPECT_EQ(sections.diagnostics().front().where.file, "a.elf");
  EXPECT_NE(sections.diagnostics().front().message.find("section '.text' (0x80000000 to "), std::string::npos)
      << sections.diagnostics().front().str();
}

}  // namespace
}  // namespace pimento::driver
