#include "pimento/base/sealed.h"

#include "pimento/base/checksum.h"

namespace pimento {

namespace {

constexpr std::size_t kWord = 4;

void append(std::string &to, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(word >> shift & 0xffU);
}

std::uint32_t wordAt(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < kWord; ++i)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return word;
}

}  // namespace

std::string seal(std::string_view magic, std::uint32_t version, std::string_view content) {
  std::string bytes(magic);
  append(bytes, version);
  append(bytes, static_cast<std::uint32_t>(content.size()));
  append(bytes, crc32(content));
  return bytes.append(content);
}

Unsealed unseal(std::string_view magic, std::uint32_t version, std::string_view bytes) {
  Unsealed out;
  const auto faulty = [&out](SealFault fault) {
    out.fault = fault;
    return out;
  };
  if (!bytes.starts_with(magic)) return faulty(SealFault::kMagic);
  if (bytes.size() < magic.size() + 3 * kWord) return faulty(SealFault::kHeader);
  out.version = wordAt(bytes, magic.size());
  out.length = wordAt(bytes, magic.size() + kWord);
  out.checksum = wordAt(bytes, magic.size() + 2 * kWord);
  out.content = bytes.substr(magic.size() + 3 * kWord);
  if (out.version != version) return faulty(SealFault::kVersion);
  if (out.content.size() != out.length) return faulty(SealFault::kLength);
  if (crc32(out.content) != out.checksum) return faulty(SealFault::kChecksum);
  return out;
}

}  // namespace pimento
