// binary16 arithmetic on the 16 lanes of a PIM block, bit for bit.
//
// Each operation rounds once to nearest even; multiply-accumulate rounds twice (product, then sum), as HBM-PIM's FPUs
// do. NaN results are 0x7e00. A portable version defines the result; one for F16C/AVX2 processors must equal it
// (tested) and is chosen at run time.
#pragma once

#include <cstdint>

namespace pimento::sim::pim {

inline constexpr int kLanes = 16;
using Half = std::uint16_t;

/// Lane operations over `kLanes` values; `out` may alias an input.
struct LaneArithmetic {
  void (*add)(Half *out, const Half *a, const Half *b);
  void (*mul)(Half *out, const Half *a, const Half *b);
  /// out = out + a * b, product rounded first.
  void (*mac)(Half *out, const Half *a, const Half *b);
};

const LaneArithmetic &portableLanes();
/// The fastest version this processor has.
const LaneArithmetic &lanes();

}  // namespace pimento::sim::pim
