#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/mapping/borders.h"
#include "pimento/mapping/box.h"
#include "pimento/mapping/dependence.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

namespace {

using kernel::DimKind;
using kernel::Kernel;
using machine::Level;
using machine::Machine;

/// More pieces of free space than this come only from mappings written to be slow to check.
constexpr std::size_t kMaxPieces = 16384;

std::string named(const Subspace &subspace) {
  return "M" + std::to_string(subspace.index);
}

std::string times(const std::vector<std::int64_t> &row) {
  std::string s;
  for (const std::int64_t n : row) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s;
}

std::int64_t product(const std::vector<std::int64_t> &row) {
  std::int64_t n = 1;
  for (const std::int64_t factor : row) n = multiplySaturated(n, factor);
  return n;
}

template <typename List>
std::vector<std::string> namesOf(const List &list) {
  std::vector<std::string> names;
  for (const auto &item : list) names.push_back(item.name);
  return names;
}

/// What can be said of each subspace and extension by itself.
class ShapeCheck {
 public:
  ShapeCheck(const Mapping &mapping, const Kernel &kernel, const Machine &machine)
      : mapping_(mapping), kernel_(kernel), machine_(machine) {}

  Diagnostics run() {
    if (mapping_.subspaces.empty()) {
      report("mapping-no-subspace", {}, "the mapping has no subspace",
             "resolve 'reference' and 'auto' for the target, or write M1:{...}");
    }
    for (const Subspace &subspace : mapping_.subspaces) {
      if (checkShape(subspace)) checkLevels(subspace);
    }
    checkIndices();
    checkOrder();
    for (const auto &[level, chunk] : mapping_.cyclic) checkCyclic(level, chunk);
    return std::move(found_);
  }

 private:
  void report(std::string code, Location where, std::string message, std::string hint) {
    found_.push_back(error(std::move(code), std::move(where), std::move(message), std::move(hint)));
  }

  Location rowWhere(const Subspace &subspace, std::size_t row) const {
    return row < subspace.rowsWhere.size() ? subspace.rowsWhere[row] : subspace.where;
  }

  Location extensionWhere(const std::string &key) const {
    const auto found = mapping_.where.find(key);
    return found == mapping_.where.end() ? Location{} : found->second;
  }

  std::string levelList() const {
    std::string s;
    for (const Level &level : machine_.levels) s += level.name + " (" + std::to_string(level.count) + "), ";
    return s + "range";
  }

  std::string dimList() const {
    std::string s;
    for (const kernel::Dim &dim : kernel_.dims) {
      s += (s.empty() ? "" : ", ") + dim.name + " (" + std::to_string(dim.extent) + ")";
    }
    return s;
  }

  bool checkShape(const Subspace &subspace) {
    const std::size_t rows = machine_.levels.size() + 1, dims = kernel_.dims.size();
    if (subspace.factors.size() != rows) {
      report("mapping-levels", subspace.where,
             named(subspace) + " has " + std::to_string(subspace.factors.size()) + " tuples, but " + machine_.name +
                 " needs " + std::to_string(rows),
             "write one tuple each for " + levelList());
      return false;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const auto &row = subspace.factors[r];
      if (row.size() != dims) {
        report("mapping-dims", rowWhere(subspace, r),
               "a tuple of " + named(subspace) + " has " + std::to_string(row.size()) + " elements, but kernel " +
                   kernel_.name + " has " + std::to_string(dims) + " dims",
               "write one element each for " + dimList());
        return false;
      }
      if (std::any_of(row.begin(), row.end(), [](std::int64_t n) { return n < 1; })) {
        report("mapping-factor", rowWhere(subspace, r), "a factor of " + named(subspace) + " is below 1",
               "use 1 for an unsplit dim");
        return false;
      }
    }
    std::int64_t points = 1;
    for (std::size_t d = 0; d < dims; ++d) {
      const std::int64_t extent = subspace.extent(static_cast<int>(d));
      points = extent > kMaxExtent ? extent : multiplySaturated(points, extent);
      if (extent <= kMaxExtent && points <= std::numeric_limits<std::int64_t>::max() / 2) continue;
      report("mapping-too-large", subspace.where, named(subspace) + " spans too many points",
             "at most " + std::to_string(kMaxExtent) + " along a dim and 2^62 in all; the kernel has " + dimList());
      return false;
    }
    return true;
  }

