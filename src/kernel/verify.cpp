// The rules of a well-formed graph. All findings in one go; a kernel whose references are broken is not looked into
// further, since nothing can be said about it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pimento/kernel/box.h"
#include "pimento/kernel/dependence.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/rounds.h"
#include "pimento/kernel/type_rules.h"
#include "pimento/kernel/verify_bounds.h"
#include "pimento/kernel/verify_forms.h"
#include "pimento/kernel/verify_loops.h"
#include "pimento/kernel/verify_references.h"

namespace pimento::kernel {

namespace {

class GraphVerifier : private Findings {
 public:
  GraphVerifier(const Graph &graph, const Places *places) : Findings(graph, places) {}

  Diagnostics run() {
    checkTensors();
    if (graph_.kernels.empty()) report("empty-graph", "the graph has no kernels", "add at least one");
    LoopVerifier loops(graph_, places_);
    if (!loops.checkLoops()) {
      add(loops.take());
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
               "make it an input, or add a kernel that stores to it");
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
        report("bad-extent", fmt::format("tensor '{}' has an extent below 1", tensor.name),
               "extents must be at least 1");
      } else if (tensor.elements() > kMaxElements) {
        report("too-large", fmt::format("tensor '{}' has more than 2^48 elements", tensor.name), "reduce its extents");
      }
    }
    atKernel();
  }

  void add(const Diagnostics &found) { findings_.insert(findings_.end(), found.begin(), found.end()); }

  // ---- One kernel ----

  void checkKernel() {
    const std::size_t before = findings_.size();
    checkDims();
    atKernel();
    add(ReferenceVerifier(graph_, places_).check(*kernel_));
    for (const Store &store : kernel_->stores) {
      if (isTensor(store.target.tensor)) isWrittenHere_.insert(store.target.tensor);
    }
    if (findings_.size() == before) {
      for (std::size_t v = 0; v < kernel_->body.size(); ++v) {
        atValue(v);
        checkTypes(static_cast<int>(v));
      }
      atKernel();
      add(FormVerifier(graph_, places_).check(*kernel_));
      add(BoundsVerifier(graph_, places_).check(*kernel_));
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
        report("bad-extent", fmt::format("dim '{}' has extent {}", dim.name, dim.extent), "extents must be at least 1");
        return;
      }
    }
    atKernel();
    if (kernel_->points() > kMaxElements) {
      report("too-large", "the iteration space has more than 2^48 points", "reduce the extents");
    }
  }

  // ---- Types ----

  void checkTypes(int v) {
    const Value &value = kernel_->body[static_cast<std::size_t>(v)];
    if (value.op == Op::kLoad) {
      const auto &access = kernel_->loads[static_cast<std::size_t>(value.access)];
      const Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
      if (tensor.type == value.type) return;
      return report("type-mismatch",
                    fmt::format("%{} loads {} from '{}', whose elements are {}", v, name(value.type), tensor.name,
                                name(tensor.type)),
                    "load the tensor's type and cast");
    }
    std::array<DType, 3> types{};
    for (int a = 0; a < argumentCount(value.op); ++a)
      types[static_cast<std::size_t>(a)] = typeOf(value.args[static_cast<std::size_t>(a)]);
    const auto fault = typeFault(value.op, value.type, types);
    if (!fault) return;
    const std::string argument =
        fault->argument < 0 ? "" : fmt::format("%{}", value.args[static_cast<std::size_t>(fault->argument)]);
    report("type-mismatch", describe(*fault, value.op, fmt::format("%{}", v), argument), hintOf(*fault));
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
               "make the carried dim sequential, or write to another tensor");
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
             fmt::format("index {} of '{}' runs over {}..{}, but its extent is {}", i + 1, tensor.name, range->low,
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
                   "make the dim sequential: the last assignment wins");
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
