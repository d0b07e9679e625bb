// CRC-32 (IEEE 802.3) and MD5 (RFC 1321) of bytes, which tell altered files. Neither keeps secrets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pimento {

std::uint32_t crc32(std::string_view bytes);
/// As 32 hexadecimal digits, small ones.
std::string md5(std::string_view bytes);

}  // namespace pimento
