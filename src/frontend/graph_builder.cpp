#include "pimento/frontend/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "pimento/kernel/builder.h"
#include "pimento/kernel/contract.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/rounds.h"

namespace pimento::frontend {

using kernel::Access;
using kernel::Affine;
using kernel::Combine;
using kernel::Kernel;
using kernel::KernelBuilder;
using kernel::Role;
using kernel::Store;

namespace {

/// A kernel whose loops d0, d1, ... walk `shape`.
KernelBuilder walk(std::string name, const std::vector<std::int64_t> &shape, const Location &where) {
  std::vector<kernel::Dim> dims;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    dims.push_back({fmt::format("d{}", d), shape[d], kernel::DimKind::kParallel});
  }
  return KernelBuilder(std::move(name), std::move(dims), where);
}

/// (d0, d1, ...).
std::vector<Affine> everyElement(const KernelBuilder &k, std::size_t rank) {
  std::vector<Affine> index;
  for (std::size_t d = 0; d < rank; ++d) index.push_back(k.index(static_cast<int>(d)));
  return index;
}

}  // namespace

bool isNeutral(const Constant &c, Combine combine, DType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto width = static_cast<unsigned>(8 * sizeOf(type).value);
  const std::uint64_t highest =
      isSigned(type) ? (std::uint64_t{1} << (width - 1)) - 1 : ~std::uint64_t{0} >> (64 - width);
  switch (combine) {
    case Combine::kAdd:
      return isFloat(type) ? c.real == 0 : c.integer == 0;
    case Combine::kMul:
      return isFloat(type) ? c.real == 1 : c.integer == 1;
    case Combine::kMin:
      return isFloat(type) ? c.real == kInfinity : c.integer == static_cast<std::int64_t>(highest);
    case Combine::kMax:
      return isFloat(type) ? c.real == -kInfinity
                           : c.integer == (isSigned(type) ? -static_cast<std::int64_t>(highest) - 1 : 0);
    case Combine::kAssign:
      return false;
  }
  return false;
}

GraphBuilder::GraphBuilder(std::string name, Location where) : where_(std::move(where)) {
  graph_.name = std::move(name);
}

int GraphBuilder::addBuffer(Buffer buffer) {
  buffers_.push_back(std::move(buffer));
  return static_cast<int>(buffers_.size()) - 1;
}

int GraphBuilder::addTensor(const Buffer &buffer, Role role, int order) {
  graph_.tensors.push_back({buffer.name, buffer.type, buffer.shape, role, role == Role::kInput && buffer.isConstant});
  order_.push_back(order);
  return static_cast<int>(graph_.tensors.size()) - 1;
}

int GraphBuilder::addArgument(Buffer buffer) {
  buffer.holds = Holds::kTensor;
  buffer.tensor = buffer.argument = addTensor(buffer, Role::kInput, static_cast<int>(arguments_.size()));
  const int b = addBuffer(std::move(buffer));
  arguments_.push_back(b);
  return b;
}

int GraphBuilder::overwrite(int b) {
  const int tensor = addTensor(buffer(b), Role::kTemporary, 1'000'000 + static_cast<int>(order_.size()));
  buffer(b).holds = Holds::kTensor;
  buffer(b).tensor = tensor;
  return tensor;
}

void GraphBuilder::openLoop(std::string name, std::int64_t extent, const Location &where) {
  open_.push_back(graph_.loops.size());
  graph_.loops.push_back({std::move(name), extent, static_cast<int>(graph_.kernels.size()), 0, {}, where});
}

void GraphBuilder::closeLoop(std::vector<std::array<int, 2>> swaps) {
  graph_.loops[open_.back()].end = static_cast<int>(graph_.kernels.size());
  graph_.loops[open_.back()].swaps = std::move(swaps);
  open_.pop_back();
}

void GraphBuilder::add(Kernel kernel) {
  const std::string stem = kernel.name;
  const auto isTaken = [&] {
    return std::any_of(graph_.kernels.begin(), graph_.kernels.end(),
                       [&](const Kernel &k) { return k.name == kernel.name; });
  };
  for (int n = 1; isTaken(); ++n) kernel.name = fmt::format("{}_{}", stem, n);
  graph_.kernels.push_back(std::move(kernel));
}

void GraphBuilder::annotate(const std::string &name, const std::string &mapping) {
  Kernel &last = graph_.kernels.back();
  const bool isTaken =
      std::any_of(graph_.kernels.begin(), graph_.kernels.end(), [&](const Kernel &k) { return k.name == name; });
  if (!name.empty() && !isTaken) last.name = name;
  if (!mapping.empty()) mappings_[last.name] = mapping;
}

std::string GraphBuilder::mappingOf(const std::string &kernel) const {
  const auto it = mappings_.find(kernel);
  return it == mappings_.end() ? std::string() : it->second;
}

