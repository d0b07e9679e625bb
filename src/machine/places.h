// A schema as a tree, for walking beside a file.
//
// Not here: what stands at a place of one file (reader.h).
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/machine/schema.h"

namespace pimento::machine {

/// A key of the schema, or `*`, with what may stand below it.
struct Place {
  const SchemaRow *row = nullptr;
  std::map<std::string, Place, std::less<>> children;

  const Place *child(std::string_view key) const {
    if (const auto it = children.find(key); it != children.end()) return &it->second;
    const auto star = children.find("*");
    return star == children.end() ? nullptr : &star->second;
  }
  bool hasRequiredKeys() const {
    return std::ranges::any_of(children, [](const auto &c) { return c.second.row->isRequired; });
  }
};

/// The root of a tree of `rows`, which outlive it: below it the sections of a file, and `**` for what may stand
/// anywhere.
Place placesOf(const std::vector<SchemaRow> &rows);

/// That of machine files.
const Place &places();

/// The schema row for a path of a file ("timing.tRP" gives "timing.*"), or null. `isNamed` says whether the last part
/// stands in the schema by name.
const SchemaRow *rowFor(std::string_view path, bool &isNamed);

}  // namespace pimento::machine
