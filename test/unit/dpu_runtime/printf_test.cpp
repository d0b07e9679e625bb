// printf on the engine and its reader on the host give what the host's printf gives.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdio>

#include "pimento/dpu/log_text.h"
#include "test/unit/dpu_runtime/run.h"

namespace pimento::test {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}

/// One line of data per argument, as a caller lays them out.
struct Arguments {
  std::string data, texts;
  int strings = 0;

  void add(std::int32_t x) { data += fmt::format("        .long   {}\n", x); }
  void add(std::uint32_t x) { data += fmt::format("        .long   {}\n", x); }
  void add(long long x) { add64(static_cast<std::uint64_t>(x)); }
  void add(unsigned long long x) { add64(x); }
  void add(double x) { add64(std::bit_cast<std::uint64_t>(x)); }
  void add(const char *x) {
    data += fmt::format("        .long   text{}\n", strings);
    texts += fmt::format("text{}:  .asciz  \"{}\"\n", strings++, escaped(x));
  }
  void add64(std::uint64_t x) {
    data += fmt::format("        .p2align 3\n        .long   {}, {}\n", x & 0xffffffff, x >> 32);
  }
};

std::string logOf(const std::string &text, std::int64_t tasklets) {
  const auto image = imageOf(text, tasklets);
  sim::dpu::Dpu dpu(image, plainDpu());
  const sim::dpu::RunResult run = dpu.simulate({.maxInstructions = 10'000'000});
  if (run.fault) throw std::runtime_error(run.fault->str());
  std::uint32_t used = 0;
  dpu.readWram(addressOf(*image, "__log_used"), std::as_writable_bytes(std::span(&used, 1)));
  std::string log(used, '\0');
  dpu.readMram(addressOf(*image, "__log_buffer") - program::kMramBase, std::as_writable_bytes(std::span(log)));
  return dpu::logText(log);
}

template <typename... T>
std::string printedBy(const std::string &format, T... values) {
  Arguments arguments;
  (arguments.add(values), ...);
  return logOf(
      fmt::format("        .text\n        .globl  main\nmain:   sd      r22, 0, d22\n        add     r22, r22, 8\n"
                  "        move    r14, 77\n        move    r0, format\n        move    r8, values\n"
                  "        call    r23, printf\n        jeq     r14, 77, . + 2\n        fault   90\n"
                  "        ld      d22, r22, -8\n        jump    r23\n        .data\n        .p2align 3\n"
                  "values:\n{}format: .asciz  \"{}\"\n{}",
                  arguments.data, escaped(format), arguments.texts),
      1);
}

template <typename... T>
std::string printedHere(const std::string &format, T... values) {
  std::array<char, 8192> text{};
  std::snprintf(text.data(), text.size(), format.c_str(), values...);
  return text.data();
}

#define EXPECT_PRINTS_ALIKE(...) EXPECT_EQ(printedBy(__VA_ARGS__), printedHere(__VA_ARGS__))

TEST(DpuPrintf, PrintsIntegersAsTheHost) {
  EXPECT_PRINTS_ALIKE("plain\n");
  EXPECT_PRINTS_ALIKE("");
  EXPECT_PRINTS_ALIKE("100%% of %d%%\n", 50);
  EXPECT_PRINTS_ALIKE("%d %i %u|%x %X %o\n", -1, 2147483647, 4000000000u, 48879u, 48879u, 8u);
  EXPECT_PRINTS_ALIKE("%5d|%-5d|%05d|%+d|% d|%.3d\n", 42, 42, 42, 42, 42, 7);
  EXPECT_PRINTS_ALIKE("%#x %#o %8.3x|\n", 255u, 8u, 10u);
  EXPECT_PRINTS_ALIKE("%lld|%llu|%llx|%-20lld|\n", -1ll, ~0ull, 0x123456789abcdefull, -5000000000ll);
  EXPECT_PRINTS_ALIKE("%d %lld %d %lld\n", 1, 2ll, 3, 4ll);
  EXPECT_PRINTS_ALIKE("%hd %hhd %hu %hhu\n", 70000, 300, 70000u, 300u);
  EXPECT_PRINTS_ALIKE("%*d|%-*d|%*d|%.*d\n", 6, 1, 6, 2, -6, 3, 4, 5);
  EXPECT_EQ(printedBy("%ld %lu %lx %zu %td %jd %p\n", -5, 5u, 255u, 7u, -8, -9ll, 4096u), "-5 5 ff 7 -8 -9 0x1000\n");
}

