// Files of ours that are not text: a line that says what it is, then the version, the length and the CRC-32 of what
// follows, each a little-endian u32, then that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pimento {

/// `magic`: the first line, with its end.
std::string seal(std::string_view magic, std::uint32_t version, std::string_view content);

enum class SealFault : std::uint8_t {
  kNone,
  kMagic,     ///< it begins otherwise
  kHeader,    ///< it ends within its header
  kVersion,   ///< `version` is another
  kLength,    ///< `length` was promised
  kChecksum,  ///< it was altered
};

struct Unsealed {
  SealFault fault = SealFault::kNone;
  std::uint32_t version = 0, length = 0, checksum = 0;  ///< as the header has them
  std::string_view content;                             ///< all behind the header
};

Unsealed unseal(std::string_view magic, std::uint32_t version, std::string_view bytes);

}  // namespace pimento
