#include "pimento/kernel/contract.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace pimento::kernel {

namespace {

class Contractor {
 public:
  explicit Contractor(Graph &graph) : graph_(graph) {}

  void run() {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (graph_.tensors[t].role != Role::kTemporary || !isPlain(static_cast<int>(t))) continue;
      for (std::size_t p = graph_.tensors[t].shape.size(); p-- > 0;)
        if (std::ranges::any_of(graph_.loops, [&](const Loop &l) { return isOfRound(l, static_cast<int>(t), p); }))
          drop(static_cast<int>(t), p);
    }
  }

 private:
  /// All accesses to the tensor; `see` gets the kernel's number.
  void visit(int tensor, const std::function<void(std::size_t kernel, Access &access)> &see) {
    for (std::size_t k = 0; k < graph_.kernels.size(); ++k) {
      for (Access &load : graph_.kernels[k].loads)
        if (load.tensor == tensor) see(k, load);
      for (Store &store : graph_.kernels[k].stores)
        if (store.target.tensor == tensor) see(k, store.target);
    }
  }

  /// Assigned to only, under one name.
  bool isPlain(int tensor) const {
    const auto isSwapped = [&](const Loop &l) {
      return std::ranges::any_of(l.swaps, [&](const auto &pair) { return pair[0] == tensor || pair[1] == tensor; });
    };
    const auto isKept = [&](const Kernel &k) {
      return std::ranges::any_of(k.stores, [&](const Store &s) {
        return s.target.tensor == tensor &&
               (s.combine != Combine::kAssign || s.follows >= 0 || k.form != Form::kAffine);
      });
    };
    return std::ranges::none_of(graph_.loops, isSwapped) && std::ranges::none_of(graph_.kernels, isKept);
  }

  /// Whether index `p` is the counter of the loop, and a number that is the same everywhere, in all accesses.
  bool isOfRound(const Loop &loop, int tensor, std::size_t p) {
    const auto depth = static_cast<std::size_t>(std::ranges::count_if(graph_.loops, [&](const Loop &outer) {
      const bool isAround = outer.first <= loop.first && loop.end <= outer.end && &outer < &loop;
      return isAround;
    }));
    std::optional<std::int64_t> constant;
    bool isIt = true;
    visit(tensor, [&](std::size_t k, Access &access) {
      const auto number = static_cast<int>(k);
      if (number < loop.first || number >= loop.end || access.indirectAt == static_cast<int>(p)) {
        isIt = false;
        return;
      }
      Affine counter{std::vector<std::int64_t>(graph_.kernels[k].dims.size(), 0), access.index[p].constant};
      counter.coefficients[depth] = 1;
      isIt = isIt && access.index[p] == counter && constant.value_or(counter.constant) == counter.constant;
      constant = counter.constant;
    });
    return isIt && constant.has_value();
  }

  void drop(int tensor, std::size_t p) {
    const auto at = static_cast<std::ptrdiff_t>(p);
    std::vector<std::int64_t> &shape = graph_.tensors[static_cast<std::size_t>(tensor)].shape;
    shape.erase(shape.begin() + at);
    visit(tensor, [&](std::size_t /*kernel*/, Access &access) {
      access.index.erase(access.index.begin() + at);
      if (access.indirectAt > static_cast<int>(p)) --access.indirectAt;
    });
  }

  Graph &graph_;
};

}  // namespace

void contractTemporaries(Graph &graph) {
  if (!graph.loops.empty()) Contractor(graph).run();
}

}  // namespace pimento::kernel
