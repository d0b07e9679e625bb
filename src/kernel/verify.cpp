// The rules of a well-formed graph. All findings in one go; a kernel whose references are broken is not looked into
// further, since nothing can be said about it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/kernel/box.h"
#include "pimento/kernel/dependence.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/rounds.h"
#include "pimento/kernel/verify_bounds.h"
#include "pimento/kernel/verify_loops.h"

namespace pimento::kernel {

namespace {

/// Keeps every byte offset and point count far from overflow.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

class GraphVerifier : private Findings {
 public:
  GraphVerifier(const Graph &graph, const Places *places) : Findings(graph, places) {}

  Diagnostics run() {
    checkTensors();
    if (graph_.kernels.empty()) report("empty-graph", "the graph has no kernel", "give it at least one");
    LoopVerifier loops(graph_, places_);
    if (!loops.checkLoops()) {
      Diagnostics found = loops.take();
      findings_.insert(findings_.end(), found.begin(), found.end());
      return std::move(findings_);
    }
    for (const Kernel &kernel : graph_.kernels) {
      kernel_ = &kernel;
      checkKernel();
    }
    if (findings_.empty()) {
      loops.checkDefinitions();
      findings_ = loops.take();
    }
    kernel_ = nullptr;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const Tensor &tensor = graph_.tensors[t];
      atTensor(t);
      if (tensor.role != Role::kInput && !loops.isEverWritten(static_cast<int>(t))) {
        report("never-written", fmt::format("tensor '{}' is never written", tensor.name),
               "give it the role input, or a kernel that stores into it");
      }
    }
    return std::move(findings_);
  }

 private:
  void checkTensors() {
    std::set<std::string> names;
    for (const Tensor &tensor : graph_.tensors) {
      atTensor(static_cast<std::size_t>(&tensor - graph_.tensors.data()));
      if (!names.insert(tensor.name).second) {
        report("duplicate-name", fmt::format("two tensors are called '{}'", tensor.name), "rename one");
      }
      const bool isPositive = std::all_of(tensor.shape.begin(), tensor.shape.end(), [](auto e) { return e >= 1; });
      if (!isPositive) {
        report("bad-extent", fmt::format("tensor '{}' has an extent below 1", tensor.name), "extents start at 1");
      } else if (tensor.elements() > kMaxElements) {
        report("too-large", fmt::format("tensor '{}' has more than 2^48 elements", tensor.name), "reduce its extents");
      }
    }
    atKernel();
  }

  // ---- One kernel ----

  void checkKernel() {
    const std::size_t before = findings_.size();
    checkDims();
    atKernel();
    checkReferences();
    for (const Store &store : kernel_->stores) {
      if (isTensor(store.target.tensor)) isWrittenHere_.insert(store.target.tensor);
    }
    if (findings_.size() == before) {
      for (std::size_t v = 0; v < kernel_->body.size(); ++v) {
        atValue(v);
        checkTypes(static_cast<int>(v));
      }
      atKernel();
      checkForm();
      const Diagnostics ofBounds = BoundsVerifier(graph_, places_).check(*kernel_);
      findings_.insert(findings_.end(), ofBounds.begin(), ofBounds.end());
      checkRoles();
      if (findings_.size() == before) checkBounds();
      checkWrites();
      atKernel();
    }
    isWrittenHere_.clear();
  }

  void checkDims() {
    std::set<std::string> names;
    for (const Dim &dim : kernel_->dims) {
      at(&OfKernel::dims, kernel_->dims, dim);
      if (!names.insert(dim.name).second) {
        report("duplicate-name", fmt::format("two dims are called '{}'", dim.name), "rename one");
      }
      if (dim.extent < 1) {
        report("bad-extent", fmt::format("dim '{}' has extent {}", dim.name, dim.extent), "extents start at 1");
        return;
      }
    }
    atKernel();
    if (kernel_->points() > kMaxElements) {
      report("too-large", "the iteration space has more than 2^48 points", "reduce the extents");
    }
  }

  void checkAffine(const Affine &affine, const std::string &what) {
    if (affine.coefficients.size() == kernel_->dims.size()) {
      auto isLarge = [](std::int64_t x) { return x > kMaxElements || x < -kMaxElements; };
      if (!isLarge(affine.constant) && std::none_of(affine.coefficients.begin(), affine.coefficients.end(), isLarge)) {
        return;
      }
      report("too-large", fmt::format("{} has a coefficient beyond 2^48", what), "use smaller coefficients");
      return;
    }
    report("bad-reference",
           fmt::format("{} has {} coefficients for {} dims", what, affine.coefficients.size(), kernel_->dims.size()),
           "give one coefficient per dim");
  }

