// Frames of addresses, of programs in symbols/ (build.sh makes them): DWARF 4 and 5, two instruction sets, a split
// unit.
#include "pimento/frontend/symbols/symbols.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "pimento/base/checksum.h"
#include "pimento/base/file.h"

namespace pimento::frontend {
namespace {

const std::string kFolder = PIMENTO_SOURCE_DIR "/test/unit/frontend/symbols/";
constexpr std::uint64_t kBegin = 0x10000, kEnd = 0x10080;

std::vector<std::uint64_t> addresses() {
  std::vector<std::uint64_t> out;
  for (std::uint64_t a = kBegin; a < kEnd; a += 2) out.push_back(a);
  return out;
}

Symbols symbolsOf(const std::string &name) {
  const Result<std::string> bytes = readFile(kFolder + name);
  EXPECT_TRUE(bytes) << name;
  Result<Symbols> out = readSymbols(*bytes, name, addresses());
  EXPECT_TRUE(out) << name;
  return out ? *out : Symbols{};
}

/// "square:3 < sumOfSquares:7 < entry:15", innermost first.
std::string textOf(const trace::SourceMap &map, std::int32_t frame) {
  std::string out;
  for (; frame >= 0; frame = map.frames[static_cast<std::size_t>(frame)].caller) {
    const trace::Frame &f = map.frames[static_cast<std::size_t>(frame)];
    out += (out.empty() ? "" : " < ") + map.functions[f.function].name + ":" + std::to_string(f.line);
  }
  return out;
}

std::vector<std::string> textsOf(const trace::SourceMap &map) {
  std::vector<std::string> out;
  for (const trace::SourceMap::Place &p : map.places) out.push_back(textOf(map, p.frame));
  return out;
}

bool has(const std::vector<std::string> &texts, const std::string &text) {
  return std::ranges::find(texts, text) != texts.end();
}

class Programs : public testing::TestWithParam<const char *> {};

TEST_P(Programs, HaveFunctionsLinesAndInlinedCalls) {
  const Symbols s = symbolsOf(GetParam());
  EXPECT_TRUE(s.warnings.empty());
  const std::vector<std::string> texts = textsOf(s.map);
  EXPECT_TRUE(has(texts, "apart:11")) << testing::PrintToString(texts);
  EXPECT_TRUE(has(texts, "square:3 < sumOfSquares:7 < entry:15")) << testing::PrintToString(texts);
  EXPECT_TRUE(has(texts, "entry:16")) << testing::PrintToString(texts);
  ASSERT_EQ(s.map.files.size(), 1u);
  EXPECT_EQ(s.map.files.front().name, "/src/inlined.c");
  for (const trace::SourceFunction &f : s.map.functions)
    EXPECT_EQ(f.line, f.name == "apart" ? 10u : f.name == "entry" ? 14u : f.name == "square" ? 2u : 6u) << f.name;
}

TEST_P(Programs, HaveTheChecksumsOfSourcesFromDwarf5On) {
  const Symbols s = symbolsOf(GetParam());
  const Result<std::string> source = readFile(kFolder + "inlined.c");
  ASSERT_TRUE(source);
  const bool isNew = std::string_view(GetParam()).find("dwarf5") != std::string_view::npos;
  EXPECT_EQ(s.map.files.front().md5, isNew ? md5(*source) : "");
}

TEST_P(Programs, AreTheSameForEachAddressAlone) {
  const Symbols whole = symbolsOf(GetParam());
  const Result<std::string> bytes = readFile(kFolder + GetParam());
  for (const std::uint64_t a : addresses()) {
    const Result<Symbols> one = readSymbols(*bytes, GetParam(), std::span(&a, 1));
    ASSERT_TRUE(one);
    EXPECT_EQ(textOf(one->map, one->map.frameAt(a)), textOf(whole.map, whole.map.frameAt(a))) << std::hex << a;
  }
}

TEST_P(Programs, KnowNothingBehindTheirCode) {
  const Symbols s = symbolsOf(GetParam());
  EXPECT_EQ(s.map.frameAt(kEnd - 2), -1);
  EXPECT_EQ(s.map.frameAt(kBegin - 2), -1);
}

INSTANTIATE_TEST_SUITE_P(Symbols, Programs,
                         testing::Values("aarch64-dwarf4.elf", "aarch64-dwarf5.elf", "riscv64-dwarf4.elf",
                                         "riscv64-dwarf5.elf"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(Symbols, OfSplitUnitsLieInTheirOwnFile) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(kFolder);
  const Symbols there = symbolsOf("split.elf");
  std::filesystem::current_path("/");
  const Symbols elsewhere = symbolsOf("split.elf");
  std::filesystem::current_path(before);
  EXPECT_TRUE(has(textsOf(there.map), "square:3 < sumOfSquares:7 < entry:15"))
      << testing::PrintToString(textsOf(there.map));
  // The line table is in the program itself, functions are not.
  for (const trace::SourceFunction &f : elsewhere.map.functions) EXPECT_NE(f.name, "square");
}

TEST(Symbols, AreNoneWhereNothingWasCompiledWithThem) {
  const Result<std::string> bytes = readFile(kFolder + "aarch64-dwarf5.elf");
  std::string without = *bytes;
  // Sections of other names are none.
  for (std::size_t at = 0; (at = without.find(".debug_", at)) != std::string::npos; ++at) without[at + 1] = 'x';
  const Result<Symbols> s = readSymbols(without, "program", addresses());
  ASSERT_TRUE(s);
  EXPECT_TRUE(s->map.places.empty());
  EXPECT_TRUE(s->map.frames.empty());
}

TEST(Symbols, OfBrokenProgramsAreRefusedOrWarnedOf) {
  const Result<Symbols> text = readSymbols("hello", "p", addresses());
  ASSERT_FALSE(text);
  EXPECT_EQ(text.diagnostics().front().code, "bad-elf");
  EXPECT_FALSE(text.diagnostics().front().hint.empty());
  const Result<std::string> bytes = readFile(kFolder + "aarch64-dwarf5.elf");
  int warned = 0;
  for (std::size_t at = 0x100; at < bytes->size(); at += 7) {
    std::string broken = *bytes;
    for (std::size_t i = at; i < std::min(at + 4, broken.size()); ++i) broken[i] = static_cast<char>(0xff);
    const Result<Symbols> s = readSymbols(broken, "p", addresses());
    if (!s) continue;
    warned += s->warnings.empty() ? 0 : 1;
    for (const trace::Frame &f : s->map.frames) {
      EXPECT_LT(f.function, s->map.functions.size());
    }
  }
  EXPECT_GT(warned, 0);
}

}  // namespace
}  // namespace pimento::frontend
