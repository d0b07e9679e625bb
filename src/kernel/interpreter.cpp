#include "pimento/kernel/interpreter.h"

#include <algorithm>
#include <map>
#include <optional>

#include "pimento/base/integer.h"
#include "pimento/kernel/accumulation_steps.h"
#include "pimento/kernel/block_runner.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/linear.h"
#include "pimento/kernel/rounds.h"
#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

namespace {

using Point = std::vector<std::int64_t>;

class KernelInterpreter {
 public:
  KernelInterpreter(const Graph &graph, const Kernel &kernel, DataSet &data, std::vector<bool> &isWritten)
      : graph_(graph), kernel_(kernel), data_(data), isWritten_(isWritten), runner_(graph, kernel, data) {}

  Status run(const Order *order) {
    startAccumulations();
    const bool hasReduction = std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                          [](const Dim &dim) { return dim.kind == DimKind::kReduction; });
    hasFollowers_ = std::any_of(kernel_.stores.begin(), kernel_.stores.end(), [](auto &s) { return s.follows >= 0; });
    // The first of equal minima counts, whatever the order.
    if (order && !order->regions.empty() && hasReduction && kernel_.form == Form::kAffine && !hasFollowers_) {
      runInOrder(*order);
    } else {
      runRowMajor();
    }
    for (const Store &store : kernel_.stores) isWritten_[static_cast<std::size_t>(store.target.tensor)] = true;
    if (!runner_.failure().empty()) return runner_.failure();
    return okStatus();
  }

 private:
  TensorData &target(const Store &store) { return data_[static_cast<std::size_t>(store.target.tensor)]; }

  bool hasInitialValue(const Store &store) const {
    const auto t = static_cast<std::size_t>(store.target.tensor);
    return graph_.tensors[t].role == Role::kInOut || isWritten_[t];
  }

  void startAccumulations() {
    for (const Store &s : kernel_.stores) {
      if (s.combine == Combine::kAssign || s.combine == Combine::kAdd || hasInitialValue(s)) continue;  // zero already
      TensorData &t = target(s);
      const Scalar start = identity(s.combine, t.type);
      for (std::int64_t e = 0; e < t.elements(); ++e) store(t.type, t.bytes.data(), e, start);
    }
  }

  // ---- Row-major ----

  void runRowMajor() {
    const bool isSequential = std::any_of(kernel_.dims.begin(), kernel_.dims.end(),
                                          [](const Dim &dim) { return dim.kind == DimKind::kSequential; });
    if (isSequential && readsWhatItWrites()) runner_.limitBlock(1);
    runner_.setConsumer([this](const Run &run) {
      switch (kernel_.form) {
        case Form::kAffine:
          if (hasFollowers_) {
            for (int l = run.begin; l < run.end; ++l) storeFollowing(run, l);
          } else {
            for (std::size_t s = 0; s < kernel_.stores.size(); ++s) storeRun(s, run);
          }
          break;
        case Form::kIndirect:
          for (int l = run.begin; l < run.end; ++l) storeIndirect(run, l);
          break;
        case Form::kSelect:
          for (int l = run.begin; l < run.end; ++l) storeSelected(run, l);
          break;
      }
    });
    Point point(kernel_.dims.size(), 0);
    if (point.empty()) {
      runner_.add(point, -1, 1, 1, 0);
    } else {
      walk(0, point);
    }
    runner_.flush();
  }

  /// All points of dims from `d` on.
  void walk(std::size_t d, Point &point) {
    if (d + 1 == point.size()) return runner_.add(point, static_cast<int>(d), 1, kernel_.dims[d].extent, 0);
    const auto range = runner_.range(d, point);
    for (std::int64_t x = range ? range->first : 0; range && x < range->end && runner_.failure().empty(); ++x) {
      point[d] = x;
      walk(d + 1, point);
    }
    point[d] = 0;
  }

  bool readsWhatItWrites() const {
    for (const Access &load : kernel_.loads) {
      for (const Store &store : kernel_.stores) {
        if (load.tensor == store.target.tensor) return true;
      }
    }
    return false;
  }