  void checkAccess(const Access &access) {
    if (!isTensor(access.tensor)) {
      report("bad-reference", fmt::format("an access names tensor number {}", access.tensor),
             fmt::format("the graph has {} tensors", graph_.tensors.size()));
      return;
    }
    const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
    if (access.index.size() != tensor.shape.size()) {
      report("rank-mismatch",
             fmt::format("'{}' has {} dimensions and is given {} indices", tensor.name, tensor.shape.size(),
                         access.index.size()),
             fmt::format("give {} indices", tensor.shape.size()));
    }
    for (const Affine &index : access.index) checkAffine(index, "an index of '" + tensor.name + "'");
    if (access.isIndirect()) {
      checkIndirect(access, tensor);
    } else if (access.indirectIndex != -1) {
      report("bad-form", fmt::format("an access to '{}' has an indirect index without a place", tensor.name),
             "say which index it is");
    }
  }

  void checkIndirect(const Access &access, const Tensor &tensor) {
    checkBodyIndex(access.indirectIndex, "an indirect index");
    if (access.indirectAt >= static_cast<int>(access.index.size())) {
      report("bad-reference", fmt::format("index {} of '{}' is indirect", access.indirectAt + 1, tensor.name),
             fmt::format("it has {} indices", access.index.size()));
      return;
    }
    const Affine &form = access.index[static_cast<std::size_t>(access.indirectAt)];
    const bool isZero = form.constant == 0 && std::all_of(form.coefficients.begin(), form.coefficients.end(),
                                                          [](std::int64_t c) { return c == 0; });
    if (!isZero)
      report("bad-form", fmt::format("an indirect index of '{}' has an affine form", tensor.name), "make it 0");
  }

  void checkFollower(const Store &store) {
    const auto &list = kernel_->stores;
    if (store.follows < 0 || store.follows >= static_cast<int>(list.size()) ||
        &store == &list[static_cast<std::size_t>(store.follows)]) {
      report("bad-reference", fmt::format("a store follows store number {}", store.follows),
             fmt::format("name another one of the kernel's: stores are numbered 0 to {}", list.size() - 1));
      return;
    }
    const Store &first = list[static_cast<std::size_t>(store.follows)];
    const bool isExtreme = first.combine == Combine::kMin || first.combine == Combine::kMax;
    if (!isExtreme || store.combine != Combine::kAssign || first.target.index != store.target.index ||
        store.target.isIndirect() || first.target.isIndirect() || kernel_->form != Form::kAffine)
      report("bad-form", "a store follows one that is not a minimum or maximum at the same indices",
             "let an assignment follow a min or max, both with the same affine indices");
  }

  void checkValue(std::size_t v) {
    const Value &value = kernel_->body[v];
    for (int a = 0; a < argumentCount(value.op); ++a) {
      const int argument = value.args[static_cast<std::size_t>(a)];
      if (argument < 0 || argument >= static_cast<int>(v)) {
        report("bad-reference",
               fmt::format("%{} ({}) takes %{}, which does not come before it", v, name(value.op), argument),
               "arguments are earlier values");
      }
    }
    if (value.op == Op::kLoad && (value.access < 0 || value.access >= static_cast<int>(kernel_->loads.size()))) {
      report("bad-reference", fmt::format("%{} loads through access {}", v, value.access),
             fmt::format("the kernel has {} accesses", kernel_->loads.size()));
    }
    if (value.op == Op::kIndex && (value.dim < 0 || value.dim >= static_cast<int>(kernel_->dims.size()))) {
      report("bad-reference", fmt::format("%{} is the index of dim {}", v, value.dim),
             fmt::format("the kernel has {} dims", kernel_->dims.size()));
    }
  }

  void checkBodyIndex(int value, const std::string &what) {
    if (value >= 0 && value < static_cast<int>(kernel_->body.size())) return;
    report("bad-reference", fmt::format("{} is %{}", what, value),
           fmt::format("the body has {} values", kernel_->body.size()));
  }

