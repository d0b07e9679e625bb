// What comes next in a stream, as writer and reader of a trace foresee it alike: which variant follows, and which
// address an access has. Both tell a model what came, in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimento::trace::file {

/// Variants by what came before them: the longest of two histories that has been seen, else the last successor.
class EntryModel {
 public:
  EntryModel() : long_(kPlaces), short_(kPlaces) {}

  /// The variant that is foreseen; kNone: none is.
  std::uint32_t foreseen();
  /// Rank of `variant` among the successors, the foreseen one left out; -1: not among them.
  int rankOf(std::uint32_t variant) const;
  /// The successor of that rank; kNone: there is none.
  std::uint32_t ofRank(int rank) const;
  void learn(std::uint32_t variant);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr int kMostRanks = 64;

 private:
  static constexpr std::size_t kPlaces = std::size_t{1} << 18;
  struct Place {
    std::uint32_t key = 0, variant = kNone, trust = 0;
  };
  static void learn(Place &place, std::uint32_t key, std::uint32_t variant);

  std::vector<Place> long_, short_;
  std::vector<std::vector<std::uint32_t>> successors_;  ///< of each variant, the most recent first
  std::uint32_t last_ = kNone, foreseen_ = kNone;
  std::array<std::uint32_t, 12> history_{};  ///< a ring
  std::size_t at_ = 0;
  std::uint32_t longKey_ = 0, shortKey_ = 0;
};

/// One access of one instruction: a slot.
struct Slot {
  std::uint64_t last = 0, value = 0;
  std::int64_t stride = 0, before = 0;  ///< to the last address here; to that of the access before, whichever it was
  std::int64_t fromBefore = 0;
  std::array<std::uint8_t, 3> trust{};
};

/// Addresses: by the last difference of the slot, by the difference to the access before, by the last two differences.
class AddressModel {
 public:
  static constexpr int kModels = 3;

  AddressModel() : differences_(kPlaces) {}

  /// What each model says of the next access of a slot, the most trusted first.
  std::array<std::uint64_t, kModels> foreseen(const Slot &slot);
  void learn(Slot &slot, std::uint64_t address);

 private:
  static constexpr std::size_t kPlaces = std::size_t{1} << 16;

  std::vector<std::int64_t> differences_;
  std::uint64_t before_ = 0;  ///< address of the last access
  std::array<std::uint64_t, kModels> said_{};
  std::size_t place_ = 0;
};

}  // namespace pimento::trace::file