void GraphBuilder::fill(int b, const Location &where) {
  const Buffer &to = buffer(b);
  const std::size_t rank = to.shape.size();
  KernelBuilder k = walk("fill", to.shape, where);
  const int value = isFloat(to.type) ? k.constant(to.type, to.constant.real) : k.integer(to.type, to.constant.integer);
  k.store(overwrite(b), everyElement(k, rank), value);
  add(k.take());
}

void GraphBuilder::copy(int from, int to, const Location &where) {
  const Buffer source = buffer(from);
  if (source.holds != Holds::kTensor) {
    buffer(to).holds = source.holds;
    buffer(to).constant = source.constant;
    return;
  }
  const std::size_t rank = source.shape.size();
  KernelBuilder k = walk("copy", source.shape, where);
  const int value = k.load(source.tensor, source.type, everyElement(k, rank));
  k.store(overwrite(to), everyElement(k, rank), value);
  add(k.take());
}

int GraphBuilder::update(int b, int from, bool mayReuse, const Location &where) {
  if (b != from) {
    if (buffer(from).holds == Holds::kTensor && !(mayReuse && !buffer(from).isShared)) {
      copy(from, b, where);
    } else {
      buffer(b).holds = buffer(from).holds;
      buffer(b).constant = buffer(from).constant;
      buffer(b).tensor = buffer(from).tensor;
      buffer(b).argument = buffer(from).argument;
    }
  }
  if (buffer(b).holds == Holds::kConstant) fill(b, where);
  if (buffer(b).holds == Holds::kNothing) overwrite(b);
  return buffer(b).tensor;
}

void GraphBuilder::returned(int b, const Location &where) {
  const bool isArgument = buffer(b).argument >= 0;
  results_.push_back(-1);
  if (isArgument && buffer(b).isMemref) return;  // settled with the arguments
  if (buffer(b).holds == Holds::kConstant) fill(b, where);
  if (isArgument && buffer(b).tensor == buffer(b).argument && !isStored(buffer(b).tensor)) {
    Buffer result = buffer(b);
    result.name.clear();
    result.argument = -1;
    const int out = addBuffer(std::move(result));
    copy(b, out, where);
    b = out;
  }
  const int tensor = storageOf(buffer(b).tensor);
  kernel::Tensor &result = graph_.tensors[static_cast<std::size_t>(tensor)];
  result.role = isStored(tensor) && tensor == buffer(b).argument ? Role::kInOut : Role::kOutput;
  if (result.name.empty()) result.name = "out";
  results_.back() = tensor;
}

int GraphBuilder::tensorOfArgument(int b) const {
  const Buffer &argument = buffers_[static_cast<std::size_t>(b)];
  const int first = renumbered_[static_cast<std::size_t>(argument.argument)];
  return first >= 0 || !argument.isMemref ? first : renumbered_[static_cast<std::size_t>(argument.tensor)];
}

/// Where the contents lie that a tensor's name stands for at the end.
int GraphBuilder::storageOf(int tensor) const {
  std::vector<int> storage(graph_.tensors.size());
  std::iota(storage.begin(), storage.end(), 0);
  // What loops [from, to) within the same kernels do to names, and how often.
  const std::function<void(std::size_t, std::size_t, std::vector<int> &)> run = [&](std::size_t from, std::size_t to,
                                                                                    std::vector<int> &names) {
    for (std::size_t l = from; l < to;) {
      const kernel::Loop &loop = graph_.loops[l];
      std::size_t end = l + 1;
      while (end < to && graph_.loops[end].end <= loop.end) ++end;
      std::vector<int> round(names.size());
      std::iota(round.begin(), round.end(), 0);
      run(l + 1, end, round);
      for (const auto &[a, b] : loop.swaps)
        std::swap(round[static_cast<std::size_t>(a)], round[static_cast<std::size_t>(b)]);
      const auto apply = [&](const std::vector<int> &first, const std::vector<int> &second) {
        std::vector<int> both;
        for (const int t : second) both.push_back(first[static_cast<std::size_t>(t)]);
        return both;
      };
      for (std::int64_t times = loop.extent; times > 0; times /= 2) {
        if (times % 2 == 1) names = apply(names, round);
        round = apply(round, round);
      }
      l = end;
    }
  };
  run(0, graph_.loops.size(), storage);
  return storage[static_cast<std::size_t>(tensor)];
}

bool GraphBuilder::isStored(int tensor) const {
  const std::vector<bool> names = kernel::swappedWith(graph_, tensor);
  for (const Kernel &k : graph_.kernels) {
    for (const Store &s : k.stores) {
      if (names[static_cast<std::size_t>(s.target.tensor)]) return true;
    }
  }
  return false;
}

