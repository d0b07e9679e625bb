#include "pimento/driver/out_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "pimento/base/file.h"
#include "pimento/base/npy.h"
#include "pimento/base/suggest.h"
#include "pimento/driver/input.h"

namespace pimento::driver {

namespace {

constexpr const char *kOption = "--out";

std::string_view tensorOf(std::string_view out) {
  return out.substr(0, out.find('='));
}

std::string fileOf(std::string_view out) {
  return std::string(out.substr(out.find('=') + 1));
}

}  // namespace

Status checkOut(const Options &options, const Input &input) {
  if (options.outs.empty() || !input.graph) return okStatus();
  if (options.data == "none")
    return usageError("no-results", kOption, "--data none computes no results", "omit --out, or describe data");
  std::vector<std::string> names;
  for (const kernel::Tensor &t : input.graph->tensors)
    if (t.role != kernel::Role::kInput) names.push_back(t.name);
  for (const std::string_view out : options.outs) {
    if (out.find('=') == std::string_view::npos || !out.ends_with(".npy"))
      return usageError("bad-out", kOption, fmt::format("'{}' names no tensor and file", out),
                        "write TENSOR=FILE.npy, for example --out y=y.npy");
    if (std::ranges::find(names, tensorOf(out)) == names.end())
      return usageError("unknown-output-tensor", kOption,
                        fmt::format("'{}' is not computed by {}", tensorOf(out), input.name),
                        suggest(tensorOf(out), names));
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::path(fileOf(out)).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
      return usageError("unwritable-file", fileOf(out), "its folder does not exist", "create the folder first");
  }
  return okStatus();
}

Status writeOut(const Options &options, const Input &input, const kernel::DataSet &data) {
  for (const std::string_view out : options.outs) {
    const int tensor = input.graph->tensorNamed(tensorOf(out));
    const kernel::TensorData &from = data[static_cast<std::size_t>(tensor)];
    const Result<std::string> text = printNpy({from.type, from.shape, from.bytes});
    if (!text) return text.diagnostics();
    if (Status s = writeFile(fileOf(out), *text); !s) return s;
  }
  return okStatus();
}

}  // namespace pimento::driver
