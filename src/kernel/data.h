// What tensors hold: contents as bytes, and how they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pimento/base/dtype.h"

namespace pimento::kernel {

struct Graph;

/// The contents of one tensor: row-major elements of `type`, little endian.
struct TensorData {
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  TensorData() = default;
  TensorData(DType t, std::vector<std::int64_t> s);  ///< zero-filled

  std::int64_t elements() const;
  double asDouble(std::int64_t element) const;
  std::int64_t asInteger(std::int64_t element) const;  ///< floating types: truncated
  void setDouble(std::int64_t element, double x);      ///< rounded to nearest even; integers: truncated, wrapped
  void setInteger(std::int64_t element, std::int64_t x);
};

/// Contents of a graph's tensors, by tensor index. Outputs and temporaries are made by interpret().
using DataSet = std::vector<TensorData>;

/// Fills inputs and in-outs as `--data` says.
struct DataSpec {
  enum class Kind : std::uint8_t { kRandom, kZero, kOne, kConst, kUniform } kind = Kind::kRandom;
  double low = 0, high = 0;  ///< kConst: low; kUniform: [low, high]
  std::uint64_t seed = 1;
};
/// Deterministic in (spec, tensor name, element). kRandom: floating types uniform in [-1, 1), integers over the
/// whole range of 8-bit types and within +-2^15 (2^16 unsigned) of wider ones; what indexes another tensor, or
/// bounds a dim, within its extent, and ascending where neighbours are the ends of rows; floating constants of the
/// graph that are multiplied into sums of n terms in +-sqrt(3/n).
DataSet makeData(const Graph &graph, const DataSpec &spec);
/// One of its tensors, an input or in-out.
TensorData makeTensor(const Graph &graph, int tensor, const DataSpec &spec);
/// `elements` more of such a tensor's kind, in one row; `number` says which ones.
TensorData makeElements(const Graph &graph, int tensor, const DataSpec &spec, std::int64_t elements,
                        std::uint64_t number);
/// Zeros for the tensors that `data` has nothing of.
void makeMissing(const Graph &graph, DataSet &data);

}  // namespace pimento::kernel