bool GraphBuilder::isTouched(int tensor) const {
  if (isStored(tensor)) return true;
  for (const kernel::Loop &loop : graph_.loops) {
    for (const auto &[a, b] : loop.swaps)
      if (a == tensor || b == tensor) return true;
  }
  for (const Kernel &k : graph_.kernels) {
    for (const Access &a : k.loads) {
      if (a.tensor == tensor) return true;
    }
  }
  return false;
}

/// A fresh tensor that is accumulated into starts from the identity by itself (what follows a minimum from 0); where it
/// becomes one that the user gives, a kernel says so.
void GraphBuilder::startFromIdentity(int tensor, const Location &where) {
  for (std::size_t n = 0; n < graph_.kernels.size(); ++n) {
    const auto &stores = graph_.kernels[n].stores;
    const auto store =
        std::find_if(stores.begin(), stores.end(), [&](const Store &s) { return s.target.tensor == tensor; });
    if (store == stores.end()) continue;
    if (store->combine == Combine::kAssign && store->follows < 0) return;
    const kernel::Tensor to = graph_.tensors[static_cast<std::size_t>(tensor)];
    const kernel::Scalar identity = kernel::identity(store->combine, to.type);
    KernelBuilder k = walk("fill", to.shape, where);
    const int value = !isFloat(to.type) ? k.integer(to.type, identity.i)
                                        : k.constant(to.type, to.type == DType::kF64 ? identity.d : identity.f);
    k.store(tensor, everyElement(k, to.shape.size()), value);
    add(k.take());
    std::rotate(graph_.kernels.begin() + static_cast<std::ptrdiff_t>(n), graph_.kernels.end() - 1,
                graph_.kernels.end());
    for (kernel::Loop &loop : graph_.loops) {
      if (loop.first < static_cast<int>(n)) continue;  // what is fresh is not made in a loop
      ++loop.first;
      ++loop.end;
    }
    return;
  }
}

bool GraphBuilder::isWritten(int b) const {
  const Buffer &of = buffers_[static_cast<std::size_t>(b)];
  return of.isMemref && (of.holds == Holds::kConstant || of.tensor != of.argument || isStored(of.argument));
}

/// A memref argument ends as input, output or in-out; a fresh tensor that ends in it becomes the argument itself.
void GraphBuilder::settleArgument(int b) {
  if (!buffer(b).isMemref) return;
  if (buffer(b).holds == Holds::kConstant) fill(b, where_);
  const int first = buffer(b).argument, last = buffer(b).tensor;
  if (first == last) {
    if (isStored(first)) graph_.tensors[static_cast<std::size_t>(first)].role = Role::kInOut;
    return;
  }
  if (!isTouched(first)) {
    graph_.tensors[static_cast<std::size_t>(last)].role = Role::kOutput;
    order_[static_cast<std::size_t>(last)] = order_[static_cast<std::size_t>(first)];
    return;
  }
  startFromIdentity(last, where_);
  for (Kernel &k : graph_.kernels) {
    for (Access &a : k.loads) a.tensor = a.tensor == last ? first : a.tensor;
    for (Store &s : k.stores) s.target.tensor = s.target.tensor == last ? first : s.target.tensor;
  }
  for (kernel::Loop &loop : graph_.loops)
    for (auto &swap : loop.swaps) std::replace(swap.begin(), swap.end(), last, first);
  graph_.tensors[static_cast<std::size_t>(first)].role = Role::kInOut;
}

/// Tensors that some output depends on. A round may read what a later kernel left in the round before.
std::vector<bool> GraphBuilder::neededTensors() const {
  std::vector<bool> isNeeded(graph_.tensors.size());
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
    isNeeded[t] = graph_.tensors[t].role == Role::kOutput || graph_.tensors[t].role == Role::kInOut;
  for (std::size_t before = 0, now = 1; before != now;) {
    before = static_cast<std::size_t>(std::count(isNeeded.begin(), isNeeded.end(), true));
    for (auto k = graph_.kernels.rbegin(); k != graph_.kernels.rend(); ++k) {
      if (std::none_of(k->stores.begin(), k->stores.end(),
                       [&](const Store &s) { return isNeeded[static_cast<std::size_t>(s.target.tensor)]; }))
        continue;
      for (const Access &a : k->loads) isNeeded[static_cast<std::size_t>(a.tensor)] = true;
      for (const Store &s : k->stores)  // the minimum that it goes with
        if (s.follows >= 0 && isNeeded[static_cast<std::size_t>(s.target.tensor)])
          isNeeded[static_cast<std::size_t>(k->stores[static_cast<std::size_t>(s.follows)].target.tensor)] = true;
    }
    for (const kernel::Loop &loop : graph_.loops) {
      for (const auto &[a, b] : loop.swaps) {
        const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
        isNeeded[x] = isNeeded[y] = isNeeded[x] || isNeeded[y];
      }
    }
    now = static_cast<std::size_t>(std::count(isNeeded.begin(), isNeeded.end(), true));
  }
  return isNeeded;
}

