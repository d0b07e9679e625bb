#include "pimento/driver/verbs/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "pimento/base/file.h"
#include "pimento/emit/html/page.h"

namespace pimento::driver {

Result<std::string> report(const Options &options) {
  std::vector<emit::html::NamedJson> inputs;
  Diagnostics diagnostics;
  for (const std::string &path : options.inputs) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    if (!unknown && bytes > emit::html::kMaxText) {
      diagnostics.push_back(emit::html::tooLarge(path, bytes));
      continue;
    }
    Result<std::string> text = readFile(path);
    if (text)
      inputs.push_back({path, std::move(*text)});
    else
      diagnostics.insert(diagnostics.end(), text.diagnostics().begin(), text.diagnostics().end());
  }
  if (!diagnostics.empty()) return diagnostics;
  if (inputs.empty())
    return usageError("no-input", "report", "no result file given", "pimento report FILE.json [FILE.json ...]");
  const bool isPicture = std::filesystem::path(options.output).extension() == ".svg";
  if (isPicture && inputs.size() > 1)
    return usageError("several-pictures", options.output,
                      fmt::format("a picture shows one figure, but {} results were given", inputs.size()),
                      "pass one figure, or make a page: -o FILE.html");
  return isPicture ? emit::html::picture(inputs[0]) : emit::html::page(inputs);
}

}  // namespace pimento::driver
