#include "pimento/driver/input_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/dpu/load.h"
#include "pimento/driver/source_text.h"
#include "pimento/driver/tool_box.h"
#include "pimento/frontend/frontend.h"
#include "pimento/frontend/model/import.h"
#include "pimento/frontend/model/text.h"
#include "pimento/frontend/nest/text.h"
#include "pimento/frontend/onnx/read.h"
#include "pimento/frontend/python/read.h"
#include "pimento/guest/elf_image.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/dcc.h"
#include "pimento/program/text.h"
#include "pimento/tdfg/fat_binary.h"
#include "pimento/tdfg/graph.h"

namespace pimento::driver {

namespace {

/// What the file INPUT holds.
Result<std::string> textOf(const Options &options) {
  return options.text ? Result<std::string>(*options.text) : readFile(options.input);
}

std::string stemOf(const Options &options) {
  return std::filesystem::path(options.input).stem().string();
}

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
template <typename File, typename... More>
Result<File> readOnce(const std::string &text, const Options &options, const More &...more) {
  constexpr std::size_t kTree = std::size_t{8} << 20;
  const auto read = [&] { return File::read(text, options.input, options.function, more...); };
  if (!options.tools) return read();
  const std::string key = join(options.includes, "\n") + '\0' + join(options.defines, "\n") + '\0' + options.function +
                          '\0' + options.input + '\0' + text;
  return *options.tools->cache->get<Result<File>>(key, kTree, read);
}

/// Where the text has each mapping: behind the one before it, or anywhere.
std::vector<Location> placesOf(const std::vector<std::string> &mappings, const std::string &text,
                               const std::string &file) {
  std::vector<Location> places;
  std::size_t from = 0;
  for (const std::string &mapping : mappings) {
    places.emplace_back();
    if (mapping.empty()) continue;
    const std::string quoted = '"' + mapping + '"';
    std::size_t at = text.find(quoted, from);
    if (at == std::string::npos) at = text.find(quoted);
    if (at == std::string::npos) continue;  // with escapes
    from = at + quoted.size();
    const std::size_t line = text.rfind('\n', at);
    const std::size_t column = at - (line == std::string::npos ? 0 : line + 1) + 2;  // of what is quoted
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    places.back() = {file, static_cast<int>(lines) + 1, static_cast<int>(column)};
  }
  return places;
}

Result<Input> fromMlir(const InputRequest &r) {
  const Result<std::string> text = textOf(r.options);
  if (!text) return text.diagnostics();
  const Result<frontend::MlirFile> read = readOnce<frontend::MlirFile>(*text, r.options);
  if (!read) return read.diagnostics();
  Result<frontend::Imported> file = read->bind(r.sizes);
  if (!file) return file.diagnostics();
  Result<Input> in = fromGraph(std::move(file->graph), stemOf(r.options));
  if (!in) return in;
  in->source = std::make_shared<const SourceText>(
      SourceText{SourceText::Language::kMlir, *text, r.sizes, std::move(file->tensors)});
  in->mappings = std::move(file->mappings);
  in->mappingPlaces = placesOf(in->mappings, *text, r.options.input);
  in->mappingTarget = std::move(file->target);
  in->contents = std::move(file->contents);
  in->warnings = std::move(file->warnings);
  return in;
}

Result<Input> fromC(const InputRequest &r) {
  const Result<std::string> text = textOf(r.options);
  if (!text) return text.diagnostics();
  const Result<frontend::CFile> read =
      readOnce<frontend::CFile>(*text, r.options, frontend::CPreprocessing{r.options.includes, r.options.defines});
  if (!read) return read.diagnostics();
  Result<frontend::CKernels> file = read->bind(r.sizes);
  if (!file) return file.diagnostics();
  Result<Input> in = fromGraph(std::move(file->graph), stemOf(r.options));
  if (!in) return in;
  in->source = std::make_shared<const SourceText>(SourceText{SourceText::Language::kC, *text, r.sizes, {}});
  if (!r.sizes.empty()) in->sizes = r.sizes;
  in->warnings = std::move(file->warnings);
  return in;
}

/// A verified graph; its mappings wait for the machine.
Result<Input> fromModule(const InputRequest &r, Result<mapping::CnmModule> module) {
  if (!module) return module.diagnostics();
  if (Status s = mapping::verify(*module); !s) return s.diagnostics();
  Result<Input> in = fromGraph(module->graph, stemOf(r.options));
  if (!in) return in;
  if (!module->sizes.empty()) in->sizes = module->sizes;
  in->cnm = std::make_shared<const mapping::CnmModule>(std::move(*module));
  return in;
}

Result<Input> fromCnm(const InputRequest &r) {
  const Result<std::string> text = textOf(r.options);
  if (!text) return text.diagnostics();
  return fromModule(r, mapping::parseCnm(*text, r.options.input, r.sizes));
}

Result<Input> fromNestText(const InputRequest &r, const std::string &text) {
  Result<frontend::NestKernels> read = frontend::readNest(text, r.options.input);
  if (!read) return read.diagnostics();
  Result<Input> in = fromGraph(std::move(read->graph), stemOf(r.options));
  if (in) in->warnings = std::move(read->warnings);
  return in;
}

/// Loop nests as the Python package hands them over: sizes are numbers already.
Result<Input> fromNest(const InputRequest &r) {
  const Result<std::string> text = textOf(r.options);
  if (!text) return text.diagnostics();
  if (!r.sizes.empty())
    return usageError("unknown-size", "--size", "a nest declares no sizes: all its extents are numbers",
                      "omit --size; its reader was given the sizes");
  return fromNestText(r, *text);
}

Result<Input> fromDcc(const InputRequest &r) {
  const Result<std::string> text = textOf(r.options);
  if (!text) return text.diagnostics();
  if (!r.sizes.empty())
    return usageError("unknown-size", "--size", "the text declares no sizes: all its extents are numbers",
                      "omit --size, or change the text");
  return fromModule(r, mapping::parseDcc(*text, r.options.input));
}

/// A model of a framework, whose constants it holds.
Result<Input> fromModel(const InputRequest &r, const Result<frontend::model::Model> &model,
                        const kernel::Sizes &sizes) {
  if (!model) return model.diagnostics();
  Result<frontend::model::ImportedModel> imported = frontend::model::importModel(*model, sizes);
  if (!imported) return imported.diagnostics();
  Result<Input> in = fromGraph(std::move(imported->graph), stemOf(r.options));
  if (!in) return in;
  in->sizes = r.sizes;
  in->contents = std::move(imported->contents);
  in->warnings = std::move(imported->warnings);
  return in;
}

Result<Input> fromOnnx(const InputRequest &r) {
  const Result<std::string> bytes = textOf(r.options);
  if (!bytes) return bytes.diagnostics();
  return fromModel(r, frontend::readOnnx(*bytes, r.options.input), r.sizes);
}

/// A model as the Python package hands it over.
Result<Input> fromModelText(const InputRequest &r) {
  const Result<std::string> bytes = textOf(r.options);
  if (!bytes) return bytes.diagnostics();
  return fromModel(r, frontend::model::readModel(*bytes, r.options.input), r.sizes);
}

/// Kernels in Python, and what PyTorch saved: the package reads them, and knows their sizes.
Result<Input> fromPython(const InputRequest &r) {
  const Result<std::string> bytes = readFile(r.options.input);
  if (!bytes) return bytes.diagnostics();
  const frontend::PythonRequest request{r.options.input, r.options.function, r.sizes, std::string(name(r.type))};
  const auto read = [&] { return frontend::readByPython(request); };
  std::shared_ptr<const Result<frontend::PythonText>> text;
  if (r.options.tools) {
    std::string key = request.file + '\0' + request.function + '\0' + request.type + '\0' + *bytes;
    for (const auto &[name, size] : r.sizes) key += fmt::format("\n{}={}", name, size);
    text = r.options.tools->cache->get<Result<frontend::PythonText>>(key, bytes->size(), read);
  } else {
    text = std::make_shared<const Result<frontend::PythonText>>(read());
  }
  if (!*text) return text->diagnostics();
  if ((*text)->kind == frontend::PythonText::Kind::kModel)
    return fromModel(r, frontend::model::readModel((*text)->text, r.options.input), {});
  Result<Input> in = fromNestText(r, (*text)->text);
  if (in) in->sizes = r.sizes;
  return in;
}

/// A program of device commands, LLVCNM.
Result<Input> fromProgramText(const InputRequest &r) {
  const Result<std::string> text = textOf(r.options);
  if (!text) return text.diagnostics();
  Input in;
  auto places = std::make_shared<program::Places>();
  Result<program::Program> p = program::parse(*text, r.options.input, places.get());
  if (!p) return p.diagnostics();
  in.type = r.type;
  in.name = stemOf(r.options);
  in.program = std::make_shared<const program::Program>(std::move(*p));
  in.places = std::move(places);
  return in;
}

/// A fat binary's streams at these sizes.
Result<Input> fromFatBinary(const InputRequest &r) {
  const Result<std::string> bytes = textOf(r.options);
  if (!bytes) return bytes.diagnostics();
  const Result<tdfg::FatBinary> binary = tdfg::readFatBinary(*bytes, r.options.input);
  if (!binary) return binary.diagnostics();
  const Result<tdfg::Values> values = tdfg::bindSizes(binary->program, r.sizes);
  if (!values) return values.diagnostics();
  Result<Input> in = fromGraph(tdfg::graphOf(binary->program, *values), stemOf(r.options));
  if (in && !r.sizes.empty()) in->sizes = r.sizes;
  return in;
}

Result<Input> fromTrace(const InputRequest &r) {
  return unsupported(
      "host-program", {r.options.input},
      fmt::format("'{}' is the saved trace of a program of a host, which no device runs", r.options.input),
      "see what of it caches could compute: pimento profile FILE.ptrace");
}

/// A DPU program of one process, for one DPU.
Result<Input> fromDpuProgram(const InputRequest &r) {
  const Options &options = r.options;
  const machine::Machine &machine = r.machine;
  const Result<std::string> contents = readFile(options.input);
  if (!contents) return contents.diagnostics();
  if (guest::isGuestMachine(guest::machineOf(*contents)))
    return unsupported("host-program", {options.input},
                       fmt::format("'{}' is a program for Arm, AArch64 or RISC-V, which no device runs", options.input),
                       "see what of it caches could compute: pimento profile");
  if (!machine.dpu)
    return usageError("no-dpu", "--target",
                      fmt::format("'{}' is a DPU program, but machine '{}' has no DPUs", options.input, machine.name),
                      "omit --target, or choose a machine of family upmem");
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
  in.name = stemOf(options);
  in.sizes["tasklets"] = code->tasklets;
  in.type = machine.nativeType;
  program::Process process;
  process.name = in.name;
  process.body = program::MachineCode{std::make_shared<const program::Code>(std::move(*code))};
  in.program = std::make_shared<const program::Program>(program::Program{machine.name, {}, {std::move(process)}});
  return in;
}

Result<Input> fromZoo(const InputRequest &r) {
  const Options &options = r.options;
  DType type = r.type;
  // Variants of the zoo concern the kernel or its program; those of programs are checked by the target.
  const kernel::ZooEntry *entry = kernel::zooEntry(options.input);
  // Some kernels have no floating-point form; by default they are what UPMEM programs compute.
  if (options.dtype.empty() && !entry->isDefinedFor(type)) type = DType::kI32;
  Result<kernel::Graph> graph = kernel::makeZooKernel(options.input, r.sizes, type, options.variant);
  if (!graph) return graph.diagnostics();
  Input in;
  in.name = options.input;
  in.sizes = entry->defaults;
  for (const auto &[name, value] : r.sizes) in.sizes[name] = value;
  in.type = type;
  in.graph = std::move(*graph);
  return in;
}

Result<Input> fromNotation(const InputRequest &r) {
  Result<Input> in = fromGraph(kernel::parseNotation(r.options.input, r.sizes, r.type), "notation");
  if (in) in->type = r.type;
  return in;
}

bool isElf(const std::string &input) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(input, ignored)) return false;
  std::ifstream file(input, std::ios::binary);
  std::string magic(4, ' ');
  return file.read(magic.data(), 4) && magic ==
                                           "\x7f"
                                           "ELF";
}

