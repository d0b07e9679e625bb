// A graph of a floating type as one of 8-bit integers with a scale for each tensor: `--convert f32=i8`.
//
// Quantisation is symmetric: an element q stands for q * scale. Inputs and temporaries are i8; what sums accumulate
// into is i32, and its scale follows from what is summed, as do those of outputs that no kernel reads and of copies.
// Where scales meet that differ, and where a sum becomes an operand of a product, the body rescales: a product with a
// 31-bit integer, rounded and shifted (Jacob et al., Quantization and Training of Neural Networks for Efficient
// Integer-Arithmetic-Only Inference, CVPR 2018, section 2.2). Bounds on every value show that nothing exceeds 32 bits.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/convert.h"

namespace pimento::kernel {

/// What the user says of scales; the rest comes from data.
struct GivenScales {
  std::optional<double> all;
  std::map<std::string, double> byTensor;
};

/// `graph` with i8 for `from`. `runs`: what tensors hold before and after a run of the graph; the largest magnitudes
/// give the scales that `given` leaves open; empty: nothing is known. Diagnostics: convert-quantize (an operation that
/// is not homogeneous, kernels in loops), convert-scale (a tensor without a scale, or with one that follows),
/// convert-range (a value may exceed 32 bits).
Result<Converted> quantized(const Graph &graph, DType from, const GivenScales &given,
                            const std::vector<const DataSet *> &runs);

}  // namespace pimento::kernel
