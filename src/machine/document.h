// A machine file as a tree that remembers where everything stands and who says so.
//
// Built from YAML with bounds on depth and size, so that no input, however nested or aliased, can exhaust memory or
// the stack. Two keys are taken out of every mapping and handed down to what is inside: `source` and `confidence`.
// Since that happens per file, before files are merged, each number keeps the provenance of the file that gives it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::machine {

struct Entry;

struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  std::string text;            ///< scalars
  std::vector<Entry> entries;  ///< mappings, in the order of the file
  std::vector<Node> items;     ///< sequences
  Location where;
  std::string source, confidence;  ///< own or inherited; empty if nobody said
  Location confidenceWhere;
  bool isOverridden = false;  ///< set by --set

  bool isScalar() const { return kind == Kind::kScalar; }
  bool isMapping() const { return kind == Kind::kMapping; }
  /// The value of a key of a mapping, or null.
  const Node *find(std::string_view key) const;
  Node *find(std::string_view key);
  /// The value at a dotted path, or null.
  const Node *at(std::string_view path) const;
  Node *at(std::string_view path);
  std::vector<std::string> keys() const;
  void erase(std::string_view key);
};

struct Entry {
  std::string key;
  Location where;
  Node value;
};

/// Parses YAML. `file` names it in messages. Diagnostics: "yaml-syntax", "yaml-too-large", "duplicate-key".
Result<Node> parseDocument(std::string_view yaml, std::string_view file);

/// Puts `over` on top of `base`: mappings merge key by key, null removes a key, everything else replaces. A plain
/// number over {value: ..., ...} replaces the value and drops the range. Diagnostic: "unknown-key" for removing what
/// is not there.
void mergeInto(Node &base, const Node &over, Diagnostics &out);

}  // namespace pimento::machine