  DType valueType(int value) const { return kernel_.body[static_cast<std::size_t>(value)].type; }

  /// A store's lanes in the target's type.
  const Lanes &converted(const Store &store, DType to, int begin, int end) {
    const DType from = valueType(store.value);
    if (from == to) return runner_.lanes(store.value);
    convert(from, to, runner_.lanes(store.value), scratch_, begin, end);
    return scratch_;
  }

  void storeRun(std::size_t s, const Run &run) {
    const Store &st = kernel_.stores[s];
    TensorData &t = target(st);
    const Lanes &in = converted(st, t.type, run.begin, run.end);
    const std::int64_t first = (*run.first)[s], step = (*run.step)[s];
    if (st.combine == Combine::kAssign) {
      scatter(t.type, t.bytes.data(), first, step, in, run.begin, run.end - run.begin);
    } else if (step == 0) {
      const Scalar acc = load(t.type, t.bytes.data(), first);
      store(t.type, t.bytes.data(), first, fold(st.combine, t.type, acc, in, run.begin, run.end));
    } else {
      gather(t.type, t.bytes.data(), first, step, old_, run.begin, run.end - run.begin);
      Value node;
      node.op = opOf(st.combine);
      node.type = t.type;
      evaluate(node, t.type, old_, old_, in, in, run.end);
      scatter(t.type, t.bytes.data(), first, step, old_, run.begin, run.end - run.begin);
    }
  }

  void storeOne(const Store &st, int lane, std::int64_t element) {
    TensorData &t = target(st);
    const Scalar x = convert(valueType(st.value), t.type, laneOf(valueType(st.value), runner_.lanes(st.value), lane));
    if (st.combine == Combine::kAssign) return store(t.type, t.bytes.data(), element, x);
    store(t.type, t.bytes.data(), element, merge(st.combine, t.type, load(t.type, t.bytes.data(), element), x));
  }

  static std::int64_t elementAt(const Run &run, std::size_t s, int lane) {
    return (*run.first)[s] + (lane - run.begin) * (*run.step)[s];
  }

  void storeIndirect(const Run &run, int lane) {
    for (std::size_t s = 0; s < kernel_.stores.size() && runner_.failure().empty(); ++s) {
      const Store &st = kernel_.stores[s];
      if (!st.target.isIndirect()) {
        storeOne(st, lane, elementAt(run, s, lane));
      } else if (const auto element = runner_.indirectElement(run, s, lane)) {
        storeOne(st, lane, *element);
      }
    }
  }

