#include "pimento/tdfg/graph.h"

#include <algorithm>

namespace pimento::tdfg {

namespace {

class Converter {
 public:
  Converter(const Program &program, const Values &values)
      : program_(program), values_(values), isOfLoop_(loopNames(program)) {}

  Result<kernel::Graph> run() {
    const auto shapes = shapesOf(program_, values_);
    if (!shapes) return shapes.diagnostics();
    graph_.name = program_.name;
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
      const Array &array = program_.arrays[a];
      graph_.tensors.push_back({array.name, array.type, (*shapes)[a], array.role, false});
    }
    for (const Loop &loop : program_.loops) {
      const std::int64_t extent = number(loop.extent);
      graph_.loops.push_back({nameOf(loop.name), extent, loop.first, loop.end, loop.swaps, {}});
    }
    for (std::size_t r = 0; r < program_.regions.size(); ++r) addKernel(static_cast<int>(r));
    if (!found_.empty()) return found_;
    if (const Status s = kernel::verify(graph_); !s) return s.diagnostics();
    return std::move(graph_);
  }

 private:
  const std::string &nameOf(int name) const { return program_.names[static_cast<std::size_t>(name)].name; }

  void fail() {
    if (found_.empty())
      found_.push_back(unsupported("tdfg-form", where_, "a number hangs on loops in a way that no loop nest says"));
  }

  /// A form without loops.
  std::int64_t number(const Form &form) {
    for (const Term &term : form.terms)
      if (isOfLoop_[static_cast<std::size_t>(term.name)]) fail();
    const auto x = valueOf(form, values_);
    if (!x) fail();
    return x.value_or(0);
  }

  kernel::Affine affine(const StreamIndex &index) {
    kernel::Affine affine;
    Form rest = index.form;
    for (const int counter : counters_) {
      const auto at =
          std::find_if(rest.terms.begin(), rest.terms.end(), [counter](const Term &t) { return t.name == counter; });
      affine.coefficients.push_back(at == rest.terms.end() ? 0 : at->factor);
      if (at != rest.terms.end()) rest.terms.erase(at);
    }
    affine.constant = number(rest);
    affine.coefficients.insert(affine.coefficients.end(), index.factors.begin(), index.factors.end());
    return affine;
  }

  kernel::Access access(const StreamAccess &from) {
    kernel::Access to{from.array, {}, from.indirectAt, from.indirectIndex};
    for (const StreamIndex &index : from.index) to.index.push_back(affine(index));
    return to;
  }

  void addKernel(int r) {
    const Region &region = program_.regions[static_cast<std::size_t>(r)];
    const Streams &s = region.streams;
    where_ = region.where;
    counters_.clear();
    kernel::Kernel k = s.nest;
    k.where = region.where;
    if (k.name.empty()) k.name = region.name;
    k.dims.clear();
    for (const Loop &loop : program_.loops) {
      if (r < loop.first || r >= loop.end) continue;
      counters_.push_back(loop.name);
      k.dims.push_back({nameOf(loop.name), number(loop.extent), kernel::DimKind::kCounter});
    }
    const auto shift = static_cast<int>(counters_.size());
    for (const StreamDim &dim : s.dims) k.dims.push_back({dim.name, number(dim.extent), dim.kind});
    for (const StreamAccess &load : s.loads) k.loads.push_back(access(load));
    for (std::size_t t = 0; t < s.targets.size(); ++t) k.stores[t].target = access(s.targets[t]);
    for (const StreamIndex &guard : s.guards) k.guards.push_back(affine(guard));
    for (kernel::DataBounds &b : k.bounds) b.dim += shift;
    for (kernel::Value &v : k.body)
      if (v.op == kernel::Op::kIndex) v.dim += shift;
    for (const Streams::FormValue &f : s.forms) setForm(k.body[static_cast<std::size_t>(f.value)], f.form);
    graph_.kernels.push_back(std::move(k));
  }

  /// A form is a number, or the value of one loop.
  void setForm(kernel::Value &value, const Form &form) {
    for (std::size_t c = 0; c < counters_.size(); ++c) {
      if (form != nameForm(counters_[c])) continue;
      value.op = kernel::Op::kIndex;
      value.dim = static_cast<int>(c);
      return;
    }
    value.integer = wrapInteger(value.type, number(form));
  }

  const Program &program_;
  const Values &values_;
  const std::vector<bool> isOfLoop_;
  kernel::Graph graph_;
  std::vector<int> counters_;
  Location where_;
  Diagnostics found_;
};

}  // namespace

Result<kernel::Graph> graphOf(const Program &program, const Values &values) {
  return Converter(program, values).run();
}

}  // namespace pimento::tdfg
