// Saved traces (.ptrace): what a program executed, in a file that needs neither the program nor a decoder.
//
//   "PIMENTO-TRACE" and a line end, the version (u32); then chunks, each a kind, a length and the CRC-32 of the kind,
//   the length and what follows (u32 each), and so many bytes. All numbers are little-endian.
//
//   kHead     flags (kHasValues)
//   kBlocks   the number of block entries, then the sections, each its length, its length compressed, and a zstd frame
//   kEnd      the program, and how it ended; nothing follows
//
// A *variant* is a block, how many of its instructions ran, and which accesses they made: all that one entry of a block
// says, but for addresses and values. A stream is a sequence of variants. What the models (models.h) foresee is
// counted, and only what they do not is written:
//
//   kDefinitions   variants, blocks and instructions, where they come first; numbers of variants that no model knows
//   kEntryRuns     numbers of entries that were foreseen, each with ...
//   kEntrySymbols  ... what came instead: the rank among the successors, or that the number stands in kDefinitions
//   kAccessRuns, kAccessSymbols   the same of addresses: another model's, or so many bytes of the difference to the
//   last
//                  address of the same access of the same instruction
//   kLowBytes, kMiddleBytes, kHighBytes   of such differences
//   kValues        of each access the difference to the last value there
#pragma once

#include <cstdint>
#include <string_view>

namespace pimento::trace::file {

inline constexpr std::string_view kMagic = "PIMENTO-TRACE\n";
/// 2: instructions of kind kCim, which have more to them. 3: programs with the end of their code, and their source map.
/// All else is as in 1.
inline constexpr std::uint32_t kVersion = 3;

enum class Chunk : std::uint32_t { kHead = 1, kBlocks, kEnd };

inline constexpr std::uint32_t kHasValues = 1;

enum Section : std::uint8_t {
  kDefinitions,
  kEntryRuns,
  kEntrySymbols,
  kAccessRuns,
  kAccessSymbols,
  kLowBytes,
  kMiddleBytes,
  kHighBytes,
  kValues,
  kSections,
};

/// Entry symbols from 0 on are ranks; this one: the number follows in kDefinitions.
inline constexpr std::uint8_t kNumbered = 255;
/// Access symbols below are other models; from here on, so many bytes less this.
inline constexpr std::uint8_t kDifference = 8;
/// Addresses have so many bits.
inline constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 48) - 1;
/// Most entries of a chunk, and most bytes of a section.
inline constexpr std::uint32_t kMostEntries = 1U << 22, kMostBytes = 1U << 26;

}  // namespace pimento::trace::file
