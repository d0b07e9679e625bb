#include "pimento/emit/columns.h"

#include <algorithm>

#include "pimento/base/diagnostics.h"

namespace pimento::emit {

namespace {

constexpr std::size_t kGap = 2;         // blanks between columns
constexpr std::size_t kNarrowest = 16;  // a wrapped column is never narrower

/// Characters shown, taking UTF-8 continuation bytes as none.
std::size_t shownLength(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

void trimEnd(std::string &line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    const bool fits = shownLength(lines.back()) + 1 + shownLength(word) <= width;
    if (!lines.back().empty() && !fits) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    for (; shownLength(word) > width; lines.emplace_back()) {
      const std::size_t semicolon = word.substr(0, width).rfind(';');  // between the parts of a mapping
      const std::size_t cut = semicolon == std::string_view::npos ? width : semicolon + 1;
      lines.back() += word.substr(0, cut);
      word.remove_prefix(cut);
    }
    lines.back() += word;
  }
  return lines;
}

void Columns::row(std::vector<std::string> cells) {
  PIMENTO_CHECK(cells.size() <= alignment_.size());
  cells.resize(alignment_.size());
  rows_.push_back({false, std::move(cells)});
}

void Columns::rule() {
  rows_.push_back({true, {}});
}

std::string Columns::str() const {
  std::vector<std::size_t> width(alignment_.size(), 0);
  for (const Row &r : rows_)
    for (std::size_t c = 0; c < r.cells.size(); ++c) width[c] = std::max(width[c], shownLength(r.cells[c]));
  if (!width.empty() && alignment_.back() == 'l') {
    std::size_t before = indent_;
    for (std::size_t c = 0; c + 1 < width.size(); ++c) before += width[c] + kGap;
    width.back() = std::min(width.back(), std::max(kWidth - std::min(before, kWidth), kNarrowest));
  }
  std::string out;
  for (const Row &r : rows_) {
    std::vector<std::string> last{""};
    if (!r.isRule && alignment_.back() == 'l') last = wrapped(r.cells.back(), std::max<std::size_t>(width.back(), 1));
    for (std::size_t n = 0; n < last.size(); ++n) {
      std::string line(indent_, ' ');
      for (std::size_t c = 0; c < width.size(); ++c) {
        const bool isWrapped = !r.isRule && c + 1 == width.size() && alignment_.back() == 'l';
        const std::string cell = r.isRule ? std::string(width[c], '-') : isWrapped ? last[n] : n == 0 ? r.cells[c] : "";
        const std::string pad(width[c] - std::min(shownLength(cell), width[c]), ' ');
        line += alignment_[c] == 'r' ? pad + cell : cell + pad;
        line.append(kGap, ' ');
      }
      trimEnd(line);
      out += line + '\n';
    }
  }
  return out;
}

}  // namespace pimento::emit
