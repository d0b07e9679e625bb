// ELF files: what is written is read back, files of others load, damaged ones are refused.
#include "pimento/dpu/elf.h"

#include "assembled.h"
#include "pimento/base/rng.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/load.h"

namespace pimento::dpu {
namespace {

using program::Code;

constexpr const char *kText = R"(
        .globl  main
        .type   main,@function
main:   lw      r0, zero, table
        call    r23, helper
        acquire zero, lock, nz, .
        jump    r23
        .size   main, . - main
        .weak   hook
helper: move    r1, hook
        jump    r23
        .data
        .p2align 3
table:  .long   main, table + 4
        .quad   -1
        .bss
        .zero   40
        .section .mram.keep,"aw",@progbits
        .long   1
        .section .atomic,"aw",@nobits
lock:   .zero   1
        .comm   shared, 8, 8
limit = 99
)";

Code linkedCode(std::vector<Object> objects) {
  const Result<Code> code = link(std::move(objects), {});
  EXPECT_TRUE(code.ok()) << code.diagnostics().front().str();
  return code ? *code : Code{};
}

TEST(Elf, AnObjectIsReadAsItWasWritten) {
  const Object object = assembledObject(kText);
  const std::string file = writeObject(object);
  const Result<Object> back = readObject(file, "a.o");
  ASSERT_TRUE(back.ok()) << back.diagnostics().front().str();
  EXPECT_EQ(writeObject(*back), file);
  EXPECT_EQ(back->sections.size(), object.sections.size());
  EXPECT_EQ(linkedCode({*back}), linkedCode({object})) << "addresses, words, symbols and lines";
}

TEST(Elf, ARetainedSectionStaysRetained) {
  const Object object = assembledObject(" .section .data.kept,\"awR\"\n .long 1\n .data\n .long 2\n");
  const Result<Object> read = readObject(writeObject(object), "a.o");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->sections, object.sections);
  EXPECT_TRUE(std::any_of(read->sections.begin(), read->sections.end(),
                          [](const Section &s) { return s.name == ".data.kept" && s.isRetained; }));
}

TEST(Elf, AnExecutableIsReadAsItWasWritten) {
  const Code code = linkedCode({assembledObject(kText)});
  const std::string file = writeExecutable(code);
  const Result<Code> back = readExecutable(file, "a.elf");
  ASSERT_TRUE(back.ok()) << back.diagnostics().front().str();
  EXPECT_EQ(*back, code);
}

TEST(Elf, TheHeaderIsThatOfADpu) {
  const std::string file = writeExecutable(linkedCode({assembledObject(" nop\n")}));
  auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file[at + i]);
    return value;
  };
  EXPECT_EQ(word(16), 245u << 16 | 2u) << "executable, machine 245";
  EXPECT_EQ(word(24), 0x80000000u) << "entry";
  EXPECT_EQ(word(36), 0x02800000u) << "flags";
  EXPECT_EQ(word(52), 1u) << "the first segment is loaded";
  EXPECT_EQ(word(52 + 8), 0x80000000u) << "to IRAM";
}

TEST(Elf, AnExecutableLoadsWithoutSections) {
  const Code code = linkedCode({assembledObject(kText)});
  std::string file = writeExecutable(code);
  for (const std::size_t at : {32u, 33u, 34u, 35u, 48u, 49u, 50u, 51u}) file[at] = '\0';
  const Result<Code> back = readExecutable(file, "a.elf", 5);
  ASSERT_TRUE(back.ok()) << back.diagnostics().front().str();
  EXPECT_EQ(back->instructions, code.instructions);
  EXPECT_EQ(back->segments, code.segments);
  EXPECT_TRUE(back->symbols.empty());
  EXPECT_TRUE(back->lines.empty());
  EXPECT_EQ(back->tasklets, 5) << "as the caller says, since the file does not";
  EXPECT_GE(back->wramUsed, code.segments.front().bytes.size());
}

TEST(Elf, ALoadedSectionThatIsNamedLikeTheLinesIsData) {
  const Object object = assembledObject(" nop\n .section .pimento.lines,\"a\"\n .long 77\n");
  const Result<Object> back = readObject(writeObject(object), "a.o");
  ASSERT_TRUE(back.ok()) << back.diagnostics().front().str();
  EXPECT_EQ(back->sections.back().bytes, object.sections.back().bytes);
}

TEST(Elf, AProgramLoadsFromTextObjectAndExecutable) {
  const std::string text = " .section .text.__bootstrap,\"ax\"\n .globl __bootstrap\n__bootstrap: stop\n";
  const Result<Code> fromText = loadProgram(text, "a.s", {});
  ASSERT_TRUE(fromText.ok());
  const Result<Code> fromObject = loadProgram(writeObject(assembledObject(text)), "a.o", {});
  ASSERT_TRUE(fromObject.ok());
  EXPECT_EQ(*fromObject, *fromText);
  const Result<Code> fromExecutable = loadProgram(writeExecutable(*fromText), "a.elf", {});
  ASSERT_TRUE(fromExecutable.ok());
  EXPECT_EQ(*fromExecutable, *fromText);
}

/// Bytes changed, cut, doubled and swapped.
std::string mutated(std::string file, Rng &random) {
  for (std::uint64_t change = random.next() % 4 + 1; change > 0; --change) {
    const std::size_t at = random.next() % file.size();
    switch (random.next() % 6) {
      case 0:
        file[at] = static_cast<char>(random.next());
        break;
      case 1:
        file[at] = static_cast<char>(file[at] ^ (1 << random.next() % 8));
        break;
      case 2:
        file.resize(at + 1);
        break;
      case 3:
        file[at] = '\xff';
        break;
      case 4:  // a word of the headers
        for (std::size_t i = 0; i < 4 && at / 4 * 4 + i < file.size(); ++i) {
          file[at / 4 * 4 + i] = static_cast<char>(random.next());
        }
        break;
      default:
        file.insert(at, file.substr(0, random.next() % 64));
    }
  }
  return file;
}

/// A reason for every refusal; what is accepted can be written and read again.
template <typename Read>
int refusals(const std::string &file, int mutations, Read read) {
  Rng random(11);
  int refused = 0;
  for (int i = 0; i < mutations; ++i) {
    const Diagnostics found = read(mutated(file, random));
    refused += !found.empty();
    for (const Diagnostic &d : found) {
      EXPECT_FALSE(d.code.empty() || d.message.empty() || d.hint.empty()) << d.str();
    }
  }
  return refused;
}

TEST(Elf, TenThousandDamagedFilesGiveAReasonOrAProgram) {
  const int executables =
      refusals(writeExecutable(linkedCode({assembledObject(kText)})), 5000, [](const std::string &file) {
        const Result<Code> code = readExecutable(file, "damaged.elf");
        return code ? Diagnostics{} : code.diagnostics();
      });
  EXPECT_GT(executables, 500);
  const int objects = refusals(writeObject(assembledObject(kText)), 5000, [](const std::string &file) {
    const Result<Object> object = readObject(file, "damaged.o");
    if (!object) return object.diagnostics();
    const Result<Code> code = link({*object}, {});
    return code ? Diagnostics{} : code.diagnostics();
  });
  EXPECT_GT(objects, 500);
}

}  // namespace
}  // namespace pimento::dpu
