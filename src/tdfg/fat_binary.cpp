#include "pimento/tdfg/fat_binary.h"

#include "pimento/base/sealed.h"
#include "pimento/tdfg/text.h"

namespace pimento::tdfg {

namespace {

constexpr std::string_view kMagic = "PIMENTO-INF\n";

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
  return seal(kMagic, kFatBinaryVersion, text);
}

Result<FatBinary> readFatBinary(std::string_view bytes, const std::string &file) {
  const Location where{file, 0, 0};
  const std::string hint = "compile the source again";
  const Unsealed sealed = unseal(kMagic, kFatBinaryVersion, bytes);
  const std::string_view text = sealed.content;
  switch (sealed.fault) {
    case SealFault::kMagic:
      return error("inf-magic", where, "this is no fat binary", hint);
    case SealFault::kHeader:
      return error("inf-length", where, "the file ends within its header", hint);
    case SealFault::kVersion:
      return error("inf-version", where,
                   "the fat binary is of version " + std::to_string(sealed.version) + "; this is version " +
                       std::to_string(kFatBinaryVersion),
                   hint);
    case SealFault::kLength:
      return error("inf-length", where,
                   "the fat binary has " + std::to_string(text.size()) + " bytes behind its header, not " +
                       std::to_string(sealed.length),
                   hint);
    case SealFault::kChecksum:
      return error("inf-checksum", where, "the fat binary has been altered", hint);
    case SealFault::kNone:
      break;
  }
  auto read = readProgram(text, file);
  if (!read) return read.diagnostics();
  auto binary = makeFatBinary(std::move(read->program));
  // Schedules follow from the graphs: whoever runs them need not ask whether they are right.
  if (binary && writeFatBinary(*binary) != bytes)
    return error("inf-schedule", where, "the schedules are not those of the tensor graphs", hint);
  return binary;
}

}  // namespace pimento::tdfg
