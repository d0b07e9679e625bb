#include "pimento/driver/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "pimento/base/file.h"
#include "pimento/base/npy.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/dpu/load.h"
#include "pimento/driver/data_folder.h"
#include "pimento/driver/source_text.h"
#include "pimento/driver/tool_box.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/frontend/frontend.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "pimento/mapping/cnm.h"
#include "pimento/program/text.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

Outcome failure(Diagnostics diagnostics) {
  // A wrong answer of a compiled program is our mistake, not the user's.
  const bool isOurs = std::any_of(diagnostics.begin(), diagnostics.end(),
                                  [](const Diagnostic &d) { return d.kind == DiagnosticKind::kOurs; });
  return {"", std::move(diagnostics), isOurs ? 3 : 1};
}

void locate(Diagnostics &diagnostics, const Options &options) {
  for (Diagnostic &d : diagnostics)
    if (d.where.file.empty()) d.where.file = options.input;
}

namespace {

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool isDpuProgram(const std::string &input) {
  if (endsWith(input, ".s") || endsWith(input, ".S")) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(input, ignored)) return false;
  std::ifstream file(input, std::ios::binary);
  std::string magic(4, ' ');
  return file.read(magic.data(), 4) && magic ==
                                           "\x7f"
                                           "ELF";
}

namespace {

/// What the file INPUT holds.
Result<std::string> textOf(const Options &options) {
  return options.text ? Result<std::string>(*options.text) : readFile(options.input);
}

}  // namespace

Options withTarget(const Options &options) {
  Options out = options;
  const bool isCnm = endsWith(options.input, ".cnm");
  if (out.target.empty() && (isCnm || endsWith(options.input, ".llvcnm")))
    if (const Result<std::string> text = textOf(options)) {
      out.target = isCnm ? mapping::cnmTarget(*text, &out.targetWhere) : program::targetOf(*text, &out.targetWhere);
      out.targetWhere =
          out.target.empty() ? Location{} : Location{options.input, out.targetWhere.line, out.targetWhere.column};
    }
  if (out.target.empty()) out.target = isDpuProgram(options.input) ? "upmem" : "hbm-pim";
  if (!out.tools) out.tools = makeToolBox();
  return out;
}

bool reads(std::string_view language) {
  if (language == "mlir") return frontend::hasMlir();
  if (language == "c") return frontend::hasKernelC();
  return language == "cnm" || language == "llvcnm";
}

Result<kernel::Sizes> parseSizes(const std::vector<std::string> &texts) {
  kernel::Sizes sizes;
  for (const std::string &text : texts)
    for (const std::string_view part : split(text, ',')) {
      const std::size_t eq = part.find('=');
      const auto value = eq == std::string_view::npos ? std::nullopt : parseInteger(trim(part.substr(eq + 1)));
      if (!value || *value < 1 || eq == 0)
        return usageError("bad-size", "--size", fmt::format("'{}' is no size", part),
                          "write NAME=NUMBER with a number of 1 or more, for example --size m=4096,n=1024");
      sizes[std::string(trim(part.substr(0, eq)))] = *value;
    }
  return sizes;
}

