#include "pimento/driver/data_option.h"

#include <fmt/format.h>

#include "pimento/base/npy.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/zoo.h"

namespace pimento::driver {

namespace {

Diagnostic badData(const std::string &spec) {
  return usageError("bad-data", "--data", fmt::format("'{}' is not a data specification", spec),
                    "use none, random, zero, one, const:V, uniform:A,B, or FILE.npy[,NAME=FILE.npy...]");
}

std::optional<kernel::DataSpec> parseDataSpec(const std::string &text, std::uint64_t seed) {
  kernel::DataSpec spec;
  spec.seed = seed;
  using Kind = kernel::DataSpec::Kind;
  if (text == "random") return spec;
  if (text == "zero" || text == "one") {
    spec.kind = text == "zero" ? Kind::kZero : Kind::kOne;
    return spec;
  }
  if (text.rfind("const:", 0) == 0) {
    const auto v = parseNumber(text.substr(6));
    if (!v) return std::nullopt;
    spec.kind = Kind::kConst;
    spec.low = *v;
    return spec;
  }
  if (text.rfind("uniform:", 0) == 0) {
    const auto parts = split(std::string_view(text).substr(8), ',');
    if (parts.size() != 2) return std::nullopt;
    const auto a = parseNumber(parts[0]), b = parseNumber(parts[1]);
    if (!a || !b || *a > *b) return std::nullopt;
    spec.kind = Kind::kUniform;
    spec.low = *a;
    spec.high = *b;
    return spec;
  }
  return std::nullopt;
}

Status loadTensor(const kernel::Graph &graph, int tensor, const std::string &file, kernel::DataSet &data) {
  const Result<NpyArray> array = readNpy(file);
  if (!array) return array.diagnostics();
  const kernel::Tensor &t = graph.tensors[static_cast<std::size_t>(tensor)];
  if (array->type != t.type || array->shape != t.shape)
    return error("bad-data", {file, 0, 0},
                 fmt::format("the array is {} [{}], tensor '{}' is {} [{}]", name(array->type),
                             fmt::join(array->shape, ", "), t.name, name(t.type), fmt::join(t.shape, ", ")),
                 "store the array with that type and shape, or change --size and --dtype");
  data[static_cast<std::size_t>(tensor)].bytes = array->bytes;
  return okStatus();
}

/// FILE.npy[,NAME=FILE.npy...]: the file without a name goes to the first input.
Status loadFiles(const kernel::Graph &graph, const std::string &spec, kernel::DataSet &data) {
  for (const std::string_view part : split(spec, ',')) {
    const std::size_t eq = part.find('=');
    const std::string file(eq == std::string_view::npos ? part : part.substr(eq + 1));
    int tensor = -1;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const kernel::Role role = graph.tensors[i].role;
      if (role != kernel::Role::kInput && role != kernel::Role::kInOut) continue;
      names.push_back(graph.tensors[i].name);
      const bool isMeant = eq == std::string_view::npos ? tensor < 0 : graph.tensors[i].name == part.substr(0, eq);
      if (isMeant) tensor = static_cast<int>(i);
    }
    if (tensor < 0)
      return usageError("bad-data", "--data", fmt::format("unknown input '{}'", part.substr(0, eq)),
                        suggest(part.substr(0, eq), names));
    if (Status s = loadTensor(graph, tensor, file, data); !s) return s;
  }
  return okStatus();
}

}  // namespace

Result<std::optional<kernel::DataSet>> makeInputData(const Options &options, const kernel::Graph &graph,
                                                     const GivenContents &given, const std::string &defaultSpec) {
  const auto made = [&](const kernel::DataSpec &spec) {
    std::optional<kernel::DataSet> data = kernel::makeData(graph, spec);
    for (const auto &[tensor, bytes] : given) (*data)[static_cast<std::size_t>(tensor)].bytes = bytes;
    return data;
  };
  const std::string text = options.data.empty() ? defaultSpec : options.data;
  if (text == "none") return std::optional<kernel::DataSet>();
  if (text.find(".npy") != std::string::npos) {
    kernel::DataSpec random;
    random.seed = options.seed;
    std::optional<kernel::DataSet> data = made(random);
    if (Status s = loadFiles(graph, text, *data); !s) return s.diagnostics();
    return data;
  }
  const std::optional<kernel::DataSpec> spec = parseDataSpec(text, options.seed);
  if (!spec) return badData(text);
  return made(*spec);
}

Result<KnownData> knownData(const Options &options, const kernel::Graph &graph, const GivenContents &given,
                            const std::string &defaultSpec) {
  const std::string text = options.data.empty() ? defaultSpec : options.data;
  KnownData known;
  if (text == "none") return known;
  if (!given.empty() || text.find(".npy") != std::string::npos) {
    Result<std::optional<kernel::DataSet>> data = makeInputData(options, graph, given, defaultSpec);
    if (!data) return data.diagnostics();
    known.contents = std::move(*data);
    return known;
  }
  known.values = parseDataSpec(text, options.seed);
  if (!known.values) return badData(text);
  return known;
}

std::string defaultData(const Options &options) {
  const kernel::ZooEntry *entry = kernel::zooEntry(options.input);
  return entry != nullptr && !entry->data.empty() ? entry->data : "random";
}

}  // namespace pimento::driver
