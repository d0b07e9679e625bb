#include "pimento/mapping/borders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/mapping/dimension_sets.h"
#include "pimento/mapping/lexer.h"

namespace pimento::mapping {

using kernel::Dim;
using kernel::DimKind;
using kernel::Graph;
using kernel::Kernel;

namespace {

/// More tiles than this come only from machines made to be slow.
constexpr std::int64_t kMaxTiles = std::int64_t{1} << 20;

/// Units of a subspace that share a dim.
std::int64_t unitsOf(const Subspace &subspace, const machine::Machine &machine, std::size_t dim) {
  std::int64_t n = 1;
  for (std::size_t l = 0; l < machine::unitLevels(machine.levels); ++l)
    n = multiplySaturated(n, subspace.factors[l][dim]);
  return n;
}

/// Values that one of them has room for.
std::int64_t heldBy(const Subspace &subspace, const machine::Machine &machine, std::size_t dim) {
  return subspace.extentInside(static_cast<int>(machine::unitLevels(machine.levels)) - 1, static_cast<int>(dim));
}

/// The level that deals a dim to units cyclically, or null.
const machine::Level *cyclicLevel(const Mapping &mapping, const machine::Machine &machine, std::size_t dim) {
  for (std::size_t l = 0; l < machine::unitLevels(machine.levels); ++l)
    if (mapping.subspaces.front().factors[l][dim] > 1 && mapping.cyclic.contains(machine.levels[l].name))
      return &machine.levels[l];
  return nullptr;
}

bool isTiled(const Kernel &kernel, std::size_t dim) {
  const DimKind kind = kernel.dims[dim].kind;
  return (kind == DimKind::kParallel || kind == DimKind::kReduction) &&
         kernel.boundsOf(static_cast<int>(dim)) == nullptr;
}

/// The least and the greatest element, saturated.
Stretch reach(const MappingFunction &f, std::int64_t extent) {
  const std::int64_t span = multiplySaturated(std::abs(f.scale), extent - 1);
  const std::int64_t other = f.scale > 0 ? addSaturated(f.offset, span) : f.offset - span;
  return {std::min(f.offset, other), std::max(f.offset, other)};
}

bool isCovered(const MappingFunction &f, std::int64_t size, std::int64_t extent) {
  const Stretch r = reach(f, extent);
  return r.first >= 0 && r.end < size;
}

std::vector<Stretch> computeTiles(const MappingFunction &f, std::int64_t size, std::int64_t extent,
                                  std::int64_t units) {
  std::vector<Stretch> out;
  for (const SetTile &t : tilesBy(f, size, extent, units)) out.push_back(t.compute);
  return out;
}

std::int64_t longestOf(const std::vector<Stretch> &tiles) {
  std::int64_t longest = 0;
  for (const Stretch &t : tiles) longest = std::max(longest, t.count());
  return longest;
}

/// What is wrong with by(...), each by itself.
class Checker {
 public:
  Checker(const Mapping &mapping, const Graph &graph, int number, const machine::Machine &machine)
      : mapping_(mapping),
        graph_(graph),
        number_(number),
        kernel_(graph.kernels[static_cast<std::size_t>(number)]),
        machine_(machine) {}

  Result<std::vector<std::vector<Stretch>>> run() {
    std::vector<std::vector<Stretch>> tiles(kernel_.dims.size());
    for (const auto &[name, borders] : mapping_.by) {
      const int dim = kernel_.dimNamed(name);
      if (dim < 0) {
        std::vector<std::string> names;
        for (const Dim &d : kernel_.dims) names.push_back(d.name);
        report("mapping-unknown-dim", whereOf(name), fmt::format("kernel {} has no dim '{}'", kernel_.name, name),
               suggest(name, names));
        continue;
      }
      if (mayBeCut(static_cast<std::size_t>(dim)) && isKnown(static_cast<std::size_t>(dim), borders))
        tiles[static_cast<std::size_t>(dim)] = cut(static_cast<std::size_t>(dim), borders);
    }
    if (!found_.empty()) return std::move(found_);
    return tiles;
  }

 private:
  bool report(std::string code, Location where, std::string message, std::string hint) {
    found_.push_back(error(std::move(code), std::move(where), std::move(message), std::move(hint)));
    return false;
  }

  Location whereOf(const std::string &dim) const {
    const auto at = mapping_.where.find("by(" + dim + ")");
    return at == mapping_.where.end() ? Location{} : at->second;
  }

