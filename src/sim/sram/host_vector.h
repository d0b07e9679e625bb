// Vectors of the host that hold bits of wordlines: those of a block, in the widest registers that there are.
//
// Functions marked PIMENTO_WIDEST exist for several widths, of which the host's is chosen when the program starts; all
// give the same bits. What they call stands in them (PIMENTO_INLINE). Vectors are passed by reference, since how they
// are passed by value hangs on the width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pimento/sim/sram/host_program.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PIMENTO_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#define PIMENTO_INLINE inline __attribute__((always_inline))
#else
#define PIMENTO_WIDEST
#define PIMENTO_INLINE inline
#endif

namespace pimento::sim::sram {

/// 256 bitlines, an array's.
using Vector = std::uint64_t __attribute__((vector_size(32)));
inline constexpr std::ptrdiff_t kVectorWords = sizeof(Vector) / sizeof(std::uint64_t);

/// A block's: by name, so that the compiler keeps them in registers.
struct Block {
  Vector a, b, c, d;
};
static_assert(sizeof(Block) == kBlockWords * sizeof(std::uint64_t));

PIMENTO_INLINE void load(Vector &v, const std::uint64_t *from) {
  std::memcpy(&v, from, sizeof(v));
}
PIMENTO_INLINE void store(std::uint64_t *to, const Vector &v) {
  std::memcpy(to, &v, sizeof(v));
}
PIMENTO_INLINE void load(Block &block, const std::uint64_t *from) {
  load(block.a, from);
  load(block.b, from + kVectorWords);
  load(block.c, from + 2 * kVectorWords);
  load(block.d, from + 3 * kVectorWords);
}
PIMENTO_INLINE void intersect(Block &block, const Block &other) {
  block.a &= other.a;
  block.b &= other.b;
  block.c &= other.c;
  block.d &= other.d;
}

/// Writes bits of `value` where those of `where` are 1.
PIMENTO_INLINE void merge(std::uint64_t *to, const Vector &value, const Vector &where) {
  Vector old;
  load(old, to);
  old ^= (old ^ value) & where;
  store(to, old);
}

}  // namespace pimento::sim::sram
