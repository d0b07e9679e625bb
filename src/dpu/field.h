// Immediate fields: how the bits of a number are scattered over an instruction word, and the relocation that fills
// them.
//
// Every layout of an immediate is also a relocation type of object files, so one table serves the encoder, the decoder
// and the linker. Registers and conditions are plain (most significant bit first) and not here. From the public
// description of the ISA and of the ELF relocations.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pimento::dpu {

/// Value bits [value + width - 1 : value] stand in word bits [word + width - 1 : word].
struct BitRange {
  std::uint8_t word = 0, value = 0, width = 0;
};

/// The value gathered from the ranges of a word.
inline std::uint32_t gather(std::uint64_t word, const std::vector<BitRange> &ranges) {
  std::uint32_t value = 0;
  for (const BitRange &r : ranges) {
    value |= (static_cast<std::uint32_t>(word >> r.word) & static_cast<std::uint32_t>((1ULL << r.width) - 1))
             << r.value;
  }
  return value;
}

/// `word` with the ranges replaced by the bits of `value`.
inline std::uint64_t scatter(std::uint64_t word, const std::vector<BitRange> &ranges, std::uint32_t value) {
  for (const BitRange &r : ranges) {
    const std::uint64_t mask = (1ULL << r.width) - 1;
    word = (word & ~(mask << r.word)) | (((value >> r.value) & mask) << r.word);
  }
  return word;
}

enum class FieldKind : std::uint8_t { kNone, kData, kInstruction };

struct Field {
  std::uint8_t type = 0;  ///< relocation type of ELF files
  std::string_view name;  ///< R_DPU_...
  FieldKind kind = FieldKind::kNone;
  std::uint8_t width = 0;        ///< bits of the value
  std::vector<BitRange> ranges;  ///< of instructions
  std::uint64_t mask = 0;        ///< word bits that the ranges cover
};

inline constexpr std::uint8_t kRelocateNothing = 0, kRelocate32 = 1, kRelocate8 = 2, kRelocate16 = 3, kRelocate64 = 4;
inline constexpr std::uint8_t kRelocateTarget = 128, kRelocateStackImmediate = 144;

const std::vector<Field> &fields();

/// The field of a relocation type; null where there is none.
const Field *fieldOfType(unsigned type);

/// Can the field hold the value? Sizes, shift amounts and branch targets are unsigned; where upper bits are cut off
/// anyway (32 bits, data, stored bytes and half-words) either sign will do.
bool fits(const Field &field, std::int64_t value);

/// The field that covers exactly these word bits; null where there is none.
const Field *fieldCovering(std::uint64_t mask);

}  // namespace pimento::dpu
