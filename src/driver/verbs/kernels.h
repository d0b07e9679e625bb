// `kernels [NAME]`: the zoo, or one entry with its graph.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"

namespace pimento::kernel {
struct ZooEntry;
}

namespace pimento::driver {

struct ZooAnswer {
  std::vector<const kernel::ZooEntry *> entries;
  std::string graph;  ///< as text, of one entry that was named
};

/// `options.input` holds the name.
Result<ZooAnswer> kernels(const Options &options);
Outcome show(const ZooAnswer &answer, const Options &options);

}  // namespace pimento::driver