bool isNotation(const std::string &input) {
  return input.find_first_of("={") != std::string::npos;
}

bool isZooKernel(const std::string &input) {
  return kernel::zooEntry(input) != nullptr;
}

constexpr InputKind kKinds[] = {
    {.name = "mlir",
     .endings = {".mlir"},
     .isText = true,
     .isRead = frontend::hasMlir,
     .read = fromMlir,
     .statesTypes = true},
    {.name = "c",
     .endings = {".c"},
     .isText = true,
     .isRead = frontend::hasKernelC,
     .read = fromC,
     .statesTypes = true},
    {.name = "cnm",
     .endings = {".cnm"},
     .isText = true,
     .read = fromCnm,
     .statesTypes = true,
     .targetOf = mapping::cnmTarget},
    {.name = "dcc",
     .endings = {".dcc"},
     .isText = true,
     .read = fromDcc,
     .statesTypes = true,
     .targetOf = mapping::dccTarget},
    {.name = "onnx", .endings = {".onnx"}, .read = fromOnnx, .statesTypes = true},
    {.name = "TorchScript", .endings = {".pt"}, .read = fromPython, .statesTypes = true},
    {.name = "python", .endings = {".py"}, .read = fromPython},
    {.name = "model", .endings = {".model"}, .isText = true, .read = fromModelText, .statesTypes = true},
    {.name = "nest", .endings = {".nest"}, .isText = true, .read = fromNest, .statesTypes = true},
    {.name = "llvcnm", .endings = {".llvcnm"}, .isText = true, .read = fromProgramText, .targetOf = program::targetOf},
    {.name = "fat binary", .endings = {".inf"}, .read = fromFatBinary, .statesTypes = true},
    {.name = "trace", .endings = {".ptrace"}, .read = fromTrace, .usualTarget = "cim-a9"},
    {.name = "DPU program", .endings = {".s", ".S"}, .isIt = isElf, .read = fromDpuProgram, .usualTarget = "upmem"},
    {.name = "index notation", .isIt = isNotation, .read = fromNotation},
    {.name = "kernel of the zoo", .isIt = isZooKernel, .read = fromZoo},
};

