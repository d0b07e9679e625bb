#include "pimento/tune/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pimento/kernel/kernel.h"
#include "pimento/tune/problem.h"

namespace pimento::tune {

namespace {

using machine::LevelRole;

/// Dims and operands behind these have no features of their own.
constexpr std::size_t kDims = 8, kOperands = 4;
constexpr std::array<LevelRole, 5> kRoles = {LevelRole::kGroup, LevelRole::kUnit, LevelRole::kBank, LevelRole::kThread,
                                             LevelRole::kLane};
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

float log2Of(double n) {
  return static_cast<float>(std::log2(std::max(n, 1.0)));
}

/// A row that is being filled in: each value names its column, so that the names can be listed by the same code.
class Columns {
 public:
  explicit Columns(std::span<float> out) : out_(out) {}
  explicit Columns(std::vector<std::string> &names) : names_(&names) {}

  template <typename Name>
  void put(const Name &name, float value) {
    if (names_ != nullptr) names_->push_back(name());
    if (at_ < out_.size()) out_[at_] = value;
    ++at_;
  }

 private:
  std::span<float> out_;
  std::vector<std::string> *names_ = nullptr;
  std::size_t at_ = 0;
};

std::int64_t bytesOf(const kernel::Tensor &t) {
  return t.elements() * sizeOf(t.type).value;
}

void putKernel(Columns &row, const kernel::Graph *graph) {
  const kernel::Kernel *k = graph != nullptr ? &graph->kernels.front() : nullptr;
  double points = 0, in = 0, out = 0;
  if (graph != nullptr) {
    for (const kernel::Kernel &each : graph->kernels) points += static_cast<double>(each.points());
    for (const kernel::Tensor &t : graph->tensors) {
      if (t.role == kernel::Role::kInput || t.role == kernel::Role::kInOut) in += static_cast<double>(bytesOf(t));
      if (t.role == kernel::Role::kOutput || t.role == kernel::Role::kInOut) out += static_cast<double>(bytesOf(t));
    }
  }
  const auto number = [k](auto value) { return k != nullptr ? static_cast<float>(value(*k)) : kNone; };
  row.put([] { return "kernels"; }, graph != nullptr ? static_cast<float>(graph->kernels.size()) : kNone);
  row.put([] { return "points"; }, log2Of(points));
  row.put([] { return "bytes in"; }, log2Of(in));
  row.put([] { return "bytes out"; }, log2Of(out));
  row.put([] { return "operations"; },
          graph != nullptr ? log2Of(static_cast<double>(kernel::scalarOperations(*graph))) : kNone);
  row.put([] { return "loads"; }, number([](const kernel::Kernel &each) { return each.loads.size(); }));
  row.put([] { return "values"; }, number([](const kernel::Kernel &each) { return each.body.size(); }));
  row.put([] { return "guards"; }, number([](const kernel::Kernel &each) { return each.guards.size(); }));
  row.put([] { return "combine"; },
          number([](const kernel::Kernel &each) { return static_cast<int>(each.stores.front().combine); }));
  row.put([] { return "operation"; }, number([](const kernel::Kernel &each) {
            const int value = each.stores.front().value;
            return value < 0 ? -1 : static_cast<int>(each.body[static_cast<std::size_t>(value)].op);
          }));
  row.put([] { return "type"; }, number([graph](const kernel::Kernel &each) {
            return static_cast<int>(graph->tensors[static_cast<std::size_t>(each.stores.front().target.tensor)].type);
          }));
  for (std::size_t d = 0; d < kDims; ++d) {
    const bool isThere = k != nullptr && d < k->dims.size();
    row.put([d] { return fmt::format("extent {}", d); },
            isThere ? log2Of(static_cast<double>(k->dims[d].extent)) : kNone);
    row.put([d] { return fmt::format("kind {}", d); }, isThere ? static_cast<float>(k->dims[d].kind) : kNone);
  }
}

/// How the parts of a dim are counted, level by level.
struct Division {
  std::array<double, kRoles.size()> by;  ///< units of a role that share it; 0: the machine has none
  double units = 1;                      ///< of all that are not in lock step
  double inside = 1;                     ///< elements of one of them
  double range = 1;
};

Division divisionOf(const mapping::Subspace &s, std::size_t dim, std::span<const machine::Level> levels) {
  Division d{};
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto role =
        static_cast<std::size_t>(std::find(kRoles.begin(), kRoles.end(), levels[l].role) - kRoles.begin());
    const auto factor = static_cast<double>(s.factors[l][dim]);
    d.by[role] = std::max(d.by[role], 1.0) * factor;
    (levels[l].role == LevelRole::kLane ? d.inside : d.units) *= factor;
  }
  d.range = static_cast<double>(s.factors.back()[dim]);
  d.inside *= d.range;
  return d;
}

void putMapping(Columns &row, const mapping::Mapping *m) {
  row.put([] { return "program"; }, m != nullptr ? static_cast<float>(m->program) : kNone);
  row.put([] { return "mode"; }, m != nullptr ? static_cast<float>(m->mode) : kNone);
  row.put([] { return "merge"; }, m != nullptr ? static_cast<float>(m->mergeAt) : kNone);
  for (const std::string &name : mapping::parameterNames()) {
    const bool isThere = m != nullptr && m->parameters.contains(name);
    row.put([&] { return name; }, isThere ? log2Of(static_cast<double>(m->parameters.at(name))) : kNone);
  }
}

/// Which place a dim has in the order of the loops, and the chunks it is dealt in.
void putOrder(Columns &row, const mapping::Mapping *m, const kernel::Kernel *k,
              std::span<const machine::Level> levels) {
  for (std::size_t d = 0; d < kDims; ++d) {
    float place = kNone;
    if (m != nullptr && d < k->dims.size()) {
      const auto at = std::find(m->order.begin(), m->order.end(), k->dims[d].name);
      place = static_cast<float>(at == m->order.end() ? static_cast<std::ptrdiff_t>(d) : at - m->order.begin());
    }
    row.put([d] { return fmt::format("place {}", d); }, place);
  }
  for (std::size_t r = 0; r < kRoles.size(); ++r) {
    float chunk = kNone;
    for (const machine::Level &l : levels)
      if (m != nullptr && l.role == kRoles[r] && m->cyclic.contains(l.name))
        chunk = log2Of(static_cast<double>(m->cyclic.at(l.name)));
    row.put([r] { return fmt::format("{} chunk", machine::name(kRoles[r])); }, chunk);
  }
}

void putDivisions(Columns &row, const std::vector<Division> &dims) {
  for (std::size_t d = 0; d < kDims; ++d) {
    const bool isThere = d < dims.size();
    for (std::size_t r = 0; r < kRoles.size(); ++r)
      row.put([&] { return fmt::format("{}s {}", machine::name(kRoles[r]), d); },
              isThere && dims[d].by[r] > 0 ? log2Of(dims[d].by[r]) : kNone);
    row.put([d] { return fmt::format("range {}", d); }, isThere ? log2Of(dims[d].range) : kNone);
    row.put([d] { return fmt::format("tile {}", d); }, isThere ? static_cast<float>(dims[d].inside) : kNone);
  }
}

void putWhole(Columns &row, const std::vector<Division> &dims, const kernel::Kernel *k) {
  std::array<double, kRoles.size()> used{}, rounded{};
  used.fill(1);
  rounded.fill(1);
  double padded = 1, work = 1, sums = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    for (std::size_t r = 0; r < kRoles.size(); ++r) {
      used[r] *= std::max(dims[d].by[r], 1.0);
      rounded[r] *= std::exp2(std::ceil(std::log2(std::max(dims[d].by[r], 1.0))));
    }
    padded *= dims[d].units * dims[d].inside;
    work *= dims[d].range;
    if (k != nullptr && d < k->dims.size() && k->dims[d].kind == kernel::DimKind::kReduction) sums *= dims[d].units;
  }
  for (std::size_t r = 0; r < kRoles.size(); ++r)
    row.put([r] { return fmt::format("{}s", machine::name(kRoles[r])); }, log2Of(used[r]));
  // Programs that take powers of two of each.
  for (std::size_t r = 0; r < kRoles.size(); ++r)
    row.put([r] { return fmt::format("{}s rounded", machine::name(kRoles[r])); }, log2Of(rounded[r]));
  row.put([] { return "padding"; },
          k != nullptr ? log2Of(padded / std::max(static_cast<double>(k->points()), 1.0)) : kNone);
  row.put([] { return "work"; }, log2Of(work));
  row.put([] { return "shares of a sum"; }, log2Of(sums));
}

