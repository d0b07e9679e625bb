#include "pimento/sim/stream/pattern.h"

#include <algorithm>

namespace pimento::sim::stream {

std::int64_t Nest::rows() const {
  std::int64_t n = 1;
  for (std::size_t d = 0; d + 1 < extents.size(); ++d) n *= extents[d];
  return n;
}

std::int64_t Nest::width(std::int64_t g) const {
  return std::min(lanes, extents.back() - g % rowGroups() * lanes);
}

std::uint64_t Pattern::address(const Nest &nest, std::int64_t g) const {
  std::int64_t row = g / nest.rowGroups();
  std::int64_t at = g % nest.rowGroups() * nest.lanes * strides.back();
  for (std::size_t d = nest.extents.size() - 1; d-- > 0;) {
    at += row % nest.extents[d] * strides[d];
    row /= nest.extents[d];
  }
  return base + static_cast<std::uint64_t>(at);
}

Walk::Walk(const Nest &nest, const Pattern &pattern, std::int64_t lineBytes)
    : nest_(nest), pattern_(pattern), lineBytes_(static_cast<std::uint64_t>(lineBytes)), groups_(nest.groups()) {
  next();
}

/// The lines of the next group, as many bytes of each as its elements have.
void Walk::expand() {
  const std::int64_t g = group_++, width = nest_.width(g), stride = pattern_.strides.back();
  const std::uint64_t first = pattern_.address(nest_, g);
  std::vector<Visit> found;
  const auto add = [&](std::uint64_t from, std::int64_t bytes) {
    while (bytes > 0) {
      const std::uint64_t line = from / lineBytes_;
      const auto part = std::min<std::int64_t>(bytes, static_cast<std::int64_t>((line + 1) * lineBytes_ - from));
      if (!found.empty() && found.back().line == line)
        found.back().bytes += part;
      else
        found.push_back({line, g, part});
      from += static_cast<std::uint64_t>(part);
      bytes -= part;
    }
  };
  if (stride == pattern_.elementBytes) {
    add(first, width * stride);
  } else if (stride == 0) {
    add(first, pattern_.elementBytes);
  } else {
    for (std::int64_t i = 0; i < width; ++i) add(first + static_cast<std::uint64_t>(i * stride), pattern_.elementBytes);
  }
  pending_.assign(found.rbegin(), found.rend());
}

void Walk::next() {
  if (pending_.empty() && group_ < groups_) expand();
  hasVisit_ = !pending_.empty();
  if (!hasVisit_) return;
  current_ = pending_.back();
  pending_.pop_back();
  ++number_;
  // What follows in the same line is the same visit.
  while (true) {
    if (pending_.empty() && group_ < groups_) expand();
    if (pending_.empty() || pending_.back().line != current_.line) break;
    if (pattern_.strides.back() != 0) current_.bytes += pending_.back().bytes;
    pending_.pop_back();
  }
}

}  // namespace pimento::sim::stream
