// The kernels every user tries first, by name (`pimento kernels`). A table; each row builds a Graph.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Sizes by name, as `--size m=4096,n=1024` gives them.
using Sizes = std::map<std::string, std::int64_t>;

/// One entry of the zoo.
struct ZooEntry {
  std::string name;
  std::string about;                  ///< one line, with the formula
  std::vector<std::string> variants;  ///< first is the default; "plain" for most
  Sizes defaults;                     ///< every size the kernel has, with its default
  std::vector<DType> types;           ///< element types it is defined for
  std::string data;                   ///< `--data` that suits it; empty: random
  bool isNetwork = false;             ///< a graph of many layers, of which a device may take some

  bool isDefinedFor(DType type) const { return std::find(types.begin(), types.end(), type) != types.end(); }
};

/// All entries, in listing order.
const std::vector<ZooEntry> &zoo();
const ZooEntry *zooEntry(std::string_view name);  ///< null if unknown

/// Builds entry `name` at `sizes` (missing ones take their default). Diagnostics: unknown kernel, size or variant (with
/// "did you mean"), size < 1, a type the kernel is not defined for. Dims are called like their sizes.
Result<Graph> makeZooKernel(std::string_view name, const Sizes &sizes, DType type, std::string_view variant = {});

}  // namespace pimento::kernel
