// The texts of the measured programs (kernels/upmem/measured/*.s), part of the binary.
#pragma once

#include <string>
#include <vector>

namespace pimento::targets::upmem::measured {

struct MeasuredFile {
  std::string name;  ///< "va_u32.s"
  std::string text;
};

/// All of them (a file generated while building defines this).
const std::vector<MeasuredFile> &measuredFiles();

}  // namespace pimento::targets::upmem::measured
