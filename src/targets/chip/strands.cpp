#include "pimento/targets/chip/strands.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"

namespace pimento::targets::chip {

using kernel::DimKind;
using kernel::Op;
using sim::stream::Pattern;
using sim::stream::Strand;
using sim::stream::Stream;
using sim::stream::Use;

namespace {

/// Elements that an engine computes at a time.
constexpr std::int64_t kMostLanes = 16;

/// Longest chain of operations from loads to a value, in cycles of a core's units.
Cycles latencyOf(const kernel::Kernel &k, int value, const machine::Core &core) {
  using machine::CoreOperation;
  const kernel::Value &v = k.body[static_cast<std::size_t>(value)];
  const bool isFloatType = isFloat(v.type);
  CoreOperation of = isFloatType ? CoreOperation::kFloatAdd : CoreOperation::kVector;
  switch (v.op) {
    case Op::kConstant:
    case Op::kLoad:
    case Op::kIndex:
      return Cycles(0);
    case Op::kMul:
      of = isFloatType ? CoreOperation::kFloatMultiply : CoreOperation::kVectorMultiply;
      break;
    case Op::kDiv:
    case Op::kRem:
      of = CoreOperation::kFloatDivide;
      break;
    case Op::kSqrt:
      of = CoreOperation::kFloatSqrt;
      break;
    default:
      break;
  }
  Cycles longest{0};
  for (int i = 0; i < kernel::argumentCount(v.op); ++i)
    longest = std::max(longest, latencyOf(k, v.args[static_cast<std::size_t>(i)], core));
  return longest + core.of(of).latency;
}

void loadsOf(const kernel::Kernel &k, int value, std::vector<int> &loads) {
  const kernel::Value &v = k.body[static_cast<std::size_t>(value)];
  if (v.op == Op::kLoad) {
    if (std::ranges::find(loads, v.access) == loads.end()) loads.push_back(v.access);
    const kernel::Access &a = k.loads[static_cast<std::size_t>(v.access)];
    if (a.isIndirect()) loadsOf(k, a.indirectIndex, loads);
    return;
  }
  for (int i = 0; i < kernel::argumentCount(v.op); ++i) loadsOf(k, v.args[static_cast<std::size_t>(i)], loads);
}

/// A number below `within` for an element: the indices that data give are not known.
std::uint64_t somewhere(std::int64_t group, std::int64_t lane, std::int64_t strand, std::int64_t within) {
  std::uint64_t x =
      static_cast<std::uint64_t>(group) * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(lane * 64 + strand);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return (x >> 1) % static_cast<std::uint64_t>(std::max<std::int64_t>(1, within));
}

class StrandMaker {
 public:
  StrandMaker(const ChipNest &nest, const Addresses &addresses, const machine::Machine &machine, std::int64_t threads,
              const Window &window)
      : nest_(nest), k_(*nest.kernel), addresses_(addresses), machine_(machine), threads_(threads), window_(window) {}

  std::vector<std::vector<Strand>> make() {
    std::vector<std::vector<Strand>> out;
    const std::int64_t used = nest_.threadsOf(threads_);
    for (std::size_t s = 0; s < k_.stores.size(); ++s) {
      if (k_.stores[s].follows >= 0 && k_.stores.size() > 1) continue;  // goes with the one that it follows
      std::vector<Strand> strands;
      for (std::int64_t t = 0; t < used; ++t)
        if (std::optional<Strand> strand = strandOf(s, t)) strands.push_back(std::move(*strand));
      shareAlike(strands);
      if (!strands.empty()) out.push_back(std::move(strands));
    }
    return out;
  }

 private:
  /// Strands that go together have the same loops; the last ones may have fewer iterations.
  void shareAlike(std::vector<Strand> &strands) const {
    const auto together = static_cast<std::size_t>(std::max<std::int64_t>(1, machine_.streams->broadcast));
    for (std::size_t first = 0; first < strands.size(); first += together) {
      const std::size_t end = std::min(strands.size(), first + together);
      bool isAlike = true;
      for (std::size_t s = first; s < end; ++s) isAlike &= strands[s].nest.extents == strands[first].nest.extents;
      for (std::size_t s = first; s < end && !isAlike; ++s)
        for (Stream &load : strands[s].loads) load.isShared = false;
    }
  }
  std::optional<Strand> strandOf(std::size_t store, std::int64_t thread) {
    Strand strand;
    strand.core = static_cast<sim::stream::Node>(thread % machine_.noc->nodes());
    strand.nest.lanes = std::min(nest_.lanes, kMostLanes);
    first_.assign(k_.dims.size(), 0);
    for (const int d : nest_.order) {
      std::int64_t from = 0, to = nest_.dim(d).extent;
      if (d == nest_.split) std::tie(from, to) = nest_.pieceOf(thread, threads_);
      first_[static_cast<std::size_t>(d)] = from;
      if (to <= from) return std::nullopt;
      strand.nest.extents.push_back(to - from);
    }
    if (strand.nest.extents.empty()) strand.nest.extents.push_back(1);
    cut(strand);
    const kernel::Store &s = k_.stores[store];
    std::vector<int> loads;
    loadsOf(k_, s.value, loads);
    if (k_.predicate >= 0) loadsOf(k_, k_.predicate, loads);
    if (s.target.isIndirect()) loadsOf(k_, s.target.indirectIndex, loads);
    for (const int l : loads) {
      Stream stream = streamOf(k_.loads[static_cast<std::size_t>(l)], thread);
      stream.isShared = !stream.indirect && !movesWithSplit(k_.loads[static_cast<std::size_t>(l)]);
      strand.loads.push_back(std::move(stream));
    }
    // Affine streams first: what indirect ones need to know is there by then.
    std::ranges::stable_sort(strand.loads, {}, [](const Stream &x) { return x.indirect ? 1 : 0; });
    strand.latency = latencyOf(k_, s.value, *machine_.core);
    strand.consumer = streamOf(s.target, thread);
    const bool isSum = s.combine != kernel::Combine::kAssign || s.follows >= 0;
    const bool staysInside = isSum && !s.target.isIndirect() &&
                             std::ranges::all_of(strand.consumer.pattern.strides, [](auto x) { return x == 0; });
    if (staysInside)
      strand.consumer.use = Use::kReduce;
    else if (isSum && (s.target.isIndirect() || !isInner(s)))
      strand.consumer.use = Use::kUpdate;
    else
      strand.consumer.use = Use::kStore;
    if (strand.consumer.use == Use::kReduce) strand.consumer.pattern = {};
    if (strand.consumer.use == Use::kReduce && strand.loads.empty()) return std::nullopt;
    return strand;
  }

