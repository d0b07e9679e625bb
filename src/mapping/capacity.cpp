#include "pimento/mapping/capacity.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>

#include "pimento/base/integer.h"

namespace pimento::mapping {

namespace {

using kernel::Access;
using kernel::Affine;
using kernel::Kernel;

/// The box of points one instance runs: its sizes, and the dims whose pieces are not contiguous.
struct Piece {
  std::vector<std::int64_t> size;
  std::vector<bool> isScattered;
};

Piece pieceOf(const PlacedMapping &placed, int subspace, int level, const Kernel &kernel,
              const machine::Machine &machine) {
  const Subspace &part = placed.mapping.subspaces[static_cast<std::size_t>(subspace)];
  Piece piece;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    const int dim = static_cast<int>(d);
    piece.size.push_back(part.extentInside(level, dim));
    bool isScattered = false;
    for (int l = 0; l <= level; ++l) {
      const std::int64_t chunk = chunkAt(placed.mapping, part, machine.levels, l, dim);
      isScattered = isScattered || chunk != part.extentInside(l, dim);
    }
    piece.isScattered.push_back(isScattered);
  }
  return piece;
}

/// Elements one tensor dimension takes when `indices` (equal but for their constants) run over the piece.
std::int64_t elementsAlong(const std::vector<Affine> &indices, const Piece &piece) {
  const Affine &index = indices.front();
  std::int64_t low = index.constant, high = index.constant;
  for (const Affine &other : indices) {
    low = std::min(low, other.constant);
    high = std::max(high, other.constant);
  }
  std::int64_t span = addSaturated(high - low, 1), combinations = 1;
  bool isScattered = false;
  for (std::size_t d = 0; d < index.coefficients.size(); ++d) {
    if (index.coefficients[d] == 0) continue;
    span = addSaturated(span, multiplySaturated(std::abs(index.coefficients[d]), piece.size[d] - 1));
    combinations = multiplySaturated(combinations, piece.size[d]);
    isScattered = isScattered || piece.isScattered[d];
  }
  combinations = multiplySaturated(combinations, static_cast<std::int64_t>(indices.size()));
  return isScattered ? combinations : std::min(span, combinations);
}

/// Accesses of one tensor that differ at most in constants, so that they overlap like a stencil's.
struct Group {
  std::vector<Access> accesses;
  bool isWhole = false;  ///< an index is data: any element may be meant

  bool takes(const Access &access) const {
    const Access &mine = accesses.front();
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      if (access.index[i].coefficients != mine.index[i].coefficients) return false;
    }
    return true;
  }

  std::int64_t elements(const Piece &piece, const kernel::Tensor &tensor) const {
    std::int64_t n = 1;
    for (std::size_t i = 0; i < accesses.front().index.size(); ++i) {
      std::vector<Affine> indices;
      for (const Access &access : accesses) {
        if (std::find(indices.begin(), indices.end(), access.index[i]) == indices.end()) {
          indices.push_back(access.index[i]);
        }
      }
      const bool isData = isWhole && i + 1 == accesses.front().index.size();
      n = multiplySaturated(n, isData ? tensor.shape[i] : elementsAlong(indices, piece));
    }
    return n;
  }
};

void add(std::map<int, std::vector<Group>> &groups, const Access &access, bool isWhole) {
  std::vector<Group> &list = groups[access.tensor];
  for (Group &group : list) {
    if (group.isWhole != isWhole || !group.takes(access)) continue;
    group.accesses.push_back(access);
    return;
  }
  list.push_back({{access}, isWhole});
}

std::string grouped(std::int64_t n) {
  std::string s = std::to_string(n);
  for (std::size_t at = s.size(); at > 3;) s.insert(at -= 3, ",");
  return s;
}

}  // namespace

std::vector<Footprint> footprints(const PlacedMapping &placed, int subspace, int level, const kernel::Graph &graph,
                                  const Kernel &kernel, const machine::Machine &machine) {
  std::map<int, std::vector<Group>> groups;
  for (const Access &access : kernel.loads) add(groups, access, false);
  for (const kernel::Store &store : kernel.stores) {
    const bool isData =
        store.target.isIndirect() || (kernel.form == kernel::Form::kSelect && store.combine == kernel::Combine::kAssign);
    add(groups, store.target, isData);
  }
  const Piece piece = pieceOf(placed, subspace, level, kernel, machine);
  std::vector<Footprint> out;
  for (const auto &[number, list] : groups) {
    const kernel::Tensor &tensor = graph.tensors[static_cast<std::size_t>(number)];
    Footprint footprint{number, 0, Bytes(0)};
    for (const Group &group : list) {
      footprint.elements = addSaturated(footprint.elements, group.elements(piece, tensor));
    }
    footprint.bytes = Bytes(multiplySaturated(footprint.elements, sizeOf(tensor.type).value));
    out.push_back(footprint);
  }
  return out;
}

Bytes totalBytes(const std::vector<Footprint> &footprints) {
  std::int64_t total = 0;
  for (const Footprint &footprint : footprints) total = addSaturated(total, footprint.bytes.value);
  return Bytes(total);
}

Status checkCapacity(const PlacedMapping &placed, int level, Bytes limit, const std::string &memory,
                     const kernel::Graph &graph, const Kernel &kernel, const machine::Machine &machine) {
  for (std::size_t s = 0; s < placed.mapping.subspaces.size(); ++s) {
    const std::vector<Footprint> need = footprints(placed, static_cast<int>(s), level, graph, kernel, machine);
    const std::int64_t total = totalBytes(need).value;
    if (total <= limit.value) continue;
    std::string parts, levels;
    for (const Footprint &footprint : need) {
      parts += (parts.empty() ? "" : ", ") + graph.tensors[static_cast<std::size_t>(footprint.tensor)].name + " " +
               grouped(footprint.bytes.value);
    }
    for (int l = 0; l <= level; ++l) {
      levels += (levels.empty() ? "" : " or ") + machine.levels[static_cast<std::size_t>(l)].name;
    }
    const Subspace &subspace = placed.mapping.subspaces[s];
    const std::string who = level < 0 ? "the device" : "each " + machine.levels[static_cast<std::size_t>(level)].name;
    return capacityError(
        "mapping-capacity", subspace.where,
        who + " of M" + std::to_string(subspace.index) + " needs " + grouped(total) + " bytes of " + memory + " (" +
            parts + ") and has " + grouped(limit.value) + ": " + grouped(total - limit.value) + " too many",
        levels.empty() ? "split the space into several subspaces"
                       : "raise a factor of level " + levels + ", or split the space into several subspaces");
  }
  return okStatus();
}

}  // namespace pimento::mapping
