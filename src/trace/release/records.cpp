#include "pimento/trace/release/records.h"

#include <fmt/format.h>

#include <optional>

#include "pimento/base/text.h"

namespace pimento::trace::release {

namespace {

struct Prefix {
  std::string_view text;
  Kind kind;
};
constexpr Prefix kPrefixes[] = {
    {"add", Kind::kAdd},     {"sub", Kind::kAdd},     {"and", Kind::kAnd},     {"orr", Kind::kAnd},
    {"eor", Kind::kXor},     {"bic", Kind::kXor},     {"mov", Kind::kMove},    {"mvn", Kind::kMove},
    {"cmp", Kind::kCompare}, {"cmn", Kind::kCompare}, {"tst", Kind::kCompare}, {"teq", Kind::kCompare},
    {"ldr", Kind::kLoad},
};

Kind kindOf(std::string_view opcode) {
  for (const Prefix &p : kPrefixes)
    if (opcode.starts_with(p.text)) return p.kind;
  return Kind::kOther;
}

/// Between blanks and commas.
std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" ,\t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" ,\t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// A register without the marks of an address; empty: an immediate.
std::string registerOf(std::string_view word) {
  if (word.starts_with('#')) return {};
  std::string name;
  for (const char c : word)
    if (c != '[' && c != ']' && c != '!') name += c;
  return name;
}

std::optional<Level> levelOf(std::string_view text) {
  for (int i = 0; i < kLevels; ++i)
    if (name(static_cast<Level>(i)) == text) return static_cast<Level>(i);
  return std::nullopt;
}

}  // namespace

std::string_view name(Level level) {
  constexpr std::string_view kNames[kLevels] = {"dcache", "l2", "l3", "dram"};
  return kNames[static_cast<std::size_t>(level)];
}

bool parse(std::string_view disassembly, Record &record) {
  const std::vector<std::string_view> words = wordsOf(disassembly);
  if (words.size() < 2 || words[0].starts_with('v')) return false;
  record.text = disassembly;
  record.kind = kindOf(words[0]);
  record.destination = {};
  record.sources = {};
  if (words[0].starts_with("str")) return true;
  record.destination = registerOf(words[1]);
  const std::size_t operands = words.size() - 2;
  if (operands > 0) record.sources[0] = registerOf(words[2]);
  // Of three, the last one decides: an immediate makes the second a leaf, too.
  if (operands > 1 && !(operands == 3 && words[4].starts_with('#'))) record.sources[1] = registerOf(words[3]);
  return true;
}

Result<std::vector<Record>> readRecords(std::string_view text, const std::string &file) {
  std::vector<Record> records;
  int line = 0;
  for (const std::string_view row : split(text, '\n')) {
    ++line;
    if (row.empty() || row.starts_with('#') || row.starts_with("seq,")) continue;
    const auto bad = [&](std::string_view what) {
      return error(
          "bad-trace", {file, line, 0}, fmt::format("{}: '{}'", what, row),
          "an instruction is SEQ,PC,\"DISASSEMBLY\",R:ADDRESS:SIZE:LEVEL, a level one of dcache, l2, l3, dram");
    };
    const std::size_t open = row.find('"'), close = row.rfind('"');
    if (open == std::string_view::npos || close == open) return bad("no disassembly in quotes");
    const auto sequence = parseInteger(std::string(row.substr(0, row.find(','))));
    if (!sequence) return bad("no number of the instruction");
    Record r;
    r.sequence = *sequence;
    if (!parse(row.substr(open + 1, close - open - 1), r)) continue;
    for (const std::string_view access : wordsOf(row.substr(close + 1))) {
      const std::vector<std::string_view> parts = split(access, ':');
      const auto level = parts.size() == 4 ? levelOf(parts[3]) : std::nullopt;
      if (!level) return bad(fmt::format("cannot read the access '{}'", access));
      if (parts[0] == "R") r.level = *level;
    }
    records.push_back(std::move(r));
  }
  return records;
}

}  // namespace pimento::trace::release
