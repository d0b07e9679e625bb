#include "pimento/sim/sram/lane_packing.h"

#include <bit>

#include "pimento/sim/sram/host_vector.h"

namespace pimento::sim::sram {

namespace {

PIMENTO_WIDEST
void packRows(std::uint64_t lanes, int shift, const std::uint64_t *block, int rows, std::uint64_t *packed) {
  const Vector mask = Vector{} + lanes;
  for (std::ptrdiff_t w = 0; w < rows * kBlockWords; w += kVectorWords) {
    Vector v, sum;
    load(v, block + w);
    load(sum, packed + w);
    v &= mask;
    if (shift >= 0)
      v <<= shift;
    else
      v >>= -shift;
    sum |= v;
    store(packed + w, sum);
  }
}

PIMENTO_WIDEST
void unpackRows(int shift, const std::uint64_t *packed, int rows, const std::uint64_t *enabled, std::uint64_t *block) {
  for (std::ptrdiff_t v = 0; v < kBlockWords; v += kVectorWords) {
    Vector where;
    load(where, enabled + v);
    for (std::ptrdiff_t w = v; w < rows * kBlockWords; w += kBlockWords) {
      Vector value;
      load(value, packed + w);
      if (shift >= 0)
        value >>= shift;
      else
        value <<= -shift;
      merge(block + w, value, where);
    }
  }
}

}  // namespace

LanePacking::LanePacking(std::uint64_t lanes_) : lanes(lanes_) {
  if (lanes == 0) return;
  const int low = std::countr_zero(lanes);
  const std::uint64_t first = lanes >> low;
  std::uint64_t used = 0;
  for (int by = 0; by <= std::countl_zero(first); ++by) {
    if ((first << by & used) != 0) continue;
    used |= first << by;
    shifts[static_cast<std::size_t>(count++)] = static_cast<std::int8_t>(by - low);
  }
}

void pack(const LanePacking &packing, int number, const std::uint64_t *block, int rows, std::uint64_t *packed) {
  packRows(packing.lanes, packing.shifts[static_cast<std::size_t>(number)], block, rows, packed);
}

void unpack(const LanePacking &packing, int number, const std::uint64_t *packed, int rows, const std::uint64_t *enabled,
            std::uint64_t *block) {
  unpackRows(packing.shifts[static_cast<std::size_t>(number)], packed, rows, enabled, block);
}

}  // namespace pimento::sim::sram
