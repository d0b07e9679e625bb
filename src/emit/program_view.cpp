#include "pimento/emit/program_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"

namespace pimento::emit {

using evaluate::Attribution;
using evaluate::AttributionColumn;
using evaluate::AttributionRow;

namespace {

constexpr std::size_t kIndent = 2, kSourceWidth = 32;

std::string nameOf(const AttributionRow &row) {
  return row.function.empty() ? "(no symbol)" : row.function;
}

/// "sum.s:12".
std::string placeOf(const AttributionRow &row) {
  return row.file.empty() ? nameOf(row) : fmt::format("{}:{}", row.file, row.line);
}

/// The instruction alone, without comment, blanks in one.
std::string shortText(const std::string &text) {
  std::string out;
  for (const char c : text.substr(0, text.find("//"))) {
    const bool isBlank = c == ' ' || c == '\t';
    if (!isBlank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  out = trim(out);
  return out.size() <= kSourceWidth ? out : out.substr(0, kSourceWidth - 3) + "...";
}

/// A table whose first column is `name` and whose last is `last` (empty: none), with a profile's columns between.
Columns tableOf(const Attribution &p, const char *name, const char *last) {
  std::vector<std::string> head = {name};
  for (const AttributionColumn &c : p.columns) {
    if (c.showsAmount) head.emplace_back(c.title);
    if (c.showsShare) head.emplace_back(c.showsAmount ? "share" : c.title);
  }
  std::string alignment(head.size(), 'r');
  alignment.front() = 'l';
  if (*last != '\0') {
    head.emplace_back(last);
    alignment += 'l';
  }
  Columns t(alignment, kIndent);
  t.row(std::move(head));
  t.rule();
  return t;
}

std::vector<std::string> cellsOf(const Attribution &p, std::string name, const std::vector<std::int64_t> &amounts,
                                 const char *zero = "") {
  std::vector<std::string> cells = {std::move(name)};
  for (std::size_t c = 0; c < p.columns.size(); ++c) {
    if (p.columns[c].showsAmount) cells.push_back(amounts[c] == 0 ? zero : grouped(amounts[c]));
    if (p.columns[c].showsShare)
      cells.push_back(percentText(static_cast<double>(amounts[c]), static_cast<double>(p.totals[c])));
  }
  return cells;
}

}  // namespace

std::vector<std::string> valuesOf(const evaluate::Readout &readout) {
  const auto size = static_cast<std::size_t>(sizeOf(readout.type).value);
  std::vector<std::string> out;
  for (std::size_t at = 0; at + size <= readout.bytes.size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &readout.bytes[at], size);
    if (isFloat(readout.type))
      out.push_back(numberText(decodeFloat(readout.type, bits)));
    else if (isSigned(readout.type))
      out.push_back(fmt::format("{}", wrapInteger(readout.type, static_cast<std::int64_t>(bits))));
    else
      out.push_back(fmt::format("{}", bits));
  }
  return out;
}

std::string readoutsText(const evaluate::Report &report) {
  std::string out;
  if (!report.outcome.readouts.empty()) {
    Columns t("ll", kIndent);
    t.row({"output", "values"});
    t.rule();
    for (const evaluate::Readout &r : report.outcome.readouts)
      t.row({r.place, fmt::format("{}", fmt::join(valuesOf(r), " "))});
    out += t.str();
  }
  if (!report.outcome.log.empty()) {
    out += (out.empty() ? "" : "\n") + std::string("  log\n  ---\n");
    std::string_view text = report.outcome.log;
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (const std::string_view line : split(text, '\n')) out += fmt::format("  {}\n", line);
  }
  return out;
}

std::string profileTable(const Attribution &profile, std::size_t most) {
  Columns functions = tableOf(profile, "function", "");
  for (const AttributionRow &row : profile.functions) functions.row(cellsOf(profile, nameOf(row), row.amounts));
  functions.rule();
  functions.row(cellsOf(profile, "total", profile.totals, "0"));
  std::string out = functions.str();
  if (profile.lines.empty()) return out + "\n  the program has no line numbers\n";
  Columns lines = tableOf(profile, "line", "source");
  const std::size_t shown = std::min(most, profile.lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const AttributionRow &row = profile.lines[i];
    std::vector<std::string> cells = cellsOf(profile, placeOf(row), row.amounts);
    cells.push_back(shortText(row.text));
    lines.row(std::move(cells));
  }
  out += "\n" + lines.str();
  if (shown < profile.lines.size())
    out += fmt::format("  and {} more lines; --json has all\n",
                       grouped(static_cast<std::int64_t>(profile.lines.size() - shown)));
  out += "\n";
  for (const std::string &line : wrapped(profile.about, kWidth - kIndent)) out += "  " + line + "\n";
  return out;
}

}  // namespace pimento::emit
