// Every published pair of text and bytes, where the facts are at hand: $PIMENTO_POINTS/facts, or ../shared beside the
// source tree.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pimento/dpu/assembler.h"
#include "pimento/dpu/disassembler.h"
#include "pimento/dpu/isa.h"

namespace pimento::dpu {
namespace {

/// The fields of a line of comma-separated values with quotes.
std::vector<std::string> fieldsOf(const std::string &line) {
  std::vector<std::string> fields(1);
  bool isQuoted = false;
  for (const char c : line) {
    if (c == '"') {
      isQuoted = !isQuoted;
    } else if (c == ',' && !isQuoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// Rows of a table of facts, without its header; empty where there is none.
std::vector<std::vector<std::string>> factRows(const std::string &name) {
  const char *root = std::getenv("PIMENTO_POINTS");
  const std::filesystem::path folder = root ? root : std::filesystem::path(PIMENTO_SOURCE_DIR) / "../shared";
  std::ifstream in(folder / "facts" / name);
  std::vector<std::vector<std::string>> rows;
  bool isHeader = true;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (!isHeader) rows.push_back(fieldsOf(line));
    isHeader = false;
  }
  return rows;
}

std::uint64_t wordOf(const std::string &bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = bytes.size(); i >= 2; i -= 2) word = word << 8 | std::stoul(bytes.substr(i - 2, 2), nullptr, 16);
  return word;
}

std::uint64_t assembled(const std::string &text) {
  const Result<Object> object = assemble(text, "a.s");
  if (!object) {
    ADD_FAILURE() << text << ": " << object.diagnostics().front().str();
    return ~0ULL;
  }
  const std::vector<std::uint8_t> &bytes = object->sections.front().bytes;
  if (bytes.size() != 8) return ~0ULL;
  std::uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | bytes[static_cast<std::size_t>(i)];
  return word;
}

TEST(IsaVectors, EveryTextGivesItsBytesAndEveryWordItsTextBack) {
  const auto rows = factRows("upmem-isa-vectors.csv");
  if (rows.empty()) GTEST_SKIP() << "not run here: no facts";
  EXPECT_GT(rows.size(), 8000u);
  for (const auto &row : rows) {
    const std::uint64_t word = wordOf(row[3]);
    EXPECT_EQ(assembled(row[1]), word) << row[1];
    const auto decoded = decode(word);
    ASSERT_TRUE(decoded.has_value()) << row[1];
    EXPECT_EQ(encode(*decoded), word) << row[1];
    EXPECT_EQ(assembled(print(*decoded)), word) << row[1] << " | " << print(*decoded);
  }
}

TEST(IsaVectors, TheTableHasTheFactsFormsAndNoOther) {
  const auto rows = factRows("upmem-isa.csv");
  if (rows.empty()) GTEST_SKIP() << "not run here: no facts";
  std::vector<std::string> missing;
  for (const auto &row : rows) {
    std::string pattern = row[6];
    for (char &c : pattern) {  // stack registers have letters of their own there
      if (c >= 'u' && c <= 'w') c = static_cast<char>(c - 'u' + 'a');
    }
    bool isThere = false;
    for (const Form &form : forms()) isThere |= form.name == row[0] && form.pattern == pattern;
    EXPECT_TRUE(isThere) << row[0] << " " << pattern;
  }
  EXPECT_EQ(forms().size(), rows.size());
}

TEST(IsaVectors, EveryConditionHasTheFactsCode) {
  const auto rows = factRows("upmem-isa-conditions.csv");
  if (rows.empty()) GTEST_SKIP() << "not run here: no facts";
  std::size_t words = 0;
  for (const ConditionFamily &family : conditionFamilies()) {
    if (family.name != "source" && family.name != "zero") words += family.words.size();
  }
  EXPECT_EQ(words, rows.size());
  for (const auto &row : rows) {
    const ConditionFamily *family = conditionFamily(row[0]);
    ASSERT_NE(family, nullptr) << row[0];
    const ConditionWord *word = family->withText(row[2]);
    ASSERT_NE(word, nullptr) << row[0] << " " << row[2];
    EXPECT_EQ(std::to_string(word->code), row[3]) << row[0] << " " << row[2];
  }
}

}  // namespace
}  // namespace pimento::dpu
