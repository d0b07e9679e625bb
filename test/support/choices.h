// Where generators of random tests draw from: a seed, or the bytes of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pimento/base/rng.h"

namespace pimento::test {

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : rng_(seed) {}
  /// Zero where the bytes have come to an end, so a generator should do its plainest on zero.
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// In [0, n); n > 0.
  std::uint64_t below(std::uint64_t n) { return rng_ ? rng_->below(n) : n == 1 ? 0 : taken(n > 256 ? 8 : 1) % n; }
  /// 64 bits.
  std::uint64_t bits() { return rng_ ? rng_->next() : taken(8); }
  /// True once in `n` times; false where the bytes have come to an end.
  bool isOneIn(std::uint64_t n) { return below(n) + 1 == n; }
  int integer(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1));
  }
  template <typename List>
  const auto &of(const List &list) {
    return list[static_cast<std::size_t>(below(std::size(list)))];
  }

 private:
  std::uint64_t taken(std::size_t count) {
    std::uint64_t value = 0;
    for (; count > 0 && !bytes_.empty(); --count, bytes_ = bytes_.subspan(1)) value = value << 8 | bytes_[0];
    return value;
  }

  std::optional<Rng> rng_;
  std::span<const std::uint8_t> bytes_;
};

/// A number whose edges tell right from wrong: few bits, many bits, neighbours of powers of two.
inline std::uint64_t edgyNumber(Choices &choices) {
  switch (choices.below(5)) {
    case 0:
      return choices.below(16);
    case 1:
      return 0 - choices.below(16) - 1;
    case 2: {
      const std::uint64_t power = std::uint64_t{1} << choices.below(64);
      return power + choices.below(3) - 1;
    }
    case 3: {
      const std::uint64_t bits = choices.bits();
      return bits >> choices.below(64);
    }
    default:
      return choices.bits();
  }
}

}  // namespace pimento::test
