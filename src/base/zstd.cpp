#include "pimento/base/zstd.h"

#include <zstd.h>

#include "pimento/base/diagnostics.h"

namespace pimento {

std::string compressZstd(std::string_view bytes, int level) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  PIMENTO_CHECK(!ZSTD_isError(size));  // it has room
  frame.resize(size);
  return frame;
}

std::optional<std::string> decompressZstd(std::string_view frame, std::size_t size) {
  std::string bytes(size, '\0');
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) || got != size) return std::nullopt;
  return bytes;
}

}  // namespace pimento
