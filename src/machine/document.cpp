#include "pimento/machine/document.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::machine {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr int kDeepest = 24;       // the schema needs six
constexpr int kMostNodes = 5'000;  // a machine file has a few hundred
constexpr const char *kSizeHint = "a machine file has a few hundred lines and at most six levels of nesting";

/// Copies a YAML tree into ours. Aliases are expanded, so nodes are counted.
class Converter {
 public:
  explicit Converter(std::string_view file) : file_(file) {}

  Node convert(const YAML::Node &y, int depth) {
    Node n;
    n.where = place(y.Mark());
    if (tooLarge(n.where, depth)) return n;
    switch (y.Type()) {
      case YAML::NodeType::Scalar:
        n.kind = Node::Kind::kScalar;
        n.text = y.Scalar();
        break;
      case YAML::NodeType::Sequence:
        n.kind = Node::Kind::kSequence;
        for (const auto &item : y) {
          if (isFull_) break;
          n.items.push_back(convert(item, depth + 1));
        }
        break;
      case YAML::NodeType::Map:
        n.kind = Node::Kind::kMapping;
        for (const auto &pair : y) {
          if (isFull_) break;
          addEntry(n, pair.first, pair.second, depth);
        }
        break;
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        break;
    }
    return n;
  }

  Location place(const YAML::Mark &mark) const {
    return mark.is_null() ? Location{file_} : Location{file_, mark.line + 1, mark.column + 1};
  }

  Diagnostics diagnostics;

 private:
  bool tooLarge(const Location &where, int depth) {
    if (isFull_) return true;
    isFull_ = depth > kDeepest || ++nodes_ > kMostNodes;
    if (isFull_) {
      diagnostics.push_back(error("yaml-too-large", where,
                                  depth > kDeepest ? "the file is nested too deeply" : "the file has too many nodes",
                                  kSizeHint));
    }
    return isFull_;
  }

  void addEntry(Node &n, const YAML::Node &key, const YAML::Node &value, int depth) {
    const Location where = place(key.Mark());
    if (!key.IsScalar()) {
      diagnostics.push_back(error("yaml-syntax", where, "a key must be a plain word", "write 'key: value'"));
      return;
    }
    if (const Node *first = n.find(key.Scalar())) {
      diagnostics.push_back(error("duplicate-key", where, "key '" + key.Scalar() + "' appears twice",
                                  "its other value is at " + first->where.str() + "; keep one"));
      return;
    }
    n.entries.push_back({key.Scalar(), where, convert(value, depth + 1)});
    if (n.entries.back().value.kind == Node::Kind::kNull) n.entries.back().value.where = where;
  }

  std::string file_;
  int nodes_ = 0;
  bool isFull_ = false;
};

/// Hands `source` and `confidence` down and takes their keys out.
void handDown(Node &n, std::string source, std::string confidence, Location confidenceWhere, Diagnostics &out) {
  for (const std::string_view key : {std::string_view("source"), std::string_view("confidence")}) {
    const Node *own = n.find(key);
    if (own == nullptr) continue;
    if (!own->isScalar() || own->text.empty()) {
      out.push_back(error("wrong-type", own->where, "'" + std::string(key) + "' must be text",
                          key == "source" ? "give the origin of the numbers, as in 'source: JESD235D, Table 12'"
                                          : "write one of measured, datasheet, paper, assumed"));
    } else if (key == "source") {
      source = own->text;
    } else {
      confidence = own->text;
      confidenceWhere = own->where;
    }
    n.erase(key);
  }
  n.source = source;
  n.confidence = confidence;
  n.confidenceWhere = confidenceWhere;
  for (Entry &e : n.entries) handDown(e.value, source, confidence, confidenceWhere, out);
  for (Node &item : n.items) handDown(item, source, confidence, confidenceWhere, out);
}

Result<Node> convertAll(std::string_view yaml, std::string_view file) {
  Converter converter(file);
  const YAML::Node document = YAML::Load(std::string(yaml));
  if (!document.IsMap()) {
    return error("yaml-syntax", {std::string(file), 1, 1}, "the file is not a mapping of keys",
                 "a file is one mapping: 'name: ...', 'about: ...', then its sections");
  }
  Node root = converter.convert(document, 0);
  if (!converter.diagnostics.empty()) return std::move(converter.diagnostics);
  return root;
}

