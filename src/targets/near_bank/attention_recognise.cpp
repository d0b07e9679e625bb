#include <algorithm>

#include "pimento/lower/accumulation.h"
#include "pimento/targets/near_bank/attention.h"
#include "pimento/targets/near_bank/forms.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::Access;
using kernel::Combine;
using kernel::DimKind;
using kernel::Kernel;
using kernel::Op;

/// A tensor, and which dim of the first kernel each of its indices is.
struct Known {
  int tensor = -1;
  std::vector<int> dims;
};

/// Takes one kernel after the other.
class Recogniser {
 public:
  Recogniser(const kernel::Graph &graph, int first) : graph_(graph) { out_.first = first; }

  std::optional<Attention> run() {
    const auto current = scores();
    if (!current) return std::nullopt;
    const Known dots = *current, scaledOnes = scaled(dots).value_or(dots);
    const auto peak = step(Combine::kMax, Op::kLoad, {scaledOnes});
    if (!peak) return std::nullopt;
    const auto exponentials = exponentialsOf(scaledOnes, *peak);
    if (!exponentials) return std::nullopt;
    const auto total = step(Combine::kAdd, Op::kLoad, {*exponentials});
    if (!total) return std::nullopt;
    const auto weights = step(Combine::kAssign, Op::kDiv, {*exponentials, *total});
    if (!weights || !context(*weights)) return std::nullopt;
    return isClosed() ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  /// The next kernel, or null.
  const Kernel *next() const {
    const auto k = static_cast<std::size_t>(out_.first + out_.kernels);
    if (k >= graph_.kernels.size() || !isPlain(graph_.kernels[k]) || graph_.kernels[k].stores[0].follows >= 0)
      return nullptr;
    return &graph_.kernels[k];
  }
  static const kernel::Value &valueOf(const Kernel &k, int i) { return k.body[static_cast<std::size_t>(i)]; }
  static const kernel::Value &stored(const Kernel &k) { return valueOf(k, k.stores[0].value); }
  /// The load that a body value is, or -1.
  static int loadOf(const Kernel &k, int value) {
    return value >= 0 && valueOf(k, value).op == Op::kLoad ? valueOf(k, value).access : -1;
  }
  static bool isReduction(const Kernel &k, int dim) {
    return k.dims[static_cast<std::size_t>(dim)].kind == DimKind::kReduction;
  }

  /// The first kernel, whose dims are what the others' are.
  std::optional<Known> scores() {
    const Kernel *k = next();
    if (k == nullptr || k->stores[0].combine != Combine::kAdd || stored(*k).op != Op::kMul) return std::nullopt;
    const int a = loadOf(*k, stored(*k).args[0]), b = loadOf(*k, stored(*k).args[1]);
    if (a < 0 || b < 0 || a == b) return std::nullopt;
    const std::size_t dims = k->dims.size();
    const auto used = [&](int load) {
      std::vector<int> of = dimsOf(k->loads[static_cast<std::size_t>(load)], dims);
      std::sort(of.begin(), of.end());
      return std::unique(of.begin(), of.end()) == of.end() ? of : std::vector<int>{};
    };
    const bool isSecond = used(b).size() == dims;
    out_.keys = isSecond ? b : a;
    out_.query = isSecond ? a : b;
    const std::vector<int> ofQuery = used(out_.query);
    if (used(out_.keys).size() != dims || ofQuery.size() + 1 != dims) return std::nullopt;
    for (int d = 0; d < static_cast<int>(dims); ++d) {
      if (k->dims[static_cast<std::size_t>(d)].kind == DimKind::kSequential) return std::nullopt;
      int *role = !std::binary_search(ofQuery.begin(), ofQuery.end(), d) ? &out_.lengthDim
                  : isReduction(*k, d)                                   ? &out_.depthDim
                                                                         : nullptr;
      if (role == nullptr) {
        out_.groupDims.push_back(d);
      } else if (*role >= 0) {
        return std::nullopt;
      } else {
        *role = d;
      }
    }
    if (out_.lengthDim < 0 || out_.depthDim < 0 || isReduction(*k, out_.lengthDim)) return std::nullopt;
    std::vector<int> own(dims);
    for (std::size_t d = 0; d < dims; ++d) own[d] = static_cast<int>(d);
    return take(*k, std::move(own), false);
  }

  /// The same multiplied by a constant.
  std::optional<Known> scaled(const Known &of) {
    const Kernel *k = next();
    if (k == nullptr || k->stores[0].combine != Combine::kAssign || stored(*k).op != Op::kMul) return std::nullopt;
    for (const int side : {0, 1}) {
      const auto at = static_cast<std::size_t>(side);
      const int load = loadOf(*k, stored(*k).args[at]);
      const kernel::Value &factor = valueOf(*k, stored(*k).args[1 - at]);
      std::vector<int> dims(k->dims.size(), -1);
      if (load < 0 || factor.op != Op::kConstant || !sees(*k, load, of, dims)) continue;
      out_.scale = factor.constant;
      return take(*k, std::move(dims), false);
    }
    return std::nullopt;
  }

  /// A kernel that stores `op` of elements of `from`, in this order.
  std::optional<Known> step(Combine combine, Op op, const std::vector<Known> &from) {
    const Kernel *k = next();
    if (k == nullptr || k->stores[0].combine != combine || stored(*k).op != op) return std::nullopt;
    std::vector<int> dims(k->dims.size(), -1);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const int load = op == Op::kLoad ? stored(*k).access : loadOf(*k, stored(*k).args[i]);
      if (load < 0 || !sees(*k, load, from[i], dims)) return std::nullopt;
    }
    return take(*k, std::move(dims), combine != Combine::kAssign);
  }

