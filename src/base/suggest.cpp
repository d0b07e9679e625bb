#include "pimento/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace pimento {

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0u : 1u)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string> &choices) {
  constexpr std::size_t kLongestName = 64;  // longer words are no slip of the keyboard, and the distance is quadratic
  if (word.empty() || word.size() > kLongestName) return {};
  const std::string *best = nullptr;
  std::size_t bestDistance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string &choice : choices) {
    if (choice.size() > kLongestName) continue;
    const std::size_t d = distance(word, choice);
    if (d < bestDistance) {
      bestDistance = d;
      best = &choice;
    }
  }
  return best ? *best : std::string();
}

std::string suggest(std::string_view word, const std::vector<std::string> &choices) {
  std::string hint;
  if (const std::string near = nearest(word, choices); !near.empty()) hint = "did you mean '" + near + "'? ";
  hint += "choices: ";
  for (std::size_t i = 0; i < choices.size(); ++i) hint += (i ? ", " : "") + choices[i];
  if (choices.empty()) hint += "none";
  return hint;
}

}  // namespace pimento