/// What yaml-cpp does not refuse by itself: characters that YAML forbids (a NUL keeps it busy for ever), and more
/// documents than the first.
std::optional<Diagnostic> refuse(std::string_view yaml, std::string_view file) {
  int lineNumber = 0;
  bool hasContent = false;
  for (const std::string_view line : split(yaml, '\n')) {
    ++lineNumber;
    const auto bad = std::find_if(line.begin(), line.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r';
    });
    const Location where{std::string(file), lineNumber, static_cast<int>(bad - line.begin()) + 1};
    if (bad != line.end()) return error("yaml-syntax", where, "a control character", "a machine file is plain text");
    const bool isMarker = line.starts_with("---") || line.starts_with("...");
    if (isMarker && hasContent) {
      return error("yaml-syntax", {std::string(file), lineNumber, 1}, "the file holds several YAML documents",
                   "put each machine in its own file");
    }
    const std::string_view content = trim(line);
    hasContent = hasContent || isMarker || (!content.empty() && content.front() != '#' && content.front() != '%');
  }
  return std::nullopt;
}

}  // namespace

const Node *Node::find(std::string_view key) const {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry &e) { return e.key == key; });
  return it == entries.end() ? nullptr : &it->value;
}

Node *Node::find(std::string_view key) {
  return const_cast<Node *>(std::as_const(*this).find(key));
}

const Node *Node::at(std::string_view path) const {
  const Node *n = this;
  while (n != nullptr && !path.empty()) {
    const auto dot = path.find('.');
    n = n->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return n;
}

Node *Node::at(std::string_view path) {
  return const_cast<Node *>(std::as_const(*this).at(path));
}

std::vector<std::string> Node::keys() const {
  std::vector<std::string> all;
  for (const Entry &e : entries) all.push_back(e.key);
  return all;
}

void Node::erase(std::string_view key) {
  std::erase_if(entries, [&](const Entry &e) { return e.key == key; });
}

Result<Node> parseDocument(std::string_view yaml, std::string_view file) {
  if (yaml.size() > kLargestFile) {
    return error("yaml-too-large", {std::string(file)}, "the file is larger than a million bytes", kSizeHint);
  }
  if (const auto refused = refuse(yaml, file)) return *refused;
  std::optional<Result<Node>> result;
  try {
    result = convertAll(yaml, file);
  } catch (const YAML::Exception &e) {
    Location where{std::string(file)};
    if (!e.mark.is_null()) where = {std::string(file), e.mark.line + 1, e.mark.column + 1};
    return error("yaml-syntax", where, "not readable as YAML: " + e.msg,
                 "check indentation, colons and quotes near this place");
  } catch (const std::exception &e) {
    return error("yaml-syntax", {std::string(file)}, std::string("not readable as YAML: ") + e.what(),
                 "check indentation, colons and quotes");
  }
  if (!*result) return std::move(*result);
  Diagnostics diagnostics;
  handDown(**result, {}, {}, {}, diagnostics);
  if (!diagnostics.empty()) return diagnostics;
  return std::move(*result);
}

void mergeInto(Node &base, const Node &over, Diagnostics &out) {
  if (over.isMapping() && base.isMapping()) {
    base.where = over.where;
    for (const Entry &e : over.entries) {
      Node *old = base.find(e.key);
      if (e.value.kind == Node::Kind::kNull && old == nullptr) {
        out.push_back(
            error("unknown-key", e.where, "there is no '" + e.key + "' to remove", suggest(e.key, base.keys())));
      } else if (e.value.kind == Node::Kind::kNull) {
        base.erase(e.key);
      } else if (old != nullptr) {
        mergeInto(*old, e.value, out);
      } else {
        base.entries.push_back(e);
      }
    }
    return;
  }
  if (over.isScalar() && base.isMapping()) {
    if (Node *value = base.find("value")) {
      *value = over;
      base.erase("range");
      return;
    }
  }
  base = over;
}

}  // namespace pimento::machine
