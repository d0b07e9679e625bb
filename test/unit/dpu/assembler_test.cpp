// Sections, symbols, expressions and directives of assembly text.
#include "assembled.h"
#include "pimento/dpu/field.h"
#include "pimento/dpu/isa.h"

namespace pimento::dpu {
namespace {

std::string bytesOf(const Object &object, std::string_view section) {
  const Section *found = sectionNamed(object, section);
  return found ? std::string(found->bytes.begin(), found->bytes.end()) : "(none)";
}

const Relocation &relocationAt(const Object &object, std::string_view section, std::size_t index) {
  static const Relocation none;
  const Section *found = sectionNamed(object, section);
  return found && index < found->relocations.size() ? found->relocations[index] : none;
}

TEST(Assembler, AnExampleOfTheDialectAssembles) {
  const Object object = assembledObject(R"(
        .section .text.total,"ax",@progbits
        .globl  total
        .type   total,@function
total:
        move    r2, 0
        jeq     r1, 0, .Ldone
.Lnext:
        lw      r3, r0, 0
        add     r2, r2, r3
        add     r0, r0, 4
        add     r1, r1, -1, nz, .Lnext   // 4 slots per element
.Ldone:
        move    r0, r2
        jump    r23
.Lend:
        .size   total, .Lend-total
)");
  const Section *text = sectionNamed(object, ".text.total");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->memory, Memory::kIram);
  EXPECT_EQ(text->bytes.size(), 64u);
  const Symbol *total = symbolNamed(object, "total");
  ASSERT_NE(total, nullptr);
  EXPECT_EQ(total->size, 64u);
  EXPECT_EQ(total->kind, SymbolKind::kFunction);
  EXPECT_EQ(total->binding, Binding::kGlobal);
  ASSERT_EQ(text->relocations.size(), 2u);
  EXPECT_EQ(text->relocations[0].type, kRelocateTarget);
  EXPECT_EQ(object.symbols[text->relocations[0].symbol].name, ".Ldone");
}

TEST(Assembler, NumbersBesideALabelOfCodeCountInstructions) {
  const Object object = assembledObject("f: nop\n jump f + 3\n jeq r0, 0, . + 2\n jeq r0, 0, .\n jeq r0, 0, g - 1\n");
  EXPECT_EQ(relocationAt(object, ".text", 0).addend, 24);
  EXPECT_EQ(relocationAt(object, ".text", 1).addend, 16 + 16) << "from the start of the section";
  EXPECT_EQ(relocationAt(object, ".text", 2).addend, 24);
  EXPECT_EQ(relocationAt(object, ".text", 3).addend, -8) << "a branch target is code wherever it is defined";
}

TEST(Assembler, NumbersBesideALabelOfDataCountBytes) {
  const Object object = assembledObject(" move r0, x + 3\n .data\nx: .long x + 4, 7\n");
  EXPECT_EQ(relocationAt(object, ".text", 0).addend, 3);
  EXPECT_EQ(relocationAt(object, ".data", 0).addend, 4);
  EXPECT_EQ(relocationAt(object, ".data", 0).type, kRelocate32);
}

TEST(Assembler, DifferencesOfLabelsAreNumbers) {
  const Object object = assembledObject("f: nop\n nop\ng: move r0, g - f\n .data\na: .zero 5\nb: .byte b - a, g - f\n");
  EXPECT_EQ(wordsOf(*sectionNamed(object, ".text"))[2], assembledWord("move r0, 2"));
  EXPECT_EQ(bytesOf(object, ".data"), std::string(5, '\0') + "\x05\x10");
}

TEST(Assembler, SymbolsOfTheLinkerBecomeRelocations) {
  const Object object = assembledObject(" jeq id, NR_TASKLETS - 1, . + 2\n .data\n .byte 255, NR_TASKLETS\n");
  EXPECT_EQ(relocationAt(object, ".text", 0).addend, -1);
  EXPECT_EQ(object.symbols[relocationAt(object, ".text", 0).symbol].section, Symbol::kUndefined);
  EXPECT_EQ(relocationAt(object, ".data", 0).type, kRelocate8);
  EXPECT_EQ(relocationAt(object, ".data", 0).offset, 1u);
}

TEST(Assembler, SymbolsInQuotesMayHaveNamesOfRegisters) {
  const Object quoted = assembledObject(
      " .globl \"id\"\n\"id\": lw r0, zero, \"d2\" + 4\n call r23, \"id\"\n .size \"id\", . - \"id\"\n"
      " .data\n\"d2\": .long 1, \"plain\"\nplain:\n");
  const Object plain = assembledObject(
      " .globl f\nf: lw r0, zero, a + 4\n call r23, f\n .size f, . - f\n .data\na: .long 1, plain\nplain:\n");
  EXPECT_EQ(wordsOf(*sectionNamed(quoted, ".text")), wordsOf(*sectionNamed(plain, ".text")));
  EXPECT_EQ(quoted.symbols[relocationAt(quoted, ".text", 0).symbol].name, "d2");
  const auto named = [&](const std::string &name) {
    return std::count_if(quoted.symbols.begin(), quoted.symbols.end(), [&](const auto &s) { return s.name == name; });
  };
  EXPECT_EQ(named("id"), 1);
  EXPECT_EQ(named("plain"), 1) << "quotes are no part of a name";
}

TEST(Assembler, DataDirectivesWriteLittleEndianBytes) {
  const Object object = assembledObject(R"(
  .data
  .byte 1, -1, 0x7f, 'A'
  .short 0x1234
  .half 1
  .hword 2
  .long 0x89abcdef
  .word 3
  .quad -2
  .dword 5
  .ascii "a\n\"\101\x42"
  .asciz "z"
  .zero 3
  .zero 2, 0xee
  .fill 2, 1, 7
)");
  EXPECT_EQ(bytesOf(object, ".data"),
            std::string("\x01\xff\x7f"
                        "A"
                        "\x34\x12\x01\x00\x02\x00\xef\xcd\xab\x89\x03\x00\x00\x00",
                        18) +
                std::string("\xfe\xff\xff\xff\xff\xff\xff\xff\x05\x00\x00\x00\x00\x00\x00\x00", 16) +
                std::string("a\n\"AB"
                            "z\0\0\0\0\xee\xee\x07\x07",
                            14));
}

TEST(Assembler, NumbersAre64BitWordsWithOrWithoutSign) {
  const Object object =
      assembledObject(" .data\n .quad 0xbff0000000000000, -9223372036854775808, 18446744073709551615\n");
  EXPECT_EQ(bytesOf(object, ".data"),
            std::string("\0\0\0\0\0\0\xf0\xbf\0\0\0\0\0\0\0\x80", 16) + std::string(8, '\xff'));
}

TEST(Assembler, AlignmentPadsDataWithZerosAndCodeWithNop) {
  const Object object = assembledObject(" nop\n .p2align 5\nf: nop\n .data\n .byte 1\n .p2align 2\n .byte 2\n");
  const std::vector<std::uint64_t> words = wordsOf(*sectionNamed(object, ".text"));
  ASSERT_EQ(words.size(), 5u);
  EXPECT_EQ(words[3], assembledWord("nop"));
  EXPECT_EQ(sectionNamed(object, ".text")->alignment, 32u);
  EXPECT_EQ(bytesOf(object, ".data"), std::string("\1\0\0\0\2", 5));
}

TEST(Assembler, SectionsGoWhereTheirNamesSay) {
  const Object object = assembledObject(R"(
  .section .data.x,"aw",@progbits
  .byte 1
  .section .bss.y,"aw",@nobits
  .zero 12
  .section .dpu_host,"aw",@progbits
  .byte 1
  .section .mram.noinit,"aw",@nobits
  .zero 64
  .section .atomic,"aw",@nobits
  .byte 0
  .section .rodata.str1.1,"aMS",@progbits,1
  .asciz "s"
  .section .text.f,"axo",@progbits,.text
  nop
)");
  auto memoryOfSection = [&](std::string_view name) {
    const Section *section = sectionNamed(object, name);
    return section ? section->memory : Memory::kNone;
  };
  EXPECT_EQ(memoryOfSection(".data.x"), Memory::kWram);
  EXPECT_EQ(memoryOfSection(".bss.y"), Memory::kWram);
  EXPECT_EQ(memoryOfSection(".dpu_host"), Memory::kWram);
  EXPECT_EQ(memoryOfSection(".mram.noinit"), Memory::kMram);
  EXPECT_EQ(memoryOfSection(".atomic"), Memory::kAtomic);
  EXPECT_EQ(memoryOfSection(".rodata.str1.1"), Memory::kWram);
  EXPECT_EQ(memoryOfSection(".text.f"), Memory::kIram);
  EXPECT_EQ(sectionNamed(object, ".bss.y")->length(), 12u);
  EXPECT_TRUE(sectionNamed(object, ".mram.noinit")->isNoBits);
}

TEST(Assembler, WhatADebuggerWouldReadIsPassedOver) {
  const Object object = assembledObject(R"(
  .text
  .file "a.c"
  .cfi_sections .debug_frame
f:
  .cfi_startproc
  nop
  .cfi_endproc
  .ident "a compiler"
  .section .debug_info,"",@progbits
.Lcu:
  .long .Lcu_end - .Lcu
  .uleb128 7
  some text that is no instruction
  .section .note.GNU-stack,"",@progbits
  .addrsig
  .text
  nop
)");
  EXPECT_EQ(wordsOf(*sectionNamed(object, ".text")).size(), 2u);
  EXPECT_EQ(sectionNamed(object, ".debug_info"), nullptr);
}

TEST(Assembler, LinesComeFromTheTextOrFromLoc) {
  const Object plain = assembledObject("\n nop\n\n nop\n");
  EXPECT_EQ(sectionNamed(plain, ".text")->lines, (std::vector<SectionLine>{{0, 0, 2}, {8, 0, 4}}));
  const Object compiled = assembledObject(".file 1 \"dir\" \"a.c\"\n.loc 1 17 5 prologue_end\n nop\n");
  EXPECT_EQ(compiled.files.back(), "dir/a.c");
  EXPECT_EQ(sectionNamed(compiled, ".text")->lines, (std::vector<SectionLine>{{0, 1, 17}}));
}

TEST(Assembler, ConstantsAndWeakAndCommonSymbols) {
  const Object object = assembledObject(R"(
  .set twice, size + size
  size = 0x10
  .equ last, size - 1
  move r0, twice
  move r1, last
  .weak hook
  .comm buffer, 100, 8
  .lcomm mine, 4
alias = f
f: nop
)");
  const auto words = wordsOf(*sectionNamed(object, ".text"));
  EXPECT_EQ(words[0], assembledWord("move r0, 32"));
  EXPECT_EQ(words[1], assembledWord("move r1, 15"));
  EXPECT_EQ(symbolNamed(object, "hook")->binding, Binding::kWeak);
  EXPECT_EQ(symbolNamed(object, "buffer")->section, Symbol::kCommon);
  EXPECT_EQ(symbolNamed(object, "buffer")->size, 100u);
  EXPECT_EQ(symbolNamed(object, "mine")->binding, Binding::kLocal);
  EXPECT_EQ(symbolNamed(object, "alias")->value, 16u);
}

TEST(Assembler, SemicolonsSeparateStatements) {
  const Object object =
      assembledObject("f: nop; move r0, 1 ; jump r23 // ; nop\n .data; .ascii \"a;b\"; .byte 59 /* ; */\n");
  EXPECT_EQ(object.sections[0].bytes.size(), 24u);
  EXPECT_EQ(std::string(object.sections[1].bytes.begin(), object.sections[1].bytes.end()), "a;b;");
}

TEST(Assembler, LabelsThatAreNumbersMeanTheNearest) {
  const Object numbers = assembledObject(
      "64: add r0, r0, -1, nz, 64b\n jeq r1, 0, 64f\n64: jump 64b\n jump 1f + 1; 1: nop; 1: nop; jump 1b\n");
  const Object names =
      assembledObject("a: add r0, r0, -1, nz, a\n jeq r1, 0, b\nb: jump b\n jump c + 1\nc: nop\nd: nop\n jump d\n");
  const auto places = [](const Object &object) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> found;
    for (const Relocation &r : object.sections[0].relocations)
      found.emplace_back(r.offset, object.symbols[r.symbol].value + r.addend);
    return found;
  };
  EXPECT_EQ(places(numbers), places(names));
  EXPECT_EQ(numbers.sections[0].bytes, names.sections[0].bytes);
}

TEST(Assembler, CommentsOfAllKindsAreBlank) {
  const Object object = assembledObject("# 1 \"a.c\"\n nop // one\n /* two\n nop\n */ nop\nx: y: nop /* z: */\n");
  EXPECT_EQ(wordsOf(*sectionNamed(object, ".text")).size(), 3u);
  EXPECT_EQ(symbolNamed(object, "y")->value, 16u);
}

TEST(Assembler, TheSameTextAssemblesOnceItEndsWithoutANewline) {
  EXPECT_EQ(assembledWord("nop"), assembledWord("nop\r\n\n"));
}

}  // namespace
}  // namespace pimento::dpu