  bool mayBeCut(std::size_t dim) {
    const std::string &name = kernel_.dims[dim].name;
    const auto refuse = [&](const std::string &why, std::string hint) {
      return report("mapping-by", whereOf(name), fmt::format("by({}: ...): {}", name, why), std::move(hint));
    };
    if (mapping_.subspaces.size() != 1)
      return refuse(fmt::format("the mapping has {} subspaces", mapping_.subspaces.size()),
                    "use one subspace: its tiles cover the whole dim");
    if (mapping_.tail == Tail::kTruncate)
      return refuse("tail=truncate leaves a tail, and tiles cover the whole dim", "omit tail=truncate");
    if (!isTiled(kernel_, dim))
      return refuse("the dim is not tiled: its points run in order, or between bounds from data",
                    fmt::format("omit by({}: ...)", name));
    if (const machine::Level *level = cyclicLevel(mapping_, machine_, dim))
      return refuse(fmt::format("cyclic({}, ...) deals the dim out in chunks", level->name),
                    "omit one of them: a unit has one stretch of a tensor's dimension");
    return true;
  }

  /// Does a reference of the kernel walk the dimension by this function?
  bool isKnown(std::size_t dim, const Borders &b) {
    const std::string &name = kernel_.dims[dim].name;
    std::vector<std::string> tensors, ofDim, ofDimension;
    int tensor = -1;
    const auto see = [&](const kernel::Access &a) {
      const std::string &t = graph_.tensors[static_cast<std::size_t>(a.tensor)].name;
      if (t == b.tensor) tensor = a.tensor;
      if (std::ranges::find(tensors, t) == tensors.end()) tensors.push_back(t);
    };
    for (const kernel::Access &a : kernel_.loads) see(a);
    for (const kernel::Store &s : kernel_.stores) see(s.target);
    if (tensor < 0)
      return report("mapping-unknown-tensor", b.tensorWhere,
                    fmt::format("kernel {} has no tensor '{}'", kernel_.name, b.tensor), suggest(b.tensor, tensors));
    const std::size_t axes = graph_.tensors[static_cast<std::size_t>(tensor)].shape.size();
    if (b.axis < 0 || static_cast<std::size_t>(b.axis) >= axes)
      return report(
          "mapping-unknown-axis", b.axisWhere, fmt::format("'{}' has no axis {}", b.tensor, b.axis),
          axes == 0 ? "it is a single element: name another tensor" : fmt::format("its axes are 0 to {}", axes - 1));
    for (const SetMember &m : membersOf(graph_, {number_, static_cast<int>(dim)}))
      for (const MappingFunction &f : m.functions) {
        const bool isHere = m.tensor == tensor && m.axis == b.axis;
        if (isHere && f == b.function) return true;
        const std::string &t = graph_.tensors[static_cast<std::size_t>(m.tensor)].name;
        (isHere ? ofDimension : ofDim).push_back(fmt::format("{}[{}]={}", t, m.axis, spell(f, name)));
      }
    const std::vector<std::string> &choices = ofDimension.empty() ? ofDim : ofDimension;
    return report("mapping-unknown-function", ofDimension.empty() ? b.tensorWhere : b.functionWhere,
                  ofDimension.empty() ? fmt::format("{}[{}] is not in the set of dim '{}'", b.tensor, b.axis, name)
                                      : fmt::format("dim '{}' does not walk {}[{}] by {}", name, b.tensor, b.axis,
                                                    spell(b.function, name)),
                  choices.empty() ? fmt::format("omit by({}: ...): no dimension is a function of it alone", name)
                                  : fmt::format("choices: {}", fmt::join(choices, ", ")));
  }

  std::int64_t sizeOf(const Borders &b) const {
    const auto t = std::ranges::find(graph_.tensors, b.tensor, &kernel::Tensor::name);
    return t->shape[static_cast<std::size_t>(b.axis)];
  }

  std::vector<Stretch> cut(std::size_t dim, const Borders &b) {
    const Dim &d = kernel_.dims[dim];
    const std::int64_t size = sizeOf(b), units = unitsOf(mapping_.subspaces.front(), machine_, dim);
    if (units > kMaxTiles) {
      report("mapping-too-large", whereOf(d.name), fmt::format("{} units share dim '{}'", units, d.name),
             fmt::format("at most {} tiles", kMaxTiles));
      return {};
    }
    if (!isCovered(b.function, size, d.extent)) {
      const Stretch r = reach(b.function, d.extent);
      report("mapping-uncovered", b.functionWhere,
             fmt::format("{} runs over {}..{} while '{}' runs over 0..{}, and {}[{}] has the elements 0..{}: some "
                         "values are in no tile",
                         spell(b.function, d.name), r.first, r.end, d.name, d.extent - 1, b.tensor, b.axis, size - 1),
             "choose a function that is an element of the tensor for every value of the dim");
      return {};
    }
    std::vector<Stretch> tiles = computeTiles(b.function, size, d.extent, units);
    const std::int64_t longest = longestOf(tiles), held = heldBy(mapping_.subspaces.front(), machine_, dim);
    if (longest > held)
      report("mapping-tile", whereOf(d.name),
             fmt::format("the longest tile of '{}' has {} values, and a unit has room for {}", d.name, longest, held),
             fmt::format("what is inside a unit must multiply to {} at least", longest));
    return tiles;
  }

