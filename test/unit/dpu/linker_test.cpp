// From objects to a program: layout, symbols, relocations, libraries.
#include "pimento/dpu/linker.h"

#include <fstream>

#include "assembled.h"
#include "pimento/dpu/disassembler.h"
#include "pimento/dpu/isa.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/runtime.h"

namespace pimento::dpu {
namespace {

using program::Code;

Code linked(std::vector<std::string> texts, const LinkOptions &options = {},
            const std::vector<Object> *library = nullptr) {
  std::vector<Object> objects;
  for (const std::string &text : texts) objects.push_back(assembledObject(text));
  const Result<Code> code = link(std::move(objects), options, library);
  if (code) return *code;
  for (const Diagnostic &d : code.diagnostics()) ADD_FAILURE() << d.str();
  return {};
}

std::string textAt(const Code &code, std::size_t index) {
  const auto instruction = index < code.instructions.size() ? decode(code.instructions[index]) : std::nullopt;
  return instruction ? print(*instruction) : "(none)";
}

std::uint32_t addressOf(const Code &code, std::string_view name) {
  const Code::Symbol *symbol = code.symbolNamed(name);
  EXPECT_NE(symbol, nullptr) << name;
  return symbol ? symbol->address : ~0u;
}

std::uint32_t wordAt(const Code &code, std::uint32_t address) {
  std::uint32_t word = 0;
  for (const Code::Segment &segment : code.segments) {
    if (address < segment.address || address + 4 > segment.address + segment.bytes.size()) continue;
    for (std::uint32_t i = 4; i-- > 0;) word = word << 8 | segment.bytes[address - segment.address + i];
  }
  return word;
}

TEST(Linker, TheBootstrapComesFirst) {
  const Code code =
      linked({" .globl main\nmain: jump r23\n", " .section .text.__bootstrap,\"ax\"\n nop\n call r23, main\n"});
  EXPECT_EQ(code.entry, 0u);
  EXPECT_EQ(textAt(code, 0), "nop");
  EXPECT_EQ(textAt(code, 1), "call r23, 2");
  EXPECT_EQ(textAt(code, 2), "jump r23");
}

TEST(Linker, BranchesAndLabelsBecomeInstructionIndices) {
  const Code code = linked({" nop\nf: jeq r0, 0, . + 2\n jump f\ng: move r1, g\n .data\n .long g, g + 1, f\n"});
  EXPECT_EQ(textAt(code, 1), "jz r0, 3");
  EXPECT_EQ(textAt(code, 2), "jump 1");
  EXPECT_EQ(textAt(code, 3), "move r1, 3");
  EXPECT_EQ(wordAt(code, 0), 3u);
  EXPECT_EQ(wordAt(code, 4), 4u);
  EXPECT_EQ(wordAt(code, 8), 1u);
}

TEST(Linker, WramHoldsDataThenHostThenBssThenStacks) {
  LinkOptions options;
  options.tasklets = 2;
  options.stackBytesOf = {100};
  const Code code = linked({R"(
  move r0, zeroed
  lw r1, zero, host
  .bss
zeroed: .zero 3
  .section .dpu_host,"aw",@progbits
host: .long 5
  .data
first: .byte 1
)"},
                           options);
  EXPECT_EQ(addressOf(code, "first"), 0u);
  EXPECT_EQ(addressOf(code, "host"), 8u) << "aligned to 8 bytes";
  EXPECT_EQ(addressOf(code, "zeroed"), 12u);
  EXPECT_EQ(addressOf(code, "__stack_table"), 16u);
  EXPECT_EQ(wordAt(code, 16), 104u) << "size of the first stack, rounded up";
  EXPECT_EQ(wordAt(code, 20), 32u) << "its address, behind the table";
  EXPECT_EQ(wordAt(code, 24), 1024u);
  EXPECT_EQ(wordAt(code, 28), 136u);
  EXPECT_EQ(code.wramUsed, 136u + 1024u);
  EXPECT_EQ(addressOf(code, "__heap_start"), code.wramUsed);
  EXPECT_EQ(addressOf(code, "__sys_heap_pointer_reset"), code.wramUsed);
  EXPECT_EQ(textAt(code, 0), "move r0, 12");
  EXPECT_EQ(textAt(code, 1), "lw r1, zero, 8");
}

TEST(Linker, TheLinkersNumbersFollowTheOptions) {
  LinkOptions options;
  options.tasklets = 11;
  options.stackBytes = 512;
  const Code code = linked({R"(
  jeq id, NR_TASKLETS - 1, . + 2
  move r0, STACK_SIZE_TASKLET_10
  move r1, STACK_SIZE_TASKLET_11
  move r2, __sys_used_mram_end
  .section .mram,"aw",@progbits
buffer: .long 9
)"},
                           options);
  EXPECT_EQ(textAt(code, 0), "jeq id, 10, 2");
  EXPECT_EQ(textAt(code, 1), "move r0, 512");
  EXPECT_EQ(textAt(code, 2), "move r1, 0");
  EXPECT_EQ(textAt(code, 3), "move r2, 8") << "MRAM addresses lose their tag";
  EXPECT_EQ(code.tasklets, 11);
  EXPECT_EQ(code.mramUsed, 8u);
  EXPECT_EQ(addressOf(code, "buffer"), program::kMramBase);
  EXPECT_TRUE(code.symbolNamed("NR_TASKLETS")->isAbsolute);
  EXPECT_EQ(wordAt(code, program::kMramBase), 9u);
}

TEST(Linker, AtomicBitsAreNumberedFrom200) {
  const std::string lock = " .section .atomic,\"aw\",@nobits\n";
  const Code code = linked({" acquire zero, a, nz, .\n move r0, __atomic_end\n" + lock + "a: .zero 1\n",
                            " acquire zero, b, nz, .\n .data\n .byte b\n" + lock + "b: .zero 1\n"});
  EXPECT_EQ(textAt(code, 0), "acquire zero, 200, nz, 0");
  EXPECT_EQ(textAt(code, 1), "move r0, 202");
  EXPECT_EQ(textAt(code, 2), "acquire zero, 201, nz, 2");
  EXPECT_EQ(wordAt(code, 0), 201u);
}

TEST(Linker, AWeakDefinitionGivesWay) {
  const std::string weak = " .weak f\nf: nop\n", strong = " .globl f\nf: stop\n", call = " call r23, f\n";
  for (const auto &order : {std::vector{call, weak, strong}, std::vector{call, strong, weak}}) {
    const Code code = linked(order);
    EXPECT_EQ(textAt(code, addressOf(code, "f") / 8 & 0xffff), "stop");
    EXPECT_EQ(textAt(code, 0), "call r23, " + std::to_string(addressOf(code, "f") / 8 & 0xffff));
  }
  EXPECT_EQ(textAt(linked({" .weak g\n move r0, g\n"}), 0), "move r0, 0") << "a weak symbol may be missing";
}

TEST(Linker, LocalSymbolsOfDifferentFilesDoNotMeet) {
  const Code code = linked({" nop\nf: jump f\n", " nop\nf: jump f\n"});
  EXPECT_EQ(textAt(code, 1), "jump 1");
  EXPECT_EQ(textAt(code, 3), "jump 3");
}

TEST(Linker, CommonSymbolsAreOneAndTheLargestCounts) {
  const Code code = linked({" .comm x, 4, 4\n .comm y, 4, 4\n move r0, y\n", " .comm x, 40, 8\n move r0, x\n"});
  EXPECT_EQ(addressOf(code, "x"), 0u);
  EXPECT_EQ(addressOf(code, "y"), 40u);
  EXPECT_EQ(textAt(code, 0), "move r0, 40");
}

TEST(Linker, ALibraryGivesOnlyWhatIsMissing) {
  const std::vector<Object> library = {assembledObject(" .globl f\nf: call r23, g\n"),
                                       assembledObject(" .globl g\ng: nop\n"), assembledObject(" .globl h\nh: nop\n"),
                                       assembledObject(" .globl i\ni: nop\n")};
  const Code code = linked({" call r23, f\n call r23, i\n .globl i\ni: stop\n"}, {}, &library);
  EXPECT_NE(code.symbolNamed("f"), nullptr);
  EXPECT_NE(code.symbolNamed("g"), nullptr) << "f needs it";
  EXPECT_EQ(code.symbolNamed("h"), nullptr) << "nobody needs it";
  EXPECT_EQ(textAt(code, 1), "call r23, 2") << "the program's own i";
  EXPECT_EQ(code.instructions.size(), 5u);
}

TEST(Linker, SymbolsFunctionsAndLinesAreFilledIn) {
  const Code code = linked({"\n .type f,@function\nf: nop\n nop\n .size f, . - f\n", " stop\n"});
  ASSERT_NE(code.functionAt(1), nullptr);
  EXPECT_EQ(code.functionAt(1)->name, "f");
  EXPECT_EQ(code.functionAt(2), nullptr);
  ASSERT_EQ(code.lines.size(), 3u);
  EXPECT_EQ(code.files[static_cast<std::size_t>(code.lines[1].file)], "a.s");
  EXPECT_EQ(code.lines[1].line, 4);
  EXPECT_TRUE(std::is_sorted(code.symbols.begin(), code.symbols.end(),
                             [](const auto &a, const auto &b) { return a.name < b.name; }));
}

TEST(Linker, AFunctionWithoutASizeReachesToTheNext) {
  const Code code = linked({" .globl f\nf: nop\n nop\n .globl g\ng: nop\nlabel: nop\n", " stop\n"});
  EXPECT_EQ(code.symbolNamed("f")->size, 16u);
  EXPECT_EQ(code.symbolNamed("g")->size, 16u);
  EXPECT_FALSE(code.symbolNamed("label")->isFunction);
  EXPECT_EQ(code.functionAt(4), nullptr) << "the end of the section is the end of g";
}

TEST(Linker, TheRuntimeLibraryBootsAProgramThatHasOnlyMain) {
  if (runtimeFiles().empty()) GTEST_SKIP() << "no run-time library yet";
  const Result<Code> code = loadProgram(" .globl main\nmain: jump r23\n", "m.s", {});
  ASSERT_TRUE(code.ok()) << code.diagnostics().front().str();
  ASSERT_NE(code->functionAt(0), nullptr);
  EXPECT_EQ(code->functionAt(0)->name, "__bootstrap");
  for (const std::uint64_t word : code->instructions) EXPECT_TRUE(decode(word).has_value());
}

TEST(Linker, TheExampleOfTheDocumentationLinks) {
  std::ifstream in(PIMENTO_SOURCE_DIR "/docs/models/upmem-isa.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::size_t begin = page.find("```asm\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string text = page.substr(begin + 7, page.find("```", begin + 7) - begin - 7);
  const Result<Code> code = loadProgram(text, "page.s", {});
  ASSERT_TRUE(code.ok()) << code.diagnostics().front().str();
  EXPECT_EQ(addressOf(*code, "counter") % 8, 0u);
}

TEST(Linker, EveryFileOfTheRuntimeLibraryLinksWithTheOthers) {
  std::vector<Object> objects = runtimeLibrary();
  if (objects.empty()) GTEST_SKIP() << "no run-time library yet";
  objects.push_back(assembledObject(" .globl main\nmain: jump r23\n"));
  LinkOptions options;
  options.collects = false;
  const Result<Code> code = link(std::move(objects), options);
  EXPECT_TRUE(code.ok()) << code.diagnostics().front().str();
}

// What nobody needs.

/// Code that begins at main, and a section of a function that prints and its text, which nothing leads to.
const std::string kStart = " .section .text.__bootstrap,\"ax\"\n call r23, main\n stop\n";
const std::string kUnused =
    " .section .text.unused,\"ax\"\n .globl unused\nunused: move r0, words\n call r23, print\n jump r23\n"
    " .section .rodata.words,\"a\"\nwords: .asciz \"never printed\"\n";
const std::string kMain = " .section .text.main,\"ax\"\n .globl main\nmain: jump r23\n";
const std::string kPrint =
    " .section .text.print,\"ax\"\n .globl print\nprint: move r1, log\n jump r23\n"
    " .section .mram.log,\"aw\",@nobits\nlog: .zero 65536\n";

TEST(Linker, SectionsThatNothingLeadsToAreLeftOut) {
  const std::vector<Object> library = {assembledObject(kPrint)};
  const Code code = linked({kStart + kMain + kUnused}, {}, &library);
  EXPECT_EQ(code.instructions.size(), 3u);
  EXPECT_EQ(code.symbolNamed("unused"), nullptr);
  EXPECT_EQ(code.symbolNamed("print"), nullptr) << "only what is left out refers to it";
  EXPECT_EQ(code.mramUsed, 0u);
  const Code with = linked({kStart + kMain + " call r23, unused\n" + kUnused}, {}, &library);
  EXPECT_NE(with.symbolNamed("print"), nullptr);
  EXPECT_EQ(with.mramUsed, 65536u);
}

TEST(Linker, WhatDataPointsToIsNeeded) {
  const Code code = linked({kStart + " .section .text.main,\"ax\"\n .globl main\nmain: lw r0, zero, table\n jump r23\n"
                                     " .section .data.table,\"aw\"\ntable: .long f\n .section .data.other,\"aw\"\n"
                                     "other: .long g\n .section .text.f,\"ax\"\nf: jump r23\n"
                                     " .section .text.g,\"ax\"\ng: jump r23\n"});
  EXPECT_NE(code.symbolNamed("f"), nullptr);
  EXPECT_EQ(code.symbolNamed("g"), nullptr) << "only a variable that nobody reads points to it";
}

TEST(Linker, WhatHostsLookForStaysWithWhatItPointsTo) {
  const Code code = linked({kStart + kMain +
                            " .section .dpu_host,\"aw\"\n .globl shared\nshared: .long f\n"
                            " .section .mram.table,\"aw\"\n .globl table\ntable: .quad 1\n"
                            " .section .mram.noinit.room,\"aw\",@nobits\n .globl room\nroom: .zero 8\n"
                            " .section .data.kept,\"awR\"\n .globl kept\nkept: .long 4\n"
                            " .section .data.dropped,\"aw\"\n .globl dropped\ndropped: .long 5\n"
                            " .section .text.f,\"ax\"\nf: jump r23\n"});
  for (const char *name : {"shared", "table", "room", "kept", "f"}) EXPECT_NE(code.symbolNamed(name), nullptr) << name;
  EXPECT_EQ(code.symbolNamed("dropped"), nullptr);
}

TEST(Linker, NothingIsLeftOutWhereNobodyKnowsTheStartOrWhereToldSo) {
  EXPECT_NE(linked({" .section .text.f,\"ax\"\nf: nop\n .section .text.g,\"ax\"\ng: nop\n"}).symbolNamed("g"), nullptr);
  const std::vector<Object> library = {assembledObject(kPrint)};
  LinkOptions all;
  all.collects = false;
  EXPECT_NE(linked({kStart + kMain + kUnused}, all, &library).symbolNamed("print"), nullptr);
  LinkOptions keep;
  keep.keep = {"print", "nobody"};
  const Code code = linked({kStart + kMain + kUnused}, keep, &library);
  EXPECT_NE(code.symbolNamed("print"), nullptr);
  EXPECT_EQ(code.symbolNamed("unused"), nullptr);
}

TEST(Linker, AnUndefinedSymbolOfCodeThatNobodyNeedsIsNoError) {
  EXPECT_EQ(linked({kStart + kMain + kUnused}).instructions.size(), 3u);
}

TEST(Linker, TheLibraryGivesWayToAProgramsOwnFunctions) {
  // mem_reset is in one file with mem_alloc, which the program calls.
  const Result<Code> code = loadProgram(
      " .globl main\nmain: call r23, mem_alloc\n call r23, mem_reset\n jump r23\n"
      " .globl mem_reset\nmem_reset: move r0, 77\n jump r23\n",
      "m.s", {});
  ASSERT_TRUE(code.ok()) << code.diagnostics().front().str();
  EXPECT_EQ(textAt(*code, (addressOf(*code, "mem_reset") >> 3) & 0xffff), "move r0, 77");
}

}  // namespace
}  // namespace pimento::dpu
