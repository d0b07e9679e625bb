#include "pimento/sim/cache/tags.h"

#include <algorithm>
#include <bit>

#include "pimento/base/diagnostics.h"

namespace pimento::sim::cache {

Tags::Tags(const Shape &shape)
    : shape_(shape), usable_(shape.ways), lines_(static_cast<std::size_t>(shape.sets * shape.ways)) {
  PIMENTO_CHECK(std::has_single_bit(static_cast<std::uint64_t>(shape.sets)) && shape.ways > 0);
  PIMENTO_CHECK(shape.predictionBits > 0 && shape.longEvery > 0);
}

std::size_t Tags::setOf(std::uint64_t line) const {
  return static_cast<std::size_t>(line & (static_cast<std::uint64_t>(shape_.sets) - 1)) *
         static_cast<std::size_t>(shape_.ways);
}

std::ptrdiff_t Tags::find(std::uint64_t line) const {
  const std::size_t set = setOf(line);
  for (std::size_t place = set; place < set + static_cast<std::size_t>(usable_); ++place)
    if (lines_[place].number == line) return static_cast<std::ptrdiff_t>(place);
  return -1;
}

bool Tags::use(std::uint64_t line, bool isWrite) {
  const std::ptrdiff_t place = find(line);
  if (place < 0) return false;
  Line &l = lines_[static_cast<std::size_t>(place)];
  l.order = shape_.replacement == Replacement::kLru ? ++clock_ : 0;
  l.isDirty |= isWrite;
  return true;
}

/// A free place, or that of the line that goes.
std::size_t Tags::victimIn(std::size_t set) {
  const std::size_t end = set + static_cast<std::size_t>(usable_);
  std::size_t best = set;
  for (std::size_t place = set; place < end; ++place) {
    if (lines_[place].number == kNone) return place;
    const bool isBetter = shape_.replacement == Replacement::kLru ? lines_[place].order < lines_[best].order
                                                                  : lines_[place].order > lines_[best].order;
    if (isBetter) best = place;
  }
  if (shape_.replacement == Replacement::kLru) return best;
  const std::uint64_t older = (std::uint64_t{1} << shape_.predictionBits) - 1 - lines_[best].order;
  for (std::size_t place = set; place < end; ++place) lines_[place].order += older;
  return best;
}

std::optional<Tags::Victim> Tags::bringIn(std::uint64_t line, bool isDirty) {
  PIMENTO_CHECK(usable_ > 0);
  Line &l = lines_[victimIn(setOf(line))];
  std::optional<Victim> victim;
  if (l.number != kNone)
    victim = {l.number, l.isDirty};
  else
    ++held_;
  std::uint64_t order = ++clock_;
  if (shape_.replacement == Replacement::kBimodalRrip) {
    const std::uint64_t distant = (std::uint64_t{1} << shape_.predictionBits) - 1;
    order = ++came_ % shape_.longEvery == 0 ? distant - 1 : distant;
  }
  l = {line, order, isDirty};
  return victim;
}

std::optional<Tags::Victim> Tags::takeOut(std::uint64_t line) {
  const std::ptrdiff_t place = find(line);
  if (place < 0) return std::nullopt;
  Line &l = lines_[static_cast<std::size_t>(place)];
  const Victim out{l.number, l.isDirty};
  l = {};
  --held_;
  return out;
}

std::vector<std::uint64_t> Tags::clean(std::uint64_t from, std::uint64_t to) {
  std::vector<std::uint64_t> dirty;
  for (Line &l : lines_)
    if (l.number != kNone && l.isDirty && l.number >= from && l.number < to) {
      dirty.push_back(l.number);
      l.isDirty = false;
    }
  std::ranges::sort(dirty);
  return dirty;
}

std::vector<std::uint64_t> Tags::restrict(int ways) {
  PIMENTO_CHECK(ways >= 0 && ways <= shape_.ways);
  std::vector<std::uint64_t> dirty;
  for (std::size_t place = 0; place < lines_.size(); ++place) {
    Line &l = lines_[place];
    if (static_cast<int>(place % static_cast<std::size_t>(shape_.ways)) < ways || l.number == kNone) continue;
    if (l.isDirty) dirty.push_back(l.number);
    l = {};
    --held_;
  }
  usable_ = ways;
  std::ranges::sort(dirty);
  return dirty;
}

}  // namespace pimento::sim::cache