  void checkLevels(const Subspace &subspace) {
    for (std::size_t l = 0; l < machine_.levels.size(); ++l) {
      const Level &level = machine_.levels[l];
      const std::vector<std::int64_t> &row = subspace.factors[l];
      const std::int64_t used = product(row);
      const std::string what = named(subspace) + " uses " + times(row) + " = " + std::to_string(used) +
                               " instances of level " + level.name + ", ";
      if (used > level.count) {
        report("mapping-count", rowWhere(subspace, l),
               what + machine_.name + " has " + std::to_string(level.count) + ": " +
                   std::to_string(used - level.count) + " too many",
               "the factors of a level multiply to at most its count");
      } else if (level.mustFill && used < level.count) {
        report(
            "mapping-not-full", rowWhere(subspace, l),
            what + "but all " + std::to_string(level.count) + " work in lock step",
            "the factors must multiply to " + std::to_string(level.count) + "; the excess over the kernel is padding");
      }
      for (std::size_t d = 0; d < row.size(); ++d) checkSplit(subspace, l, d);
    }
  }

  void checkSplit(const Subspace &subspace, std::size_t l, std::size_t d) {
    const Level &level = machine_.levels[l];
    const kernel::Dim &dim = kernel_.dims[d];
    if (subspace.factors[l][d] == 1) return;
    if (kernel_.boundsOf(static_cast<int>(d)) != nullptr) {
      report("mapping-bounded-split", rowWhere(subspace, l),
             named(subspace) + " splits dim " + dim.name + ", whose bounds come from data, at level " + level.name,
             "split the dims that its bounds depend on, and put it entirely in the range (factor 1 at every level)");
    } else if (dim.kind == DimKind::kSequential && !(level.splitsReduction && isPrefixSum(kernel_))) {
      report("mapping-sequential-split", rowWhere(subspace, l),
             named(subspace) + " splits sequential dim " + dim.name + " at level " + level.name,
             "its points must run in ascending order: put it entirely in the range (factor 1 at every level)");
    } else if (dim.kind == DimKind::kReduction && !level.splitsReduction) {
      std::vector<std::string> merging;
      for (const Level &other : machine_.levels) {
        if (other.splitsReduction) merging.push_back(other.name);
      }
      const std::string list = join(merging, ", ");
      report("mapping-reduction-split", rowWhere(subspace, l),
             named(subspace) + " splits reduction dim " + dim.name + " at level " + level.name +
                 ", where partial results are not merged",
             list.empty() ? "no level of " + machine_.name + " merges partial results: use factor 1 for " + dim.name
                          : "levels that may split it: " + list);
    }
  }

  void checkIndices() {
    for (std::size_t i = 0; i < mapping_.subspaces.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (mapping_.subspaces[i].index != mapping_.subspaces[j].index) continue;
        report("mapping-duplicate-index", mapping_.subspaces[i].where,
               "two subspaces are called " + named(mapping_.subspaces[i]), "the numbers give the order of execution");
        return;
      }
    }
  }

  void checkOrder() {
    if (mapping_.order.empty()) return;
    const std::vector<std::string> dims = namesOf(kernel_.dims);
    for (const std::string &name : mapping_.order) {
      if (std::find(dims.begin(), dims.end(), name) != dims.end()) continue;
      report("mapping-unknown-dim", extensionWhere("order"), "kernel " + kernel_.name + " has no dim '" + name + "'",
             suggest(name, dims));
      return;
    }
    for (const std::string &dim : dims) {
      const auto n = std::count(mapping_.order.begin(), mapping_.order.end(), dim);
      if (n == 1) continue;
      report("mapping-order", extensionWhere("order"),
             "order(...) names dim '" + dim + "' " + (n ? "more than once" : "nowhere"),
             "name every dim once, outermost first: " + dimList());
    }
  }

