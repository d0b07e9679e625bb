// Deterministic random numbers: the same on every platform and compiler.
//
// The generator is xoshiro256** seeded by SplitMix64 (Blackman and Vigna, Scrambled Linear Pseudorandom Number
// Generators, ACM TOMS 2021). Not for cryptography. The standard library's distributions are not used since their
// algorithms differ between vendors.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace pimento {

/// One step of SplitMix64: advances `state`, returns a well-mixed word. Also a good hash of small integers.
constexpr std::uint64_t splitMix64(std::uint64_t &state) {
  state += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// FNV-1a: folds a name into a seed.
constexpr std::uint64_t hashText(std::string_view text, std::uint64_t seed = 0) {
  std::uint64_t h = 0xcbf29ce484222325ull ^ seed;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) {
    for (std::uint64_t &word : state_) word = splitMix64(seed);
  }

  /// 64 random bits.
  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, n); n > 0. Unbiased (rejection).
  constexpr std::uint64_t below(std::uint64_t n) {
    const std::uint64_t threshold = (0 - n) % n;
    std::uint64_t x = next();
    while (x < threshold) x = next();
    return x % n;
  }

  /// Uniform in [low, high], both included; low <= high.
  constexpr std::int64_t integer(std::int64_t low, std::int64_t high) {
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t offset = span == ~std::uint64_t{0} ? next() : below(span + 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in [low, high), up to rounding.
  constexpr double real(double low, double high) { return low + (high - low) * unit(); }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace pimento
