// `report`: results as one HTML page, or the chart of one as a picture.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "pimento/base/file.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/html/page.h"

namespace pimento::driver {

Outcome report(const Options &options) {
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
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  if (inputs.empty())
    return failure(
        {usageError("no-input", "report", "no result file is named", "pimento report FILE.json [FILE.json ...]")});
  const bool isPicture = std::filesystem::path(options.output).extension() == ".svg";
  if (isPicture && inputs.size() > 1)
    return failure({usageError("several-pictures", options.output,
                               fmt::format("{} results cannot become one picture", inputs.size()),
                               "name one figure, or make a page: -o FILE.html")});
  Result<std::string> page = isPicture ? emit::html::picture(inputs[0]) : emit::html::page(inputs);
  if (!page) return failure(page.diagnostics());
  return {std::move(*page), {}, 0};
}

}  // namespace pimento::driver