  void checkCyclic(const std::string &name, std::int64_t chunk) {
    const std::string key = "cyclic(" + name + ")";
    const auto level = std::find_if(machine_.levels.begin(), machine_.levels.end(),
                                    [&](const Level &candidate) { return candidate.name == name; });
    if (level == machine_.levels.end()) {
      report("mapping-unknown-level", extensionWhere(key), machine_.name + " has no level '" + name + "'",
             suggest(name, namesOf(machine_.levels)));
      return;
    }
    const std::size_t row = static_cast<std::size_t>(level - machine_.levels.begin());
    for (const Subspace &subspace : mapping_.subspaces) {
      if (subspace.factors.size() != machine_.levels.size() + 1) continue;  // reported already
      for (std::size_t d = 0; d < kernel_.dims.size() && d < subspace.factors[row].size(); ++d) {
        if (subspace.factors[row][d] <= 1) continue;
        const std::int64_t inside = subspace.extentInside(static_cast<int>(row), static_cast<int>(d));
        if (chunk >= 1 && inside % chunk == 0) continue;
        report("mapping-cyclic-chunk", extensionWhere(key),
               "chunk " + std::to_string(chunk) + " does not divide the " + std::to_string(inside) + " elements of " +
                   kernel_.dims[d].name + " that a " + name + " of " + named(subspace) + " has",
               "choose a divisor of " + std::to_string(inside) + ", or change the factors inside " + name);
      }
    }
  }

  const Mapping &mapping_;
  const Kernel &kernel_;
  const Machine &machine_;
  Diagnostics found_;
};

/// Allocates subspaces one after the other; what is free stays a list of disjoint boxes.
class Allocation {
 public:
  Allocation(const Mapping &mapping, const Kernel &kernel) : mapping_(mapping), kernel_(kernel) {
    for (const kernel::Dim &dim : kernel.dims) {
      space_.lower.push_back(0);
      space_.size.push_back(dim.extent);
    }
    if (!isEmpty(space_)) free_.push_back(space_);
  }

  Result<std::vector<Box>> run() {
    for (const Subspace &subspace : mapping_.subspaces) {
      if (Status status = add(subspace); !status) return status.diagnostics();
    }
    if (!free_.empty() && mapping_.tail == Tail::kPad) {
      std::int64_t missing = 0;
      for (const Box &box : free_) missing = addSaturated(missing, volume(box));
      const std::int64_t all = volume(space_);
      return error("mapping-incomplete", mapping_.subspaces.back().where,
                   "the subspaces cover " + std::to_string(all - missing) + " of " + std::to_string(all) +
                       " points; the first uncovered one is " + pointText(free_[first()].lower),
                   "raise a factor or the range, add a subspace, or use tail=truncate to leave them uncomputed");
    }
    return std::move(boxes_);
  }

 private:
  /// The free box with the first uncovered point, first dim running fastest.
  std::size_t first() const {
    const auto earlier = [](const Box &a, const Box &b) {
      return std::lexicographical_compare(a.lower.rbegin(), a.lower.rend(), b.lower.rbegin(), b.lower.rend());
    };
    return static_cast<std::size_t>(std::min_element(free_.begin(), free_.end(), earlier) - free_.begin());
  }

