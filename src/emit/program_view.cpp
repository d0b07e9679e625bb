#include "pimento/emit/program_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"

namespace pimento::emit {

using evaluate::Profile;
using evaluate::ProfileRow;

namespace {

constexpr std::size_t kIndent = 2, kSourceWidth = 32;

std::string nameOf(const ProfileRow &row) {
  return row.function.empty() ? "(no symbol)" : row.function;
}

/// "sum.s:12".
std::string placeOf(const ProfileRow &row) {
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

std::vector<std::string> amounts(const Profile &p, const ProfileRow &row) {
  const auto least = static_cast<double>(p.least(row).value), all = static_cast<double>(p.least().value);
  return {grouped(row.slots), percentText(static_cast<double>(row.slots), static_cast<double>(p.slots)),
          row.waited.value == 0 ? "" : grouped(row.waited.value), percentText(least, all)};
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
  if (!report.readouts.empty()) {
    Columns t("ll", kIndent);
    t.row({"output", "values"});
    t.rule();
    for (const evaluate::Readout &r : report.readouts) t.row({r.place, fmt::format("{}", fmt::join(valuesOf(r), " "))});
    out += t.str();
  }
  if (!report.log.empty()) {
    out += (out.empty() ? "" : "\n") + std::string("  log\n  ---\n");
    std::string_view text = report.log;
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (const std::string_view line : split(text, '\n')) out += fmt::format("  {}\n", line);
  }
  return out;
}

std::string profileTable(const Profile &profile, std::size_t most) {
  Columns functions("lrrrr", kIndent);
  functions.row({"function", "slots", "share", "DMA waits", "of the tasklets' time"});
  functions.rule();
  for (const ProfileRow &row : profile.functions) {
    std::vector<std::string> cells = amounts(profile, row);
    cells.insert(cells.begin(), nameOf(row));
    functions.row(std::move(cells));
  }
  functions.rule();
  functions.row({"total", grouped(profile.slots), percentText(1, 1), grouped(profile.waited.value), percentText(1, 1)});
  std::string out = functions.str();
  if (profile.lines.empty()) return out + "\n  the program's file has no line numbers\n";
  Columns lines("lrrrrl", kIndent);
  lines.row({"line", "slots", "share", "DMA waits", "time", "source"});
  lines.rule();
  const std::size_t shown = std::min(most, profile.lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = amounts(profile, profile.lines[i]);
    cells.insert(cells.begin(), placeOf(profile.lines[i]));
    cells.push_back(shortText(profile.lines[i].text));
    lines.row(std::move(cells));
  }
  out += "\n" + lines.str();
  if (shown < profile.lines.size())
    out += fmt::format("  and {} more lines; --json has all\n",
                       grouped(static_cast<std::int64_t>(profile.lines.size() - shown)));
  return out +
         fmt::format(
             "\n  time: {} cycles per slot, and waiting for transfers, of all tasklets together; waiting for a turn "
             "or for\n  other tasklets belongs to no line\n",
             profile.interval.value);
}

}  // namespace pimento::emit
