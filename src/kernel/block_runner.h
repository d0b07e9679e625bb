// Runs a kernel's body over points a block at a time. The interpreter decides which points and in what order; this
// class gathers their loads, evaluates the body and hands the results back run by run. Internal to the room.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pimento/kernel/data_bounds.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/lanes.h"

namespace pimento::kernel {

/// Consecutive lanes of a block: points that differ in one dim by a constant step.
struct Run {
  int begin = 0, end = 0;
  int tag = 0;                                       ///< as given with the points
  const std::vector<std::int64_t> *first = nullptr;  ///< per store: element the first lane goes to
  const std::vector<std::int64_t> *step = nullptr;   ///< per store: distance between lanes
};

class BlockRunner {
 public:
  /// Called for every run of an evaluated block, in the order the points were added.
  using Consumer = std::function<void(const Run &)>;

  BlockRunner(const Graph &graph, const Kernel &kernel, DataSet &data);

  void setConsumer(Consumer consumer) { consumer_ = std::move(consumer); }
  /// At most this many points before results are consumed (1: every point sees all earlier stores).
  void limitBlock(int points) { limit_ = points; }

  /// Adds `count` points: `point` and those after it, `step` apart in dim `dim` (-1: count is 1). Points that a guard
  /// or a bound leaves out are dropped. Evaluates and hands over blocks as they fill.
  void add(std::vector<std::int64_t> &point, int dim, std::int64_t step, std::int64_t count, int tag);
  /// Evaluates what is left.
  void flush();
  /// An index or a bound from data was out of range: "index-out-of-range", "bound-out-of-range". Nothing is handed over
  /// any more.
  const Diagnostics &failure() const { return failure_; }
  /// Where the kernel's dims run.
  std::optional<DataRanges::Range> range(std::size_t dim, const std::vector<std::int64_t> &point);
  bool isBounded(std::size_t dim) const { return ranges_.isBounded(dim); }
  /// The element that a store with an index from data goes to at a lane of a run; none: failure() says why.
  std::optional<std::int64_t> indirectElement(const Run &run, std::size_t store, int lane);

  const Lanes &lanes(int value) const { return lanes_[static_cast<std::size_t>(value)]; }

 private:
  /// A load whose index comes from data, or a store's target.
  struct Indirect {
    const Access *access;
    const Tensor *tensor;
    std::int64_t stride;
  };

  void gatherIndirect(std::size_t source);
  std::optional<std::int64_t> offset(const Indirect &indirect, int lane);
  void clip(const std::vector<std::int64_t> &point, int dim, std::int64_t step, std::int64_t &begin,
            std::int64_t &end) const;
  bool clipToBounds(std::vector<std::int64_t> &point, int dim, std::int64_t step, std::int64_t &begin,
                    std::int64_t &end);
  void gatherRun(const std::vector<std::int64_t> &point, int dim, std::int64_t step, int count);

  const Kernel &kernel_;
  DataRanges ranges_;
  Consumer consumer_;
  int limit_ = kBlock;
  int used_ = 0;

  struct Source {  ///< a body value that is read per point: a load, or an index (then `array` is null)
    int value;
    DType type;
    const std::byte *array;
    Affine element;
    std::int64_t elements;  ///< of the array
    Indirect indirect{};    ///< its index from data, which is added once it is known
  };
  std::vector<Source> sources_;
  std::vector<Source> indirectSources_;
  std::vector<int> computed_;        ///< body values to evaluate, in order; of loads with an index from data ~number
  std::vector<Indirect> stores_;     ///< by store
  std::vector<std::int64_t> bases_;  ///< kBlock elements per indirect source, without what data add
  Diagnostics failure_;
  std::vector<Affine> storeElements_;
  std::vector<std::int64_t> storeSizes_;  ///< elements of the tensors that they lie in
  std::vector<Lanes> lanes_;

  struct PendingRun {
    int begin, end, tag;
    std::vector<std::int64_t> first, step;
  };
  std::vector<PendingRun> runs_;
  std::size_t runCount_ = 0;  ///< runs_ is reused between blocks
};

}  // namespace pimento::kernel
