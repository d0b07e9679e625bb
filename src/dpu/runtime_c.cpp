#include "pimento/dpu/runtime_c.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace pimento::dpu {

std::vector<std::string> definedBy(const CRuntimeFile &file) {
  constexpr std::string_view kMark = "// Defines:";
  std::vector<std::string> names;
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kMark)) continue;
    std::istringstream words(line.substr(kMark.size()));
    for (std::string word; words >> word;) names.push_back(word);
  }
  return names;
}

std::vector<std::string> cRuntimeArguments(const CRuntimeFile &file) {
  std::vector<std::string> arguments = {"-O2"};
  for (const std::string &name : definedBy(file)) arguments.push_back("-fno-builtin-" + name);
  return arguments;
}

std::vector<const CRuntimeFile *> cRuntimeFilesFor(const std::vector<std::string> &undefined) {
  std::vector<const CRuntimeFile *> files;
  for (const CRuntimeFile &file : cRuntimeFiles()) {
    const std::vector<std::string> names = definedBy(file);
    const bool isWanted = std::any_of(names.begin(), names.end(), [&](const std::string &name) {
      return std::find(undefined.begin(), undefined.end(), name) != undefined.end();
    });
    if (isWanted) files.push_back(&file);
  }
  return files;
}

}  // namespace pimento::dpu
