#include "pimento/energy/array/data_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "pimento/machine/machine.h"

namespace pimento::energy::array {

namespace fs = std::filesystem;

std::string DataFile::text(const std::string &path) const {
  const auto v = values.byPath.find(path);
  return v != values.byPath.end() ? v->second.text : std::string();
}

double DataFile::real(const std::string &path, double otherwise) const {
  const auto v = values.byPath.find(path);
  return v != values.byPath.end() ? v->second.number : otherwise;
}

std::vector<std::string> DataFile::list(const std::string &path) const {
  const auto v = values.byPath.find(path);
  return v != values.byPath.end() ? v->second.list : std::vector<std::string>();
}

std::vector<std::string> DataFile::keys(std::string_view path) const {
  const machine::Node *n = root.at(path);
  std::vector<std::string> keys;
  if (n == nullptr) return keys;
  for (const machine::Entry &e : n->entries) keys.push_back(e.key);
  return keys;
}

Location DataFile::where(std::string_view path) const {
  const machine::Node *n = root.at(path);
  return n != nullptr ? n->where : root.where;
}

Result<DataFile> readDataFile(std::string_view yaml, std::string_view file, const machine::Place &places,
                              const std::string &help) {
  auto root = machine::parseDocument(yaml, file);
  if (!root) return std::move(root.diagnostics());
  auto values = machine::readValues(*root, places, help);
  if (!values) return std::move(values.diagnostics());
  return DataFile{std::move(*root), std::move(*values)};
}

namespace {

std::vector<std::string> below(std::string_view shelf, const std::vector<std::string> &folders) {
  std::vector<std::string> paths;
  for (const std::string &f : folders) paths.push_back((fs::path(f) / shelf).string());
  return paths;
}

}  // namespace

std::optional<std::string> findDataFile(std::string_view shelf, std::string_view nameOrFile,
                                        const std::vector<std::string> &folders) {
  if (nameOrFile.ends_with(".yaml")) return std::string(nameOrFile);
  for (const std::string &folder : below(shelf, folders)) {
    const fs::path path = fs::path(folder) / (std::string(nameOrFile) + ".yaml");
    std::error_code ignored;
    if (nameOrFile.find('/') == std::string_view::npos && fs::is_regular_file(path, ignored)) return path.string();
  }
  return std::nullopt;
}

std::vector<std::string> listDataFiles(std::string_view shelf, const std::vector<std::string> &folders) {
  return machine::listMachines(below(shelf, folders));
}

}  // namespace pimento::energy::array
