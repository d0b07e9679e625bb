#include "pimento/frontend/mlir/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "pimento/base/suggest.h"

namespace pimento::frontend {

int SizeClasses::fixed(std::int64_t extent) {
  classes_.push_back({extent, -1, {}, {}});
  return static_cast<int>(classes_.size()) - 1;
}

int SizeClasses::open(Location where, std::string what) {
  classes_.push_back({std::nullopt, -1, std::move(where), std::move(what)});
  return static_cast<int>(classes_.size()) - 1;
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

Status SizeClasses::bind(const kernel::Sizes &sizes, const std::string &file) {
  Diagnostics found;
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
  for (int d = 0; d < static_cast<int>(classes_.size()); ++d) {
    if (classes_[d].parent >= 0 || classes_[d].extent) continue;
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
