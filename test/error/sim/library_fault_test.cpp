// A fault within the run-time library is told at the call in the program, with what it means.
#include <gtest/gtest.h>

#include "test/support/linked_dpu.h"

namespace pimento::test {
namespace {

/// What a program of one tasklet, linked with the library, faults with.
Diagnostic faultOf(const std::string &text) {
  const auto run = sim::dpu::Dpu(imageOf(text, 1), plainDpu()).simulate({});
  return run.fault ? *run.fault : Diagnostic{};
}

void expectTold(const Diagnostic &d, int line, const std::string &message) {
  EXPECT_EQ(d.where.file, "test.s") << d.str();
  EXPECT_EQ(d.where.line, line) << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
}

std::string mainThatCalls(const std::string &call) {
  return R"(
        .text
        .globl  main
        .type   main,@function
main:
        sd      r22, 0, d22
        add     r22, r22, 8
)" + call +
         R"(
        ld      d22, r22, -8
        jump    r23
        .size   main, . - main
)";
}

TEST(LibraryFaults, AHeapWithoutRoomIsToldAtTheAllocation) {
  const Diagnostic d =
      faultOf(mainThatCalls("  move r0, 40000\n  call r23, mem_alloc\n  move r0, 40000\n  call r23, mem_alloc"));
  expectTold(d, 11, "in 'mem_alloc', called in 'main': the heap has no room for the block: load of 1 bytes at");
  EXPECT_EQ(d.code, "dpu-wram-bounds");
  EXPECT_NE(d.hint.find("mem_reset"), std::string::npos);
}

TEST(LibraryFaults, TheLibraryMayCallItself) {
  expectTold(faultOf(mainThatCalls("  move r0, 5000\n  move r1, 50\n  call r23, fsb_alloc")), 10,
             "in 'mem_alloc', called in 'main': the heap has no room");
}

TEST(LibraryFaults, ADivisionByZeroIsNamed) {
  const Diagnostic d = faultOf(mainThatCalls("  move r0, -7\n  move r1, 0\n  call r23, __divsi3"));
  expectTold(d, 10, "called in 'main': division by zero");
  EXPECT_EQ(d.code, "dpu-fault");
  expectTold(faultOf(mainThatCalls("  move r0, 1\n  move r1, 7\n  move r2, 0\n  move r3, 0\n  call r23, __udivdi3")),
             12, "called in 'main': division by zero");
}

TEST(LibraryFaults, AnAssertionIsToldWhereItStands) {
  const Diagnostic d = faultOf(mainThatCalls(R"(
        move r0, .Ltext
        move r1, .Ltext
        move r2, 5
        move r3, .Ltext
        call r23, __assert_failed
        .section .rodata.text,"a",@progbits
.Ltext: .asciz "x"
        .text
)"));
  expectTold(d, 13, "in '__assert_failed', called in 'main': an assertion failed");
  EXPECT_NE(d.hint.find("log"), std::string::npos);
}

TEST(LibraryFaults, ADeadlockInTheLibraryIsToldAtTheCall) {
  expectTold(faultOf(mainThatCalls("  move r0, 0\n  call r23, handshake_wait_for")), 9, "called in 'main' (test.s:9)");
}

TEST(LibraryFaults, AProgramsOwnRoutineIsNotTheLibrarys) {
  const Diagnostic d = faultOf(mainThatCalls("  call r23, mem_alloc") + R"(
        .globl  mem_alloc
        .type   mem_alloc,@function
mem_alloc:
        fault   9
        .size   mem_alloc, . - mem_alloc
)");
  expectTold(d, 16, "in 'mem_alloc': the program raised fault 9");
}

TEST(LibraryFaults, ACallerThatTheStackDoesNotTellIsLeftOut) {
  const Diagnostic d =
      faultOf(mainThatCalls("  move r22, 70000\n  move r0, 0\n  call r23, check_stack\n  move r23, 0\n"
                            "  move r0, 1\n  move r1, 0\n  jump __udivsi3"));
  EXPECT_EQ(d.code, "dpu-fault");
  EXPECT_EQ(d.where.file, "runtime/divide32.s") << d.str();
}

}  // namespace
}  // namespace pimento::test
