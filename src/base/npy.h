// NumPy's .npy files (NEP 1; format versions 1.0 to 3.0): arrays that --data reads and results can be saved as.
//
// Row-major (C order) and little endian only; what NumPy has no name for (bf16, fp8) cannot be stored. Pickled
// objects and structured types are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"

namespace pimento {

/// A dense array: row-major little-endian elements.
struct NpyArray {
  DType type = DType::kF64;
  std::vector<std::int64_t> shape;  ///< empty: a scalar
  std::vector<std::byte> bytes;
};

/// NumPy's type string ("<f4"), or empty where NumPy has none.
std::string_view npyDescr(DType t);

/// Reads an array from the bytes of a file; `file` names it in messages. Diagnostics: "bad-npy" (not an .npy file,
/// bad header, wrong length), "unsupported-npy" (Fortran order, big endian, a type we lack).
Result<NpyArray> parseNpy(std::string_view contents, std::string_view file);
/// readFile and parseNpy.
Result<NpyArray> readNpy(const std::string &path);

/// The bytes of an .npy file, version 1.0. Diagnostic: "unsupported-npy" where NumPy has no such type.
Result<std::string> printNpy(const NpyArray &array);

}  // namespace pimento