  const Mapping &mapping_;
  const Graph &graph_;
  int number_;
  const Kernel &kernel_;
  const machine::Machine &machine_;
  Diagnostics found_;
};

}  // namespace

Result<std::vector<std::vector<Stretch>>> tilesOf(const Mapping &mapping, const Graph &graph, int kernel,
                                                  const machine::Machine &machine) {
  return Checker(mapping, graph, kernel, machine).run();
}

BorderChoices::BorderChoices(const Graph &graph, int kernel, const machine::Machine &machine)
    : machine_(&machine), dims_(graph.kernels[static_cast<std::size_t>(kernel)].dims), choices_(dims_.size()) {
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (!isTiled(k, d) || !isPlainName(dims_[d].name)) continue;
    using Cut = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    std::vector<Cut> seen = {{dims_[d].extent, 1, 0}};  // the loop itself
    for (const SetMember &m : membersOf(graph, {kernel, static_cast<int>(d)}))
      for (const MappingFunction &f : m.functions) {
        const kernel::Tensor &t = graph.tensors[static_cast<std::size_t>(m.tensor)];
        if (!isPlainName(t.name) || !isCovered(f, m.size, dims_[d].extent)) continue;
        const Cut cut{m.size, f.scale, f.offset};
        if (std::ranges::find(seen, cut) != seen.end()) continue;
        seen.push_back(cut);
        choices_[d].push_back({{t.name, m.axis, f}, m.size});
      }
  }
}

bool BorderChoices::isEmpty() const {
  return std::ranges::all_of(choices_, [](const auto &c) { return c.empty(); });
}

/// As long as the tile asks, and as chunks of threads and lanes do.
std::int64_t BorderChoices::rangeFor(const Mapping &mapping, std::size_t dim, std::int64_t longest) const {
  const Subspace &s = mapping.subspaces.front();
  std::int64_t inside = 1, unit = 1;
  for (std::size_t l = machine_->levels.size(); l-- > machine::unitLevels(machine_->levels);) {
    const auto chunk = mapping.cyclic.find(machine_->levels[l].name);
    if (chunk != mapping.cyclic.end() && s.factors[l][dim] > 1)
      unit = std::lcm(unit, chunk->second / std::gcd(chunk->second, inside));
    inside = multiplySaturated(inside, s.factors[l][dim]);
  }
  return ceilDiv(ceilDiv(longest, inside), unit) * unit;
}

std::vector<BorderChoices::Cut> BorderChoices::cutsOf(const Mapping &mapping, std::size_t dim) const {
  const Subspace &s = mapping.subspaces.front();
  std::vector<Cut> out = {{nullptr, s.range(static_cast<int>(dim))}};
  const std::int64_t units = unitsOf(s, *machine_, dim), held = heldBy(s, *machine_, dim);
  if (units == 1 || units > kMaxTiles || cyclicLevel(mapping, *machine_, dim) != nullptr) return out;
  std::vector<std::vector<Stretch>> seen(1);
  for (std::int64_t u = 0; u < units; ++u) {
    const std::int64_t first = std::min(multiplySaturated(u, held), dims_[dim].extent);
    seen[0].push_back({first, std::min(addSaturated(first, held), dims_[dim].extent)});
  }
  for (const Choice &c : choices_[dim]) {
    if (units > c.size) continue;
    std::vector<Stretch> tiles = computeTiles(c.borders.function, c.size, dims_[dim].extent, units);
    if (std::ranges::find(seen, tiles) != seen.end()) continue;
    out.push_back({&c, rangeFor(mapping, dim, longestOf(tiles))});
    seen.push_back(std::move(tiles));
  }
  return out;
}

std::vector<Mapping> BorderChoices::of(const Mapping &mapping) const {
  std::vector<Mapping> out;
  if (isEmpty() || mapping.subspaces.size() != 1 || mapping.tail != Tail::kPad) return out;
  const auto &factors = mapping.subspaces.front().factors;
  if (factors.size() != machine_->levels.size() + 1 || factors.front().size() != dims_.size()) return out;
  std::vector<std::vector<Cut>> cuts;
  for (std::size_t d = 0; d < dims_.size(); ++d) cuts.push_back(cutsOf(mapping, d));
  std::vector<std::size_t> at(dims_.size(), 0);
  const auto advance = [&] {
    for (std::size_t d = at.size(); d-- > 0; at[d] = 0)
      if (++at[d] < cuts[d].size()) return true;
    return false;
  };
  while (advance()) {
    Mapping m = mapping;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const Cut &c = cuts[d][at[d]];
      m.subspaces.front().factors.back()[d] = c.range;
      if (c.choice != nullptr) m.by.emplace(dims_[d].name, c.choice->borders);
    }
    m.text = print(m);
    out.push_back(std::move(m));
  }
  return out;
}

}  // namespace pimento::mapping
