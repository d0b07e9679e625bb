#include "pimento/kernel/cut.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "pimento/kernel/builder.h"

namespace pimento::kernel {

namespace {

class Cutter {
 public:
  Cutter(Graph &graph, const Kernel &kernel, const Cutting &cutting)
      : graph_(graph), kernel_(kernel), cutting_(cutting) {}

  std::vector<Kernel> run() {
    assignPhases();
    findDims();
    findTemporaries();
    const int last = *std::max_element(storePhases_.begin(), storePhases_.end());
    for (int phase = 0; phase <= last; ++phase) {
      makeTemporaries(phase);
      makeStores(phase);
    }
    if (parts_.size() == 1) parts_.front().name = kernel_.name;
    return std::move(parts_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool isOp(int v) const { return cutting_.values[at(v)] != Side::kAny; }

  /// The earliest phase of a side that follows its arguments': even ones are the device's.
  int phaseFor(Side side, const std::vector<int> &arguments) const {
    int phase = 0;
    for (const int a : arguments)
      if (isOp(a)) phase = std::max(phase, phases_[at(a)] + (cutting_.isApart[at(a)] ? 2 : 0));
    const int parity = side == Side::kHost ? 1 : 0;
    return side != Side::kAny && phase % 2 != parity ? phase + 1 : phase;
  }

  std::vector<int> argumentsOf(int v) const {
    const Value &value = kernel_.body[at(v)];
    const auto count = static_cast<std::ptrdiff_t>(argumentCount(value.op));
    return {value.args.begin(), value.args.begin() + count};
  }

  void assignPhases() {
    phases_.assign(kernel_.body.size(), -1);
    for (int v = 0; v < static_cast<int>(kernel_.body.size()); ++v)
      if (isOp(v)) phases_[at(v)] = phaseFor(cutting_.values[at(v)], argumentsOf(v));
    bool readsWhatItStores = false;
    for (const Store &s : kernel_.stores) {
      storePhases_.push_back(
          phaseFor(cutting_.stores[static_cast<std::size_t>(&s - kernel_.stores.data())], {s.value}));
      for (const Access &l : kernel_.loads) readsWhatItStores |= l.tensor == s.target.tensor;
    }
    // Nothing is overwritten before the last part has read it.
    if (readsWhatItStores)
      std::fill(storePhases_.begin(), storePhases_.end(), *std::max_element(storePhases_.begin(), storePhases_.end()));
  }

  /// Guards keep accesses within bounds, so where there are any, values stay with all dims.
  void findDims() {
    dims_.resize(kernel_.body.size());
    for (int v = 0; v < static_cast<int>(kernel_.body.size()); ++v) {
      std::set<int> &own = dims_[at(v)];
      const Value &value = kernel_.body[at(v)];
      for (int d = 0; d < static_cast<int>(kernel_.dims.size()); ++d) {
        bool isUsed = !kernel_.guards.empty() || (value.op == Op::kIndex && value.dim == d);
        if (value.op == Op::kLoad)
          for (const Affine &index : kernel_.loads[at(value.access)].index) isUsed |= index.coefficients[at(d)] != 0;
        if (isUsed) own.insert(d);
      }
      for (const int a : argumentsOf(v)) own.insert(dims_[at(a)].begin(), dims_[at(a)].end());
    }
  }

  void findTemporaries() {
    const auto need = [&](int v, int phase) {
      if (isOp(v) && phases_[at(v)] < phase) isTemporary_.insert(v);
    };
    for (int v = 0; v < static_cast<int>(kernel_.body.size()); ++v)
      if (isOp(v))
        for (const int a : argumentsOf(v)) need(a, phases_[at(v)]);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) need(kernel_.stores[s].value, storePhases_[s]);
  }

  std::string freeName() {
    std::string name;
    do name = kernel_.name + ".t" + std::to_string(++names_);
    while (graph_.tensorNamed(name) >= 0);
    return name;
  }

  void makeTemporaries(int phase) {
    std::map<std::set<int>, std::vector<int>> byDims;
    for (const int v : isTemporary_)
      if (phases_[at(v)] == phase) byDims[dims_[at(v)]].push_back(v);
    for (const auto &[dims, values] : byDims) {
      Part part = begin(phase, std::vector<int>(dims.begin(), dims.end()), false);
      for (const int v : values) {
        Tensor t{freeName(), kernel_.body[at(v)].type, {}, Role::kTemporary};
        std::vector<Affine> index;
        for (std::size_t i = 0; i < part.dims.size(); ++i) {
          t.shape.push_back(kernel_.dims[at(part.dims[i])].extent);
          index.push_back(part.builder.index(static_cast<int>(i)));
        }
        part.builder.store(static_cast<int>(graph_.tensors.size()), index, valueOf(part, v));
        temporaries_[v] = static_cast<int>(graph_.tensors.size());
        graph_.tensors.push_back(std::move(t));
      }
      parts_.push_back(part.builder.take());
    }
  }

  /// Assignments of a phase are one part, sums and the like one each.
  void makeStores(int phase) {
    const bool reduces =
        std::any_of(kernel_.dims.begin(), kernel_.dims.end(), [](auto &d) { return d.kind == DimKind::kReduction; });
    std::vector<int> all(kernel_.dims.size());
    for (std::size_t d = 0; d < all.size(); ++d) all[d] = static_cast<int>(d);
    std::vector<const Store *> own;
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (storePhases_[s] == phase) own.push_back(&kernel_.stores[s]);
    for (std::size_t s = 0; s < own.size();) {
      Part part = begin(phase, all, true);
      const std::size_t end = reduces ? s + 1 : own.size();
      for (; s < end; ++s) part.builder.store(own[s]->target, valueOf(part, own[s]->value), own[s]->combine);
      parts_.push_back(part.builder.take());
    }
  }

  struct Part {
    KernelBuilder builder;
    int phase = 0;
    std::vector<int> dims;      ///< of the kernel, by dim of the part
    std::map<int, int> values;  ///< of the kernel's body: in the part's
  };

  Part begin(int phase, std::vector<int> dims, bool keepsKinds) {
    std::vector<Dim> own;
    for (const int d : dims) {
      own.push_back(kernel_.dims[at(d)]);
      if (!keepsKinds) own.back().kind = DimKind::kParallel;
    }
    Part part{{kernel_.name + "." + std::to_string(parts_.size() + 1), own, kernel_.where}, phase, std::move(dims), {}};
    for (const Affine &g : kernel_.guards) part.builder.guard(inPart(part, g));
    return part;
  }

  static Affine inPart(const Part &part, const Affine &a) {
    Affine own{{}, a.constant};
    for (const int d : part.dims) own.coefficients.push_back(a.coefficients[at(d)]);
    return own;
  }

  int valueOf(Part &part, int v) {
    if (const auto known = part.values.find(v); known != part.values.end()) return known->second;
    const int made = makeValue(part, v);
    part.values.emplace(v, made);
    return made;
  }

  int makeValue(Part &part, int v) {
    const Value &value = kernel_.body[at(v)];
    if (isOp(v) && phases_[at(v)] < part.phase) {
      std::vector<Affine> index;
      for (const int d : dims_[at(v)])
        index.push_back(
            part.builder.index(static_cast<int>(std::find(part.dims.begin(), part.dims.end(), d) - part.dims.begin())));
      return part.builder.load(temporaries_.at(v), value.type, std::move(index));
    }
    switch (value.op) {
      case Op::kLoad: {
        Access access = kernel_.loads[at(value.access)];
        for (Affine &index : access.index) index = inPart(part, index);
        return part.builder.load(value.type, std::move(access));
      }
      case Op::kConstant:
        return isFloat(value.type) ? part.builder.constant(value.type, value.constant)
                                   : part.builder.integer(value.type, value.integer);
      case Op::kIndex:
        return part.builder.indexValue(
            static_cast<int>(std::find(part.dims.begin(), part.dims.end(), value.dim) - part.dims.begin()), value.type);
      default:
        break;
    }
    std::array<int, 3> args{-1, -1, -1};
    const std::vector<int> arguments = argumentsOf(v);
    for (std::size_t i = 0; i < arguments.size(); ++i) args[i] = valueOf(part, arguments[i]);
    if (value.op == Op::kCast) return part.builder.cast(value.type, args[0]);
    return part.builder.op(value.op, value.type, args[0], args[1], args[2]);
  }

  Graph &graph_;
  const Kernel &kernel_;
  const Cutting &cutting_;
  std::vector<int> phases_, storePhases_;
  std::vector<std::set<int>> dims_;
  std::set<int> isTemporary_;
  std::map<int, int> temporaries_;  ///< value: its tensor
  std::vector<Kernel> parts_;
  int names_ = 0;
};

}  // namespace

bool canBeCut(const Kernel &kernel) {
  return kernel.form == Form::kAffine && kernel.bounds.empty() && !kernel.hasIndirectLoads() &&
         std::all_of(kernel.dims.begin(), kernel.dims.end(),
                     [](const Dim &d) { return d.kind == DimKind::kParallel || d.kind == DimKind::kReduction; }) &&
         std::all_of(kernel.stores.begin(), kernel.stores.end(), [](const Store &s) { return s.follows < 0; });
}

std::vector<Kernel> cut(Graph &graph, const Kernel &kernel, const Cutting &cutting) {
  return Cutter(graph, kernel, cutting).run();
}

}  // namespace pimento::kernel
