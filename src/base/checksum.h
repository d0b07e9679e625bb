// CRC-32 (IEEE 802.3) of bytes, which tells altered files.
#pragma once

#include <cstdint>
#include <string_view>

namespace pimento {

std::uint32_t crc32(std::string_view bytes);

}  // namespace pimento
