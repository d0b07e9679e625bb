// What cells and sets have in common as files: rows of their own, the reader of machine files, folders.
//
// Not here: which rows (cell.cpp, set.cpp).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/machine/document.h"
#include "pimento/machine/places.h"
#include "pimento/machine/reader.h"

namespace pimento::energy::array {

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

/// A kind of file in the folders of machine files.
struct Shelf {
  const char *folder;  ///< below those of machine files: "cells"
  const char *noun;    ///< "cell"
  const char *code;    ///< of an unknown name
};

/// The path of `nameOrFile`, a name or a path that ends in .yaml. Diagnostic: the shelf's code.
Result<std::string> findDataFile(const Shelf &shelf, std::string_view nameOrFile,
                                 const std::vector<std::string> &folders);
std::vector<std::string> listDataFiles(const Shelf &shelf, const std::vector<std::string> &folders);

}  // namespace pimento::energy::array
