// Lines of the sources of DPU programs, for those who show them: of files on disk, and of those that are part of
// Pimento.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pimento::dpu {

/// Files are read when first asked for; those that cannot be read have no lines.
class SourceLines {
 public:
  /// `folder`: names of files may be relative to it, too.
  explicit SourceLines(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  /// What `file` holds where it is no file on disk (standard input).
  void know(const std::string &file, const std::string &text);
  /// Null: there is none of that number.
  const std::string *line(const std::string &file, int number);

 private:
  std::string contentsOf(const std::string &file) const;

  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace pimento::dpu