namespace {

/// Extents by dim name, for inputs that do not name their sizes.
kernel::Sizes dimSizes(const kernel::Graph &graph) {
  kernel::Sizes sizes;
  for (const kernel::Kernel &k : graph.kernels)
    for (const kernel::Dim &d : k.dims) sizes.emplace(d.name, d.extent);
  return sizes;
}

Result<Input> fromGraph(Result<kernel::Graph> graph, std::string name) {
  if (!graph) return graph.diagnostics();
  Input in;
  in.name = std::move(name);
  in.sizes = dimSizes(*graph);
  in.type = graph->tensors.front().type;
  in.graph = std::move(*graph);
  return in;
}

/// A text that this verb, or an earlier one with the same tools, may have read already: then it is bound to sizes only.
template <typename File>
Result<File> readOnce(const std::string &text, const Options &options) {
  constexpr std::size_t kTree = std::size_t{8} << 20;
  const auto read = [&] { return File::read(text, options.input, options.function); };
  if (!options.tools) return read();
  const std::string key = options.function + '\0' + options.input + '\0' + text;
  return *options.tools->cache->get<Result<File>>(key, kTree, read);
}

Result<Input> fromMlir(const std::string &text, const Options &options, const kernel::Sizes &sizes, std::string name) {
  const Result<frontend::MlirFile> read = readOnce<frontend::MlirFile>(text, options);
  if (!read) return read.diagnostics();
  Result<frontend::Imported> file = read->bind(sizes);
  if (!file) return file.diagnostics();
  Result<Input> in = fromGraph(std::move(file->graph), std::move(name));
  if (!in) return in;
  in->source = std::make_shared<const SourceText>(
      SourceText{SourceText::Language::kMlir, text, sizes, std::move(file->tensors)});
  in->mappings = std::move(file->mappings);
  in->mappingTarget = std::move(file->target);
  return in;
}

Result<Input> fromC(const std::string &text, const Options &options, const kernel::Sizes &sizes, std::string name) {
  const Result<frontend::CFile> read = readOnce<frontend::CFile>(text, options);
  if (!read) return read.diagnostics();
  Result<frontend::CKernels> file = read->bind(sizes);
  if (!file) return file.diagnostics();
  Result<Input> in = fromGraph(std::move(file->graph), std::move(name));
  if (!in) return in;
  in->source = std::make_shared<const SourceText>(SourceText{SourceText::Language::kC, text, sizes, {}});
  if (!sizes.empty()) in->sizes = sizes;
  in->warnings = std::move(file->warnings);
  return in;
}

/// A verified graph; its mappings wait for the machine.
Result<Input> fromCnm(const std::string &text, const Options &options, const kernel::Sizes &sizes, std::string name) {
  Result<mapping::CnmModule> module = mapping::parseCnm(text, options.input, sizes);
  if (!module) return module.diagnostics();
  if (Status s = mapping::verify(*module); !s) return s.diagnostics();
  Result<Input> in = fromGraph(module->graph, std::move(name));
  if (!in) return in;
  if (!module->sizes.empty()) in->sizes = module->sizes;
  in->cnm = std::make_shared<const mapping::CnmModule>(std::move(*module));
  return in;
}

Result<Input> fromFile(const Options &options, const kernel::Sizes &sizes, DType type) {
  const Result<std::string> text = textOf(options);
  if (!text) return text.diagnostics();
  const std::string name = std::filesystem::path(options.input).stem().string();
  if (endsWith(options.input, ".mlir")) return fromMlir(*text, options, sizes, name);
  if (endsWith(options.input, ".c")) return fromC(*text, options, sizes, name);
  if (endsWith(options.input, ".cnm")) return fromCnm(*text, options, sizes, name);
  Input in;
  auto places = std::make_shared<program::Places>();
  Result<program::Program> p = program::parse(*text, options.input, places.get());
  if (!p) return p.diagnostics();
  in.type = type;
  in.name = name;
  in.program = std::make_shared<const program::Program>(std::move(*p));
  in.places = std::move(places);
  return in;
}

/// A DPU program of one process, for one DPU.
Result<Input> fromDpuProgram(const Options &options, const machine::Machine &machine) {
  if (!machine.dpu)
    return usageError("no-dpu", "--target",
                      fmt::format("'{}' is a DPU program, and machine '{}' has no DPUs", options.input, machine.name),
                      "leave --target out, or choose a machine of family upmem");
  const Result<std::string> contents = readFile(options.input);
  if (!contents) return contents.diagnostics();
  const machine::Dpu &dpu = *machine.dpu;
  dpu::LinkOptions link;
  link.tasklets = dpu.maxTasklets;
  if (const machine::Level *threads = machine::levelOf(machine.levels, machine::LevelRole::kThread))
    link.tasklets = threads->count;
  link.instructions = dpu.instructions;
  link.wramBytes = dpu.wram.value;
  link.mramBytes = dpu.mram.value;
  Result<program::Code> code = dpu::loadProgram(*contents, options.input, link);
  if (!code) return code.diagnostics();
  Input in;
  in.name = std::filesystem::path(options.input).stem().string();
  in.sizes["tasklets"] = code->tasklets;
  in.type = machine.nativeType;
  program::Process process;
  process.name = in.name;
  process.body = program::MachineCode{std::make_shared<const program::Code>(std::move(*code))};
  in.program = std::make_shared<const program::Program>(program::Program{machine.name, {}, {std::move(process)}});
  return in;
}

Result<Input> fromZoo(const Options &options, const kernel::Sizes &sizes, DType type) {
  // Variants of the zoo concern the kernel or its program; those of programs are checked by the target.
  const kernel::ZooEntry *entry = kernel::zooEntry(options.input);
  // Some kernels have no floating-point form; by default they are what UPMEM programs compute.
  if (options.dtype.empty() && !entry->isDefinedFor(type)) type = DType::kI32;
  Result<kernel::Graph> graph = kernel::makeZooKernel(options.input, sizes, type, options.variant);
  if (!graph) return graph.diagnostics();
  Input in;
  in.name = options.input;
  in.sizes = entry->defaults;
  for (const auto &[name, value] : sizes) in.sizes[name] = value;
  in.type = type;
  in.graph = std::move(*graph);
  return in;
}

}  // namespace

