#include "pimento/sim/sram/arrays.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/diagnostics.h"

namespace pimento::sim::sram {

namespace {

/// A micro-op with the wordlines of its places.
struct Step {
  Sense sense;
  CarryUpdate carry;
  TagUpdate tag;
  bool isTagged;
  int a, b, dest;
};

/// As many bitlines as one step of the host handles.
using Vector = std::uint64_t __attribute__((vector_size(128)));
constexpr std::int64_t kVectorWords = sizeof(Vector) / sizeof(std::uint64_t);

// The widest vectors that the host has; all give the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PIMENTO_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PIMENTO_WIDEST
#endif

PIMENTO_WIDEST
void runBlock(const Step *steps, std::size_t count, std::uint64_t *block, const std::uint64_t *enabled) {
  const auto at = [block](int row) { return block + row * kVectorWords; };
  Vector mask, carry = {}, tag = {};
  std::memcpy(&mask, enabled, sizeof(mask));
  for (const Step *s = steps; s != steps + count; ++s) {
    Vector a, b, value;
    std::memcpy(&a, at(s->a), sizeof(a));
    std::memcpy(&b, at(s->b), sizeof(b));
    switch (s->sense) {
      case Sense::kZero:
        value = Vector{};
        break;
      case Sense::kOne:
        value = ~Vector{};
        break;
      case Sense::kA:
        value = a;
        break;
      case Sense::kNotA:
        value = ~a;
        break;
      case Sense::kAnd:
        value = a & b;
        break;
      case Sense::kNand:
        value = ~(a & b);
        break;
      case Sense::kOr:
        value = a | b;
        break;
      case Sense::kNor:
        value = ~(a | b);
        break;
      case Sense::kXor:
        value = a ^ b;
        break;
      case Sense::kXnor:
        value = ~(a ^ b);
        break;
      case Sense::kSum:
        value = a ^ b ^ carry;
        break;
      case Sense::kNotSum:
        value = ~(a ^ b ^ carry);
        break;
      case Sense::kCarry:
        value = carry;
        break;
      default:
        value = ~carry;
        break;
    }
    const Vector written = s->isTagged ? tag & mask : mask;
    Vector old;
    std::memcpy(&old, at(s->dest), sizeof(old));
    old = (value & written) | (old & ~written);
    std::memcpy(at(s->dest), &old, sizeof(old));
    switch (s->carry) {
      case CarryUpdate::kHold:
        break;
      case CarryUpdate::kClear:
        carry = Vector{};
        break;
      case CarryUpdate::kSet:
        carry = ~Vector{};
        break;
      case CarryUpdate::kLoad:
        carry = value;
        break;
      case CarryUpdate::kMajority:
        carry = (a & b) | (carry & (a | b));
        break;
    }
    if (s->tag == TagUpdate::kLoad) tag = value;
  }
}

}  // namespace

Arrays::Arrays(int wordlines, std::int64_t bitlines)
    : wordlines_(wordlines), bitlines_(bitlines), blocks_((bitlines + kBlockBits - 1) / kBlockBits) {
  static_assert(kBlockWords == kVectorWords);
  bits_.resize(static_cast<std::size_t>(blocks_ * blockWords()));
}

void Arrays::run(const MicroProgram &program, const Wordlines &at, std::span<const std::uint64_t> enabled) {
  const auto wordlineOf = [&](Row r, int none) {
    if (r.isNone()) return none;
    const int row = at[static_cast<std::size_t>(r.place)] + r.bit;
    PIMENTO_CHECK(row >= 0 && row < wordlines_);
    return row;
  };
  std::vector<Step> steps;
  steps.reserve(program.ops.size());
  for (const MicroOp &op : program.ops)
    steps.push_back({op.sense, op.carry, op.tag, op.isTagged, wordlineOf(op.a, wordlines_),
                     wordlineOf(op.b, wordlines_), wordlineOf(op.dest, wordlines_ + 1)});
  std::array<std::uint64_t, kBlockWords> mask;
  for (std::int64_t block = 0; block < blocks_; ++block) {
    mask.fill(~std::uint64_t{0});
    if (!enabled.empty()) {
      mask.fill(0);
      const auto first = static_cast<std::size_t>(block * kBlockWords);
      for (std::size_t i = 0; i < mask.size() && first + i < enabled.size(); ++i) mask[i] = enabled[first + i];
      if (std::ranges::all_of(mask, [](std::uint64_t m) { return m == 0; })) continue;
    }
    runBlock(steps.data(), steps.size(), wordline(block, 0), mask.data());
  }
}

void Arrays::store(int row, int bits, std::int64_t first, std::span<const std::uint64_t> numbers) {
  PIMENTO_CHECK(row >= 0 && row + bits <= wordlines_ && first >= 0 &&
                first + static_cast<std::int64_t>(numbers.size()) <= bitlines_);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t bitline = first + static_cast<std::int64_t>(i);
    const std::int64_t word = bitline % kBlockBits / 64, bit = bitline % 64;
    for (int b = 0; b < bits; ++b) {
      std::uint64_t &w = wordline(bitline / kBlockBits, row + b)[word];
      w = (w & ~(std::uint64_t{1} << bit)) | (((numbers[i] >> b) & 1) << bit);
    }
  }
}

void Arrays::load(int row, int bits, std::int64_t first, std::span<std::uint64_t> numbers) const {
  PIMENTO_CHECK(row >= 0 && row + bits <= wordlines_ && first >= 0 &&
                first + static_cast<std::int64_t>(numbers.size()) <= bitlines_);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t bitline = first + static_cast<std::int64_t>(i);
    numbers[i] = 0;
    for (int b = 0; b < bits; ++b)
      numbers[i] |= ((wordline(bitline / kBlockBits, row + b)[bitline % kBlockBits / 64] >> (bitline % 64)) & 1) << b;
  }
}

}  // namespace pimento::sim::sram
