#include "pimento/machine/places.h"

#include "pimento/base/text.h"

namespace pimento::machine {

Place placesOf(const std::vector<SchemaRow> &rows) {
  Place root;
  for (const SchemaRow &row : rows) {
    Place *p = &root;
    for (const std::string_view part : split(row.path, '.')) p = &p->children[std::string(part)];
    p->row = &row;
  }
  return root;
}

const Place &places() {
  static const Place kRoot = placesOf(schema());
  return kRoot;
}

const SchemaRow *rowFor(std::string_view path, bool &isNamed) {
  const Place *p = &places();
  for (const std::string_view part : split(path, '.')) {
    if (part == "*" || part == "**") return nullptr;
    const auto exact = p->children.find(part);
    isNamed = exact != p->children.end();
    p = isNamed ? &exact->second : p->child(part);
    if (p == nullptr) return nullptr;
  }
  return p->row;
}

}  // namespace pimento::machine