  /// Stores of which some follow another: that one takes place where its value is better than what is there.
  void storeFollowing(const Run &run, int lane) {
    isBetter_.assign(kernel_.stores.size(), false);
    for (const Store &st : kernel_.stores) {
      if (st.follows < 0) continue;
      const auto s = static_cast<std::size_t>(st.follows);
      const Store &first = kernel_.stores[s];
      const DType type = target(first).type;
      const Scalar held = load(type, target(first).bytes.data(), elementAt(run, s, lane));
      const Scalar offered =
          convert(valueType(first.value), type, laneOf(valueType(first.value), runner_.lanes(first.value), lane));
      isBetter_[s] = first.combine == Combine::kMin ? isLess(type, offered, held) : isLess(type, held, offered);
    }
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      const Store &st = kernel_.stores[s];
      const bool isFollowed = std::any_of(kernel_.stores.begin(), kernel_.stores.end(),
                                          [s](const Store &o) { return o.follows == static_cast<int>(s); });
      if (isFollowed || st.follows >= 0) {
        if (isBetter_[isFollowed ? s : static_cast<std::size_t>(st.follows)]) put(st, lane, elementAt(run, s, lane));
      } else {
        storeOne(st, lane, elementAt(run, s, lane));
      }
    }
  }

  /// Whatever the store's way to combine is.
  void put(Store st, int lane, std::int64_t element) {
    st.combine = Combine::kAssign;
    storeOne(st, lane, element);
  }

  void storeSelected(const Run &run, int lane) {
    if (runner_.lanes(kernel_.predicate).i[lane] == 0) return;
    std::int64_t &selected = selected_[elementAt(run, 0, lane)];
    if (selected == kernel_.limit) return;
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      storeOne(kernel_.stores[s], lane, elementAt(run, s, lane) + (s == 0 ? selected : 0));
    ++selected;
  }

  // ---- In a given order ----

  void listLeaves(const Accumulation &node) {
    if (node.children.empty()) {
      leaves_.push_back(&node);
    } else {
      for (const Accumulation &child : node.children) listLeaves(child);
    }
  }

  void runInOrder(const Order &order) {
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      PIMENTO_CHECK(kernel_.dims[d].kind != DimKind::kSequential);
      (kernel_.dims[d].kind == DimKind::kReduction ? reductionDims_ : parallelDims_).push_back(d);
    }
    reductionPoints_ = 1;
    for (const std::size_t d : reductionDims_) reductionPoints_ *= kernel_.dims[d].extent;
    runner_.setConsumer([this](const Run &run) {
      hasRun_ = true;
      if (steps_) return takeTerms(run);
      for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
        const Store &st = kernel_.stores[s];
        if (st.combine == Combine::kAssign) {
          storeRun(s, run);
          continue;
        }
        const auto leaf = static_cast<std::size_t>(run.tag);
        const DType type = leaves_[leaf]->type;
        const Lanes &in = converted(st, type, run.begin, run.end);
        Scalar &acc = accumulators_[s * leaves_.size() + leaf];
        acc = fold(st.combine, type, acc, in, run.begin, run.end);
      }
    });
    std::int64_t covered = 0, all = 1;
    for (const std::size_t d : parallelDims_) all *= kernel_.dims[d].extent;
    for (const OrderRegion &region : order.regions) covered += runRegion(region);
    PIMENTO_CHECK(covered == all);
  }

  /// Returns the number of outputs the region covers.
  std::int64_t runRegion(const OrderRegion &region) {
    PIMENTO_CHECK(region.lower.size() == parallelDims_.size() && region.upper.size() == parallelDims_.size());
    std::int64_t outputs = 1;
    for (std::size_t p = 0; p < parallelDims_.size(); ++p) {
      PIMENTO_CHECK(region.lower[p] >= 0 && region.upper[p] <= kernel_.dims[parallelDims_[p]].extent);
      outputs *= std::max<std::int64_t>(0, region.upper[p] - region.lower[p]);
    }
    if (outputs == 0) return 0;
    leaves_.clear();
    listLeaves(region.sum);
    accumulators_.resize(kernel_.stores.size() * leaves_.size());
    steps_.reset();
    if (kernel_.guards.empty() && kernel_.bounds.empty() && kernel_.stores.size() == 1 &&
        kernel_.stores[0].combine != Combine::kAssign && !reductionDims_.empty())
      steps_ = AccumulationSteps::of(region.sum, reductionPoints_);
    Point output = region.lower, point(kernel_.dims.size(), 0);
    do {
      for (std::size_t p = 0; p < parallelDims_.size(); ++p) point[parallelDims_[p]] = output[p];
      runOutput(region.sum, point);
    } while (advance(output, region.lower, region.upper));
    return outputs;
  }

  void runOutput(const Accumulation &sum, Point &point) {
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      const Combine combine = kernel_.stores[s].combine;
      if (combine == Combine::kAssign) continue;
      for (std::size_t l = 0; l < leaves_.size(); ++l) {
        accumulators_[s * leaves_.size() + l] = identity(combine, leaves_[l]->type);
      }
    }
    hasRun_ = false;
    nextTerm_ = 0;
    if (steps_)
      addTerms({0, 1, reductionPoints_}, point, 0);
    else
      for (std::size_t l = 0; l < leaves_.size(); ++l)
        for (const Terms &terms : leaves_[l]->terms) addTerms(terms, point, static_cast<int>(l));
    runner_.flush();
    if (!hasRun_) return;  // guards leave out all of its points: where it would be stored need not exist
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      const Store &st = kernel_.stores[s];
      if (st.combine == Combine::kAssign) continue;
      if (hasInitialValue(st) && leaves_[0]->isInitial)
        accumulators_[s * leaves_.size()] = initialValue(s, leaves_[0]->type, point);
      const Scalar *nextLeaf = &accumulators_[s * leaves_.size()];
      Scalar root = steps_ ? steps_->run(st.combine, accumulators_) : mergeTree(sum, st.combine, nextLeaf);
      TensorData &t = target(st);
      const std::int64_t element = valueAt(targetElement(s), point);
      if (hasInitialValue(st) && !leaves_[0]->isInitial)
        root = merge(st.combine, sum.type, root, initialValue(s, sum.type, point));
      store(t.type, t.bytes.data(), element, convert(sum.type, t.type, root));
    }
  }

  /// All points of an output come in their order, each to its leaf.
  void takeTerms(const Run &run) {
    const Store &st = kernel_.stores[0];
    const DType type = leaves_[0]->type;
    const Lanes &in = converted(st, type, run.begin, run.end);
    for (int l = run.begin; l < run.end; ++l) {
      const int leaf = steps_->leaves()[static_cast<std::size_t>(nextTerm_++)];
      if (leaf < 0) continue;
      Scalar &acc = accumulators_[static_cast<std::size_t>(leaf)];
      if (st.combine == Combine::kAdd && type == DType::kF32)
        acc.f += in.f[l];
      else
        acc = merge(st.combine, type, acc, laneOf(type, in, l));
    }
  }

  /// What store `s` accumulates onto, in `type`. The element exists: some point of the output runs.
  Scalar initialValue(std::size_t s, DType type, const Point &point) {
    const TensorData &t = target(kernel_.stores[s]);
    return convert(t.type, type, load(t.type, t.bytes.data(), valueAt(targetElement(s), point)));
  }

  const Affine &targetElement(std::size_t s) {
    if (targetElements_.empty()) {
      for (const Store &st : kernel_.stores) {
        targetElements_.push_back(
            linearize(st.target, graph_.tensors[static_cast<std::size_t>(st.target.tensor)], kernel_.dims.size()));
      }
    }
    return targetElements_[s];
  }

  static Scalar mergeTree(const Accumulation &node, Combine combine, const Scalar *&nextLeaf) {
    if (node.children.empty()) return *nextLeaf++;
    Scalar sum = convert(node.children[0].type, node.type, mergeTree(node.children[0], combine, nextLeaf));
    for (std::size_t c = 1; c < node.children.size(); ++c) {
      const Scalar child = mergeTree(node.children[c], combine, nextLeaf);
      sum = merge(combine, node.type, sum, convert(node.children[c].type, node.type, child));
    }
    return sum;
  }

  /// Cuts a list of row-major reduction indices into runs along one dim.
  void addTerms(const Terms &terms, Point &point, int leaf) {
    PIMENTO_CHECK(terms.step >= 1 || terms.count <= 1);
    const std::int64_t step = std::max<std::int64_t>(1, terms.step);
    std::int64_t k = terms.first < 0 ? ceilDiv(-terms.first, step) : 0;
    while (k < terms.count) {
      const std::int64_t index = terms.first + k * step;
      if (index >= reductionPoints_) return;
      std::int64_t rest = index;
      for (std::size_t r = reductionDims_.size(); r-- > 0;) {
        const std::int64_t extent = kernel_.dims[reductionDims_[r]].extent;
        point[reductionDims_[r]] = rest % extent;
        rest /= extent;
      }
      if (const std::int64_t next = nextInBounds(index, point); next != index) {
        k = ceilDiv(next - terms.first, step);
        continue;
      }
      // The run goes along the innermost dim that the step moves without a carry from the dims inside it.
      std::size_t r = reductionDims_.size() - 1;
      std::int64_t dimStep = step;
      while (r > 0 && dimStep % kernel_.dims[reductionDims_[r]].extent == 0) {
        dimStep /= kernel_.dims[reductionDims_[r--]].extent;
      }
      const std::size_t d = reductionDims_[r];
      const std::int64_t run = std::min(terms.count - k, (kernel_.dims[d].extent - 1 - point[d]) / dimStep + 1);
      runner_.add(point, static_cast<int>(d), dimStep, run, leaf);
      k += run;
    }
  }

  /// The first reduction point from number `index` on, which is at `point`, that outer bounded dims let run.
  std::int64_t nextInBounds(std::int64_t index, const Point &point) {
    if (kernel_.bounds.empty()) return index;
    std::int64_t inside = reductionPoints_;  // of one value of the dim
    for (std::size_t r = 0; r + 1 < reductionDims_.size(); ++r) {
      const std::size_t d = reductionDims_[r];
      const std::int64_t around = inside;
      inside /= kernel_.dims[d].extent;
      if (!runner_.isBounded(d)) continue;
      const auto range = runner_.range(d, point);
      if (!range) return reductionPoints_;
      if (point[d] >= range->first && point[d] < range->end) continue;
      const std::int64_t start = index - index % around;
      return point[d] < range->first ? start + range->first * inside : start + around;
    }
    return index;
  }

  const Graph &graph_;
  const Kernel &kernel_;
  DataSet &data_;
  std::vector<bool> &isWritten_;
  BlockRunner runner_;
  Lanes scratch_, old_;
  std::map<std::int64_t, std::int64_t> selected_;  ///< by the row's first element
  bool hasFollowers_ = false;
  std::vector<bool> isBetter_;  ///< by store, at the current point
  std::vector<std::size_t> parallelDims_, reductionDims_;
  std::int64_t reductionPoints_ = 1;
  bool hasRun_ = false;  ///< a point of the current output
  std::vector<const Accumulation *> leaves_;
  std::vector<Scalar> accumulators_;        ///< per store and leaf of the current output
  std::optional<AccumulationSteps> steps_;  ///< of the region in hand, where it has such
  std::int64_t nextTerm_ = 0;               ///< of its output
  std::vector<Affine> targetElements_;
};

}  // namespace

