#include "pimento/mapping/dimension_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace pimento::mapping {

using kernel::Access;
using kernel::Affine;
using kernel::Dim;
using kernel::DimKind;
using kernel::Graph;
using kernel::Kernel;

namespace {

/// The dims that a subscript moves with.
std::vector<int> dimsOf(const Affine &index, const Kernel &kernel) {
  std::vector<int> out;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d)
    if (index.coefficients[d] != 0 && kernel.dims[d].extent > 1) out.push_back(static_cast<int>(d));
  // A dim of one point moves nothing, but where it is the only one, the dimension is its own.
  for (std::size_t d = 0; d < kernel.dims.size() && out.empty(); ++d)
    if (index.coefficients[d] != 0) out.push_back(static_cast<int>(d));
  return out;
}

std::string subscriptText(const Affine &index, const Kernel &kernel) {
  std::string out;
  const auto add = [&out](std::int64_t number, const std::string &what) {
    if (number == 0) return;
    const std::int64_t size = std::abs(number);
    out += out.empty() ? (number < 0 ? "-" : "") : number < 0 ? " - " : " + ";
    out += what.empty() ? std::to_string(size) : size == 1 ? what : fmt::format("{}*{}", what, size);
  };
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) add(index.coefficients[d], kernel.dims[d].name);
  add(index.constant, "");
  return out.empty() ? "0" : out;
}

/// What a loop does to tensors: the functions of each tensor dimension.
using References = std::map<std::pair<int, int>, std::vector<MappingFunction>>;

struct Walk {
  std::map<std::pair<int, int>, References> ofVariable;  ///< by kernel and dim
  std::vector<FollowingDimension> following;

  void see(const Kernel &kernel, int number) {
    for (const kernel::Value &v : kernel.body)
      if (v.op == kernel::Op::kLoad) see(kernel.loads[static_cast<std::size_t>(v.access)], number, kernel);
    for (const kernel::Store &s : kernel.stores) see(s.target, number, kernel);
  }
  void see(const Access &access, int number, const Kernel &kernel) {
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      const int axis = static_cast<int>(i);
      if (access.indirectAt == axis) {
        follow({access.tensor, axis, "from data", true});
        continue;
      }
      const std::vector<int> dims = dimsOf(access.index[i], kernel);
      if (dims.size() > 1) follow({access.tensor, axis, subscriptText(access.index[i], kernel)});
      if (dims.size() != 1) continue;
      const MappingFunction f{access.index[i].coefficients[static_cast<std::size_t>(dims.front())],
                              access.index[i].constant};
      std::vector<MappingFunction> &seen = ofVariable[{number, dims.front()}][{access.tensor, axis}];
      if (std::find(seen.begin(), seen.end(), f) == seen.end()) seen.push_back(f);
    }
  }
  void follow(FollowingDimension d) {
    for (const FollowingDimension &f : following)
      if (f.tensor == d.tensor && f.axis == d.axis && f.subscript == d.subscript) return;
    following.push_back(std::move(d));
  }
};

std::int64_t sizeOfDimension(const Graph &graph, const std::pair<int, int> &dimension) {
  return graph.tensors[static_cast<std::size_t>(dimension.first)].shape[static_cast<std::size_t>(dimension.second)];
}

/// Nests that are the same loop over the same dimensions. Two loops of one nest never are.
bool isSameLoop(const DimensionSet &set, const References &ofSet, const Dim &dim, int kernel, const References &other) {
  if (set.name != dim.name || set.extent != dim.extent) return false;
  for (const LoopVariable &v : set.variables)
    if (v.kernel == kernel) return false;
  // Where both walk a dimension, they do by the same functions.
  for (const auto &[where, functions] : other)
    if (const auto it = ofSet.find(where); it != ofSet.end() && it->second != functions) return false;
  return true;
}

std::string whyWhole(const DimensionSet &set, const Dim &dim) {
  if (dim.kind == DimKind::kSequential) return "its points run in order";
  if (set.members.empty()) return "no tensor dimension is a function of it alone";
  return {};
}

}  // namespace

std::vector<SetMember> membersOf(const Graph &graph, const LoopVariable &variable) {
  Walk walk;
  walk.see(graph.kernels[static_cast<std::size_t>(variable.kernel)], variable.kernel);
  std::vector<SetMember> out;
  for (const auto &[where, functions] : walk.ofVariable[{variable.kernel, variable.dim}])
    out.push_back({where.first, where.second, sizeOfDimension(graph, where), functions});
  return out;
}

DimensionSets dimensionSetsOf(const Graph &graph) {
  DimensionSets out;
  Walk walk;
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) walk.see(graph.kernels[k], static_cast<int>(k));
  std::vector<References> references;
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
    const Kernel &kernel = graph.kernels[k];
    for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
      const Dim &dim = kernel.dims[d];
      if (dim.kind == DimKind::kCounter) continue;
      const LoopVariable variable{static_cast<int>(k), static_cast<int>(d)};
      const References &own = walk.ofVariable[{variable.kernel, variable.dim}];
      std::size_t s = 0;
      while (s < out.sets.size() && !isSameLoop(out.sets[s], references[s], dim, variable.kernel, own)) ++s;
      if (s == out.sets.size()) {
        out.sets.push_back({dim.name, dim.extent, {}, {}, false, {}});
        references.emplace_back();
      }
      DimensionSet &set = out.sets[s];
      set.variables.push_back(variable);
      set.isReduced |= dim.kind == DimKind::kReduction;
      for (const auto &[where, functions] : own) {
        const bool isNew = references[s].emplace(where, functions).second;
        if (isNew) set.members.push_back({where.first, where.second, sizeOfDimension(graph, where), functions});
      }
      if (const std::string why = whyWhole(set, dim); !why.empty()) set.whyWhole = why;
    }
  }
  for (DimensionSet &set : out.sets) {
    std::sort(set.members.begin(), set.members.end(), [](const SetMember &a, const SetMember &b) {
      return std::pair(a.tensor, a.axis) < std::pair(b.tensor, b.axis);
    });
  }
  out.following = std::move(walk.following);
  return out;
}

std::string print(const DimensionSets &sets, const Graph &graph) {
  const auto nameOf = [&graph](int tensor, int axis) {
    return fmt::format("{}{}", graph.tensors[static_cast<std::size_t>(tensor)].name, axis);
  };
  std::string out;
  for (const DimensionSet &set : sets.sets) {
    std::vector<std::string> members;
    for (const SetMember &m : set.members) {
      std::vector<std::string> functions;
      for (const MappingFunction &f : m.functions) functions.push_back(print(f, set.name));
      members.push_back(fmt::format("{} = {{{}}}", nameOf(m.tensor, m.axis), fmt::join(functions, ", ")));
    }
    out += fmt::format("set {} in 0..{}{}: {}\n", set.name, set.extent, set.isReduced ? ", summed" : "",
                       set.members.empty() ? "no dimension" : fmt::format("{}", fmt::join(members, ", ")));
    if (!set.whyWhole.empty()) out += fmt::format("  not tiled: {}\n", set.whyWhole);
  }
  for (const FollowingDimension &f : sets.following)
    out += fmt::format(
        "{} = {{{}}} follows {}\n", nameOf(f.tensor, f.axis), f.subscript,
        f.isFromData ? "the data: every unit that may ask for it has all of it" : "the tiles of its variables");
  return out;
}

}  // namespace pimento::mapping