  Status add(const Subspace &subspace) {
    if (free_.empty()) {
      return error("mapping-unused-subspace", subspace.where,
                   named(subspace) + " has nothing left to cover: the subspaces before it fill " + times(space_.size),
                   "remove it, or make the ones before it smaller");
    }
    Box box;
    box.lower = free_[first()].lower;
    for (std::size_t d = 0; d < space_.size.size(); ++d) {
      const std::int64_t left = space_.size[d] - box.lower[d];
      box.size.push_back(std::min(left, subspace.extent(static_cast<int>(d))));
    }
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      const bool isWhole =
          kernel_.dims[d].kind == DimKind::kSequential || kernel_.boundsOf(static_cast<int>(d)) != nullptr;
      if (!isWhole || box.size[d] == space_.size[d]) continue;
      const bool isBounded = kernel_.dims[d].kind != DimKind::kSequential;
      return error(isBounded ? "mapping-bounded-split" : "mapping-sequential-split", subspace.where,
                   named(subspace) + " covers " + std::to_string(box.size[d]) + " of the " +
                       std::to_string(space_.size[d]) + " points of " + (isBounded ? "dim " : "sequential dim ") +
                       kernel_.dims[d].name,
                   (isBounded ? "its bounds come from data" : "its points must run in ascending order") +
                       std::string(": give every subspace the whole range of it"));
    }
    return take(subspace, std::move(box));
  }

  Status take(const Subspace &subspace, Box box) {
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const Box both = intersection(box, boxes_[i]);
      if (isEmpty(both)) continue;
      return error("mapping-overlap", subspace.where,
                   named(subspace) + " (" + str(box) + ") overlaps " + named(mapping_.subspaces[i]) + " (" +
                       str(boxes_[i]) + ") in " + str(both),
                   "subspaces go to the first uncovered point, first dim fastest: shrink one or change their order");
    }
    std::vector<Box> rest;
    for (const Box &piece : free_) subtract(piece, box, rest);
    free_ = std::move(rest);
    boxes_.push_back(std::move(box));
    if (free_.size() > kMaxPieces) {
      return unsupported("mapping-too-irregular", subspace.where,
                         "the subspaces up to " + named(subspace) + " cut the rest of the space into more than " +
                             std::to_string(kMaxPieces) + " pieces",
                         "use fewer subspaces, or let their edges meet");
    }
    return okStatus();
  }

  const Mapping &mapping_;
  const Kernel &kernel_;
  Box space_;
  std::vector<Box> free_, boxes_;
};

}  // namespace

namespace {

PlacedMapping inOrder(const Mapping &mapping, std::vector<Box> boxes) {
  PlacedMapping placed{mapping, std::move(boxes), {}};
  placed.executionOrder.resize(mapping.subspaces.size());
  std::iota(placed.executionOrder.begin(), placed.executionOrder.end(), 0);
  std::sort(placed.executionOrder.begin(), placed.executionOrder.end(), [&](int a, int b) {
    return mapping.subspaces[static_cast<std::size_t>(a)].index < mapping.subspaces[static_cast<std::size_t>(b)].index;
  });
  return placed;
}

}  // namespace

Result<PlacedMapping> place(const Mapping &mapping, const Kernel &kernel, const Machine &machine) {
  if (!mapping.by.empty()) {
    const std::string key = "by(" + mapping.by.begin()->first + ")";
    const auto where = mapping.where.find(key);
    return unsupported("unsupported-mapping", where == mapping.where.end() ? kernel.where : where->second,
                       "by(...) is not available for kernel '" + kernel.name + "' on " + machine.name +
                           ": its units have shares of one size",
                       "omit by(...)");
  }
  if (Diagnostics found = ShapeCheck(mapping, kernel, machine).run(); !found.empty()) return found;
  Result<std::vector<Box>> boxes = Allocation(mapping, kernel).run();
  if (!boxes) return boxes.diagnostics();
  return inOrder(mapping, std::move(*boxes));
}

Result<PlacedMapping> place(const Mapping &mapping, const kernel::Graph &graph, int kernel, const Machine &machine) {
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  if (mapping.by.empty()) return place(mapping, k, machine);
  if (Diagnostics found = ShapeCheck(mapping, k, machine).run(); !found.empty()) return found;
  Result<std::vector<std::vector<Stretch>>> tiles = tilesOf(mapping, graph, kernel, machine);
  if (!tiles) return tiles.diagnostics();
  Result<std::vector<Box>> boxes = Allocation(mapping, k).run();
  if (!boxes) return boxes.diagnostics();
  PlacedMapping placed = inOrder(mapping, std::move(*boxes));
  placed.tiles = std::move(*tiles);
  return placed;
}

}  // namespace pimento::mapping
