#include "pimento/sim/cache/tags.h"

#include <algorithm>
#include <bit>

#include "pimento/base/diagnostics.h"

namespace pimento::sim::cache {

Tags::Tags(const Shape &shape)
    : shape_(shape),
      usable_(shape.ways),
      setMask_(static_cast<std::uint64_t>(shape.sets) - 1),
      numbers_(static_cast<std::size_t>(shape.sets * shape.ways)),
      lines_(numbers_.size()) {
  PIMENTO_CHECK(std::has_single_bit(static_cast<std::uint64_t>(shape.sets)) && shape.ways > 0);
  PIMENTO_CHECK(shape.predictionBits > 0 && shape.longEvery > 0);
}

bool Tags::use(std::uint64_t line, bool isWrite) {
  const std::size_t place = find(line);
  if (place == numbers_.size()) return false;
  Line &l = lines_[place];
  l.order = shape_.replacement == Replacement::kLru ? ++clock_ : 0;
  l.isDirty |= isWrite;
  return true;
}

/// A free place, or that of the line that goes.
std::size_t Tags::victimIn(std::size_t set) {
  const bool isLru = shape_.replacement == Replacement::kLru;
  const std::size_t end = set + static_cast<std::size_t>(usable_);
  std::size_t best = set;
  for (std::size_t place = set; place < end; ++place) {
    if (numbers_[place] == kNone) return place;
    if (isLru ? lines_[place].order < lines_[best].order : lines_[place].order > lines_[best].order) best = place;
  }
  if (isLru) return best;
  const std::uint64_t older = (std::uint64_t{1} << shape_.predictionBits) - 1 - lines_[best].order;
  for (std::size_t place = set; place < end; ++place) lines_[place].order += older;
  return best;
}

std::optional<Tags::Victim> Tags::bringIn(std::uint64_t line, bool isDirty) {
  PIMENTO_CHECK(usable_ > 0);
  const std::size_t place = victimIn(setOf(line));
  std::optional<Victim> victim;
  if (numbers_[place] != kNone)
    victim = {numbers_[place] - 1, lines_[place].isDirty};
  else
    ++held_;
  std::uint64_t order = ++clock_;
  if (shape_.replacement == Replacement::kBimodalRrip) {
    const std::uint64_t distant = (std::uint64_t{1} << shape_.predictionBits) - 1;
    order = ++came_ % shape_.longEvery == 0 ? distant - 1 : distant;
  }
  numbers_[place] = line + 1;
  lines_[place] = {order, isDirty};
  last_ = place;
  return victim;
}

void Tags::clear(std::size_t place) {
  numbers_[place] = kNone;
  lines_[place] = Line{};
  --held_;
}

std::optional<Tags::Victim> Tags::takeOut(std::uint64_t line) {
  const std::size_t place = find(line);
  if (place == numbers_.size()) return std::nullopt;
  const Victim out{line, lines_[place].isDirty};
  clear(place);
  return out;
}

std::vector<std::uint64_t> Tags::clean(std::uint64_t from, std::uint64_t to) {
  std::vector<std::uint64_t> dirty;
  for (std::size_t place = 0; place < numbers_.size(); ++place)
    if (lines_[place].isDirty && numbers_[place] > from && numbers_[place] <= to) {
      dirty.push_back(numbers_[place] - 1);
      lines_[place].isDirty = false;
    }
  std::ranges::sort(dirty);
  return dirty;
}

std::vector<std::uint64_t> Tags::restrict(int ways) {
  PIMENTO_CHECK(ways >= 0 && ways <= shape_.ways);
  std::vector<std::uint64_t> dirty;
  for (std::size_t place = 0; place < numbers_.size(); ++place) {
    if (static_cast<int>(place % static_cast<std::size_t>(shape_.ways)) < ways || numbers_[place] == kNone) continue;
    if (lines_[place].isDirty) dirty.push_back(numbers_[place] - 1);
    clear(place);
  }
  usable_ = ways;
  std::ranges::sort(dirty);
  return dirty;
}

}  // namespace pimento::sim::cache
