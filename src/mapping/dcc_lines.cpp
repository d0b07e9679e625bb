#include "pimento/mapping/dcc_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/base/scanner.h"
#include "pimento/mapping/cnm_words.h"
#include "pimento/mapping/tiles.h"

namespace pimento::mapping {

namespace {

constexpr std::string_view kRepresentative = "[representative]";

/// The kernel alone: a set of several kernels would have tensors that this one does not touch.
kernel::Graph alone(const kernel::Graph &graph, int k) {
  kernel::Graph out;
  out.name = graph.name;
  out.tensors = graph.tensors;
  out.kernels = {graph.kernels[static_cast<std::size_t>(k)]};
  return out;
}

std::string text(const Stretch &s) {
  if (s.count() == 0) return "-";
  return s.step == 1 ? fmt::format("{}:{}", s.first, s.end) : fmt::format("{}:{}:{}", s.first, s.end, s.step);
}

}  // namespace

std::string bare(std::string_view line) {
  std::string out;
  for (const char c : line)
    if (c != ' ' && c != '\t' && c != '\r') out += c;
  if (const auto at = out.find(kRepresentative); at != std::string::npos) out.erase(at, kRepresentative.size());
  return out;
}

void cut(DccTile &tile, const DccLines::Function &f, std::int64_t extent) {
  tile.borders = f.borders;
  tile.values.clear();
  if (!f.borders) return;
  const std::int64_t cores = tile.groups * tile.cores;
  tile.size = ceilDiv(f.size, cores);
  for (const SetTile &t : tilesBy(f.borders->function, f.size, extent, cores)) tile.values.push_back(t.compute);
}

bool haveCoresBorders(const Subspace &subspace, std::size_t dim, const machine::Machine &machine) {
  for (std::size_t l = machine::unitLevels(machine.levels); l <= coreLevel(machine); ++l)
    if (subspace.factors[l][dim] != 1) return false;
  return true;
}

std::string DccLines::nameOf(int tensor) const {
  return spellWord(graph_.tensors[static_cast<std::size_t>(tensor)].name);
}

std::string DccLines::dimName(std::size_t dim) const {
  return spellWord(kernel().dims[dim].name);
}

DccLines::DccLines(const kernel::Graph &graph, int k, std::vector<DccTile> tiles, bool areContiguous)
    : graph_(graph),
      k_(k),
      tiles_(std::move(tiles)),
      areContiguous_(areContiguous),
      sets_(dimensionSetsOf(alone(graph, k))) {
  std::set<int> stored, loaded;
  for (const kernel::Store &s : kernel().stores) stored.insert(s.target.tensor);
  for (const kernel::Access &a : kernel().loads) loaded.insert(a.tensor);
  for (const int t : loaded)
    if (!stored.contains(t)) parameters_.push_back(t);
  results_.assign(stored.begin(), stored.end());
}

std::string DccLines::set(std::size_t dim) const {
  const kernel::Dim &d = kernel().dims[dim];
  std::vector<std::string> names;
  for (std::size_t f = 0; f < functions(dim).size(); ++f) names.push_back(fmt::format("%{}[{}]", dimName(dim), f));
  return fmt::format("complex_dimset %{} {{{}}} {}", dimName(dim), fmt::join(names, ", "),
                     kindWords()[static_cast<std::size_t>(d.kind)]);
}

std::int64_t DccTile::longest() const {
  if (!borders) return size;
  std::int64_t n = 0;
  for (const Stretch &s : values) n = std::max(n, s.count());
  return n;
}

std::vector<DccLines::Walk> DccLines::walksOf(std::size_t dim) const {
  std::vector<Walk> out;
  for (const DimensionSet &set : sets_.sets) {
    if (set.variables.front().dim != static_cast<int>(dim)) continue;
    for (const SetMember &m : set.members)
      for (const MappingFunction &f : m.functions) out.push_back({&m, f});
  }
  return out;
}

DccLines::Function DccLines::functionAt(std::size_t dim, std::size_t line) const {
  const Walk walk = walksOf(dim)[line];
  const SetMember &m = *walk.member;
  if (walk.function == MappingFunction{} && m.size == kernel().dims[dim].extent) return {std::nullopt, m.size};
  return {Borders{graph_.tensors[static_cast<std::size_t>(m.tensor)].name, m.axis, walk.function}, m.size};
}

std::vector<std::string> DccLines::functions(std::size_t dim) const {
  std::vector<std::string> lines;
  const std::string variable = dimName(dim);
  bool isMarked = false;
  for (const Walk &walk : walksOf(dim)) {
    const bool isBorder = !isMarked && functionAt(dim, lines.size()).borders == tiles_[dim].borders;
    lines.push_back(fmt::format("%{}[{}] = %{}.dim[{}] -> {}{}", variable, lines.size(), nameOf(walk.member->tensor),
                                walk.member->axis, print(walk.function, variable),
                                isBorder ? " [representative]" : ""));
    isMarked = isMarked || isBorder;
  }
  return lines;
}

/// Of each group the values in each core: of the loop, or of a member's dimension.
std::string DccLines::nested(std::size_t dim, const SetMember *member) const {
  const DccTile &t = tiles_[dim];
  const std::int64_t extent = kernel().dims[dim].extent;
  std::string out = "[";
  for (std::int64_t g = 0; g < t.groups; ++g) {
    out += g == 0 ? "[" : ", [";
    for (std::int64_t c = 0; c < t.cores; ++c) {
      const std::int64_t first = std::min(multiplySaturated(g * t.cores + c, t.size), extent);
      const Stretch values = t.borders ? t.values[static_cast<std::size_t>(g * t.cores + c)]
                                       : Stretch{first, std::min(addSaturated(first, t.size), extent)};
      std::string of = text(values);
      if (member != nullptr) {
        of.clear();
        const TensorTile tile = tensorTile(*member, values);
        for (const Stretch &s : tile.needed) of += (of.empty() ? "" : "+") + text(s);
        if (of.empty()) of = "-";
      }
      out += (c == 0 ? "" : ", ") + of;
    }
    out += "]";
  }
  return out + "]";
}

std::vector<std::string> DccLines::computeTiles() const {
  std::vector<std::string> lines;
  for (std::size_t d = 0; areContiguous_ && d < tiles_.size(); ++d)
    lines.push_back(fmt::format("compute_tile %ct_{}: ({}, {}, {}) -> {}", dimName(d), tiles_[d].groups,
                                tiles_[d].cores, tiles_[d].longest(), nested(d, nullptr)));
  return lines;
}

std::vector<std::string> DccLines::tensorTiles() const {
  std::vector<std::string> lines;
  if (!areContiguous_) return lines;
  for (const DimensionSet &set : sets_.sets) {
    const auto dim = static_cast<std::size_t>(set.variables.front().dim);
    for (const SetMember &m : set.members)
      lines.push_back(
          fmt::format("tensor_tile %tt_{}[{}]: %ct_{} -> {}", nameOf(m.tensor), m.axis, dimName(dim), nested(dim, &m)));
  }
  for (const FollowingDimension &f : sets_.following)
    lines.push_back(fmt::format("tensor_tile %tt_{}[{}] follows {}", nameOf(f.tensor), f.axis, f.subscript));
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> DccLines::toCores() const {
  std::vector<std::string> lines;
  for (const int t : parameters_)
    lines.push_back(fmt::format("%{0}_core = rearrange %{0} -> %tt_{0} [to_PIM_core]", nameOf(t)));
  return lines;
}

std::vector<std::string> DccLines::toHost() const {
  std::vector<std::string> lines;
  for (const int t : results_)
    lines.push_back(fmt::format("%{0} = rearrange %{0}_core -> %tt_{0} [to_host]", nameOf(t)));
  return lines;
}

}  // namespace pimento::mapping
