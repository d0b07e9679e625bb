// The parts of host halves that do not depend on a kernel (host/*.c), part of the binary.
#pragma once

#include <string>
#include <vector>

namespace pimento::targets::upmem::compiled {

struct HostPart {
  std::string name;  ///< "frame.c"
  std::string text;
};

/// All of them (a file generated while building defines this).
const std::vector<HostPart> &hostParts();

}  // namespace pimento::targets::upmem::compiled
