#include "pimento/driver/machine_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/data_folder.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/kernel_files.h"
#include "pimento/driver/tool_box.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

Options withTarget(const Options &options) {
  Options out = withKernelFile(options);
  if (out.target.empty()) out.target = usualTarget(out, out.targetWhere);
  if (!out.tools) out.tools = makeToolBox();
  return out;
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
    if (isOfInput) d.hint = "pass that machine's file with --target; or " + d.hint;
    d.where = isOfInput ? options.targetWhere : Location{name == options.input ? name : "--target"};
    return file.diagnostics();
  }
  Result<std::string> contents = readFile(*file);
  if (!contents && isOfInput)
    return error("unreadable-file", options.targetWhere, fmt::format("cannot read the machine file '{}'", name),
                 "check its path, or pass the machine file with --target");
  if (!contents) return contents.diagnostics();
  return std::pair(std::move(*file), std::move(*contents));
}

/// --fp.
Status applyFp(const Options &options, machine::Machine &machine) {
  using Rewrite = machine::Sram::Rewrite;
  if (options.fp.empty()) return okStatus();
  if (options.fp != "strict" && options.fp != "reassociate")
    return usageError("bad-fp", "--fp", fmt::format("'{}' is not known", options.fp),
                      suggest(options.fp, {"strict", "reassociate"}));
  if (machine.sram) {
    machine.sram->rewrite = options.fp == "strict" ? Rewrite::kStrict : Rewrite::kReassociate;
  } else if (options.fp == "reassociate") {
    return usageError("bad-fp", "--fp", fmt::format("{} keeps the order of sums that its mapping has", machine.name),
                      "leave it out, or choose a machine whose SRAM computes, as l3-sram");
  }
  return okStatus();
}

}  // namespace

Result<machine::Machine> loadTarget(const Options &options, const std::string &name) {
  std::vector<machine::Override> overrides;
  for (const std::string &s : options.sets) {
    const std::size_t eq = s.find('=');
    if (eq == std::string::npos)
      return usageError("bad-override", "--set", fmt::format("'{}' is not of the form PATH=VALUE", s),
                        "write PATH=VALUE, for example --set timing.tRP=16");
    overrides.push_back({s.substr(0, eq), s.substr(eq + 1)});
  }
  const auto file = machineFile(options, name);
  if (!file) return file.diagnostics();
  const auto read = [&]() -> Result<machine::Machine> {
    Result<machine::Machine> machine =
        machine::parseMachine(file->second, file->first, machineFolders(options), overrides);
    if (!machine) return machine;
    if (Status s = applyFp(options, *machine); !s) return s.diagnostics();
    if (Status s = targets::check(*machine); !s) return s.diagnostics();
    return machine;
  };
  if (!options.tools) return read();
  constexpr std::size_t kMachine = std::size_t{64} << 10;
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", file->first, fmt::join(machineFolders(options), "\n"),
                                      fmt::join(options.sets, "\n"), options.fp, file->second);
  return *options.tools->cache->get<Result<machine::Machine>>(key, kMachine, read);
}

}  // namespace pimento::driver
