// The log: run-time routines that print, on the engine, and what reads the result.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pimento/base/text.h"
#include "pimento/targets/upmem/log.h"
#include "test/unit/dpu_runtime/run.h"

namespace pimento::driver {
namespace {

/// main that does `body`; `data`: sections behind it.
std::string mainOf(const std::string &body, const std::string &data) {
  return fmt::format(R"(
        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        sd      r22, 8, d22
        add     r22, r22, 16
{}
        ld      d22, r22, -8
        jump    r23
        .size   main, . - main
        .section .data.words,"aw",@progbits
{}
)",
                     body, data);
}

struct Printed {
  std::string text;
  std::int64_t lost = 0;
};

Printed printed(const std::string &text, std::int64_t tasklets) {
  const auto image = test::imageOf(text, tasklets);
  sim::dpu::Dpu dpu(image, test::plainDpu());
  const sim::dpu::RunResult run = dpu.simulate({.maxInstructions = 100'000'000});
  EXPECT_FALSE(run.fault) << run.fault->str();
  targets::upmem::DpuLog log(image->code);
  log.take(dpu);
  return {log.text(), log.lost()};
}

TEST(DpuLog, PrintsTextNumbersAndHex) {
  const std::string numbers =
      "        .p2align 2\nnumbers: .long 0, 7, 10, -1, 2147483647, 0x80000000, 1000000000, 999999999, 1001\nend:\n"
      "comma:  .asciz \", \"\nempty:  .byte 0\n";
  const std::string text = mainOf(R"(
        move    r14, numbers
.Lone:
        lw      r0, r14, 0
        call    r23, log_integer
        move    r0, comma
        call    r23, log_text
        move    r0, empty
        call    r23, log_text
        add     r14, r14, 4
        move    r0, end
        jneq    r14, r0, .Lone
        lw      r0, r14, -16
        call    r23, log_hex
        move    r0, 0xffffffff
        call    r23, log_hex
)",
                                  numbers);
  EXPECT_EQ(printed(text, 1).text,
            "0, 7, 10, -1, 2147483647, -2147483648, 1000000000, 999999999, 1001, 80000000ffffffff");
}

TEST(DpuLog, APieceOfOneTaskletStaysTogether) {
  // Every tasklet prints 20 pieces of a length of its own.
  const std::string text = mainOf(R"(
        move    r14, 20
        move    r15, letters
        add     r15, r15, 23
        move    r13, id
        sub     r15, r15, r13
.Lone:
        move    r0, r15
        call    r23, log_text
        add     r14, r14, -1, nz, .Lone
)",
                                  "letters: .asciz \"abcdefghijklmnopqrstuvwx\\n\"\n");
  const std::string letters = "abcdefghijklmnopqrstuvwx";
  for (int tasklets = 1; tasklets <= 24; ++tasklets) {
    const std::string log = printed(text, tasklets).text;
    std::vector<std::string> lines, expected;
    for (const std::string_view line : split(log, '\n')) lines.emplace_back(line);
    expected.emplace_back();
    for (int t = 0; t < tasklets; ++t)
      for (int i = 0; i < 20; ++i) expected.push_back(letters.substr(static_cast<std::size_t>(23 - t)));
    std::sort(lines.begin(), lines.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(lines, expected) << tasklets << " tasklets";
  }
}

TEST(DpuLog, BetweenBeginAndEndOneTaskletPrints) {
  const std::string text = mainOf(R"(
        move    r14, 10
.Lone:
        call    r23, log_begin
        move    r0, open
        call    r23, log_text
        move    r0, id
        call    r23, log_integer
        move    r0, close
        call    r23, log_text
        call    r23, log_end
        add     r14, r14, -1, nz, .Lone
)",
                                  "open: .asciz \"<\"\nclose: .asciz \">\\n\"\n");
  for (int tasklets = 1; tasklets <= 24; ++tasklets) {
    const std::string log = printed(text, tasklets).text;
    std::map<std::string, int> counts;
    for (const std::string_view line : split(log, '\n')) ++counts[std::string(line)];
    EXPECT_EQ(counts.erase(""), 1u);
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(tasklets)) << log;
    for (int t = 0; t < tasklets; ++t) EXPECT_EQ(counts[fmt::format("<{}>", t)], 10) << tasklets << " tasklets";
  }
}

TEST(DpuLog, WhatFindsNoRoomIsCounted) {
  const std::string text = mainOf(R"(
        move    r14, 7000
.Lone:
        move    r0, ten
        call    r23, log_text
        add     r14, r14, -1, nz, .Lone
)",
                                  "ten: .asciz \"012345678\\n\"\n");
  const Printed p = printed(text, 1);
  EXPECT_EQ(p.text.size(), 65536u);
  EXPECT_EQ(p.lost, 70000 - 65536);
  for (std::size_t i = 0; i < p.text.size(); ++i) ASSERT_EQ(p.text[i], "012345678\n"[i % 10]) << i;
}

TEST(DpuLog, EveryLaunchStartsAnEmptyLog) {
  const auto image =
      test::imageOf(mainOf("        move r0, hi\n        call r23, log_text\n", "hi: .asciz \"hi\"\n"), 1);
  sim::dpu::Dpu dpu(image, test::plainDpu());
  targets::upmem::DpuLog log(image->code);
  for (int launch = 0; launch < 3; ++launch) {
    ASSERT_FALSE(dpu.simulate().fault);
    log.take(dpu);
  }
  EXPECT_EQ(log.text(), "hihihi");
}

TEST(DpuLog, AProgramWithoutItHasNone) {
  EXPECT_EQ(printed(mainOf("", ""), 2).text, "");
}

TEST(DpuLog, ACountBeyondTheBufferIsNotBelieved) {
  const auto image =
      test::imageOf(mainOf("        move r0, hi\n        call r23, log_text\n", "hi: .asciz \"hi\"\n"), 1);
  sim::dpu::Dpu dpu(image, test::plainDpu());
  const std::vector<std::uint32_t> wrong = {0xffffffffU};
  dpu.writeWram(test::addressOf(*image, "__log_used"), test::bytesOf(wrong));
  targets::upmem::DpuLog log(image->code);
  log.take(dpu);
  EXPECT_EQ(log.text().size(), 65536u);
  EXPECT_EQ(log.lost(), 0xffffffffLL - 65536);
}

}  // namespace
}  // namespace pimento::driver
