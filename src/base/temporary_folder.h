// A folder for files of one run, which is removed at the end with all that is in it.
#pragma once

#include <memory>
#include <string>

#include "pimento/base/diagnostics.h"

namespace pimento {

class TemporaryFolder {
 public:
  /// In `parent`, its name beginning with `name`. Diagnostic: "unwritable-file".
  static Result<std::unique_ptr<TemporaryFolder>> make(const std::string &parent, const std::string &name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return path_; }
  std::string file(const std::string &name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace pimento