bool hasEnding(const InputKind &kind, std::string_view input) {
  return std::ranges::any_of(kind.endings, [&](std::string_view e) { return !e.empty() && input.ends_with(e); });
}

}  // namespace

std::span<const InputKind> inputKinds() {
  return kKinds;
}

bool reads(std::string_view kind) {
  return std::ranges::any_of(inputKinds(), [&](const InputKind &k) {
    return k.isText && k.name == kind && (k.isRead == nullptr || k.isRead());
  });
}

const InputKind *kindOf(const std::string &input) {
  for (const InputKind &kind : kKinds)
    if (hasEnding(kind, input)) return &kind;
  for (const InputKind &kind : kKinds)
    if (kind.isIt != nullptr && kind.isIt(input)) return &kind;
  return nullptr;
}

bool isFileName(const std::string &input) {
  const InputKind *kind = kindOf(input);
  return kind != nullptr && hasEnding(*kind, input) && !isNotation(input);
}

std::string fileEndings() {
  std::vector<std::string> endings;
  for (const InputKind &kind : kKinds)
    if (!kind.endings[0].empty()) endings.emplace_back(kind.endings[0]);
  const std::string last = endings.back();
  endings.pop_back();
  return fmt::format("{} or {}", join(endings, ", "), last);
}

std::string usualTarget(const Options &options, Location &where) {
  const InputKind *kind = kindOf(options.input);
  if (kind == nullptr) return "hbm-pim";
  if (kind->targetOf != nullptr)
    if (const Result<std::string> text = textOf(options)) {
      Location inText;
      std::string target = kind->targetOf(*text, &inText);
      if (!target.empty()) {
        where = {options.input, inText.line, inText.column};
        return target;
      }
    }
  return std::string(kind->usualTarget);
}

}  // namespace pimento::driver
