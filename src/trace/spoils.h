// Which loads a later store to the same bytes follows: asked about each load for as long as it may be part of a tree.
//
// Loads of the same bytes between two stores to them share what is known, so that a place read a million times costs no
// more than one read once. Constant memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace pimento::trace {

class Spoils {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::uint64_t kMostBytes = 8;  ///< of a load
  /// What a load is known by: of the one or two words that it lies in.
  using Key = std::array<std::uint32_t, 2>;

  /// `reach`: a load is asked about while so many further ones are remembered, at most.
  explicit Spoils(std::size_t reach)
      : reach_(static_cast<std::int64_t>(std::bit_ceil(reach))),
        groups_(kGroupsPerLoad * std::bit_ceil(reach) * 2),
        heads_(std::bit_ceil(reach), 0) {}

  Key remember(std::uint64_t address, std::uint64_t bytes) {
    Key key{kNoGroup, kNoGroup};
    std::size_t n = 0;
    visit(address, bytes, [&](std::uint64_t word, std::uint8_t mask) { key[n++] = join(word, mask); });
    return key;
  }
  /// Instruction `index` stores.
  void store(std::uint64_t address, std::uint64_t bytes, std::int64_t index) {
    visit(address, bytes, [&](std::uint64_t word, std::uint8_t mask) {
      std::int64_t *link = &heads_[bucketOf(word)];
      while (Group *g = find(*link)) {
        if (g->word == word && (g->mask & mask) != 0) {
          g->spoiled = index;
          *link = g->next;
        } else {
          link = &g->next;
        }
      }
    });
  }
  /// The first store to any of the bytes after the load; kNever: none yet.
  std::int64_t first(const Key &key) const {
    std::int64_t out = kNever;
    for (const std::uint32_t k : key)
      if (k != kNoGroup) out = std::min(out, groups_[k].spoiled);
    return out;
  }

 private:
  /// Loads of the same bytes of an aligned word.
  struct Group {
    std::int64_t number = 0;  ///< counts up; its place follows from it
    std::uint64_t word = 0;
    std::int64_t spoiled = kNever;
    std::int64_t next = 0;  ///< older, of the same bucket
    std::uint8_t mask = 0;
  };
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
  static constexpr std::size_t kGroupsPerLoad = 2;

  template <typename Visit>
  static void visit(std::uint64_t address, std::uint64_t bytes, Visit visit) {
    for (std::uint64_t end = address + bytes; address < end;) {
      const std::uint64_t word = address / kMostBytes, from = address % kMostBytes;
      const std::uint64_t n = std::min(end - address, kMostBytes - from);
      visit(word, static_cast<std::uint8_t>(((1U << n) - 1) << from));
      address += n;
    }
  }
  std::size_t bucketOf(std::uint64_t word) const {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(word * kMix >> 32U) & (heads_.size() - 1);
  }
  /// Null: none, or its place has been taken since, and those of all older ones.
  Group *find(std::int64_t number) {
    if (number == 0) return nullptr;
    Group &g = groups_[static_cast<std::size_t>(number) & (groups_.size() - 1)];
    return g.number == number ? &g : nullptr;
  }
  std::uint32_t join(std::uint64_t word, std::uint8_t mask) {
    std::int64_t &head = heads_[bucketOf(word)];
    for (Group *g = find(head); g != nullptr; g = find(g->next))
      // An old one would not live as long as the load.
      if (g->word == word && g->mask == mask && g->number > made_ - reach_ * static_cast<std::int64_t>(kGroupsPerLoad))
        return static_cast<std::uint32_t>(g - groups_.data());
    const std::int64_t number = ++made_;
    const std::size_t place = static_cast<std::size_t>(number) & (groups_.size() - 1);
    groups_[place] = {number, word, kNever, head, mask};
    head = number;
    return static_cast<std::uint32_t>(place);
  }

  std::int64_t reach_;
  std::vector<Group> groups_;
  std::vector<std::int64_t> heads_;
  std::int64_t made_ = 0;
};

}  // namespace pimento::trace
