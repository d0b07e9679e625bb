#include "pimento/driver/emit_tdfg.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/file.h"
#include "pimento/driver/input.h"
#include "pimento/driver/machine_option.h"
#include "pimento/emit/format.h"
#include "pimento/frontend/frontend.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/l3_sram/rewriting.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"
#include "pimento/tdfg/text.h"

namespace pimento::driver {

namespace {

constexpr std::string_view kStages[] = {"sdfg", "tdfg", "inf"};

/// Sizes that `--size` leaves open: all that the source has.
Result<std::vector<std::string>> openSizes(const Options &options, const kernel::Sizes &given) {
  std::vector<std::string> names;
  if (const kernel::ZooEntry *entry = kernel::zooEntry(options.input)) {
    for (const auto &[name, value] : entry->defaults) names.push_back(name);
  } else if (options.input.ends_with(".c")) {
    const Result<std::string> text = options.text ? Result<std::string>(*options.text) : readFile(options.input);
    if (!text) return text.diagnostics();
    const auto file =
        frontend::CFile::read(*text, options.input, options.function, {options.includes, options.defines});
    if (!file) return file.diagnostics();
    auto sizes = file->sizes();
    if (!sizes) return sizes.diagnostics();
    names = std::move(*sizes);
  }
  std::erase_if(names, [&](const std::string &name) { return given.contains(name); });
  return names;
}

Result<kernel::Graph> graphAt(const Options &options, const machine::Machine &machine, const kernel::Sizes &sizes) {
  Options bound = options;
  for (const auto &[name, value] : sizes) bound.sizes.push_back(name + "=" + std::to_string(value));
  Result<Input> input = loadInput(bound, machine);
  if (!input) return input.diagnostics();
  if (!input->graph) {
    return usageError("unknown-stage", "--emit", "'" + options.input + "' is a program, which has no tensor graph",
                      "compile a kernel: C, MLIR, index notation or a kernel of the zoo");
  }
  return std::move(*input->graph);
}

}  // namespace

std::span<const std::string_view> tensorStages() {
  return kStages;
}

bool isTensorStage(std::string_view stage) {
  return std::find(std::begin(kStages), std::end(kStages), stage) != std::end(kStages);
}

Result<tdfg::FatBinary> fatBinaryOf(const Options &options) {
  if (options.input.ends_with(".inf")) {
    const Result<std::string> bytes = readFile(options.input);
    return bytes ? tdfg::readFatBinary(*bytes, options.input) : Result<tdfg::FatBinary>(bytes.diagnostics());
  }
  const Result<machine::Machine> machine = loadTarget(options, options.target);
  if (!machine) return machine.diagnostics();
  const Result<kernel::Sizes> given = parseSizes(options.sizes);
  if (!given) return given.diagnostics();
  const auto open = openSizes(options, *given);
  if (!open) return open.diagnostics();
  auto program = tdfg::fitStreams(*open, [&](const kernel::Sizes &sizes) { return graphAt(options, *machine, sizes); });
  if (!program) return program.diagnostics();
  tdfg::extract(*program);
  return tdfg::makeFatBinary(std::move(*program));
}

namespace {

/// Sizes at which nodes are priced: given ones and defaults, else this or the least that the program takes.
constexpr std::int64_t kUsualSize = 512;

Diagnostic noCosts(const machine::Machine &machine) {
  return usageError("bad-fp", "--fp", fmt::format("{} has no costs of tensor graphs", machine.name),
                    "choose a machine whose SRAM computes, as l3-sram");
}

/// Of the names that are sizes.
std::map<std::string, std::int64_t> usualSizes(const Options &options, const tdfg::Program &program) {
  std::map<std::string, std::int64_t> sizes;
  const kernel::ZooEntry *entry = kernel::zooEntry(options.input);
  for (const tdfg::Name &name : program.names) {
    if (name.kind != tdfg::Name::Kind::kSize) continue;
    sizes[name.name] = std::max(program.leastSize, kUsualSize);
    if (entry != nullptr)
      for (const auto &[known, value] : entry->defaults)
        if (known == name.name) sizes[name.name] = value;
  }
  return sizes;
}

/// The graphs as `--fp` rewrites them, with what each rewrite did as comments.
Result<std::string> rewritten(const Options &options, tdfg::Program program) {
  const Result<machine::Machine> machine = loadTarget(options, options.target);
  if (!machine) return machine.diagnostics();
  if (!machine->sram) return noCosts(*machine);
  const auto values = tdfg::bindSizes(program, usualSizes(options, program));
  if (!values) return values.diagnostics();
  std::string text;
  for (std::size_t r = 0; r < program.regions.size(); ++r) {
    const tdfg::NodeCost costs = targets::l3_sram::nodeCosts(program, static_cast<int>(r), *values, {}, *machine->sram);
    tdfg::OptimiserOptions how;
    how.mayReassociate = machine->sram->rewrite == machine::Sram::Rewrite::kReassociate;
    how.explains = true;
    const tdfg::OptimiserReport report = tdfg::optimise(program, program.regions[r], costs, how);
    text += fmt::format("# {}: ", program.regions[r].name);
    if (!report.unchanged.empty()) {
      text += fmt::format("{}\n", report.unchanged);
      continue;
    }
    text += fmt::format("{} -> {} cycles of operations and moves; {} after {} rounds, {} nodes in {} classes; {}\n",
                        emit::grouped(report.before), emit::grouped(report.after), name(report.stop), report.rounds,
                        emit::grouped(static_cast<std::int64_t>(report.nodes)),
                        emit::grouped(static_cast<std::int64_t>(report.classes)),
                        report.isProved ? "proved to be the least" : "the least that was found");
    for (const std::string &step : targets::l3_sram::stepsOf(report)) text += fmt::format("#   {}\n", step);
  }
  return text + tdfg::print(program, tdfg::Part::kGraphs);
}

/// The file with other graphs beside the source's, as `--fp` allows them.
Result<std::string> withVersions(const Options &options, const tdfg::FatBinary &binary) {
  const Result<machine::Machine> machine = loadTarget(options, options.target);
  if (!machine) return machine.diagnostics();
  if (!machine->sram) return noCosts(*machine);
  const auto values = tdfg::bindSizes(binary.program, usualSizes(options, binary.program));
  if (!values) return values.diagnostics();
  const auto made =
      tdfg::makeFatBinary(binary.program, targets::l3_sram::versionsOf(binary.program, *values, *machine->sram));
  if (!made) return made.diagnostics();
  return tdfg::writeFatBinary(*made);
}

}  // namespace

Result<std::string> emitTensorStage(const Options &options) {
  const auto binary = fatBinaryOf(options);
  if (!binary) return binary.diagnostics();
  if (options.emit == kStages[1] && !options.fp.empty()) return rewritten(options, binary->program);
  if (options.emit == kStages[2])
    return options.fp.empty() ? tdfg::writeFatBinary(*binary) : withVersions(options, *binary);
  return tdfg::print(binary->program, options.emit == kStages[0] ? tdfg::Part::kStreams : tdfg::Part::kGraphs);
}

}  // namespace pimento::driver
