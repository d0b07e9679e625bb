// What keeps objects from becoming a program.
#include "pimento/dpu/linker.h"

#include <gtest/gtest.h>

#include "pimento/dpu/assembler.h"

namespace pimento::dpu {
namespace {

Object object(std::string_view text, std::string_view file = "a.s") {
  Result<Object> assembled = assemble(text, file);
  EXPECT_TRUE(assembled.ok()) << assembled.diagnostics().front().str();
  return assembled ? *assembled : Object{};
}

Diagnostics allOf(std::vector<Object> objects, const LinkOptions &options = {},
                  const std::vector<Object> *library = nullptr) {
  const auto code = link(std::move(objects), options, library);
  EXPECT_FALSE(code.ok());
  if (code) return {};
  for (const Diagnostic &d : code.diagnostics()) EXPECT_FALSE(d.hint.empty()) << d.str();
  return code.diagnostics();
}

Diagnostic firstOf(std::vector<Object> objects, const LinkOptions &options = {}) {
  const Diagnostics all = allOf(std::move(objects), options);
  return all.empty() ? Diagnostic{} : all.front();
}

TEST(LinkerErrors, AnUndefinedSymbolIsNamedOnceWithThePlaceThatUsesIt) {
  const std::vector<Object> library = {object(" .globl mem_alloc\nmem_alloc: nop\n", "heap.s")};
  const Diagnostics all = allOf({object(" nop\n call r23, mem_aloc\n call r23, mem_aloc\n")}, {}, &library);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].code, "dpu-link-undefined");
  EXPECT_EQ(all[0].where.str(), "a.s:2");
  EXPECT_EQ(all[0].hint, "did you mean 'mem_alloc'?");
  EXPECT_EQ(firstOf({object(" jump quite_elsewhere\n")}).code, "dpu-link-undefined");
}

TEST(LinkerErrors, ASymbolIsDefinedOnce) {
  const std::string text = " .globl f\nf: nop\n";
  const Diagnostic d = firstOf({object(text, "a.s"), object(text, "b.s")});
  EXPECT_EQ(d.code, "dpu-link-defined-twice");
  EXPECT_EQ(d.where.file, "b.s");
  EXPECT_NE(d.message.find("a.s"), std::string::npos);
}

TEST(LinkerErrors, AValueThatDoesNotFitItsField) {
  const Diagnostic d = firstOf({object(" nop\n jeq r0, x, 0\n .data\n .zero 2000\nx: .byte 1\n")});
  EXPECT_EQ(d.code, "dpu-link-range");
  EXPECT_EQ(d.where.str(), "a.s:2");
  EXPECT_NE(d.message.find("11 bits"), std::string::npos);
}

TEST(LinkerErrors, RelocationsThatMakeNoSense) {
  for (const Relocation &bad : {Relocation{0, 99, 0, 0, 0}, Relocation{0, 128, 7, 0, 0}, Relocation{8, 128, 0, 0, 0}}) {
    Object broken = object("f: nop\n");
    broken.sections[0].relocations.push_back(bad);
    EXPECT_EQ(firstOf({broken}).code, "dpu-link-relocation");
  }
}

TEST(LinkerErrors, AProgramHasInstructions) {
  EXPECT_EQ(firstOf({object(" .data\n .long 1\n")}).code, "dpu-link-empty");
}

TEST(LinkerErrors, TheNumberOfTaskletsIsThatOfADpu) {
  for (const std::int64_t tasklets : {0, 25, -1}) {
    LinkOptions options;
    options.tasklets = tasklets;
    EXPECT_EQ(firstOf({object(" nop\n")}, options).code, "dpu-link-tasklets") << tasklets;
  }
}

TEST(LinkerErrors, TooMuchOfAMemorySaysByHowMuch) {
  LinkOptions options;
  options.tasklets = 1;
  options.stackBytes = 8;
  options.instructions = 2;
  options.wramBytes = 64;
  options.mramBytes = 16;
  const Diagnostics all = allOf({object(R"(
  nop
  nop
  nop
  .data
  .zero 100
  .section .mram,"aw",@nobits
  .zero 40
  .section .atomic,"aw",@nobits
  .zero 60
)")},
                                options);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].code, "dpu-link-iram");
  EXPECT_NE(all[0].message.find("1 more than"), std::string::npos) << all[0].message;
  EXPECT_EQ(all[1].code, "dpu-link-wram");
  EXPECT_NE(all[1].message.find("56 more than"), std::string::npos) << all[1].message;
  EXPECT_EQ(all[2].code, "dpu-link-mram");
  EXPECT_NE(all[2].message.find("24 more than"), std::string::npos) << all[2].message;
  EXPECT_EQ(all[3].code, "dpu-link-atomic");
  EXPECT_NE(all[3].message.find("4 more than"), std::string::npos) << all[3].message;
}

TEST(LinkerErrors, AddressSpacesEndEvenWhereNoSizeIsGiven) {
  LinkOptions options;
  options.stackBytes = 0xffffffff;
  EXPECT_EQ(firstOf({object(" nop\n")}, options).code, "dpu-link-wram");
}

}  // namespace
}  // namespace pimento::dpu
