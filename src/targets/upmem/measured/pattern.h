// What the measured UPMEM programs can do with a kernel: recognised by its accesses and body, not by its name.
//
// Seven shapes over 16- and 32-bit integers, which wrap, so that order and signedness change no result: addition of two
// arrays, sum of one or two arrays, selection of even values, inclusive prefix sum, histogram of 12-bit values,
// matrix-vector and matrix-matrix products. Operands may be any affine views of tensors: the host gathers them. All
// else is a diagnostic that says what is missing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"

namespace pimento::targets::upmem::measured {

enum class Shape : std::uint8_t {
  kVa,    ///< out[x] = a[x] + b[x]
  kRed,   ///< out += a[x] + b[x], or out += a[x]
  kSel,   ///< out = the even values of a, in order; count
  kScan,  ///< out[x] = a[0] + ... + a[x]; carried: their sum
  kHst,   ///< out[a[x] * bins >> 12] += 1
  kGemv,  ///< out[row] += a[row, k] * b[k]
  kGemm,  ///< out[row, column] += a[row, k] * b[column, k]
};
/// "va" "red" "sel" "scan" "hst" "gemv" "gemm": the program's name.
std::string_view name(Shape s);

/// An element of a tensor as an affine function of the kernel's dims, row-major.
struct View {
  int tensor = -1;
  std::array<std::int64_t, 3> stride{};  ///< by dim of the kernel
  std::int64_t base = 0;

  bool exists() const { return tensor >= 0; }
};

/// Dims are numbers of the kernel; -1: there is none.
struct Pattern {
  Shape shape = Shape::kVa;
  DType type = DType::kI32;  ///< of elements
  View a, b, out;
  View extra;                    ///< selection: the count; prefix sum: the carried sum
  int rows = 0;                  ///< the dim that is split; the only one of the streaming shapes
  int columns = -1, inner = -1;  ///< products: columns of the result; the dim that is summed over
  std::int64_t bins = 0;         ///< histogram
  bool takesPairs = false;       ///< sum of one array: its halves are the two arrays of the program
};

/// Classifies kernel number `index` of `graph`.
/// Diagnostics: unsupported-type, unsupported-form, unsupported-op, unsupported-pattern.
Result<Pattern> recognise(const kernel::Graph &graph, int index, const machine::Machine &machine);

}  // namespace pimento::targets::upmem::measured