  void checkReferences() {
    for (const Access &access : kernel_->loads) {
      atLoad(access);
      checkAccess(access);
    }
    for (const Affine &guard : kernel_->guards) {
      at(&OfKernel::guards, kernel_->guards, guard);
      checkAffine(guard, "a guard");
    }
    for (std::size_t v = 0; v < kernel_->body.size(); ++v) {
      atValue(v);
      checkValue(v);
    }
    atKernel();
    if (kernel_->stores.empty()) report("no-store", "nothing is stored", "add a store");
    for (const Store &store : kernel_->stores) {
      atStore(store);
      checkAccess(store.target);
      checkBodyIndex(store.value, "a stored value");
      if (store.follows != -1) checkFollower(store);
    }
    atKernel();
    if (kernel_->predicate != -1) checkBodyIndex(kernel_->predicate, "the predicate");
    for (const DataBounds &b : kernel_->bounds) {
      at(&OfKernel::bounds, kernel_->bounds, b);
      if (b.dim < 0 || b.dim >= static_cast<int>(kernel_->dims.size()))
        report("bad-reference", fmt::format("bounds of dim number {}", b.dim),
               fmt::format("the kernel has {} dims", kernel_->dims.size()));
      if (b.first != -1) checkBodyIndex(b.first, "a bound");
      if (b.end != -1) checkBodyIndex(b.end, "a bound");
    }
    atKernel();
  }

  // ---- Types ----

  DType typeOf(int value) const { return kernel_->body[static_cast<std::size_t>(value)].type; }

  void requireType(int v, int argument, DType wanted) {
    const DType given = typeOf(argument);
    if (given == wanted) return;
    const std::string_view op = name(kernel_->body[static_cast<std::size_t>(v)].op);
    report("type-mismatch", fmt::format("%{} ({}) needs {} but %{} is {}", v, op, name(wanted), argument, name(given)),
           "add a cast");
  }

  void requireKind(int v, DType type, bool wantsFloat) {
    if (isFloat(type) == wantsFloat) return;
    const std::string_view op = name(kernel_->body[static_cast<std::size_t>(v)].op);
    report("type-mismatch", fmt::format("%{} ({}) is not defined on {}", v, op, name(type)),
           wantsFloat ? "use a floating type" : "use an integer type");
  }

  void checkTypes(int v) {
    const Value &value = kernel_->body[static_cast<std::size_t>(v)];
    const auto [first, second, third] = value.args;
    switch (value.op) {
      case Op::kConstant:
      case Op::kCast:
        return;
      case Op::kIndex:
        return requireKind(v, value.type, false);
      case Op::kLoad: {
        const auto &access = kernel_->loads[static_cast<std::size_t>(value.access)];
        const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
        if (tensor.type != value.type) {
          report("type-mismatch",
                 fmt::format("%{} loads {} from '{}', whose elements are {}", v, name(value.type), tensor.name,
                             name(tensor.type)),
                 "load the tensor's type and cast");
        }
        return;
      }
      case Op::kSelect:
        requireKind(v, typeOf(first), false);
        requireType(v, second, value.type);
        return requireType(v, third, value.type);
      default:
        break;
    }
    if (value.op >= Op::kCmpEq && value.op <= Op::kCmpGe) {
      if (value.type != DType::kU8) {
        report("type-mismatch", fmt::format("%{} ({}) has type {}", v, name(value.op), name(value.type)),
               "comparisons give u8");
      }
      return requireType(v, second, typeOf(first));
    }
    for (int a = 0; a < argumentCount(value.op); ++a) {
      requireType(v, value.args[static_cast<std::size_t>(a)], value.type);
    }
    const bool isBitwise = value.op >= Op::kAnd && value.op <= Op::kShr;
    const bool isFloatOnly = value.op >= Op::kExp && value.op <= Op::kTanh;
    if (isBitwise) requireKind(v, value.type, false);
    if (isFloatOnly) requireKind(v, value.type, true);
  }

  // ---- Forms ----