/// Of one operand: a tile of it, all tiles together, units that hold the same one.
struct Held {
  double tile = 1, all = 1, copies = 1;
};

void putHeld(Columns &row, const std::vector<Held> &held) {
  for (std::size_t i = 0; i < kOperands; ++i) {
    const bool isThere = i < held.size();
    row.put([i] { return fmt::format("elements {}", i); }, isThere ? log2Of(held[i].tile) : kNone);
    row.put([i] { return fmt::format("bytes {}", i); }, isThere ? log2Of(held[i].all) : kNone);
    row.put([i] { return fmt::format("copies {}", i); }, isThere ? log2Of(held[i].copies) : kNone);
  }
}

}  // namespace

const std::vector<std::string> &featureNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    Columns row(names);
    putKernel(row, nullptr);
    putMapping(row, nullptr);
    putOrder(row, nullptr, nullptr, {});
    putDivisions(row, {});
    putWhole(row, {}, nullptr);
    putHeld(row, {});
    return names;
  }();
  return all;
}

Features::Features(const Problem &problem) : problem_(problem) {
  const kernel::Graph &graph = *problem.graph;
  const kernel::Kernel &k = problem.kernel();
  std::vector<std::string> names;
  Columns list(names);
  putKernel(list, nullptr);
  kernel_.resize(names.size());
  Columns row(kernel_);
  putKernel(row, &graph);
  const auto add = [&](const kernel::Access &access) {
    const kernel::Tensor &t = graph.tensors[static_cast<std::size_t>(access.tensor)];
    Operand o{std::vector<std::int64_t>(k.dims.size()), sizeOf(t.type).value};
    for (const kernel::Affine &a : access.index)
      for (std::size_t d = 0; d < a.coefficients.size(); ++d) o.reach[d] += std::abs(a.coefficients[d]);
    if (operands_.size() < kOperands) operands_.push_back(std::move(o));
  };
  add(k.stores.front().target);
  for (const kernel::Access &a : k.loads) add(a);
}

