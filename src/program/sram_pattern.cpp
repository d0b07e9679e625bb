#include "pimento/program/sram_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "pimento/base/integer.h"

namespace pimento::program {

namespace {

/// A level by which numbers of a pattern are counted; larger texts are mistakes.
constexpr std::int64_t kMostNumber = std::int64_t{1} << 40;

}  // namespace

std::int64_t SramPattern::count() const {
  std::int64_t n = 1;
  for (int i = 0; i < levels_; ++i) n *= level(i).count;
  return n;
}

std::int64_t SramPattern::span(int levels) const {
  std::int64_t n = 0;
  for (int i = 0; i < levels; ++i) n += level(i).stride * (level(i).count - 1);
  return n;
}

std::int64_t SramPattern::last() const {
  return start_ + span(levels_);
}

std::int64_t SramPattern::countIn(int levels, std::int64_t start, std::int64_t low, std::int64_t high) const {
  const std::int64_t end = start + span(levels);
  if (start >= high || end < low) return 0;
  if (start >= low && end < high) {
    std::int64_t n = 1;
    for (int i = 0; i < levels; ++i) n *= level(i).count;
    return n;
  }
  // Both ends of a level's numbers were compared, so there is one.
  const Level &l = level(levels - 1);
  const std::int64_t inner = span(levels - 1);
  const std::int64_t first =
      std::max<std::int64_t>(0, ceilDiv(std::max<std::int64_t>(0, low - start - inner), l.stride));
  const std::int64_t stop = std::min(l.count, (high - start + l.stride - 1) / l.stride);
  if (levels == 1) return std::max<std::int64_t>(0, stop - first);
  std::int64_t n = 0;
  for (std::int64_t i = first; i < stop; ++i) n += countIn(levels - 1, start + i * l.stride, low, high);
  return n;
}

std::int64_t SramPattern::countWithin(std::int64_t low, std::int64_t high) const {
  return countIn(levels_, start_, low, high);
}

bool SramPattern::meets(const SramPattern &other) const {
  if (last() < other.start_ || other.last() < start_) return false;
  bool isMet = false;
  forEachRun([&](std::int64_t first, std::int64_t stride, std::int64_t count) {
    if (isMet) return;
    if (stride == 1) {
      isMet = other.countWithin(first, first + count) > 0;
      return;
    }
    for (std::int64_t i = 0; i < count && !isMet; ++i)
      isMet = other.countWithin(first + i * stride, first + i * stride + 1) > 0;
  });
  return isMet;
}

bool SramPattern::operator==(const SramPattern &o) const {
  return start_ == o.start_ && levels_ == o.levels_ &&
         std::equal(level_.begin(), level_.begin() + levels_, o.level_.begin());
}

std::string print(const SramPattern &pattern) {
  std::string text = fmt::format("{}", pattern.start());
  for (int i = 0; i < pattern.levels(); ++i)
    text += fmt::format(":{}:{}", pattern.level(i).stride, pattern.level(i).count);
  return text;
}

Result<SramPattern> parseSramPattern(std::string_view text) {
  const auto wrong = [&](std::string why) {
    return error("sram-pattern", {}, fmt::format("'{}' is no pattern: {}", text, why),
                 "write START[:STRIDE:COUNT]..., innermost first: 1:2:2 is 1 and 3");
  };
  std::vector<std::int64_t> numbers;
  std::string_view rest = text;
  for (;;) {
    std::int64_t n = 0;
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (status != std::errc{} || n < 0 || n > kMostNumber) return wrong("a number is missing, or out of range");
    numbers.push_back(n);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty()) break;
    if (rest.front() != ':') return wrong(fmt::format("'{}' is unexpected", rest.front()));
    rest.remove_prefix(1);
  }
  if (numbers.size() % 2 == 0) return wrong("a stride has no count");
  if (numbers.size() > 1 + 2 * SramPattern::kMostLevels) return wrong("it has too many levels");
  SramPattern pattern(numbers[0]);
  std::int64_t reach = 0;
  for (std::size_t i = 1; i < numbers.size(); i += 2) {
    const std::int64_t stride = numbers[i], count = numbers[i + 1];
    if (stride <= reach) return wrong("a stride does not pass what is inside it");
    if (count < 1) return wrong("a count is 0");
    reach = addSaturated(reach, multiplySaturated(stride, count - 1));
    if (reach > kMostNumber) return wrong("it reaches too far");
    pattern.add(stride, count);
  }
  return pattern;
}

}  // namespace pimento::program