  void checkForm() {
    const auto indirect = std::count_if(kernel_->stores.begin(), kernel_->stores.end(),
                                        [](const Store &store) { return store.target.isIndirect(); });
    if (kernel_->form == Form::kIndirect && indirect != 1) {
      report("bad-form", fmt::format("an indirect kernel has {} stores with an indirect index", indirect),
             "give exactly one");
    } else if (kernel_->form != Form::kIndirect && indirect > 0) {
      report("bad-form", "a store has an indirect index in a kernel that is not indirect", "set the form");
    }
    for (const Store &store : kernel_->stores) {
      atStore(store);
      requireIntegerIndex(store.target);
    }
    for (const Access &load : kernel_->loads) {
      atLoad(load);
      requireIntegerIndex(load);
    }
    atKernel();
    if (kernel_->limit != -1 && kernel_->form != Form::kSelect)
      report("bad-form", fmt::format("a limit of {} where nothing is selected", kernel_->limit),
             "limits go with the form 'select'");
    else if (kernel_->limit != -1 && kernel_->limit < 1)
      report("bad-form", fmt::format("a limit of {}", kernel_->limit), "a selection keeps at least one");
    if ((kernel_->form == Form::kSelect) != (kernel_->predicate >= 0)) {
      report("bad-form", "a predicate and the form 'select' belong together", "give both or neither");
    } else if (kernel_->form == Form::kSelect) {
      checkSelect();
    }
  }

  void checkSelect() {
    if (isFloat(typeOf(kernel_->predicate))) report("type-mismatch", "the predicate is not an integer", "compare");
    const auto &stores = kernel_->stores;
    const Access &append = stores[0].target;
    const Tensor &target = graph_.tensors[static_cast<std::size_t>(append.tensor)];
    const std::int64_t most = kernel_->limit >= 0 ? kernel_->limit : pointsPerRow(append);
    if (stores[0].combine != Combine::kAssign || target.shape.empty() || target.shape.back() < most) {
      report("bad-form", "the first store of a selection appends to a tensor whose rows hold every point, or the limit",
             fmt::format("make it an assignment to a tensor of {} elements per row", most));
      return;
    }
    if (stores.size() == 1) return;
    const Access &count = stores[1].target;
    const Tensor &counts = graph_.tensors[static_cast<std::size_t>(count.tensor)];
    const bool isOfRow = target.shape.size() == 1 ? counts.elements() == 1
                                                  : std::equal(append.index.begin(), append.index.end() - 1,
                                                               count.index.begin(), count.index.end());
    atStore(stores[1]);
    if (stores.size() > 2 || stores[1].combine != Combine::kAdd)
      report("bad-form", "a selection has at most one more store, the count of each row",
             "add into a tensor of one element per row");
    else if (!isOfRow)
      report("bad-form",
             fmt::format("'{}' counts what is appended to '{}', but has other rows", counts.name, target.name),
             "give it the indices of the rows: all but the last of what is appended to");
    atKernel();
  }

  /// Points that may be appended to one row: those of dims that do not tell rows apart.
  std::int64_t pointsPerRow(const Access &append) const {
    std::int64_t points = 1;
    for (std::size_t d = 0; d < kernel_->dims.size(); ++d) {
      const bool isOfRow = std::any_of(append.index.begin(), append.index.end() - 1,
                                       [d](const Affine &form) { return form.coefficients[d] != 0; });
      if (!isOfRow && kernel_->dims[d].kind != DimKind::kCounter)
        points = multiplySaturated(points, kernel_->dims[d].extent);
    }
    return points;
  }

  void requireIntegerIndex(const Access &access) {
    if (!access.isIndirect() || !isFloat(typeOf(access.indirectIndex))) return;
    report("type-mismatch",
           fmt::format("an index of '{}' is %{}, which is {}, no integer",
                       graph_.tensors[static_cast<std::size_t>(access.tensor)].name, access.indirectIndex,
                       name(typeOf(access.indirectIndex))),
           "cast it");
  }

  // ---- Roles and order of definition ----

