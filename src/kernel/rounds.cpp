#include "pimento/kernel/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "pimento/base/integer.h"
#include "pimento/kernel/box.h"
#include "pimento/kernel/linear.h"

namespace pimento::kernel {

namespace {

/// Calls `change` with every affine form of the kernel.
template <typename Change>
void eachForm(Kernel &kernel, const Change &change) {
  for (Affine &guard : kernel.guards) change(guard);
  for (Access &load : kernel.loads) std::for_each(load.index.begin(), load.index.end(), change);
  for (Store &store : kernel.stores) std::for_each(store.target.index.begin(), store.target.index.end(), change);
}

Value integerValue(DType type, std::int64_t x) {
  Value value;
  value.op = Op::kConstant;
  value.type = type;
  value.integer = wrapInteger(type, x);
  return value;
}

/// The body with other values for coordinates: counters are constants, dims that start later have that added.
class BodyBinder {
 public:
  BodyBinder(Kernel &kernel, std::size_t counters) : kernel_(kernel), counters_(counters) {}

  void run(const std::vector<std::int64_t> &values, const std::vector<std::int64_t> &starts) {
    std::vector<Value> old = std::move(kernel_.body);
    kernel_.body.clear();
    for (Value &value : old) {
      for (int &argument : value.args) argument = renumbered(argument);
      if (value.op == Op::kLoad) rename(kernel_.loads[static_cast<std::size_t>(value.access)]);
      numbers_.push_back(value.op == Op::kIndex ? coordinate(value, values, starts) : add(value));
    }
    for (Store &store : kernel_.stores) {
      store.value = renumbered(store.value);
      store.target.indirectIndex = renumbered(store.target.indirectIndex);
    }
    kernel_.predicate = renumbered(kernel_.predicate);
    for (DataBounds &b : kernel_.bounds) {
      b.dim -= static_cast<int>(counters_);
      b.first = renumbered(b.first);
      b.end = renumbered(b.end);
    }
  }

 private:
  int renumbered(int value) const { return value < 0 ? value : numbers_[static_cast<std::size_t>(value)]; }

  /// An access may serve several values of the body.
  void rename(Access &load) {
    if (!load.isIndirect() || !renamed_.insert({&load, true}).second) return;
    load.indirectIndex = renumbered(load.indirectIndex);
  }

  int add(const Value &value) {
    kernel_.body.push_back(value);
    return static_cast<int>(kernel_.body.size()) - 1;
  }

  int coordinate(Value value, const std::vector<std::int64_t> &values, const std::vector<std::int64_t> &starts) {
    const auto d = static_cast<std::size_t>(value.dim);
    if (d < counters_) return add(integerValue(value.type, values[d]));
    value.dim -= static_cast<int>(counters_);
    const std::int64_t start = starts[d - counters_];
    const int moved = add(value);
    if (start == 0) return moved;
    Value sum;
    sum.op = Op::kAdd;
    sum.type = value.type;
    sum.args = {moved, add(integerValue(value.type, start)), -1};
    return add(sum);
  }

  Kernel &kernel_;
  std::size_t counters_;
  std::vector<int> numbers_;
  std::map<const Access *, bool> renamed_;
};

/// Whether two kernels run alike.
bool isSame(const Affine &a, const Affine &b) {
  return a == b;
}
bool isSame(const Access &a, const Access &b) {
  return a == b;
}
bool isSame(const Dim &a, const Dim &b) {
  return a.extent == b.extent && a.kind == b.kind;
}
bool isSame(const Value &a, const Value &b) {
  return a.op == b.op && a.type == b.type && a.args == b.args && a.integer == b.integer && a.access == b.access &&
         a.dim == b.dim;  // floating constants never come from counters
}
bool isSame(const DataBounds &a, const DataBounds &b) {
  return a.dim == b.dim && a.first == b.first && a.end == b.end;
}
bool isSame(const Store &a, const Store &b) {
  return a.target == b.target && a.value == b.value;
}
template <typename T>
bool isSame(const std::vector<T> &a, const std::vector<T> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T &x, const T &y) { return isSame(x, y); });
}
/// Of kernels bound from one.
bool isSame(const Kernel &a, const Kernel &b) {
  return isSame(a.dims, b.dims) && isSame(a.guards, b.guards) && isSame(a.loads, b.loads) && isSame(a.body, b.body) &&
         isSame(a.stores, b.stores) && isSame(a.bounds, b.bounds);
}

