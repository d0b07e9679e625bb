// Which mappings of a kernel are worth a look.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "pimento/base/integer.h"
#include "pimento/mapping/dependence.h"
#include "pimento/targets/upmem/compiled/lower.h"
#include "pimento/targets/upmem/compiled/operands.h"

namespace pimento::targets::upmem::compiled {

using kernel::DimKind;
using kernel::Form;

namespace {

constexpr std::size_t kRank = 0, kDpu = 1, kTasklet = 2, kLevels = 3;
constexpr std::int64_t kRowUnit = 8;

class Space {
 public:
  Space(const kernel::Graph &graph, int kernel, const machine::Machine &machine, const mapping::MapSpec &spec)
      : kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        machine_(machine),
        spec_(spec),
        isOnOneTasklet_(updatesAnywhere(graph, kernel) || hasOneOrder(graph, kernel)),
        sumsInOrder_(sumsRowsInOrder(graph, kernel)) {
    findDims();
  }

  std::vector<mapping::Mapping> run() {
    if (!machine_.dpu || machine_.levels.size() != kLevels) return {};
    std::vector<std::int64_t> buffers = {0, 16, 32, 64, 128, 256, 512};
    if (spec_.mapping.parameters.contains("buffer")) buffers = {spec_.mapping.parameters.at("buffer")};
    // The compiler's own tiles and round numbers first: `auto` looks at the first of them.
    for (const bool isFine : {false, true})
      for (const std::int64_t buffer : buffers)
        for (const std::int64_t dpus : numbersOfDpus(isFine))
          for (const std::int64_t tasklets : numbersOfTasklets(isFine))
            for (std::size_t order = 0; order < orders_.size(); ++order)
              if (tried_.insert({order, dpus, tasklets, buffer}).second) add(orders_[order], dpus, tasklets, buffer);
    return std::move(out_);
  }

 private:
  std::int64_t extent(std::size_t d) const { return kernel_.dims[d].extent; }

  bool isInAllResults(std::size_t d) const {
    return std::all_of(kernel_.stores.begin(), kernel_.stores.end(), [d](const kernel::Store &s) {
      return std::any_of(s.target.index.begin(), s.target.index.end(), [d](auto &i) { return i.coefficients[d] != 0; });
    });
  }

  bool runsAlongRows(std::size_t d) const {
    return std::any_of(kernel_.loads.begin(), kernel_.loads.end(), [d](const kernel::Access &a) {
      return !a.index.empty() && a.index.back().coefficients[d] != 0;
    });
  }

  /// The dims that may be split, each in turn the first to be.
  void findDims() {
    std::vector<std::size_t> dims;
    const bool isSequential =
        std::any_of(kernel_.dims.begin(), kernel_.dims.end(), [](auto &d) { return d.kind == DimKind::kSequential; });
    const auto ofKind = [&](DimKind kind) {
      for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
        if (kernel_.dims[d].kind == kind && extent(d) > 1 && kernel_.boundsOf(static_cast<int>(d)) == nullptr)
          dims.push_back(d);
    };
    if (kernel_.form == Form::kSelect) {
      for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
        if (extent(d) > 1 && isOfRow(kernel_, d)) dims.push_back(d);
      for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
        if (extent(d) == 1 || isOfRow(kernel_, d)) continue;
        dims.push_back(d);  // the lists' first
        break;
      }
    } else if (!isOnOneTasklet_) {
      ofKind(DimKind::kParallel);
      if (!isSequential && !sumsInOrder_) ofKind(DimKind::kReduction);
      if (sumsInOrder_) std::erase_if(dims, [this](std::size_t d) { return !isInAllResults(d); });
      std::erase_if(dims, [&](std::size_t d) { return !mayCutExtreme(kernel_, d); });
      if (mapping::isPrefixSum(kernel_)) dims.assign(1, 0);
    }
    const auto isParallel = [&](std::size_t d) { return kernel_.dims[d].kind == DimKind::kParallel; };
    const auto parallel = std::count_if(dims.begin(), dims.end(), isParallel);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (parallel > 0 && static_cast<std::ptrdiff_t>(i) >= parallel && i > static_cast<std::size_t>(parallel)) break;
      std::vector<std::size_t> order = dims;
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                  order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      orders_.push_back(order);
    }
    if (orders_.empty()) orders_.push_back({});
  }

