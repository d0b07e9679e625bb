#include "pimento/tdfg/fat_binary.h"

#include "pimento/base/sealed.h"
#include "pimento/tdfg/text.h"

namespace pimento::tdfg {

namespace {

constexpr std::string_view kMagic = "PIMENTO-INF\n", kVersionLine = "=== version\n";

}  // namespace

bool isFatBinary(std::string_view bytes) {
  return bytes.substr(0, kMagic.size()) == kMagic;
}

Result<FatBinary> makeFatBinary(Program program, std::vector<Program> versions) {
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
  for (Program &version : versions) {
    auto made = makeFatBinary(std::move(version));
    if (!made) return made;
    binary.versions.push_back(std::move(*made));
  }
  return binary;
}

namespace {

std::string textOf(const FatBinary &binary) {
  std::string text = print(binary.program);
  for (const auto &schedules : binary.schedules)
    for (std::size_t r = 0; r < schedules.size(); ++r)
      if (!schedules[r].steps.empty()) text += print(schedules[r], binary.program, binary.program.regions[r]);
  return text;
}

/// The texts of a program and of its versions.
std::vector<std::string_view> versionsIn(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find(kVersionLine);
    out.push_back(text.substr(0, end));
    if (end == text.npos) return out;
    text.remove_prefix(end + kVersionLine.size());
  }
}

}  // namespace

std::string writeFatBinary(const FatBinary &binary) {
  std::string text = textOf(binary);
  for (const FatBinary &version : binary.versions) text += std::string(kVersionLine) + textOf(version);
  return seal(kMagic, binary.versions.empty() ? kFatBinaryVersion : kFatBinaryWithVersions, text);
}

std::string withFatBinaryHeader(std::string_view text) {
  return seal(kMagic, text.find(kVersionLine) == text.npos ? kFatBinaryVersion : kFatBinaryWithVersions, text);
}

Result<FatBinary> readFatBinary(std::string_view bytes, const std::string &file) {
  const Location where{file, 0, 0};
  const std::string hint = "compile the source again";
  Unsealed sealed = unseal(kMagic, kFatBinaryVersion, bytes);
  if (sealed.fault == SealFault::kVersion && sealed.version == kFatBinaryWithVersions)
    sealed = unseal(kMagic, kFatBinaryWithVersions, bytes);
  const std::string_view text = sealed.content;
  switch (sealed.fault) {
    case SealFault::kMagic:
      return error("inf-magic", where, "this is no fat binary", hint);
    case SealFault::kHeader:
      return error("inf-length", where, "the file ends within its header", hint);
    case SealFault::kVersion:
      return error("inf-version", where,
                   "the fat binary is of version " + std::to_string(sealed.version) + "; this is version " +
                       std::to_string(kFatBinaryVersion) + " or " + std::to_string(kFatBinaryWithVersions),
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
  std::vector<Program> programs;
  for (const std::string_view version : versionsIn(text)) {
    if (programs.size() > kMostVersions)
      return error("inf-streams", where, "the fat binary has more than " + std::to_string(kMostVersions) + " versions",
                   hint);
    auto read = readProgram(version, file);
    if (!read) return read.diagnostics();
    if (!programs.empty() && print(read->program, Part::kStreams) != print(programs.front(), Part::kStreams))
      return error("inf-streams", where, "a version of the program has other streams than the first", hint);
    programs.push_back(std::move(read->program));
  }
  Program first = std::move(programs.front());
  programs.erase(programs.begin());
  auto binary = makeFatBinary(std::move(first), std::move(programs));
  // Schedules follow from the graphs: whoever runs them need not ask whether they are right.
  if (binary && writeFatBinary(*binary) != bytes)
    return error("inf-schedule", where, "the schedules are not those of the tensor graphs", hint);
  return binary;
}

}  // namespace pimento::tdfg
