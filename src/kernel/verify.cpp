// The rules of a well-formed graph. All findings in one go; a kernel whose references are broken is not looked into
// further, since nothing can be said about it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/kernel/box.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

namespace {

/// Keeps every byte offset and point count far from overflow.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

class GraphVerifier {
 public:
  GraphVerifier(const Graph &graph, const Places *places)
      : graph_(graph), places_(places), isWritten_(graph.tensors.size(), false) {}

  Diagnostics run() {
    checkTensors();
    if (graph_.kernels.empty()) report("empty-graph", "the graph has no kernel", "give it at least one");
    for (const Kernel &kernel : graph_.kernels) {
      kernel_ = &kernel;
      checkKernel();
    }
    kernel_ = nullptr;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const Tensor &tensor = graph_.tensors[t];
      atTensor(t);
      if (tensor.role != Role::kInput && !isWritten_[t]) {
        report("never-written", fmt::format("tensor '{}' is never written", tensor.name),
               "give it the role input, or a kernel that stores into it");
      }
    }
    return std::move(findings_);
  }

 private:
  void report(std::string code, const std::string &message, std::string hint) {
    const std::string prefix = kernel_ ? "kernel '" + kernel_->name + "': " : "";
    findings_.push_back(error(std::move(code), here_.line > 0 || kernel_ == nullptr ? here_ : kernel_->where,
                              prefix + message, std::move(hint)));
  }

  using OfKernel = Places::OfKernel;

  static Location placeIn(const std::vector<Location> &list, std::size_t n) {
    return n < list.size() ? list[n] : Location{};
  }

