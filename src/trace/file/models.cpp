#include "pimento/trace/file/models.h"

#include <algorithm>

#include "pimento/trace/file/format.h"

namespace pimento::trace::file {

namespace {

constexpr std::uint32_t kMostTrust = 3;
constexpr std::size_t kShort = 3;

std::uint32_t mixed(std::uint32_t h, std::uint32_t with) {
  h = (h ^ with) * 0x9e3779b1U;
  return h ^ h >> 15;
}

}  // namespace

std::uint32_t EntryModel::foreseen() {
  longKey_ = shortKey_ = 0;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    longKey_ = mixed(longKey_, history_[(at_ + i) % history_.size()]);
    if (i + 1 == kShort) shortKey_ = longKey_;
  }
  const Place &longer = long_[longKey_ % kPlaces], &shorter = short_[shortKey_ % kPlaces];
  const bool isLong = longer.key == longKey_ && longer.variant != kNone;
  const bool isShort = shorter.key == shortKey_ && shorter.variant != kNone;
  if (isLong && (longer.trust > 0 || !isShort))
    foreseen_ = longer.variant;
  else if (isShort)
    foreseen_ = shorter.variant;
  else
    foreseen_ = last_ < successors_.size() && !successors_[last_].empty() ? successors_[last_].front() : kNone;
  return foreseen_;
}

int EntryModel::rankOf(std::uint32_t variant) const {
  if (last_ >= successors_.size()) return -1;
  int rank = 0;
  for (const std::uint32_t s : successors_[last_]) {
    if (s == foreseen_) continue;
    if (s == variant) return rank;
    ++rank;
  }
  return -1;
}

std::uint32_t EntryModel::ofRank(int rank) const {
  if (last_ >= successors_.size()) return kNone;
  for (const std::uint32_t s : successors_[last_]) {
    if (s == foreseen_) continue;
    if (rank-- == 0) return s;
  }
  return kNone;
}

void EntryModel::learn(Place &place, std::uint32_t key, std::uint32_t variant) {
  if (place.key != key) {
    place = {key, variant, 0};
  } else if (place.variant == variant) {
    place.trust = std::min(place.trust + 1, kMostTrust);
  } else if (place.trust > 0) {
    --place.trust;
  } else {
    place.variant = variant;
  }
}

void EntryModel::learn(std::uint32_t variant) {
  learn(long_[longKey_ % kPlaces], longKey_, variant);
  learn(short_[shortKey_ % kPlaces], shortKey_, variant);
  if (last_ != kNone) {
    if (last_ >= successors_.size()) successors_.resize(std::size_t{last_} + 1);
    std::vector<std::uint32_t> &s = successors_[last_];
    auto found = std::find(s.begin(), s.end(), variant);
    if (found == s.end()) {
      if (s.size() == kMostRanks) s.pop_back();
      found = s.insert(s.end(), variant);
    }
    std::rotate(s.begin(), found, found + 1);
  }
  last_ = variant;
  // The most recent is at `at_`.
  at_ = (at_ + history_.size() - 1) % history_.size();
  history_[at_] = variant + 1;
}

std::array<std::uint64_t, AddressModel::kModels> AddressModel::foreseen(const Slot &slot) {
  place_ = (static_cast<std::size_t>(slot.stride) * 0x9e3779b97f4a7c15ULL ^
            static_cast<std::size_t>(slot.before) * 0xc2b2ae3d27d4eb4fULL) >>
           48;
  said_ = {slot.last + static_cast<std::uint64_t>(slot.stride), before_ + static_cast<std::uint64_t>(slot.fromBefore),
           slot.last + static_cast<std::uint64_t>(differences_[place_])};
  for (std::uint64_t &s : said_) s &= kAddressMask;
  std::array<std::uint8_t, kModels> order{0, 1, 2};
  const auto isAfter = [&](std::size_t a, std::size_t b) { return slot.trust[order[a]] < slot.trust[order[b]]; };
  if (isAfter(0, 1)) std::swap(order[0], order[1]);
  if (isAfter(1, 2)) std::swap(order[1], order[2]);
  if (isAfter(0, 1)) std::swap(order[0], order[1]);
  return {said_[order[0]], said_[order[1]], said_[order[2]]};
}

void AddressModel::learn(Slot &slot, std::uint64_t address) {
  constexpr std::uint8_t kMost = 15, kLoss = 4;
  for (std::size_t m = 0; m < said_.size(); ++m) {
    std::uint8_t &trust = slot.trust[m];
    if (said_[m] == address)
      trust = static_cast<std::uint8_t>(std::min<int>(trust + 1, kMost));
    else
      trust = static_cast<std::uint8_t>(trust > kLoss ? trust - kLoss : 0);
  }
  const auto difference = static_cast<std::int64_t>(address - slot.last);
  differences_[place_] = difference;
  slot.before = slot.stride;
  slot.stride = difference;
  slot.fromBefore = static_cast<std::int64_t>(address - before_);
  slot.last = address;
  before_ = address;
}

}  // namespace pimento::trace::file
