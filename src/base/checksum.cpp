#include "pimento/base/checksum.h"

#include <zlib.h>

#include <array>
#include <bit>
#include <cmath>

namespace pimento {

std::uint32_t crc32(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

namespace {

/// RFC 1321, section 3.4: the state after 64 bytes more.
void digest(std::array<std::uint32_t, 4> &state, std::string_view block) {
  constexpr std::uint32_t kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  static const std::array<std::uint32_t, 64> kSines = [] {
    std::array<std::uint32_t, 64> out{};
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::uint32_t>(std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
    return out;
  }();
  std::array<std::uint32_t, 16> words{};
  for (std::size_t i = 0; i < block.size(); ++i)
    words[i / 4] |= std::uint32_t{static_cast<std::uint8_t>(block[i])} << (8 * (i % 4));
  auto [a, b, c, d] = state;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t round = i / 16;
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    const std::uint32_t place = round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i;
    const std::uint32_t sum = a + mixed + kSines[i] + words[place % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, static_cast<int>(kShifts[round][i % 4]));
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5(std::string_view bytes) {
  constexpr std::size_t kBlock = 64, kLengthAt = 56;
  std::array<std::uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) digest(state, bytes.substr(at, kBlock));
  std::string rest(bytes.substr(at));
  rest += static_cast<char>(0x80);
  while (rest.size() % kBlock != kLengthAt) rest += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8) rest += static_cast<char>(bits >> shift & 0xff);
  for (at = 0; at < rest.size(); at += kBlock) digest(state, std::string_view(rest).substr(at, kBlock));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint32_t word : state)
    for (int shift = 0; shift < 32; shift += 8) {
      out += kDigits[word >> (shift + 4) & 0xfU];
      out += kDigits[word >> shift & 0xfU];
    }
  return out;
}

}  // namespace pimento
