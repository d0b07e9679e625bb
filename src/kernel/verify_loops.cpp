#include "pimento/kernel/verify_loops.h"

#include <fmt/format.h>

#include <set>

#include "pimento/kernel/rounds.h"

namespace pimento::kernel {

bool LoopVerifier::checkLoops() {
  const std::size_t before = findings_.size();
  const Loop *previous = nullptr;
  for (const Loop &loop : graph_.loops) {
    if (places_ != nullptr) here_ = placeIn(places_->loops, static_cast<std::size_t>(&loop - graph_.loops.data()));
    if (here_.line == 0) here_ = loop.where;
    const std::string what = fmt::format("loop '{}'", loop.name);
    if (loop.extent < 1)
      report("bad-extent", fmt::format("{} has {} rounds", what, loop.extent), "loops must run at least once");
    if (loop.first >= 0 && loop.end <= loop.first)
      report("bad-loop", what + " contains no kernels", "put kernels into it, or remove it");
    else if (loop.first < 0 || loop.end > static_cast<int>(graph_.kernels.size()))
      report("bad-loop", fmt::format("{} contains kernels {} to {}", what, loop.first, loop.end - 1),
             fmt::format("the graph has {} kernels", graph_.kernels.size()));
    const bool isInOrder = previous == nullptr || previous->first <= loop.first;
    bool isCrossing = false;
    for (const Loop &outer : graph_.loops) {
      if (&outer == &loop) break;
      isCrossing = isCrossing || (loop.first < outer.end && loop.end > outer.end);
    }
    if (!isInOrder || isCrossing)
      report("bad-loop", what + " is neither nested in another loop nor separate from it", "list outer loops first");
    for (const auto &[a, b] : loop.swaps) checkSwap(a, b, what);
    previous = &loop;
  }
  here_ = {};
  if (findings_.size() != before) return false;
  for (std::size_t k = 0; k < graph_.kernels.size(); ++k) checkCounters(k);
  kernel_ = nullptr;
  return findings_.size() == before;
}

void LoopVerifier::checkSwap(int a, int b, const std::string &loop) {
  if (isTensor(a) && a == b) {
    report("bad-reference",
           fmt::format("{} swaps '{}' with itself", loop, graph_.tensors[static_cast<std::size_t>(a)].name),
           "name two tensors");
    return;
  }
  if (!isTensor(a) || !isTensor(b)) {
    report("bad-reference", fmt::format("{} swaps tensors number {} and {}", loop, a, b),
           fmt::format("name two of {} tensors", graph_.tensors.size()));
    return;
  }
  const Tensor &x = graph_.tensors[static_cast<std::size_t>(a)], &y = graph_.tensors[static_cast<std::size_t>(b)];
  if (x.type != y.type || x.shape != y.shape)
    report("bad-loop", fmt::format("{} swaps '{}' and '{}', which differ in type or shape", loop, x.name, y.name),
           "both must have the same type and shape");
}

/// The leading dims of a kernel are the counters of the loops around it.
void LoopVerifier::checkCounters(std::size_t k) {
  kernel_ = &graph_.kernels[k];
  std::size_t d = 0;
  for (const Loop &loop : graph_.loops) {
    if (static_cast<int>(k) < loop.first || static_cast<int>(k) >= loop.end) continue;
    const Dim *dim = d < kernel_->dims.size() ? &kernel_->dims[d] : nullptr;
    if (dim == nullptr || dim->kind != DimKind::kCounter)
      report("bad-loop", fmt::format("it lacks the counter of the enclosing loop '{}'", loop.name),
             "the first dims of a kernel are the counters of its loops, outermost first");
    else if (dim->extent != loop.extent)
      report("bad-loop",
             fmt::format("its counter '{}' has extent {}, loop '{}' {} rounds", dim->name, dim->extent, loop.name,
                         loop.extent),
             "use the same number for both");
    ++d;
  }
  for (; d < kernel_->dims.size(); ++d)
    if (kernel_->dims[d].kind == DimKind::kCounter)
      report("bad-loop", fmt::format("dim '{}' is not the counter of a loop", kernel_->dims[d].name),
             "put a loop around the kernel, or give the dim another kind");
}

/// Whether something is read before it is written, in the first two rounds of every loop: by then names that loops
/// swap have come round.
void LoopVerifier::checkDefinitions() {
  std::vector<bool> isWritten(graph_.tensors.size(), false);
  std::set<std::pair<int, int>> reported;
  const Status done = Rounds(graph_, 2).visit([&](int k, auto &, const std::vector<int> &names) {
    kernel_ = &graph_.kernels[static_cast<std::size_t>(k)];
    for (const Access &load : kernel_->loads) {
      atLoad(load);
      const auto t = static_cast<std::size_t>(names[static_cast<std::size_t>(load.tensor)]);
      const Tensor &tensor = graph_.tensors[t];
      const bool isMadeHere = isSequential() && stores(load.tensor);
      const bool isGiven = tensor.role == Role::kInput || tensor.role == Role::kInOut;
      if (isGiven || isWritten[t] || isMadeHere || !reported.emplace(k, static_cast<int>(t)).second) continue;
      report("use-before-definition", fmt::format("'{}' is read before any kernel writes it", tensor.name),
             "give it the role input or inout, or reorder the kernels");
    }
    for (const Store &store : kernel_->stores) {
      atStore(store);
      const auto t = static_cast<std::size_t>(names[static_cast<std::size_t>(store.target.tensor)]);
      isWritten[t] = true;
      if (graph_.tensors[t].role != Role::kInput || !reported.emplace(k, static_cast<int>(t)).second) continue;
      report("bad-role", fmt::format("the input '{}' is written", graph_.tensors[t].name),
             "give it the role output or inout");
    }
    return okStatus();
  });
  PIMENTO_CHECK(done);
  atKernel();
}

bool LoopVerifier::isEverWritten(int tensor) const {
  std::set<int> names{tensor};
  for (const Loop &loop : graph_.loops) {
    for (const auto &[a, b] : loop.swaps)
      if (names.contains(a) || names.contains(b)) names.insert({a, b});
  }
  return std::any_of(graph_.kernels.begin(), graph_.kernels.end(), [&](const Kernel &kernel) {
    return std::any_of(kernel.stores.begin(), kernel.stores.end(),
                       [&](const Store &s) { return names.contains(s.target.tensor); });
  });
}

}  // namespace pimento::kernel
