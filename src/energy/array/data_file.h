// What cells and sets have in common as files: rows of their own, the reader of machine files, folders.
//
// Not here: which rows (cell.cpp, set.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/machine/document.h"
#include "pimento/machine/places.h"
#include "pimento/machine/reader.h"

namespace pimento::energy::array {

inline constexpr const char *kEnergyUnits = "pJ|fJ|nJ";
inline constexpr const char *kTimeUnits = "ns|ps|us";

/// A file that was read and checked, value by value.
struct DataFile {
  machine::Node root;
  machine::Values values;

  bool has(std::string_view path) const { return root.at(path) != nullptr; }
  std::string text(const std::string &path) const;
  /// In the unit that the row names first; `otherwise` where the file leaves it out.
  double real(const std::string &path, double otherwise = 0) const;
  std::vector<std::string> list(const std::string &path) const;
  /// The keys of a mapping, in the order of the file; none where there is no such mapping.
  std::vector<std::string> keys(std::string_view path) const;
  /// Of a value or section, else of the file.
  Location where(std::string_view path) const;
};

Result<DataFile> readDataFile(std::string_view yaml, std::string_view file, const machine::Place &places,
                              const std::string &help);

/// The path of `nameOrFile`, a name looked up in `shelf` ("cells") below `folders`, or a path that ends in .yaml;
/// nothing where no folder has it.
std::optional<std::string> findDataFile(std::string_view shelf, std::string_view nameOrFile,
                                        const std::vector<std::string> &folders);
/// Names of files in `shelf`, sorted.
std::vector<std::string> listDataFiles(std::string_view shelf, const std::vector<std::string> &folders);

}  // namespace pimento::energy::array
