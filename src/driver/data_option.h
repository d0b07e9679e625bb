// `--data` and `--seed`: what the operands hold.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/kernel/data.h"

namespace pimento::kernel {
struct Graph;
}

namespace pimento::driver {

/// What `--data` says of the operands of a timing run: how they are made, or all of them where they come from files;
/// nothing of either for "none".
struct KnownData {
  std::optional<kernel::DataSpec> values;
  std::optional<kernel::DataSet> contents;
};
/// Contents of inputs that INPUT itself gives, by tensor.
using GivenContents = std::map<int, std::vector<std::byte>>;

/// Diagnostics: as makeInputData.
Result<KnownData> knownData(const Options &options, const kernel::Graph &graph, const GivenContents &given,
                            const std::string &defaultSpec);

/// Fills the graph's inputs; nothing for "none". A file that `--data` names comes before what INPUT gives. Diagnostics:
/// bad-data, and those of .npy files.
Result<std::optional<kernel::DataSet>> makeInputData(const Options &options, const kernel::Graph &graph,
                                                     const GivenContents &given, const std::string &defaultSpec);

/// What operands are filled with by default: some kernels of the zoo need values in a range.
std::string defaultData(const Options &options);

}  // namespace pimento::driver
