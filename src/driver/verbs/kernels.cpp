#include "pimento/driver/verbs/kernels.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pimento/base/suggest.h"
#include "pimento/driver/kernel_files.h"
#include "pimento/driver/verbs/compile.h"
#include "pimento/kernel/zoo.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const kernel::ZooEntry &e) {
  Json sizes = Json::object();
  for (const auto &[name, value] : e.defaults) sizes[name] = value;
  return {{"name", e.name}, {"about", e.about}, {"variants", e.variants}, {"sizes", sizes}};
}

std::string toText(const kernel::ZooEntry &e) {
  std::vector<std::string> sizes;
  for (const auto &[name, value] : e.defaults) sizes.push_back(fmt::format("{}={}", name, value));
  if (sizes.empty()) sizes.emplace_back("fixed");
  return fmt::format("{:<10} {}\n{:<10} sizes {}; variants {}\n", e.name, e.about, "", fmt::join(sizes, ","),
                     fmt::join(e.variants, ", "));
}

}  // namespace

Result<ZooAnswer> kernels(const Options &options) {
  ZooAnswer answer;
  if (options.input.empty()) {
    for (const kernel::ZooEntry &e : kernel::zoo()) answer.entries.push_back(&e);
    for (const kernel::ZooEntry &e : kernelFiles()) answer.entries.push_back(&e);
    return answer;
  }
  const kernel::ZooEntry *e = kernel::zooEntry(options.input);
  if (e == nullptr) e = kernelFile(options.input);
  if (e == nullptr)
    return usageError("unknown-kernel", "", fmt::format("unknown kernel '{}'", options.input),
                      suggest(options.input, allKernelNames()));
  answer.entries = {e};
  if (options.isJson) return answer;
  Options asKernel = options;
  asKernel.emit = "kernel";
  Result<StageText> graph = compile(asKernel);
  if (!graph) return graph.diagnostics();
  answer.graph = std::move(graph->text);
  return answer;
}

Outcome show(const ZooAnswer &answer, const Options &options) {
  Json list = Json::array();
  std::string text;
  for (const kernel::ZooEntry *e : answer.entries) {
    list.push_back(toJson(*e));
    text += toText(*e);
  }
  if (!answer.graph.empty()) text += "\n" + answer.graph;
  return {options.isJson ? Json{{"kernels", list}}.dump(2) + "\n" : text, {}, 0};
}

}  // namespace pimento::driver