  /// The window's part of the nest.
  void cut(Strand &strand) {
    if (window_.count < 0) return;
    for (std::size_t l = 0; l <= window_.level && l < strand.nest.extents.size(); ++l) {
      std::int64_t &extent = strand.nest.extents[l];
      std::int64_t count = std::min<std::int64_t>(l == window_.level ? window_.count : 1, extent);
      if (l + 1 == strand.nest.extents.size()) count = std::min(extent, ceilDiv(count, nest_.lanes) * nest_.lanes);
      const auto skipped =
          static_cast<std::int64_t>(window_.at * static_cast<double>(extent - count)) / nest_.lanes * nest_.lanes;
      first_[static_cast<std::size_t>(nest_.order[l])] += skipped;
      extent = count;
    }
  }

  /// Whether the sum runs in the inner loops alone, so that its element is written once.
  bool isInner(const kernel::Store &s) const {
    bool hasMoved = false;
    for (auto d = nest_.order.rbegin(); d != nest_.order.rend(); ++d) {
      const bool moves = std::ranges::any_of(
          s.target.index, [&](const kernel::Affine &a) { return a.coefficients[static_cast<std::size_t>(*d)] != 0; });
      if (!moves && hasMoved && nest_.dim(*d).extent > 1) return false;
      hasMoved |= moves;
    }
    return true;
  }

  bool movesWithSplit(const kernel::Access &a) const {
    if (nest_.split < 0) return true;
    return std::ranges::any_of(
        a.index, [&](const kernel::Affine &i) { return i.coefficients[static_cast<std::size_t>(nest_.split)] != 0; });
  }

  Stream streamOf(const kernel::Access &a, std::int64_t thread) const {
    const kernel::Tensor &t = nest_.graph->tensors[static_cast<std::size_t>(a.tensor)];
    const kernel::Affine linear = kernel::linearize(a, t, k_.dims.size());
    const std::int64_t size = sizeOf(t.type).value;
    Stream stream;
    stream.pattern.elementBytes = size;
    std::int64_t base = linear.constant;
    for (std::size_t d = 0; d < k_.dims.size(); ++d) base += linear.coefficients[d] * first_[d];
    for (const int d : nest_.order)
      stream.pattern.strides.push_back(linear.coefficients[static_cast<std::size_t>(d)] * size);
    if (stream.pattern.strides.empty()) stream.pattern.strides.push_back(0);
    stream.pattern.base = addresses_.first[static_cast<std::size_t>(a.tensor)] +
                          static_cast<std::uint64_t>(std::max<std::int64_t>(0, base * size));
    if (a.isIndirect()) {
      std::int64_t row = size;
      for (std::size_t i = static_cast<std::size_t>(a.indirectAt) + 1; i < t.shape.size(); ++i) row *= t.shape[i];
      const std::int64_t within = t.shape[static_cast<std::size_t>(a.indirectAt)];
      const std::uint64_t from = addresses_.first[static_cast<std::size_t>(a.tensor)];
      stream.indirect = [=](std::int64_t group, std::int64_t lane) {
        return from + somewhere(group, lane, thread, within) * static_cast<std::uint64_t>(row);
      };
    }
    return stream;
  }

  const ChipNest &nest_;
  const kernel::Kernel &k_;
  const Addresses &addresses_;
  const machine::Machine &machine_;
  std::int64_t threads_;
  Window window_;
  std::vector<std::int64_t> first_;  ///< by dim: of the strand's piece
};

}  // namespace

int streamsOf(const kernel::Kernel &k) {
  int most = 0;
  for (const kernel::Store &s : k.stores) {
    std::vector<int> loads;
    loadsOf(k, s.value, loads);
    if (s.target.isIndirect()) loadsOf(k, s.target.indirectIndex, loads);
    most = std::max(most, static_cast<int>(loads.size()) + 1);
  }
  return most;
}

std::vector<std::vector<Strand>> strandsOf(const ChipNest &nest, const Addresses &addresses,
                                           const machine::Machine &machine, std::int64_t threads,
                                           const Window &window) {
  return StrandMaker(nest, addresses, machine, threads, window).make();
}

}  // namespace pimento::targets::chip
