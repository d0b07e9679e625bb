// Blocks of values for the interpreter: the same body node at many points at once, one tight loop per operation.
//
// A lane holds a value in the form scalar.h computes in: float for f32 and the small formats, double for f64, int64
// for integers. Between operations a lane always holds a value of its type exactly. Also what virtual
// instructions compute with (sim/cnm/execute.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "pimento/base/dtype.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Points per block: small enough that the blocks of a body stay in the first-level cache.
inline constexpr int kBlock = 256;

/// One value; which member counts follows from its type's LaneClass.
union Scalar {
  float f;
  double d;
  std::int64_t i;
};

/// One value per point of a block.
struct Lanes {
  union {
    alignas(64) float f[kBlock];
    double d[kBlock];
    std::int64_t i[kBlock];
  };
};

/// Elements first, first + stride, ... of an array of `type` into lanes [at, at + count).
void gather(DType type, const std::byte *array, std::int64_t first, std::int64_t stride, Lanes &out, int at, int count);
/// The inverse.
void scatter(DType type, std::byte *array, std::int64_t first, std::int64_t stride, const Lanes &in, int at, int count);

/// Lanes [0, count) of a node from its arguments' lanes (`a` .. `c`, unused ones ignored), rounded to the node's
/// type. `argumentType` is the type of the last argument: of what is compared, cast or selected.
void evaluate(const Value &node, DType argumentType, Lanes &out, const Lanes &a, const Lanes &b, const Lanes &c,
              int count);

/// Lanes [begin, end) converted from one type to another.
void convert(DType from, DType to, const Lanes &in, Lanes &out, int begin, int end);

/// Accumulates lanes [begin, end), already of `type`, onto `start` from left to right, each step rounded.
Scalar fold(Combine combine, DType type, Scalar start, const Lanes &in, int begin, int end);

Scalar convert(DType from, DType to, Scalar x);
Scalar merge(Combine combine, DType type, Scalar a, Scalar b);
Scalar identity(Combine combine, DType type);
/// By comparison: false where one is NaN.
bool isLess(DType type, Scalar a, Scalar b);
Scalar load(DType type, const std::byte *array, std::int64_t element);
void store(DType type, std::byte *array, std::int64_t element, Scalar x);

/// A constant node's value.
Scalar constantOf(const Value &node);

Scalar laneOf(DType type, const Lanes &lanes, int l);
/// Sets lanes [begin, end).
void setLanes(DType type, Lanes &lanes, int begin, int end, Scalar x);

}  // namespace pimento::kernel
