// What one cycle does in an SRAM array that computes on its bitlines, and programs of such cycles.
//
// Model: bit-serial logic below each bitline, as in the literature on compute caches (Eckert et al., "Neural Cache",
// ISCA 2018; Wang et al., JSSC 2020), with a carry latch and a tag latch per bitline. A cycle senses one or two
// wordlines, which gives functions symmetric in the two (AND, OR, XOR and their inverses), combines them with the
// carry, and writes one wordline, everywhere or where the tag is set; or it loads latches. What the papers leave open
// is assumed: latches may be changed in the cycle that senses, the two of them together.
//
// All bitlines of all arrays that take part do the same. A wordline that is not named reads as 0.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::sim::sram {

/// Function of the sensed bits a and b and of the carry c.
enum class Sense : std::uint8_t {
  kZero,
  kOne,
  kA,
  kNotA,
  kAnd,
  kNand,
  kOr,
  kNor,
  kXor,
  kXnor,
  kSum,     ///< a ^ b ^ c
  kNotSum,  ///< its inverse: of ~a it is a difference
  kCarry,   ///< c
  kNotCarry,
};
inline constexpr int kSenses = 14;

/// What becomes of the carry latch.
enum class CarryUpdate : std::uint8_t { kHold, kClear, kSet, kLoad /* the sensed value */, kMajority /* of a, b, c */ };
/// What becomes of the tag latch.
enum class TagUpdate : std::uint8_t { kHold, kLoad /* the sensed value */ };

/// Which wordlines a number of a program means: those of an operand, of the result, or of working memory.
enum class Place : std::uint8_t { kFirst, kSecond, kThird, kResult, kScratch };
inline constexpr int kPlaces = 5;

/// A wordline of a program, by place and bit.
struct Row {
  Place place = Place::kFirst;
  std::int16_t bit = -1;  ///< -1: none

  bool isNone() const { return bit < 0; }
  bool operator==(const Row &) const = default;
};

struct MicroOp {
  Sense sense = Sense::kZero;
  CarryUpdate carry = CarryUpdate::kHold;
  TagUpdate tag = TagUpdate::kHold;
  bool isTagged = false;  ///< writes where the tag is set
  Row a, b, dest;
};

/// One operation on numbers that stand in columns, least significant bit first. Takes one cycle per micro-op.
struct MicroProgram {
  std::vector<MicroOp> ops;
  int scratchRows = 0;  ///< wordlines of working memory

  std::int64_t cycles() const { return static_cast<std::int64_t>(ops.size()); }
};

}  // namespace pimento::sim::sram