/// Drops kernels and stores that reach no output.
void GraphBuilder::prune() {
  const std::vector<bool> isNeeded = neededTensors();
  const auto isOpen = [&](const Store &s) { return isNeeded[static_cast<std::size_t>(s.target.tensor)]; };
  std::vector<int> kept{0};  // by kernel: how many before it are kept
  for (const Kernel &k : graph_.kernels)
    kept.push_back(kept.back() + (std::any_of(k.stores.begin(), k.stores.end(), isOpen) ? 1 : 0));
  for (kernel::Loop &loop : graph_.loops) {
    loop.first = kept[static_cast<std::size_t>(loop.first)];
    loop.end = kept[static_cast<std::size_t>(loop.end)];
  }
  std::erase_if(graph_.loops, [](const kernel::Loop &loop) { return loop.first == loop.end; });
  std::erase_if(graph_.kernels,
                [&](const Kernel &k) { return std::none_of(k.stores.begin(), k.stores.end(), isOpen); });
  for (Kernel &k : graph_.kernels) {
    // What a kernel reads of its own stores it needs itself (the running sum of a scan).
    const auto isKept = [&](const Store &s) {
      return isOpen(s) ||
             std::any_of(k.loads.begin(), k.loads.end(), [&](const Access &a) { return a.tensor == s.target.tensor; });
    };
    std::vector<Store> stores;
    std::vector<int> number;  // of each store among those that are kept
    for (const Store &s : k.stores) {
      number.push_back(static_cast<int>(stores.size()));
      if (isKept(s)) stores.push_back(s);
    }
    for (Store &s : stores)
      if (s.follows >= 0) s.follows = number[static_cast<std::size_t>(s.follows)];
    k.stores = std::move(stores);
  }
}

/// Keeps the tensors that some kernel uses, arguments first in the function's order.
void GraphBuilder::renumber() {
  std::vector<int> from(graph_.tensors.size());
  std::iota(from.begin(), from.end(), 0);
  std::erase_if(from, [&](int t) { return !isTouched(t); });
  std::stable_sort(from.begin(), from.end(), [&](int a, int b) {
    return order_[static_cast<std::size_t>(a)] < order_[static_cast<std::size_t>(b)];
  });
  std::vector<int> to(graph_.tensors.size(), -1);
  std::vector<kernel::Tensor> tensors;
  for (const int t : from) {
    to[static_cast<std::size_t>(t)] = static_cast<int>(tensors.size());
    tensors.push_back(graph_.tensors[static_cast<std::size_t>(t)]);
  }
  graph_.tensors = std::move(tensors);
  for (int &r : results_) r = r < 0 ? -1 : to[static_cast<std::size_t>(r)];
  renumbered_ = to;
  for (Kernel &k : graph_.kernels) {
    for (Access &a : k.loads) a.tensor = to[static_cast<std::size_t>(a.tensor)];
    for (Store &s : k.stores) s.target.tensor = to[static_cast<std::size_t>(s.target.tensor)];
  }
  for (kernel::Loop &loop : graph_.loops)
    for (auto &swap : loop.swaps)
      for (int &t : swap) t = to[static_cast<std::size_t>(t)];
}

/// What the user sees keeps the user's name; temporaries give way.
void GraphBuilder::nameTensors() {
  std::set<std::string> taken;
  for (const bool temporaries : {false, true}) {
    for (kernel::Tensor &t : graph_.tensors) {
      if ((t.role == Role::kTemporary) != temporaries) continue;
      const std::string stem = t.name.empty() ? "t" : t.name;
      t.name = stem;
      for (int n = 1; !taken.insert(t.name).second; ++n) t.name = fmt::format("{}_{}", stem, n);
    }
  }
}

Result<kernel::Graph> GraphBuilder::finish(std::string neededHint) {
  for (const int b : arguments_) settleArgument(b);
  for (kernel::Tensor &t : graph_.tensors) t.isConstant &= t.role == Role::kInput;  // what is written is not
  prune();
  if (graph_.kernels.empty()) {
    return error("no-kernel", where_, fmt::format("function '{}' computes nothing", graph_.name),
                 std::move(neededHint));
  }
  renumber();
  nameTensors();
  kernel::contractTemporaries(graph_);
  if (Status s = kernel::verify(graph_); !s) {
    for (Diagnostic &d : s.diagnostics()) {
      if (d.where.file.empty()) d.where = where_;  // a rule of a tensor, not of a kernel
    }
    return std::move(s.diagnostics());
  }
  return std::move(graph_);
}

}  // namespace pimento::frontend
