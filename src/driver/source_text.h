// A file whose text compilers take, as it was read: what holds answers against it compiles it again.
#pragma once

#include <cstdint>
#include <string>

#include "pimento/frontend/frontend.h"

namespace pimento::driver {

struct SourceText {
  enum class Language : std::uint8_t { kC, kMlir } language = Language::kC;
  std::string text;
  kernel::Sizes sizes;                  ///< as given
  frontend::TensorsOfFunction tensors;  ///< kMlir
};

}  // namespace pimento::driver