Status interpret(const Graph &graph, DataSet &data, const std::vector<Order> &orders) {
  PIMENTO_CHECK(data.size() == graph.tensors.size());
  PIMENTO_CHECK(orders.empty() || orders.size() == graph.kernels.size());
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const Tensor &tensor = graph.tensors[t];
    if (tensor.role == Role::kInput || tensor.role == Role::kInOut) {
      PIMENTO_CHECK(data[t].type == tensor.type && data[t].shape == tensor.shape);
    } else {
      data[t] = TensorData(tensor.type, tensor.shape);
    }
  }
  PIMENTO_CHECK(orders.empty() || graph.loops.empty());
  std::vector<bool> isWritten(graph.tensors.size(), false);
  return Rounds(graph).visit([&](int k, const std::vector<std::int64_t> &counters, const std::vector<int> &names) {
    const Kernel &kernel = graph.kernels[static_cast<std::size_t>(k)];
    const Order *order = orders.empty() ? nullptr : &orders[static_cast<std::size_t>(k)];
    if (counters.empty() && graph.loops.empty()) return KernelInterpreter(graph, kernel, data, isWritten).run(order);
    std::optional<Kernel> bound = bind(kernel, counters);
    if (!bound) return okStatus();
    rename(*bound, names);
    return KernelInterpreter(graph, *bound, data, isWritten).run(order);
  });
}

Status interpretKernel(const Graph &graph, int kernel, DataSet &data, const Order &order) {
  PIMENTO_CHECK(data.size() == graph.tensors.size());
  const Kernel &run = graph.kernels[static_cast<std::size_t>(kernel)];
  // What it stores to counts. Of a graph that was unrolled the first kernels tell, not all the thousands before it.
  std::vector<bool> isWritten(graph.tensors.size(), false);
  const auto isKnown = [&](const Store &s) { return isWritten[static_cast<std::size_t>(s.target.tensor)]; };
  for (int k = 0; k < kernel && !std::ranges::all_of(run.stores, isKnown); ++k)
    for (const Store &s : graph.kernels[static_cast<std::size_t>(k)].stores)
      isWritten[static_cast<std::size_t>(s.target.tensor)] = true;
  return KernelInterpreter(graph, run, data, isWritten).run(&order);
}

}  // namespace pimento::kernel
