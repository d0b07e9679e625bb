// Numbers of the ELF format and of DPU files. Only the readers and the writer include it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pimento::dpu::elf {

inline constexpr std::string_view kMagic =
    "\x7f"
    "ELF\x01\x01\x01";  // 32 bits, little endian, version 1
inline constexpr std::uint16_t kMachine = 245;
inline constexpr std::uint32_t kFlags = 0x02800000;  // ABI version 2 in bits 31:24, bit 23: version given
inline constexpr std::uint32_t kHeaderSize = 52, kSegmentSize = 32, kSectionSize = 40, kSymbolSize = 16, kRelaSize = 12;

inline constexpr std::uint16_t kRelocatable = 1, kExecutable = 2;
inline constexpr std::uint32_t kLoad = 1;                                          // segment
inline constexpr std::uint32_t kExecutableCode = 1, kWritable = 2, kReadable = 4;  // of segments
inline constexpr std::uint32_t kProgbits = 1, kSymtab = 2, kStrtab = 3, kRela = 4, kNobits = 8, kRel = 9;
inline constexpr std::uint32_t kWrite = 1, kAlloc = 2, kExecute = 4, kRetain = 0x200000;
inline constexpr std::uint16_t kUndefined = 0, kAbsolute = 0xfff1, kCommon = 0xfff2, kReserved = 0xff00;
inline constexpr std::uint8_t kLocal = 0, kGlobal = 1, kWeak = 2;  // binding
inline constexpr std::uint8_t kNoType = 0, kObjectType = 1, kFunctionType = 2, kSection = 3, kFile = 4;

inline constexpr std::string_view kLinesSection = ".pimento.lines";

}  // namespace pimento::dpu::elf