TEST(DpuPrintf, PrintsTextAsTheHost) {
  EXPECT_PRINTS_ALIKE("%s and %s\n", "one", "two");
  EXPECT_PRINTS_ALIKE("%c%c%c|%3c|%-3c|\n", 65, 66, 67, 68, 69);
  EXPECT_PRINTS_ALIKE("%10s|%-10s|%.2s|%.*s|%.0s|%.*s|\n", "right", "left", "cut", 1, "cut", "none", -1, "all");
  EXPECT_PRINTS_ALIKE("%s", "");
  EXPECT_EQ(printedBy("%s %d\n", 0u, 3), "(null) 3\n");
  EXPECT_EQ(printedBy("a%cb", 0), std::string("a\0b", 3));
}

TEST(DpuPrintf, PrintsFloatingPointAsTheHost) {
  EXPECT_PRINTS_ALIKE("%f %e %g %F %E %G\n", 1.5, 1.5, 1.5, -2.25, 1e300, 1e-300);
  EXPECT_PRINTS_ALIKE("%.17g %10.3f|%-12.1e|%+g\n", 0.1, 3.14159, 12345.678, 1.0);
  EXPECT_PRINTS_ALIKE("%f\n", 1.7976931348623157e308);
  EXPECT_PRINTS_ALIKE("%d %f %d\n", 1, 0.5, 2);
  EXPECT_PRINTS_ALIKE("%a\n", 0.15625);
}

TEST(DpuPrintf, LeavesWhatIsNoConversionAsItIs) {
  EXPECT_EQ(printedBy("50% yes %y %"), "50% yes %y %");
  EXPECT_EQ(printedBy("%"), "%");
}

TEST(DpuPrintf, KeepsLinesOfTaskletsTogether) {
  const std::string log = logOf(
      "        .text\n        .globl  main\nmain:   sd      r22, 8, d22\n        add     r22, r22, 16\n"
      "        move    r0, id\n        sw      r22, -16, r0\n        add     r8, r22, -16\n        move    r0, format\n"
      "        call    r23, printf\n        move    r0, other\n        call    r23, puts\n        move    r0, 33\n"
      "        call    r23, putchar\n        ld      d22, r22, -8\n        jump    r23\n        .data\n"
      "format: .asciz  \"tasklet %2u of many\\n\"\nother:  .asciz  \"says nothing\"\n",
      24);
  for (int t = 0; t < 24; ++t) EXPECT_NE(log.find(fmt::format("tasklet {:2} of many\n", t)), std::string::npos) << t;
  std::size_t others = 0;
  for (std::size_t at = log.find("says nothing\n"); at != std::string::npos; at = log.find("says nothing\n", at + 1))
    ++others;
  EXPECT_EQ(others, 24u);
  EXPECT_EQ(std::count(log.begin(), log.end(), '!'), 24);
}

TEST(LogText, EndsWhereTheLogIsCutOff) {
  const std::string whole = std::string("n = ") + '\0' + "%d" + std::string("\x05\0\0\0", 4) + "\n";
  EXPECT_EQ(dpu::logText(whole), "n = 5\n");
  for (std::size_t n = 6; n < whole.size() - 1; ++n) EXPECT_EQ(dpu::logText(whole.substr(0, n)), "n = ") << n;
  EXPECT_EQ(dpu::logText(std::string("x") + '\0' + "%s" + "no end"), "x");
  EXPECT_EQ(dpu::logText(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(LogText, BoundsWidths) {
  EXPECT_EQ(dpu::logText(std::string(1, '\0') + "%999999999d" + std::string(4, '\0')).size(), 4096u);
  EXPECT_EQ(dpu::logText(std::string(1, '\0') + "%*d" + "\xff\xff\xff\x7f" + std::string(4, '\0')).size(), 4096u);
  EXPECT_EQ(dpu::logText(std::string(1, '\0') + "%*d" + std::string("\0\0\0\x80", 4) + std::string(4, '\0')).size(),
            4096u);
}

}  // namespace
}  // namespace pimento::test