  std::optional<Known> exponentialsOf(const Known &scores, const Known &peak) {
    const Kernel *k = next();
    if (k == nullptr || k->stores[0].combine != Combine::kAssign || stored(*k).op != Op::kExp) return std::nullopt;
    const kernel::Value &difference = valueOf(*k, stored(*k).args[0]);
    if (difference.op != Op::kSub) return std::nullopt;
    std::vector<int> dims(k->dims.size(), -1);
    const int a = loadOf(*k, difference.args[0]), b = loadOf(*k, difference.args[1]);
    if (a < 0 || b < 0 || !sees(*k, a, scores, dims) || !sees(*k, b, peak, dims)) return std::nullopt;
    return take(*k, std::move(dims), false);
  }

  bool context(const Known &weights) {
    const Kernel *k = next();
    if (k == nullptr || k->stores[0].combine != Combine::kAdd || stored(*k).op != Op::kMul) return false;
    for (const int side : {0, 1}) {
      const auto at = static_cast<std::size_t>(side);
      const int w = loadOf(*k, stored(*k).args[at]), v = loadOf(*k, stored(*k).args[1 - at]);
      std::vector<int> dims(k->dims.size(), -1);
      if (w < 0 || v < 0 || w == v || !sees(*k, w, weights, dims)) continue;
      const std::vector<int> ofValues = dimsOf(k->loads[static_cast<std::size_t>(v)], k->dims.size());
      if (std::ranges::count(dims, -1) != 1 || ofValues.size() != k->dims.size()) return false;
      *std::ranges::find(dims, -1) = out_.depthDim;
      for (int d = 0; d < static_cast<int>(dims.size()); ++d)
        if (std::ranges::count(ofValues, d) != 1) return false;
      out_.values = v;
      return take(*k, std::move(dims), true).has_value();
    }
    return false;
  }

  /// Whether a load reads all of a tensor that is known; completes which dims the kernel's own are.
  static bool sees(const Kernel &k, int load, const Known &of, std::vector<int> &dims) {
    const Access &a = k.loads[static_cast<std::size_t>(load)];
    const std::vector<int> own = dimsOf(a, k.dims.size());
    if (a.tensor != of.tensor || own.size() != of.dims.size()) return false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      int &role = dims[static_cast<std::size_t>(own[i])];
      if (role >= 0 && role != of.dims[i]) return false;
      role = of.dims[i];
    }
    return true;
  }

  /// The next kernel is part of it, if its dims are those of the first, as long as there, and it sums the
  /// right ones.
  std::optional<Known> take(const Kernel &k, std::vector<int> dims, bool sumsLength) {
    const Kernel &first = graph_.kernels[static_cast<std::size_t>(out_.first)];
    std::vector<int> sorted = dims;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.empty() || sorted.front() < 0 || std::unique(sorted.begin(), sorted.end()) != sorted.end())
      return std::nullopt;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto of = static_cast<std::size_t>(dims[d]);
      const bool isSummed =
          (sumsLength && dims[d] == out_.lengthDim) || (out_.kernels == 0 && dims[d] == out_.depthDim);
      if (k.dims[d].extent != first.dims[of].extent ||
          k.dims[d].kind != (isSummed ? DimKind::kReduction : DimKind::kParallel))
        return std::nullopt;
    }
    const std::vector<int> target = dimsOf(k.stores[0].target, k.dims.size());
    const auto parallel = std::ranges::count(k.dims, DimKind::kParallel, &kernel::Dim::kind);
    if (static_cast<std::ptrdiff_t>(target.size()) != parallel) return std::nullopt;
    Known known{k.stores[0].target.tensor, {}};
    for (const int d : target) {
      if (isReduction(k, d)) return std::nullopt;
      known.dims.push_back(dims[static_cast<std::size_t>(d)]);
    }
    std::vector<int> seen = known.dims;
    std::sort(seen.begin(), seen.end());
    if (std::unique(seen.begin(), seen.end()) != seen.end()) return std::nullopt;
    out_.dimsOfFirst.push_back(std::move(dims));
    ++out_.kernels;
    return known;
  }

  /// Nobody else sees what is between its kernels, and nothing is added to what was there.
  bool isClosed() const {
    const evaluate::GraphPart part{&graph_, out_.first, out_.kernels};
    for (int i = 0; i < out_.kernels; ++i) {
      const kernel::Store &s = graph_.kernels[static_cast<std::size_t>(out_.first + i)].stores[0];
      if (i < out_.last() && !evaluate::isInside(part, s.target.tensor)) return false;
      if (s.combine != Combine::kAssign && lower::hasInitial(graph_, out_.first + i, s)) return false;
      for (const auto &[kernel, load] :
           {std::pair{0, out_.query}, std::pair{0, out_.keys}, std::pair{out_.last(), out_.values}})
        if (graph_.kernels[static_cast<std::size_t>(out_.first + kernel)]
                .loads[static_cast<std::size_t>(load)]
                .tensor == s.target.tensor)
          return false;
    }
    return true;
  }

  const kernel::Graph &graph_;
  Attention out_;
};

}  // namespace

std::optional<Attention> recogniseAttention(const kernel::Graph &graph, int first) {
  return Recogniser(graph, first).run();
}

bool fusesAttention(const machine::Machine &machine) {
  return machine.nearBank && machine.nearBank->softmax && machine.nearBank->accumulators == machine.nearBank->lanes;
}

}  // namespace pimento::targets::near_bank
