#include "pimento/tdfg/fat_binary.h"

#include "pimento/base/checksum.h"
#include "pimento/tdfg/text.h"

namespace pimento::tdfg {

namespace {

constexpr std::string_view kMagic = "PIMENTO-INF\n";
constexpr std::size_t kHeader = kMagic.size() + 12;

void append(std::string &to, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(word >> shift & 0xffU);
}

std::uint32_t wordAt(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])) << (8 * i);
  return word;
}

}  // namespace

bool isFatBinary(std::string_view bytes) {
  return bytes.substr(0, kMagic.size()) == kMagic;
}

Result<FatBinary> makeFatBinary(Program program) {
  FatBinary binary;
  binary.schedules.resize(commonArraySizes().size());
  for (std::size_t size = 0; size < commonArraySizes().size(); ++size) {
    for (std::size_t r = 0; r < program.regions.size(); ++r) {
      auto s = schedule(program, static_cast<int>(r), commonArraySizes()[size]);
      if (!s) {
        Schedule none;
        none.size = commonArraySizes()[size];
        none.residents.assign(program.arrays.size(), -1);
        binary.schedules[size].push_back(std::move(none));
        continue;
      }
      binary.schedules[size].push_back(std::move(*s));
    }
  }
  binary.program = std::move(program);
  return binary;
}

std::string writeFatBinary(const FatBinary &binary) {
  std::string text = print(binary.program);
  for (const auto &schedules : binary.schedules)
    for (std::size_t r = 0; r < schedules.size(); ++r)
      if (!schedules[r].steps.empty()) text += print(schedules[r], binary.program, binary.program.regions[r]);
  return withFatBinaryHeader(text);
}

std::string withFatBinaryHeader(std::string_view text) {
  std::string bytes(kMagic);
  append(bytes, kFatBinaryVersion);
  append(bytes, static_cast<std::uint32_t>(text.size()));
  append(bytes, crc32(text));
  return bytes.append(text);
}

Result<FatBinary> readFatBinary(std::string_view bytes, const std::string &file) {
  const Location where{file, 0, 0};
  const std::string hint = "compile the source again";
  if (!isFatBinary(bytes)) return error("inf-magic", where, "this is no fat binary", hint);
  if (bytes.size() < kHeader) return error("inf-length", where, "the file ends within its header", hint);
  const std::uint32_t version = wordAt(bytes, kMagic.size());
  if (version != kFatBinaryVersion) {
    return error("inf-version", where,
                 "the fat binary is of version " + std::to_string(version) + "; this is version " +
                     std::to_string(kFatBinaryVersion),
                 hint);
  }
  const std::string_view text = bytes.substr(kHeader);
  const std::uint32_t length = wordAt(bytes, kMagic.size() + 4);
  if (text.size() != length) {
    return error(
        "inf-length", where,
        "the fat binary has " + std::to_string(text.size()) + " bytes behind its header, not " + std::to_string(length),
        hint);
  }
  if (crc32(text) != wordAt(bytes, kMagic.size() + 8))
    return error("inf-checksum", where, "the fat binary has been altered", hint);
  auto read = readProgram(text, file);
  if (!read) return read.diagnostics();
  auto binary = makeFatBinary(std::move(read->program));
  // Schedules follow from the graphs: whoever runs them need not ask whether they are right.
  if (binary && writeFatBinary(*binary) != bytes)
    return error("inf-schedule", where, "the schedules are not those of the tensor graphs", hint);
  return binary;
}

}  // namespace pimento::tdfg
