#include "pimento/frontend/mlir/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "pimento/base/suggest.h"

namespace pimento::frontend {

int SizeClasses::fixed(std::int64_t extent) {
  classes_.push_back({extent, -1, {}, {}, false});
  return static_cast<int>(classes_.size()) - 1;
}

int SizeClasses::open(Location where, std::string what) {
  classes_.push_back({std::nullopt, -1, std::move(where), std::move(what), false});
  return static_cast<int>(classes_.size()) - 1;
}

int SizeClasses::computed(Location where, std::string what, std::function<std::optional<std::int64_t>()> extent) {
  classes_.push_back({extent(), -1, std::move(where), std::move(what), true});
  const int dim = static_cast<int>(classes_.size()) - 1;
  if (!classes_[dim].extent) computed_.push_back({dim, std::move(extent)});
  return dim;
}

int SizeClasses::root(int dim) const {
  int top = dim;
  while (classes_[top].parent >= 0) top = classes_[top].parent;
  while (dim != top) dim = std::exchange(classes_[dim].parent, top);
  return top;
}

bool SizeClasses::unify(int a, int b) {
  a = root(a);
  b = root(b);
  if (a == b) return true;
  if (classes_[a].extent && classes_[b].extent && classes_[a].extent != classes_[b].extent) return false;
  if (b < a) std::swap(a, b);  // the earlier one speaks for both in messages
  if (!classes_[a].extent) classes_[a].extent = classes_[b].extent;
  classes_[a].isComputed = classes_[a].isComputed || classes_[b].isComputed;
  classes_[b].parent = a;
  return true;
}

void SizeClasses::name(int dim, const std::string &name) {
  names_.emplace(name, dim);
}

std::optional<std::int64_t> SizeClasses::extent(int dim) const {
  return classes_[root(dim)].extent;
}

std::vector<std::string> SizeClasses::namesOf(int dim) const {
  std::vector<std::string> names;
  for (const auto &[name, d] : names_) {
    if (root(d) == root(dim)) names.push_back(name);
  }
  return names;
}

Diagnostic SizeClasses::unknown(const std::string &name, const std::string &file) const {
  std::vector<std::string> legal;
  for (const auto &[n, d] : names_) legal.push_back(n);
  return error(DiagnosticKind::kUsage, "unknown-size", Location{file}, fmt::format("unknown dimension '{}'", name),
               suggest(name, legal));
}

void SizeClasses::give(const kernel::Sizes &sizes, const std::string &file, Diagnostics &found) {
  for (const auto &[name, value] : sizes) {
    const auto it = names_.find(name);
    if (it == names_.end()) {
      found.push_back(unknown(name, file));
      continue;
    }
    Class &c = classes_[root(it->second)];
    if (value < 1) {
      found.push_back(error("bad-size", Location{file}, fmt::format("size {}={} is not positive", name, value),
                            "extents must be at least 1"));
    } else if (c.extent && *c.extent != value) {
      found.push_back(error("size-mismatch", c.where.file.empty() ? Location{file} : c.where,
                            fmt::format("size {}={} contradicts {}, which it must equal", name, value, *c.extent),
                            fmt::format("the same dimension: {}", fmt::join(namesOf(it->second), ", "))));
    } else {
      c.extent = value;
    }
  }
}

/// Extents that follow from others, whichever are known first.
void SizeClasses::compute(Diagnostics &found) {
  for (bool isNew = true; std::exchange(isNew, false);) {
    for (Computed &c : computed_) {
      const auto extent = c.extent ? c.extent() : std::nullopt;
      if (!extent) continue;
      c.extent = nullptr;
      Class &whole = classes_[root(c.dim)];
      if (whole.extent && *whole.extent != *extent)
        found.push_back(error("size-mismatch", classes_[c.dim].where,
                              fmt::format("{} is {}, but must equal {}", classes_[c.dim].what, *extent, *whole.extent),
                              "give sizes that agree; '?' takes the extent that the ops imply"));
      whole.extent = extent;
      isNew = true;
    }
  }
}

Status SizeClasses::bind(const kernel::Sizes &sizes, const std::string &file) {
  Diagnostics found;
  give(sizes, file, found);
  compute(found);
  for (int d = 0; d < static_cast<int>(classes_.size()); ++d) {
    if (classes_[d].parent >= 0 || classes_[d].extent || classes_[d].isComputed) continue;
    const auto names = namesOf(d);
    if (names.empty()) continue;
    found.push_back(
        error("missing-size", classes_[d].where, fmt::format("the extent of {} is unknown", classes_[d].what),
              fmt::format("--size {}=N{}", names.front(),
                          names.size() == 1 ? std::string()
                                            : fmt::format(" (the same dimension: {})", fmt::join(names, ", ")))));
  }
  if (!found.empty()) return found;
  return okStatus();
}

}  // namespace pimento::frontend