namespace {

Result<Input> readInput(const Options &options, const machine::Machine &machine) {
  const Result<kernel::Sizes> sizes = parseSizes(options.sizes);
  if (!sizes) return sizes.diagnostics();
  DType type = machine.nativeType;
  if (!options.dtype.empty()) {
    const std::optional<DType> t = parseDType(options.dtype);
    if (!t)
      return usageError("unknown-dtype", "--dtype", fmt::format("'{}' is no element type", options.dtype),
                        "one of " + dtypeNames());
    type = *t;
  }
  const std::string &input = options.input;
  if (endsWith(input, ".mlir") || endsWith(input, ".llvcnm") || endsWith(input, ".c") || endsWith(input, ".cnm"))
    return fromFile(options, *sizes, type);
  if (isDpuProgram(input)) return fromDpuProgram(options, machine);
  if (input.find('=') != std::string::npos) {
    Result<Input> in = fromGraph(kernel::parseNotation(input, *sizes, type), "notation");
    if (in) in->type = type;
    return in;
  }
  if (kernel::zooEntry(input) != nullptr) return fromZoo(options, *sizes, type);
  std::vector<std::string> names;
  for (const kernel::ZooEntry &e : kernel::zoo()) names.push_back(e.name);
  return usageError(
      "unknown-input", "",
      fmt::format("'{}' is no kernel of the zoo, no index notation and no file that is read here", input),
      suggest(input, names) +
          "; or a .mlir, .c, .cnm, .llvcnm or .s file, or a DPU program (ELF); or index notation such as 'y[i] += "
          "A[i,j] * x[j]'");
}

/// A program is what a kernel has become: options that make kernels come too late for it.
Status checkNoKernelOptions(const Options &options, const Input &input) {
  const char *given = !options.sizes.empty()       ? "--size"
                      : !options.dtype.empty()     ? "--dtype"
                      : options.variant != "plain" ? "--variant"
                      : !options.function.empty()  ? "--function"
                      : !options.maps.empty()      ? "--map"
                      : !options.offload.empty()   ? "--offload"
                                                   : nullptr;
  if (given == nullptr || !input.program) return okStatus();
  return usageError(
      "kernel-option", given, fmt::format("'{}' is a program, and no kernel", options.input),
      "leave it out; --size, --dtype, --variant, --function, --map and --offload say what program a kernel "
      "becomes");
}

/// `--constant`: marks inputs of the graph as the same in every run.
Status markConstants(const Options &options, Input &input) {
  for (const std::string &name : options.constants) {
    std::vector<std::string> inputs;
    bool isFound = false;
    if (input.graph)
      for (kernel::Tensor &t : input.graph->tensors) {
        if (t.role != kernel::Role::kInput) continue;
        inputs.push_back(t.name);
        if (t.name == name) t.isConstant = isFound = true;
      }
    if (!isFound)
      return usageError("unknown-input-tensor", "--constant", fmt::format("'{}' is no input of {}", name, input.name),
                        suggest(name, inputs));
  }
  return okStatus();
}

}  // namespace

Result<Input> loadInput(const Options &options, const machine::Machine &machine) {
  Result<Input> input = readInput(options, machine);
  if (!input) return input;
  if (Status s = checkNoKernelOptions(options, *input); !s) return s.diagnostics();
  if (Status s = markConstants(options, *input); !s) return s.diagnostics();
  return input;
}

std::vector<std::string> machineFolders(const Options &options) {
  return options.machinePath.empty() ? machineFolders() : options.machinePath;
}

namespace {

/// The machine file `name` and what it holds. What goes wrong does so where the machine is named: by INPUT, by
/// --target, or as INPUT.
Result<std::pair<std::string, std::string>> machineFile(const Options &options, const std::string &name) {
  const bool isOfInput = options.targetWhere.line > 0 && name == options.target;
  Result<std::string> file = machine::findMachine(name, machineFolders(options));
  if (!file) {
    Diagnostic &d = file.diagnostics().front();
    if (isOfInput) d.hint = "give that machine's file with --target; or " + d.hint;
    d.where = isOfInput ? options.targetWhere : Location{name == options.input ? name : "--target"};
    return file.diagnostics();
  }
  Result<std::string> contents = readFile(*file);
  if (!contents && isOfInput)
    return error("unreadable-file", options.targetWhere, fmt::format("the machine file '{}' cannot be read", name),
                 "check its path, or give the machine's file with --target");
  if (!contents) return contents.diagnostics();
  return std::pair(std::move(*file), std::move(*contents));
}

}  // namespace