void mix(std::size_t &hash, std::int64_t x) {
  hash = (hash ^ static_cast<std::size_t>(x)) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 29;
}

/// Of what counters may change.
std::size_t hashOf(Kernel &kernel) {
  std::size_t hash = 0;
  for (const Dim &dim : kernel.dims) mix(hash, dim.extent);
  for (const Value &value : kernel.body) mix(hash, value.integer);
  for (const Access &load : kernel.loads) mix(hash, load.tensor);
  for (const Store &store : kernel.stores) mix(hash, store.target.tensor);
  eachForm(kernel, [&](const Affine &form) { mix(hash, form.constant); });
  return hash;
}

}  // namespace

std::size_t countersOf(const Kernel &kernel) {
  std::size_t n = 0;
  while (n < kernel.dims.size() && kernel.dims[n].kind == DimKind::kCounter) ++n;
  return n;
}

std::optional<Kernel> bind(const Kernel &kernel, const std::vector<std::int64_t> &counters) {
  const std::size_t n = counters.size();
  PIMENTO_CHECK(countersOf(kernel) == n);
  if (n == 0) return kernel;
  Kernel bound = kernel;
  const auto by = static_cast<std::ptrdiff_t>(n);
  bound.dims.erase(bound.dims.begin(), bound.dims.begin() + by);
  eachForm(bound, [&](Affine &form) {
    for (std::size_t c = 0; c < n; ++c) form.constant = addProduct(form.constant, form.coefficients[c], counters[c]);
    form.coefficients.erase(form.coefficients.begin(), form.coefficients.begin() + by);
  });
  const Box box(bound);
  if (box.isEmpty()) return std::nullopt;
  std::vector<std::int64_t> starts;
  for (std::size_t d = 0; d < bound.dims.size(); ++d) {
    const bool isBounded = kernel.boundsOf(static_cast<int>(d + n)) != nullptr;  // data count from its start
    const Interval runs = isBounded ? Interval{0, bound.dims[d].extent - 1} : box.dims()[d];
    starts.push_back(runs.low);
    bound.dims[d].extent = runs.high - runs.low + 1;
  }
  eachForm(bound, [&](Affine &form) {
    for (std::size_t d = 0; d < starts.size(); ++d)
      form.constant = addProduct(form.constant, form.coefficients[d], starts[d]);
  });
  Kernel unguarded = bound;
  unguarded.guards.clear();
  const Box whole(unguarded);
  std::erase_if(bound.guards, [&](const Affine &guard) { return whole.isNeverNegative(guard); });
  BodyBinder(bound, n).run(counters, starts);
  return bound;
}

void rename(Kernel &kernel, const std::vector<int> &names) {
  for (Access &load : kernel.loads) load.tensor = names[static_cast<std::size_t>(load.tensor)];
  for (Store &store : kernel.stores) store.target.tensor = names[static_cast<std::size_t>(store.target.tensor)];
}

std::vector<bool> swappedWith(const Graph &graph, int tensor) {
  std::vector<bool> names(graph.tensors.size());
  names[static_cast<std::size_t>(tensor)] = true;
  for (bool hasChanged = true; std::exchange(hasChanged, false);)
    for (const Loop &loop : graph.loops)
      for (const auto &[a, b] : loop.swaps) {
        const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
        if (names[x] == names[y]) continue;
        names[x] = names[y] = hasChanged = true;
      }
  return names;
}

