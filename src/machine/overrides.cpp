#include "pimento/machine/overrides.h"

#include <string>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/machine/places.h"
#include "pimento/machine/quantity.h"

namespace pimento::machine {

namespace {

/// Paths of all values of the file that --set can change.
void collectPaths(const Node &n, const std::string &path, std::vector<std::string> &out) {
  if (n.isScalar() || n.find("value") != nullptr) out.push_back(path);
  for (const Entry &e : n.entries) {
    if (e.key != "value") collectPaths(e.value, path.empty() ? e.key : path + "." + e.key, out);
  }
}

Diagnostic unknownPath(const Node &root, const Location &where, const std::string &path) {
  std::vector<std::string> paths;
  collectPaths(root, "", paths);
  std::vector<std::string> aliases;
  if (const Node *a = root.find("aliases")) aliases = a->keys();
  paths.insert(paths.end(), aliases.begin(), aliases.end());
  std::string hint;
  if (const std::string near = nearest(path, paths); !near.empty()) hint = "did you mean '" + near + "'? ";
  if (!aliases.empty()) hint += "short names: " + join(aliases, ", ") + "; ";
  hint += "'pimento targets NAME' lists all paths";
  return error("unknown-path", where, "the machine has no number or option '" + path + "'", hint);
}

/// The node that `path` names, made where the schema knows an option that the file leaves out; null if there is none.
Node *target(Node &root, const std::string &path, const SchemaRow *&row) {
  bool isNamed = false;
  row = rowFor(path, isNamed);
  if (row == nullptr) return nullptr;
  if (Node *n = root.at(path)) return n;
  const auto dot = path.rfind('.');
  Node *parent = dot == std::string::npos ? nullptr : root.at(path.substr(0, dot));
  if (parent == nullptr || !parent->isMapping() || !isNamed) return nullptr;
  const std::string key = path.substr(dot + 1);
  parent->entries.push_back({key, parent->where, {}});
  return &parent->entries.back().value;
}

/// `value` with a unit: its own, that of `old`, or the schema's first.
std::string withUnit(const std::string &value, const std::string &old, const SchemaRow &row) {
  const auto now = parseQuantity(value);
  const bool isBareNumber = now && now->unit.empty();
  if (!isBareNumber || (row.kind != ValueKind::kNumber && row.kind != ValueKind::kFormula)) return value;
  const auto before = parseQuantity(old);
  const bool hadUnit = before && !before->unit.empty() && row.kind == ValueKind::kNumber;
  return value + " " + (hadUnit ? before->unit : unitsOf(row.unit).front());
}

void apply(Node &root, const Override &o, Diagnostics &out) {
  const Location where{"--set " + o.path + "=" + o.value};
  std::string path = o.path;
  if (const Node *aliases = root.find("aliases")) {
    if (const Node *full = aliases->find(path); full != nullptr && full->isScalar()) path = full->text;
  }
  const SchemaRow *row = nullptr;
  Node *n = target(root, path, row);
  if (n == nullptr) return out.push_back(unknownPath(root, where, path));
  Node *scalar = n;
  if (n->isMapping()) {
    n->erase("range");
    scalar = n->find("value");
  }
  if (scalar == nullptr || scalar->kind == Node::Kind::kSequence || row->kind == ValueKind::kSection) {
    return out.push_back(error(DiagnosticKind::kUsage, "bad-override", where, "'" + path + "' is not a single value",
                               "--set changes one number or one word; put longer changes in a file with 'extends'"));
  }
  const std::string origin = scalar->text.empty()
                                 ? "not in the file"
                                 : "file: " + scalar->text + (scalar->source.empty() ? "" : ", " + scalar->source);
  Node changed;
  changed.kind = Node::Kind::kScalar;
  changed.text = withUnit(o.value, scalar->text, *row);
  changed.where = where;
  changed.source = "--set (" + origin + ")";
  changed.confidence = name(Confidence::kAssumed);
  changed.confidenceWhere = where;
  changed.isOverridden = true;
  *scalar = std::move(changed);
}

}  // namespace

void applyOverrides(Node &root, const std::vector<Override> &overrides, Diagnostics &out) {
  for (const Override &o : overrides) apply(root, o, out);
}

}  // namespace pimento::machine