  /// What is reported from here on concerns part `part` of the kernel; or the kernel as a whole.
  template <typename Part>
  void at(std::vector<Location> OfKernel::*list, const std::vector<Part> &parts, const Part &part) {
    const auto k = static_cast<std::size_t>(kernel_ - graph_.kernels.data());
    if (places_ != nullptr && k < places_->kernels.size())
      here_ = placeIn(places_->kernels[k].*list, static_cast<std::size_t>(&part - parts.data()));
  }
  void atLoad(const Access &load) { at(&OfKernel::loads, kernel_->loads, load); }
  void atStore(const Store &store) { at(&OfKernel::stores, kernel_->stores, store); }
  void atValue(std::size_t v) { at(&OfKernel::values, kernel_->body, kernel_->body[v]); }
  void atKernel() { here_ = {}; }
  void atTensor(std::size_t t) { here_ = places_ != nullptr ? placeIn(places_->tensors, t) : Location{}; }

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
      checkRoles();
      if (findings_.size() == before) checkBounds();
      checkWrites();
      atKernel();
    }
    for (const int t : isWrittenHere_) isWritten_[static_cast<std::size_t>(t)] = true;
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

  bool isTensor(int t) const { return t >= 0 && static_cast<std::size_t>(t) < graph_.tensors.size(); }

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
      if (store.indirectIndex != -1) checkBodyIndex(store.indirectIndex, "an indirect index");
    }
    atKernel();
    if (kernel_->predicate != -1) checkBodyIndex(kernel_->predicate, "the predicate");
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
    std::size_t indirect = 0;
    for (const Store &store : kernel_->stores) indirect += store.indirectIndex >= 0 ? 1 : 0;
    if (kernel_->form == Form::kIndirect) {
      if (indirect != 1) {
        report("bad-form", fmt::format("an indirect kernel has {} stores with an indirect index", indirect),
               "give exactly one");
      }
    } else if (indirect > 0) {
      report("bad-form", "a store has an indirect index in a kernel that is not indirect", "set the form");
    }
    for (const Store &store : kernel_->stores) {
      if (store.indirectIndex < 0) continue;
      atStore(store);
      if (isFloat(typeOf(store.indirectIndex))) {
        report("type-mismatch", "the indirect index is not an integer", "cast it");
      }
      if (graph_.tensors[static_cast<std::size_t>(store.target.tensor)].shape.empty()) {
        report("bad-form", "an indirect store goes to a tensor without dimensions", "give it one");
      }
    }
    atKernel();
    if ((kernel_->form == Form::kSelect) != (kernel_->predicate >= 0)) {
      report("bad-form", "a predicate and the form 'select' belong together", "give both or neither");
    } else if (kernel_->form == Form::kSelect) {
      checkSelect();
    }
  }

  void checkSelect() {
    if (isFloat(typeOf(kernel_->predicate))) report("type-mismatch", "the predicate is not an integer", "compare");
    const auto &stores = kernel_->stores;
    const Tensor &target = graph_.tensors[static_cast<std::size_t>(stores[0].target.tensor)];
    if (stores[0].combine != Combine::kAssign || target.shape.size() != 1 || target.elements() < kernel_->points()) {
      report("bad-form", "the first store of a selection appends to a one-dimensional tensor that holds every point",
             fmt::format("make it an assignment to a tensor of {} elements", kernel_->points()));
    }
    if (stores.size() > 2 ||
        (stores.size() == 2 && (stores[1].combine != Combine::kAdd ||
                                graph_.tensors[static_cast<std::size_t>(stores[1].target.tensor)].elements() != 1))) {
      report("bad-form", "a selection has at most one more store, the count", "add into a tensor of one element");
    }
  }

  // ---- Roles and order of definition ----

  void checkRoles() {
    const bool isSequential = std::any_of(kernel_->dims.begin(), kernel_->dims.end(),
                                          [](const Dim &dim) { return dim.kind == DimKind::kSequential; });
    std::set<int> targets;
    for (const Store &store : kernel_->stores) {
      atStore(store);
      const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(store.target.tensor)];
      if (tensor.role == Role::kInput) {
        report("bad-role", fmt::format("the input '{}' is written", tensor.name), "give it the role output or inout");
      }
      if (!targets.insert(store.target.tensor).second) {
        report("duplicate-write", fmt::format("two stores go to '{}'", tensor.name), "split the kernel");
      }
    }
    for (const Access &load : kernel_->loads) {
      atLoad(load);
      const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(load.tensor)];
      const bool isMadeHere = isWrittenHere_.contains(load.tensor) && isSequential;
      const bool isGiven = tensor.role == Role::kInput || tensor.role == Role::kInOut;
      if (!isGiven && !isWritten_[static_cast<std::size_t>(load.tensor)] && !isMadeHere) {
        report("use-before-definition", fmt::format("'{}' is read before any kernel wrote it", tensor.name),
               "give it the role input or inout, or reorder the kernels");
      }
      if (!isWrittenHere_.contains(load.tensor) || isSequential) continue;
      const auto store = std::find_if(kernel_->stores.begin(), kernel_->stores.end(),
                                      [&](const Store &s) { return s.target.tensor == load.tensor; });
      if (!(store->target == load) || store->combine != Combine::kAssign || kernel_->form != Form::kAffine) {
        report("self-dependence", fmt::format("'{}' is read and written at different elements", tensor.name),
               "make the carrying dim sequential, or write to another tensor");
      }
    }
  }

  // ---- Bounds ----

  void checkBounds() {
    const Box box(*kernel_);
    for (const Access &load : kernel_->loads) {
      atLoad(load);
      checkBounds(box, load, false);
    }
    for (const Store &store : kernel_->stores) {
      atStore(store);
      const bool isAppend = kernel_->form == Form::kSelect && store.combine == Combine::kAssign;
      if (!isAppend) checkBounds(box, store.target, store.indirectIndex >= 0);
    }
  }

  void checkBounds(const Box &box, const Access &access, bool skipsLast) {
    const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
    for (std::size_t i = 0; i + (skipsLast ? 1 : 0) < access.index.size(); ++i) {
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
      const bool isAppend = kernel_->form == Form::kSelect;
      if (isAppend || store.indirectIndex >= 0) continue;
      atStore(store);
      for (std::size_t d = 0; d < kernel_->dims.size(); ++d) {
        const Dim &dim = kernel_->dims[d];
        auto involves = [d](const Affine &affine) { return affine.coefficients[d] != 0; };
        if (dim.extent == 1 || std::any_of(store.target.index.begin(), store.target.index.end(), involves)) continue;
        if (store.combine == Combine::kAssign) {
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

  const Graph &graph_;
  const Places *places_;
  Location here_;  ///< of the part looked at; nowhere: the kernel as a whole
  const Kernel *kernel_ = nullptr;
  std::vector<bool> isWritten_;
  std::set<int> isWrittenHere_;
  Diagnostics findings_;
};

}  // namespace

Status verify(const Graph &graph, const Places *places) {
  Diagnostics findings = GraphVerifier(graph, places).run();
  if (!findings.empty()) return findings;
  return okStatus();
}

}  // namespace pimento::kernel