Status Rounds::visit(const Visitor &see) {
  see_ = &see;
  counters_.clear();
  names_.resize(graph_.tensors.size());
  std::iota(names_.begin(), names_.end(), 0);
  return run(0, static_cast<int>(graph_.kernels.size()), 0);
}

/// Kernels [first, end), with the loops from number `loop` on that lie among them.
Status Rounds::run(int first, int end, std::size_t loop) {
  for (int k = first; k < end;) {
    while (loop < graph_.loops.size() && graph_.loops[loop].first < k) ++loop;
    const Loop *around = loop < graph_.loops.size() ? &graph_.loops[loop] : nullptr;
    if (around == nullptr || around->first != k || around->end > end) {
      if (Status s = (*see_)(k, counters_, names_); !s) return s;
      ++k;
      continue;
    }
    counters_.push_back(0);
    for (std::int64_t i = 0; i < std::min(around->extent, most_); ++i) {
      counters_.back() = i;
      if (Status s = run(around->first, around->end, loop + 1); !s) return s;
      for (const auto &[a, b] : around->swaps)
        std::swap(names_[static_cast<std::size_t>(a)], names_[static_cast<std::size_t>(b)]);
    }
    counters_.pop_back();
    k = around->end;
  }
  return okStatus();
}

namespace {

Status checkRuns(const Graph &graph) {
  std::int64_t runs = 0;
  for (const Kernel &kernel : graph.kernels) {
    std::int64_t own = 1;
    for (std::size_t c = 0; c < countersOf(kernel); ++c) own = multiplySaturated(own, kernel.dims[c].extent);
    runs = addSaturated(runs, own);
    if (runs > kMostRuns)
      return unsupported("too-many-rounds", kernel.where,
                         fmt::format("the loops around kernel '{}' run it more than {} times", kernel.name, kMostRuns),
                         "use fewer iterations, or make the loop a dim of its kernels");
  }
  return okStatus();
}

}  // namespace

Result<Unrolled> unrolled(const Graph &graph) {
  Unrolled out;
  out.graph.name = graph.name;
  out.graph.tensors = graph.tensors;
  std::multimap<std::size_t, int> known;  // by hash
  std::vector<bool> isWritten;            // what is given counts: accumulations go on with it
  for (const Tensor &tensor : graph.tensors) isWritten.push_back(tensor.role == Role::kInOut);
  std::vector<std::vector<bool>> starts;  // by kernel: which stores start an accumulation
  const auto see = [&](int k, const std::vector<std::int64_t> &counters, const std::vector<int> &names) -> Status {
    std::optional<Kernel> kernel = bind(graph.kernels[static_cast<std::size_t>(k)], counters);
    if (!kernel) return okStatus();
    rename(*kernel, names);
    std::vector<bool> start;
    for (const Store &store : kernel->stores) {
      start.push_back(store.combine != Combine::kAssign && !isWritten[static_cast<std::size_t>(store.target.tensor)]);
    }
    for (const Store &store : kernel->stores) isWritten[static_cast<std::size_t>(store.target.tensor)] = true;
    const std::size_t hash = hashOf(*kernel);
    const auto [begin, end] = known.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto &entry) {
      const auto other = static_cast<std::size_t>(entry.second);
      return out.origins[other] == k && starts[other] == start && isSame(out.graph.kernels[other], *kernel);
    });
    if (same != end) {
      out.runs.push_back(same->second);
      return okStatus();
    }
    const auto number = static_cast<int>(out.graph.kernels.size());
    known.emplace(hash, number);
    out.runs.push_back(number);
    out.origins.push_back(k);
    starts.push_back(std::move(start));
    out.graph.kernels.push_back(std::move(*kernel));
    return okStatus();
  };
  if (Status s = checkRuns(graph); !s) return s.diagnostics();
  if (Status s = Rounds(graph).visit(see); !s) return s.diagnostics();
  return out;
}

}  // namespace pimento::kernel
