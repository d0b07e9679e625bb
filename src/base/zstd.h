// Bytes compressed with zstd, in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pimento {

/// One frame. The same bytes, level and library give the same frame.
std::string compressZstd(std::string_view bytes, int level);
/// What a frame holds; nothing where `frame` is none, or does not hold exactly `size` bytes.
std::optional<std::string> decompressZstd(std::string_view frame, std::size_t size);

}  // namespace pimento