  void checkRoles() {
    std::set<int> targets;
    for (const Store &store : kernel_->stores) {
      atStore(store);
      const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(store.target.tensor)];
      if (!targets.insert(store.target.tensor).second) {
        report("duplicate-write", fmt::format("two stores go to '{}'", tensor.name), "split the kernel");
      }
    }
    for (const Access &load : kernel_->loads) {
      atLoad(load);
      const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(load.tensor)];
      if (!isWrittenHere_.contains(load.tensor) || isSequential()) continue;
      const auto store = std::find_if(kernel_->stores.begin(), kernel_->stores.end(),
                                      [&](const Store &s) { return s.target.tensor == load.tensor; });
      const bool isInPlace = store->target == load && store->combine == Combine::kAssign;
      if (kernel_->form != Form::kAffine || !(isInPlace || isApart(load))) {
        report("self-dependence", fmt::format("'{}' is read and written at different elements", tensor.name),
               "make the carrying dim sequential, or write to another tensor");
      }
    }
  }

  /// Whether no other point of the round stores where this load reads.
  bool isApart(const Access &load) const {
    std::vector<std::int64_t> extents;
    for (const Dim &dim : kernel_->dims) extents.push_back(dim.extent);
    const std::size_t counters = countersOf(*kernel_);
    return std::none_of(kernel_->stores.begin(), kernel_->stores.end(), [&](const Store &store) {
      if (store.target.tensor != load.tensor) return false;
      const Meeting m({extents, kernel_->guards, &load.index, load.indirectAt},
                      {extents, kernel_->guards, &store.target.index, store.target.indirectAt}, extents.size());
      for (std::size_t d = counters; d < extents.size(); ++d)
        if (m.isPossible(d, 1, counters) || m.isPossible(d, -1, counters)) return true;
      return false;
    });
  }

  // ---- Bounds ----

  void checkBounds() {
    const Box box(*kernel_);
    for (const Access &load : kernel_->loads) {
      atLoad(load);
      checkBounds(box, load, load.indirectAt);
    }
    for (const Store &store : kernel_->stores) {
      atStore(store);
      const bool isAppend = kernel_->form == Form::kSelect && store.combine == Combine::kAssign;
      checkBounds(box, store.target,
                  isAppend ? static_cast<int>(store.target.index.size()) - 1 : store.target.indirectAt);
    }
  }

  /// Of all indices but number `unknown`.
  void checkBounds(const Box &box, const Access &access, int unknown) {
    const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      if (static_cast<int>(i) == unknown) continue;
      const auto range = box.range(access.index[i]);
      if (!range) {
        report("too-large", fmt::format("index {} of '{}' overflows", i + 1, tensor.name), "use smaller coefficients");
        continue;
      }
      Affine room = access.index[i];  // extent - 1 - index
      for (std::int64_t &c : room.coefficients) c = -c;
      room.constant = tensor.shape[i] - 1 - room.constant;
      if (box.isNeverNegative(access.index[i]) && box.isNeverNegative(room)) continue;
      report("out-of-bounds",
             fmt::format("index {} of '{}' runs over {}..{}, its extent is {}", i + 1, tensor.name, range->low,
                         range->high, tensor.shape[i]),
             fmt::format("legal: 0..{}; change extents or offsets, or add a guard", tensor.shape[i] - 1));
    }
  }

  // ---- Writes ----

  void checkWrites() {
    for (const Store &store : kernel_->stores) {
      const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(store.target.tensor)];
      const bool isIndirect = store.target.isIndirect();
      if (kernel_->form == Form::kSelect || store.follows >= 0) continue;
      if (isIndirect && store.combine != Combine::kAssign) continue;
      atStore(store);
      for (std::size_t d = 0; d < kernel_->dims.size(); ++d) {
        const Dim &dim = kernel_->dims[d];
        auto involves = [d](const Affine &affine) { return affine.coefficients[d] != 0; };
        if (dim.extent == 1 || dim.kind == DimKind::kCounter ||
            std::any_of(store.target.index.begin(), store.target.index.end(), involves))
          continue;
        if (store.combine == Combine::kAssign) {
          if (dim.kind == DimKind::kSequential) continue;  // the last one counts
          if (isIndirect) {
            report("duplicate-write",
                   fmt::format("points of dim '{}' may assign to the same element of '{}'", dim.name, tensor.name),
                   "make the dim sequential: the last assignment counts");
            continue;
          }
          if (std::any_of(kernel_->guards.begin(), kernel_->guards.end(), involves)) continue;  // not provable
          report("duplicate-write",
                 fmt::format("dim '{}' writes the same elements of '{}' again", dim.name, tensor.name),
                 "accumulate (+=, *=, min=, max=), or index the target with the dim");
        } else if (dim.kind == DimKind::kParallel) {
          report("duplicate-write",
                 fmt::format("parallel dim '{}' accumulates into the same elements of '{}'", dim.name, tensor.name),
                 "make it a reduction");
        }
      }
    }
  }

  std::set<int> isWrittenHere_;
};

}  // namespace

Status verify(const Graph &graph, const Places *places) {
  Diagnostics findings = GraphVerifier(graph, places).run();
  if (!findings.empty()) return findings;
  return okStatus();
}

}  // namespace pimento::kernel