void Features::of(const mapping::Mapping &mapping, std::span<float> out) const {
  std::copy(kernel_.begin(), kernel_.end(), out.begin());
  Columns row(out.subspan(kernel_.size()));
  const kernel::Kernel &k = problem_.kernel();
  const std::span<const machine::Level> levels = problem_.machine->levels;
  putMapping(row, &mapping);
  putOrder(row, &mapping, &k, levels);
  std::vector<Division> dims;
  if (!mapping.subspaces.empty() && mapping.subspaces.front().factors.size() == levels.size() + 1)
    for (std::size_t d = 0; d < mapping.subspaces.front().factors.front().size(); ++d)
      dims.push_back(divisionOf(mapping.subspaces.front(), d, levels));
  putDivisions(row, dims);
  const bool isOfKernel = dims.size() == k.dims.size();
  putWhole(row, dims, isOfKernel ? &k : nullptr);
  std::vector<Held> held;
  for (std::size_t i = 0; isOfKernel && i < operands_.size(); ++i) {
    Held h;
    double units = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      units *= dims[d].units;
      const auto reach = static_cast<double>(operands_[i].reach[d]);
      if (reach == 0) h.copies *= dims[d].units;
      if (reach > 0) h.tile *= 1 + reach * (dims[d].inside - 1);
    }
    h.all = h.tile * units * static_cast<double>(operands_[i].bytes);
    held.push_back(h);
  }
  putHeld(row, held);
}

}  // namespace pimento::tune