Result<machine::Machine> loadTarget(const Options &options, const std::string &name) {
  std::vector<machine::Override> overrides;
  for (const std::string &s : options.sets) {
    const std::size_t eq = s.find('=');
    if (eq == std::string::npos)
      return usageError("bad-override", "--set", fmt::format("'{}' sets nothing", s),
                        "write PATH=VALUE, for example --set timing.tRP=16");
    overrides.push_back({s.substr(0, eq), s.substr(eq + 1)});
  }
  const auto file = machineFile(options, name);
  if (!file) return file.diagnostics();
  const auto read = [&]() -> Result<machine::Machine> {
    Result<machine::Machine> machine =
        machine::parseMachine(file->second, file->first, machineFolders(options), overrides);
    if (!machine) return machine;
    if (Status s = targets::check(*machine); !s) return s.diagnostics();
    return machine;
  };
  if (!options.tools) return read();
  constexpr std::size_t kMachine = std::size_t{64} << 10;
  const std::string key = fmt::format("{}\n{}\n{}\n{}", file->first, fmt::join(machineFolders(options), "\n"),
                                      fmt::join(options.sets, "\n"), file->second);
  return *options.tools->cache->get<Result<machine::Machine>>(key, kMachine, read);
}

Result<evaluate::Offload> parseOffload(const Options &options) {
  using evaluate::Offload;
  const kernel::ZooEntry *entry = kernel::zooEntry(options.input);
  if (options.offload.empty()) return entry != nullptr && entry->isNetwork ? Offload::kBest : Offload::kAll;
  const std::vector<std::string> names = {"all", "possible", "best"};
  const auto found = std::find(names.begin(), names.end(), options.offload);
  if (found == names.end())
    return usageError("unknown-offload", "--offload",
                      fmt::format("'{}' says not what runs on the device", options.offload),
                      suggest(options.offload, names));
  return static_cast<Offload>(found - names.begin());
}

Result<std::vector<mapping::MapSpec>> parseMaps(const Options &options) {
  std::vector<mapping::MapSpec> specs;
  std::vector<std::string> texts = options.maps;
  if (texts.empty() && !options.usualMap.empty()) texts = {options.usualMap};
  for (const std::string &text : texts)
    for (const std::string_view part : split(text, '|')) {
      Result<mapping::MapSpec> spec = mapping::parseMapSpec(trim(part));
      if (!spec) return spec.diagnostics();
      if (spec->kind == mapping::MapSpec::Kind::kExplicit) spec->mapping.text = mapping::print(*spec);
      specs.push_back(std::move(*spec));
    }
  if (specs.empty()) specs.emplace_back();
  return specs;
}

namespace {

Diagnostic badData(const std::string &spec) {
  return usageError("bad-data", "--data", fmt::format("'{}' names no data", spec),
                    "one of none, random, zero, one, const:V, uniform:A,B, or FILE.npy[,NAME=FILE.npy...]");
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
      return usageError("bad-data", "--data", fmt::format("there is no input '{}'", part.substr(0, eq)),
                        suggest(part.substr(0, eq), names));
    if (Status s = loadTensor(graph, tensor, file, data); !s) return s;
  }
  return okStatus();
}

}  // namespace

Result<std::optional<kernel::DataSet>> makeInputData(const Options &options, const kernel::Graph &graph,
                                                     const std::string &defaultSpec) {
  const std::string text = options.data.empty() ? defaultSpec : options.data;
  if (text == "none") return std::optional<kernel::DataSet>();
  if (text.find(".npy") != std::string::npos) {
    kernel::DataSpec random;
    random.seed = options.seed;
    std::optional<kernel::DataSet> data = kernel::makeData(graph, random);
    if (Status s = loadFiles(graph, text, *data); !s) return s.diagnostics();
    return data;
  }
  const std::optional<kernel::DataSpec> spec = parseDataSpec(text, options.seed);
  if (!spec) return badData(text);
  return std::optional<kernel::DataSet>(kernel::makeData(graph, *spec));
}

Result<KnownData> knownData(const Options &options, const kernel::Graph &graph, const std::string &defaultSpec) {
  const std::string text = options.data.empty() ? defaultSpec : options.data;
  KnownData known;
  if (text == "none") return known;
  if (text.find(".npy") != std::string::npos) {
    Result<std::optional<kernel::DataSet>> data = makeInputData(options, graph, defaultSpec);
    if (!data) return data.diagnostics();
    known.contents = std::move(*data);
    return known;
  }
  known.values = parseDataSpec(text, options.seed);
  if (!known.values) return badData(text);
  return known;
}

}  // namespace pimento::driver
