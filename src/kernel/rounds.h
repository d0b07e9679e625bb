// Graphs with loops around their kernels, run round by round: a kernel at one value of each counter is a kernel
// without counters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Number of counters of a kernel, which are its first dims.
std::size_t countersOf(const Kernel &kernel);

/// The kernel at these values of its counters: dims less the counters, guards of one dim turned into its bounds (a dim
/// starts at 0 again, indices and body follow). Nothing: the guards leave no point.
std::optional<Kernel> bind(const Kernel &kernel, const std::vector<std::int64_t> &counters);

/// Tensors by the names they have now.
void rename(Kernel &kernel, const std::vector<int> &names);

/// By tensor: whether loops exchange its name with that of `tensor`, directly or not; true for itself.
std::vector<bool> swappedWith(const Graph &graph, int tensor);

/// The graph's kernels in the order they run.
class Rounds {
 public:
  /// Kernel number `kernel` at `counters`; `names` says for every tensor which one it means now (Loop::swaps).
  using Visitor =
      std::function<Status(int kernel, const std::vector<std::int64_t> &counters, const std::vector<int> &names)>;

  /// `most`: at most this many rounds of every loop.
  explicit Rounds(const Graph &graph, std::int64_t most = INT64_MAX) : graph_(graph), most_(most) {}

  /// Ends with the first failure.
  Status visit(const Visitor &see);

 private:
  Status run(int first, int end, std::size_t loop);

  const Graph &graph_;
  std::int64_t most_;
  const Visitor *see_ = nullptr;
  std::vector<std::int64_t> counters_;
  std::vector<int> names_;
};

/// A graph without its loops.
struct Unrolled {
  Graph graph;               ///< kernels that are not equal, in the order of their first runs; no loops
  std::vector<int> runs;     ///< its kernels in the order they run
  std::vector<int> origins;  ///< by kernel of it: the kernel of the looped graph
};
/// Two runs are of one kernel if nothing but their counters tells them apart, and these stand nowhere. A run that
/// starts an accumulation is not one that goes on with it. Diagnostics: "too-many-rounds".
Result<Unrolled> unrolled(const Graph &graph);

/// Most runs of kernels that a graph may come to.
inline constexpr std::int64_t kMostRuns = std::int64_t{1} << 22;

}  // namespace pimento::kernel
