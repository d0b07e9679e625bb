// Finds machine files, stacks `extends`, applies overrides, reads and builds.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/machine/build.h"
#include "pimento/machine/document.h"
#include "pimento/machine/machine.h"
#include "pimento/machine/overrides.h"
#include "pimento/machine/reader.h"

namespace pimento::machine {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestChain = 8;  // of extends

bool isFileName(std::string_view s) {
  return s.ends_with(".yaml") || s.ends_with(".yml");
}

/// The file that a name or path stands for. `folder`: of the file that says `extends`, for relative paths.
Result<std::string> findFile(std::string_view nameOrFile, const Location &where, const std::string &folder,
                             const std::vector<std::string> &searchPath) {
  std::error_code ignored;
  if (isFileName(nameOrFile)) {
    const fs::path path{std::string(nameOrFile)};
    const fs::path beside = fs::path(folder) / path;
    if (!folder.empty() && path.is_relative() && fs::exists(beside, ignored)) return beside.string();
    return path.string();
  }
  for (const std::string &dir : searchPath) {
    const fs::path path = fs::path(dir) / (std::string(nameOrFile) + ".yaml");
    if (nameOrFile.find('/') == std::string_view::npos && fs::is_regular_file(path, ignored)) return path.string();
  }
  return error("unknown-target", where, "unknown machine '" + std::string(nameOrFile) + "'",
               suggest(nameOrFile, listMachines(searchPath)) + "; or a path that ends in .yaml");
}

class Stack {
 public:
  explicit Stack(const std::vector<std::string> &searchPath) : searchPath_(searchPath) {}

  /// The tree of a file with everything it extends below it.
  Result<Node> load(std::string_view yaml, std::string_view file) {
    auto tree = parseDocument(yaml, file);
    if (!tree) return tree;
    const Node *found = tree->find("extends");
    if (found == nullptr) return tree;
    const Node extends = *found;
    if (!extends.isScalar() || extends.text.empty()) {
      return error("wrong-type", extends.where, "'extends' must name one preset or file",
                   suggest("", listMachines(searchPath_)));
    }
    if (tree->find("name") == nullptr) {
      return error("missing-key", tree->where, "'name' is missing", "a file that extends another needs its own name");
    }
    tree->erase("extends");
    auto base = loadBase(extends, file);
    if (!base) return base;
    Diagnostics diagnostics;
    mergeInto(*base, *tree, diagnostics);
    if (!diagnostics.empty()) return diagnostics;
    return base;
  }

  /// Whether the first file extends another.
  bool hasBase() const { return !chain_.empty(); }

 private:
  Result<Node> loadBase(const Node &extends, std::string_view file) {
    const std::string folder = fs::path(std::string(file)).parent_path().string();
    auto path = findFile(extends.text, extends.where, folder, searchPath_);
    if (!path) return std::move(path.diagnostics());
    chain_.push_back(fs::path(*path).lexically_normal().string());
    if (chain_.size() > kLongestChain || std::count(chain_.begin(), chain_.end(), chain_.back()) > 1) {
      return error("extends-cycle", extends.where, "'extends' forms a cycle",
                   "remove 'extends' from one file of the chain");
    }
    const auto contents = readFile(*path);
    if (!contents) {
      return error("unreadable-file", extends.where, "cannot read '" + *path + "'", "check the path after 'extends'");
    }
    return load(*contents, *path);
  }

  const std::vector<std::string> &searchPath_;
  std::vector<std::string> chain_;
};

/// The lines of a small file on top of a machine there is: of the family that `root` names, if it names one.
std::string smallFile(const Node &root, const std::vector<std::string> &machines) {
  if (machines.empty()) return {};
  const auto word = [&](const char *key, const std::string &otherwise) {
    const Node *n = root.find(key);
    return n != nullptr && n->isScalar() && !n->text.empty() ? n->text : otherwise;
  };
  std::string base = word("family", "");
  if (std::find(machines.begin(), machines.end(), base) == machines.end()) base = machines.front();
  return "'name: " + word("name", "mine") + "', 'extends: " + base + "', then the differences";
}

}  // namespace

Result<Machine> parseMachine(std::string_view yaml, std::string_view file, const std::vector<std::string> &searchPath,
                             const std::vector<Override> &overrides) {
  Stack stack(searchPath);
  auto tree = stack.load(yaml, file);
  if (!tree) return std::move(tree.diagnostics());
  Diagnostics diagnostics;
  applyOverrides(*tree, overrides, diagnostics);
  if (!diagnostics.empty()) return diagnostics;
  auto values = readValues(*tree, stack.hasBase() ? "" : smallFile(*tree, listMachines(searchPath)));
  if (!values) return std::move(values.diagnostics());
  return buildMachine(*tree, std::move(*values));
}

Result<std::string> findMachine(std::string_view nameOrFile, const std::vector<std::string> &searchPath) {
  return findFile(nameOrFile, {}, "", searchPath);
}

Result<Machine> loadMachine(std::string_view nameOrFile, const std::vector<std::string> &searchPath,
                            const std::vector<Override> &overrides) {
  const auto path = findMachine(nameOrFile, searchPath);
  if (!path) return path.diagnostics();
  const auto contents = readFile(*path);
  if (!contents) return contents.diagnostics();
  return parseMachine(*contents, *path, searchPath, overrides);
}

std::vector<std::string> listMachines(const std::vector<std::string> &searchPath) {
  std::set<std::string> names;
  for (const std::string &dir : searchPath) {
    std::error_code failed;
    for (fs::directory_iterator it(dir, failed), end; !failed && it != end; it.increment(failed)) {
      if (it->path().extension() == ".yaml") names.insert(it->path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace pimento::machine
