// One file (.inf) of a compiled program: streams, tensor graphs, schedules for each array size, hints, names of sizes.
// It may hold the program in several versions: the same streams, other graphs. Which takes least shows at sizes.
//
// "PIMENTO-INF" and a line end, the format (2 where there are versions), the length and the CRC-32 of what follows,
// each a little-endian u32; then the text of the program (text.h) with its schedules, and versions behind lines "===
// version". No sizes, no geometry beyond the arrays' wordlines and bitlines: the same file runs on any machine with
// such arrays and with any sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

struct FatBinary {
  Program program;
  /// By array size (commonArraySizes()), by region; a region without a graph has an empty schedule.
  std::vector<std::vector<Schedule>> schedules;
  std::vector<FatBinary> versions = {};  ///< with other graphs; they have none themselves
};

inline constexpr std::uint32_t kFatBinaryVersion = 1, kFatBinaryWithVersions = 2;
/// Versions besides the first that a file may have.
inline constexpr std::size_t kMostVersions = 8;

/// Whether `bytes` begin like a fat binary.
bool isFatBinary(std::string_view bytes);
/// Schedules the program for the common array sizes. A region that does not fit one of them is left to streams.
/// `versions`: programs with the same streams.
Result<FatBinary> makeFatBinary(Program program, std::vector<Program> versions = {});
std::string writeFatBinary(const FatBinary &binary);
/// `text` behind a header with its length and checksum.
std::string withFatBinaryHeader(std::string_view text);
/// Diagnostics: inf-magic, inf-version, inf-length (cut or longer), inf-checksum, inf-schedule, inf-streams (of a
/// version), and those of the texts.
Result<FatBinary> readFatBinary(std::string_view bytes, const std::string &file);

}  // namespace pimento::tdfg
