#include "pimento/tdfg/in_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/lanes.h"
#include "pimento/kernel/rounds.h"
#include "pimento/kernel/scalar.h"
#include "pimento/tdfg/execute.h"

namespace pimento::tdfg {

namespace {

using kernel::Scalar;

struct Place {
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;
  Memory memory;
};

/// One kernel on places.
class Points {
 public:
  Points(const kernel::Kernel &kernel, const std::vector<Place> &places, const Region &region)
      : kernel_(kernel), places_(places), region_(region), point_(kernel.dims.size()), values_(kernel.body.size()) {}

  Status run() {
    along(0);
    if (!found_.empty()) return found_;
    return okStatus();
  }

 private:
  void along(std::size_t dim) {
    if (dim == point_.size()) return point();
    for (point_[dim] = 0; point_[dim] < kernel_.dims[dim].extent && found_.empty(); ++point_[dim]) along(dim + 1);
  }

  std::int64_t at(const kernel::Affine &a) const {
    std::int64_t x = a.constant;
    for (std::size_t d = 0; d < point_.size(); ++d) x += a.coefficients[d] * point_[d];
    return x;
  }

  void point() {
    for (const kernel::Affine &guard : kernel_.guards)
      if (at(guard) < 0) return;
    for (std::size_t v = 0; v < values_.size() && found_.empty(); ++v) values_[v] = value(kernel_.body[v]);
    if (found_.empty()) store();
  }

  Scalar value(const kernel::Value &v) {
    Scalar x{};
    switch (v.op) {
      case kernel::Op::kConstant:
        return kernel::constantOf(v);
      case kernel::Op::kIndex:
        x.i = wrapInteger(v.type, point_[static_cast<std::size_t>(v.dim)]);
        return x;
      case kernel::Op::kLoad: {
        const kernel::Access &from = kernel_.loads[static_cast<std::size_t>(v.access)];
        const std::int64_t element = elementOf(from);
        if (element < 0) return x;
        const Place &place = places_[static_cast<std::size_t>(from.tensor)];
        return kernel::load(place.type, place.memory.data, element);
      }
      default:
        break;
    }
    DType last = v.type;
    for (std::size_t a = 0; a < 3 && v.args[a] >= 0; ++a) {
      last = kernel_.body[static_cast<std::size_t>(v.args[a])].type;
      kernel::setLanes(last, lanes_[a], 0, 1, values_[static_cast<std::size_t>(v.args[a])]);
    }
    kernel::evaluate(v, last, out_, lanes_[0], lanes_[1], lanes_[2], 1);
    return kernel::laneOf(v.type, out_, 0);
  }

  /// In memory; -1: outside the array, which is reported.
  std::int64_t elementOf(const kernel::Access &access) {
    const Place &place = places_[static_cast<std::size_t>(access.tensor)];
    std::int64_t row = 0, column = 0;
    for (std::size_t i = 0; i < place.shape.size(); ++i) {
      const std::int64_t index = static_cast<int>(i) == access.indirectAt
                                     ? values_[static_cast<std::size_t>(access.indirectIndex)].i
                                     : at(access.index[i]);
      if (index < 0 || index >= place.shape[i]) {
        found_.push_back(error(DiagnosticKind::kDataDependent, "index-out-of-range", region_.where,
                               fmt::format("region '{}': index {} of an array is {}, not below {}", region_.name, i,
                                           index, place.shape[i])));
        return -1;
      }
      if (i + 1 == place.shape.size())
        column = index;
      else
        row = row * place.shape[i] + index;
    }
    return row * place.memory.pitch + column;
  }

  void store() {
    std::vector<bool> isBetter(kernel_.stores.size(), true);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      const bool isFollowed =
          std::ranges::any_of(kernel_.stores, [s](const kernel::Store &o) { return o.follows == static_cast<int>(s); });
      const kernel::Store &st = kernel_.stores[s];
      const std::int64_t element = elementOf(st.target);
      if (element < 0) return;
      const Place &to = places_[static_cast<std::size_t>(st.target.tensor)];
      Scalar x = values_[static_cast<std::size_t>(st.value)];
      const DType type = kernel_.body[static_cast<std::size_t>(st.value)].type;
      if (type != to.type) x = kernel::convert(type, to.type, x);
      const Scalar held = kernel::load(to.type, to.memory.data, element);
      if (isFollowed)
        isBetter[s] =
            st.combine == kernel::Combine::kMin ? kernel::isLess(to.type, x, held) : kernel::isLess(to.type, held, x);
      if (isFollowed ? !isBetter[s] : st.follows >= 0 && !isBetter[static_cast<std::size_t>(st.follows)]) continue;
      if (!isFollowed && st.combine != kernel::Combine::kAssign) x = kernel::merge(st.combine, to.type, held, x);
      kernel::store(to.type, to.memory.data, element, x);
    }
  }

  const kernel::Kernel &kernel_;
  const std::vector<Place> &places_;
  const Region &region_;
  std::vector<std::int64_t> point_;
  std::vector<Scalar> values_;
  std::array<kernel::Lanes, 3> lanes_{};
  kernel::Lanes out_{};
  Diagnostics found_;
};

/// Why a program has no order of single elements.
Status checkForms(const Program &program) {
  for (const Region &r : program.regions) {
    const kernel::Kernel &k = r.streams.nest;
    bool isFromIdentity = false;
    for (std::size_t t = 0; t < r.streams.targets.size(); ++t) {
      const Array &array = program.arrays[static_cast<std::size_t>(r.streams.targets[t].array)];
      const bool isSum = k.stores[t].combine != kernel::Combine::kAssign;
      isFromIdentity |= array.start != kernel::Combine::kAssign || (isSum && array.role == kernel::Role::kOutput);
    }
    if (!isFromIdentity && k.form != kernel::Form::kSelect && k.bounds.empty()) continue;
    return unsupported("overlap-form", r.where,
                       fmt::format("region '{}' {}, which has no order of single elements: its arrays must not overlap",
                                   r.name, isFromIdentity ? "sums from nothing" : "takes its extent from data"),
                       "pass arrays that lie apart");
  }
  return okStatus();
}

}  // namespace

Status executeInOrder(const Program &program, const Values &values, const std::vector<Memory> &memory) {
  if (Status s = checkForms(program); !s) return s;
  const auto shapes = shapesOf(program, values);
  if (!shapes) return shapes.diagnostics();
  kernel::DataSet own(program.arrays.size());
  std::vector<Place> places;
  for (std::size_t a = 0; a < program.arrays.size(); ++a) {
    places.push_back({program.arrays[a].type, (*shapes)[a], memory[a]});
    if (memory[a].data != nullptr) continue;
    own[a] = kernel::TensorData(program.arrays[a].type, (*shapes)[a]);
    places[a].memory = {own[a].bytes.data(), (*shapes)[a].empty() ? 1 : (*shapes)[a].back()};
  }
  const RegionVisitor run = [&](int region, const Values &now, const std::vector<int> &names) -> Status {
    const Region &r = program.regions[static_cast<std::size_t>(region)];
    auto nest = bindStreams(r.streams, now);
    if (!nest) return okStatus();
    kernel::rename(*nest, names);
    return Points(*nest, places, r).run();
  };
  return visitRegions(program, values, run, INT64_MAX, true);
}

}  // namespace pimento::tdfg
