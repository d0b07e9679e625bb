#include "pimento/base/gzip.h"

#include <zlib.h>

#include <array>
#include <memory>

#include "pimento/base/file.h"

namespace pimento {

Result<std::string> readGzipFile(const std::string &path) {
  // For the reason where the file cannot be read at all; zlib takes what is no gzip file as it is.
  const Result<std::string> bytes = readFile(path);
  if (!bytes) return bytes.diagnostics();
  const auto broken = [&](const std::string &why) {
    return error("unreadable-file", {path}, "cannot decompress '" + path + "': " + why, "compress it again with gzip");
  };
  if (!bytes->starts_with("\x1f\x8b")) return broken("it is no gzip file");
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(path.c_str(), "rb"), gzclose);
  if (!in) return broken("it cannot be opened");
  std::string text;
  std::array<char, 65536> part;
  for (;;) {
    const int n = gzread(in.get(), part.data(), part.size());
    if (n < 0) return broken("its data are damaged");
    if (n == 0) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  // A file that ends too early is told at the end alone.
  int code = Z_OK;
  gzerror(in.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END) return broken("it ends too early");
  return text;
}

}  // namespace pimento
