// Numbers and texts as bytes, for files and messages: little-endian words, and numbers of 7 bits per byte whose highest
// bit says that more follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pimento {

inline void putWord(std::string &to, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(word >> shift & 0xffU);
}

inline void putNumber(std::string &to, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) to += static_cast<char>(0x80 | (n & 0x7f));
  to += static_cast<char>(n);
}

/// Small numbers of both signs as small ones.
inline std::uint64_t folded(std::int64_t n) {
  return static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63);
}
inline std::int64_t unfolded(std::uint64_t n) {
  return static_cast<std::int64_t>(n >> 1 ^ (0 - (n & 1)));
}

inline void putSigned(std::string &to, std::int64_t n) {
  putNumber(to, folded(n));
}

inline void putText(std::string &to, std::string_view text) {
  putNumber(to, text.size());
  to += text;
}

/// Takes from the front of bytes; what is not there is 0 and makes isGood() false for good.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool isGood() const { return isGood_; }
  bool isEmpty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  void fail() { isGood_ = false; }

  std::uint8_t byte() {
    if (bytes_.empty()) {
      isGood_ = false;
      return 0;
    }
    const auto b = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return b;
  }
  std::uint32_t word() {
    std::uint32_t w = 0;
    for (int shift = 0; shift < 32; shift += 8) w |= static_cast<std::uint32_t>(byte()) << shift;
    return w;
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      n |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if ((b & 0x80) == 0) return n;
    }
    isGood_ = false;
    return 0;
  }
  /// Below `limit`; else 0, and it is not good.
  std::uint64_t number(std::uint64_t limit) {
    const std::uint64_t n = number();
    if (n < limit) return n;
    isGood_ = false;
    return 0;
  }
  std::int64_t signedNumber() { return unfolded(number()); }
  std::string text() { return std::string(take(number())); }
  std::string_view take(std::uint64_t n) {
    if (n > bytes_.size()) {
      isGood_ = false;
      return {};
    }
    const std::string_view out = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return out;
  }

 private:
  std::string_view bytes_;
  bool isGood_ = true;
};

}  // namespace pimento
