#include "pimento/dpu/source_lines.h"

#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/dpu/include.h"
#include "pimento/dpu/runtime.h"
#include "pimento/dpu/runtime_c.h"

namespace pimento::dpu {

std::string SourceLines::contentsOf(const std::string &file) const {
  for (const IncludeFile &f : includeFiles())
    if (file == "include/" + f.name) return f.text;
  for (const CRuntimeFile &f : cRuntimeFiles())
    if (file == "runtime/" + f.name) return f.text;
  for (const RuntimeFile &f : runtimeFiles())
    if (file == "runtime/" + f.name) return f.text;
  // Names come from users' files: nothing but plain files of a sane size is opened.
  constexpr std::uintmax_t kLargest = 16U << 20;
  for (const std::filesystem::path &path : {std::filesystem::path(file), folder_ / file}) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) continue;
    if (std::filesystem::file_size(path, problem) > kLargest || problem) continue;
    if (const Result<std::string> text = readFile(path.string())) return *text;
  }
  return {};
}

void SourceLines::know(const std::string &file, const std::string &text) {
  std::vector<std::string> &lines = files_[file];
  lines.clear();
  for (const std::string_view l : split(text, '\n'))
    lines.emplace_back(l.ends_with('\r') ? l.substr(0, l.size() - 1) : l);
}

const std::string *SourceLines::line(const std::string &file, int number) {
  if (file.empty() || number < 1) return nullptr;
  if (!files_.contains(file)) know(file, contentsOf(file));
  const std::vector<std::string> &lines = files_[file];
  const auto n = static_cast<std::size_t>(number);
  return n <= lines.size() ? &lines[n - 1] : nullptr;
}

}  // namespace pimento::dpu
