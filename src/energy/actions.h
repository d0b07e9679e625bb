// What a run did, as integer counts by name: the words of the `action` formulas in machine files.
//
// Engines and lowerings name what they count (a target lists its names: evaluate/target.h) and fill these in; the
// machine file prices them, nothing is priced here. Counts cover the whole machine (all units), padding included.
// Counts too large for 64 bits stay at the largest number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"

namespace pimento::energy {

/// Counts by the names of actions ("activations", "macs"); zero where nothing was counted. Names live as long as the
/// program does: they are literals in the tables of targets.
class ActionCounts {
 public:
  std::int64_t of(std::string_view action) const {
    const auto at = find(action);
    return at != counts_.end() && at->first == action ? at->second : 0;
  }

  /// `count` more of `action`; not negative.
  ActionCounts &add(std::string_view action, std::int64_t count) {
    PIMENTO_CHECK(count >= 0);
    if (count == 0) return *this;
    const auto at = counts_.begin() + (find(action) - counts_.begin());
    if (at != counts_.end() && at->first == action)
      at->second = addSaturated(at->second, count);
    else
      counts_.emplace(at, action, count);
    return *this;
  }

  /// `count` of `action` and no others.
  ActionCounts &set(std::string_view action, std::int64_t count) {
    std::erase_if(counts_, [&](const auto &c) { return c.first == action; });
    return add(action, count);
  }

  /// `times` more of everything in `o`.
  ActionCounts &add(const ActionCounts &o, std::int64_t times = 1) {
    for (const auto &[action, n] : o.counts_) add(action, multiplySaturated(n, times));
    return *this;
  }

  /// Name and count of what is not zero, in the order of the names.
  auto begin() const { return counts_.begin(); }
  auto end() const { return counts_.end(); }
  bool operator==(const ActionCounts &) const = default;

 private:
  using Counts = std::vector<std::pair<std::string_view, std::int64_t>>;
  Counts::const_iterator find(std::string_view action) const {
    return std::lower_bound(counts_.begin(), counts_.end(), action,
                            [](const auto &c, std::string_view a) { return c.first < a; });
  }

  Counts counts_;
};

}  // namespace pimento::energy