  std::vector<std::int64_t> numbersOfDpus(bool isFine) const {
    if (const auto named = spec_.mapping.parameters.find("dpus"); named != spec_.mapping.parameters.end())
      return {named->second};
    const std::int64_t ranks = machine_.levels[kRank].count, perRank = machine_.levels[kDpu].count,
                       all = multiplySaturated(ranks, perRank);
    std::vector<std::int64_t> out = {all};
    for (std::int64_t n = std::int64_t{1} << 40; n >= 1; n /= 2)
      if (n < all) out.push_back(n);
    for (std::int64_t r = ranks; isFine && r > 0; r /= 2)
      for (std::int64_t n = perRank; n > 0; n /= 2) out.push_back(r * n);
    return out;
  }

  /// None where more are named than a DPU has.
  std::vector<std::int64_t> numbersOfTasklets(bool isFine) const {
    const std::int64_t most = std::min(machine_.levels[kTasklet].count, machine_.dpu->maxTasklets);
    std::vector<std::int64_t> out;
    if (const auto named = spec_.mapping.parameters.find("tasklets"); named != spec_.mapping.parameters.end()) {
      if (named->second <= most) out.push_back(named->second);
      return out;
    }
    for (const std::int64_t t : {16, 12, 11, 24, 20, 14, 8, 4, 2, 1})
      if (t <= most) out.push_back(t);
    for (std::int64_t t = most; isFine && t > 0; --t) out.push_back(t);
    return out;
  }

  /// Splits `count` units over the dims in turn, each as far as it goes.
  void split(const std::vector<std::size_t> &order, std::int64_t count, std::vector<std::int64_t> &left,
             std::vector<std::int64_t> &factors) const {
    factors.assign(left.size(), 1);
    for (const std::size_t d : order) {
      const std::int64_t n = std::min(count, left[d]);
      if (n <= 1) continue;
      factors[d] = n;
      left[d] = ceilDiv(left[d], n);
      count /= n;
    }
  }

  void add(const std::vector<std::size_t> &order, std::int64_t dpus, std::int64_t tasklets, std::int64_t buffer) {
    std::int64_t ranks = 1;
    while (ranks <= machine_.levels[kRank].count && (dpus % ranks != 0 || dpus / ranks > machine_.levels[kDpu].count))
      ++ranks;
    if (ranks > machine_.levels[kRank].count) return;
    mapping::Subspace s;
    s.factors.assign(kLevels + 1, std::vector<std::int64_t>(kernel_.dims.size(), 1));
    std::vector<std::int64_t> left;
    for (const kernel::Dim &d : kernel_.dims) left.push_back(d.extent);
    split(order, ranks, left, s.factors[kRank]);
    split(order, dpus / ranks, left, s.factors[kDpu]);
    split(order, tasklets, left, s.factors[kTasklet]);
    // Shares of rows of whole transfers, where that leaves nobody out.
    for (std::size_t d = 0; d < left.size(); ++d)
      if (s.factors[kTasklet][d] > 1 && runsAlongRows(d) && left[d] >= 2 * kRowUnit)
        left[d] = ceilDiv(left[d], kRowUnit) * kRowUnit;
    s.factors[kLevels] = left;
    mapping::dropIdleInstances(s, kernel_, machine_.levels);
    mapping::Mapping m;
    m.subspaces = {s};
    if (buffer > 0) m.parameters["buffer"] = buffer;
    m.order = spec_.mapping.order;
    m.mergeAt = spec_.mapping.mergeAt;
    m.program = spec_.mapping.program;
    m.text = mapping::print(m);
    if (seen_.insert(m.text).second) out_.push_back(std::move(m));
  }

  const kernel::Kernel &kernel_;
  const machine::Machine &machine_;
  const mapping::MapSpec &spec_;
  bool isOnOneTasklet_, sumsInOrder_;
  std::vector<std::vector<std::size_t>> orders_;
  std::set<std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t>> tried_;
  std::set<std::string> seen_;
  std::vector<mapping::Mapping> out_;
};

}  // namespace

std::vector<mapping::Mapping> mappingSpace(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec) {
  return Space(graph, kernel, machine, spec).run();
}

}  // namespace pimento::targets::upmem::compiled
