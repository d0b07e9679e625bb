// How deep a program's stack gets: what functions say of themselves, what their code says, and what nobody can know.
#include "pimento/dpu/stack_use.h"

#include <gtest/gtest.h>

#include "assembled.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/runtime.h"

namespace pimento::dpu {
namespace {

using Names = std::vector<std::string>;

StackUse useOf(const std::vector<std::string> &texts) {
  std::vector<Object> objects;
  for (const std::string &text : texts) objects.push_back(assembledObject(text));
  const Result<program::Code> code = link(std::move(objects), {}, &runtimeLibrary());
  if (code) return stackUse(*code);
  for (const Diagnostic &d : code.diagnostics()) ADD_FAILURE() << d.str();
  return {};
}

std::string function(const std::string &name, const std::string &body) {
  return " .section .text." + name + ",\"ax\",@progbits\n .globl " + name + "\n .type " + name + ",@function\n" + name +
         ":\n" + body + " .size " + name + ", . - " + name + "\n";
}

TEST(StackUse, IsThatOfTheDeepestChain) {
  const StackUse use = useOf({function("main", " .set stack_size.main, 24\n call r23, f\n call r23, g\n jump r23\n") +
                              function("f", " .set stack_size.f, 16\n call r23, h\n jump r23\n") +
                              function("g", " .set stack_size.g, 40\n jump r23\n") +
                              function("h", " .set stack_size.h, 32\n jump r23\n")});
  EXPECT_EQ(use.bytes, 72);
  EXPECT_EQ(use.chain, (Names{"main", "f", "h"}));
  EXPECT_EQ(use.str(), "main (24 bytes) > f (16) > h (32)");
  EXPECT_TRUE(use.doubts.empty());
}

TEST(StackUse, FunctionsThatSayNothingAreRead) {
  EXPECT_EQ(useOf({function("main", " sd r22, 8, d22\n sd r22, 0, d14\n add r22, r22, 16\n call r23, f\n jump r23\n") +
                   function("f", " sw r22, 20, r0\n jump r23\n")})
                .bytes,
            40);
  EXPECT_EQ(useOf({function("main", " ldma r22, r0, 1\n jump r23\n")}).bytes, 16) << "transfers of 8 * (1 + 1) bytes";
}

TEST(StackUse, RoutinesOfTheLibraryCount) {
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, 8\n call r23, __muldf3\n jump r23\n")}).bytes, 40);
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, 8\n call r23, log_integer\n jump r23\n")}).bytes, 24);
}

TEST(StackUse, AJumpToAnotherFunctionLeavesNoFrame) {
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, 24\n jump f\n") +
                   function("f", " .set stack_size.f, 40\n jump r23\n")})
                .bytes,
            40);
  EXPECT_EQ(useOf({" .text\n .globl main\n .globl f\n .set stack_size.main, 0\n .set stack_size.f, 48\nmain:\n nop\n"
                   "f:\n jump r23\n"})
                .bytes,
            48)
      << "what one function runs into";
}

TEST(StackUse, FunctionsOfOneNameAreTheLargest) {
  const std::string local = " .text\n .type f,@function\n";
  EXPECT_EQ(useOf({local + " .set stack_size.f, 8\n .globl main\n .set stack_size.main, 0\nmain:\n call r23, f\n"
                           " jump r23\nf:\n jump r23\n",
                   local + " .set stack_size.f, 64\nf:\n jump r23\n"})
                .bytes,
            64);
}

TEST(StackUse, PointersLeadToWhateverTheyMayPointTo) {
  const std::string callers = function("main", " .set stack_size.main, 8\n move r5, f\n call r23, r5\n jump r23\n") +
                              function("f", " .set stack_size.f, 56\n jump r23\n");
  EXPECT_EQ(useOf({callers + " .set pointed_to.f, 0\n"}).bytes, 64);
  EXPECT_EQ(useOf({callers}).doubts, Names{"'main' calls through a pointer"});
}

TEST(StackUse, RecursionAndArraysOfUnknownSizeAreDoubts) {
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, 8\n call r23, main\n jump r23\n")}).doubts,
            Names{"'main' calls itself"});
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, 8\n call r23, f\n jump r23\n") +
                   function("f", " .set stack_size.f, 8\n call r23, main\n jump r23\n")})
                .doubts,
            Names{"'f' calls 'main', which calls it back"});
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, 0\n jump f\n") +
                   function("f", " .set stack_size.f, 8\n call r23, g\n jump r23\n") +
                   function("g", " .set stack_size.g, 0\n jump main\n")})
                .doubts,
            Names{"'g' calls 'main', which calls it back"})
      << "round by jumps, but for one call";
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, -1\n jump r23\n")}).doubts,
            Names{"'main' has arrays whose size is known only at run time"});
}

TEST(StackUse, JumpsRoundAndRoundTakeNone) {
  const StackUse use = useOf({function("main", " .set stack_size.main, 24\n jump f\n") +
                              function("f", " .set stack_size.f, 8\n jump main\n")});
  EXPECT_EQ(use.bytes, 24);
  EXPECT_TRUE(use.doubts.empty());
}

TEST(StackUse, TheFixedPartOfAnUnknownFrameCounts) {
  EXPECT_EQ(useOf({function("main", " .set stack_size.main, -1\n add r22, r22, 3024\n jump r23\n")}).bytes, 3024);
}

}  // namespace
}  // namespace pimento::dpu
