#include "pimento/driver/mapping_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/input.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/mapping.h"
#include "pimento/mapping/passes.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

Result<evaluate::Offload> parseOffload(const Options &options, evaluate::Offload usual) {
  using evaluate::Offload;
  const kernel::ZooEntry *entry = kernel::zooEntry(options.input);
  if (options.offload.empty()) return entry != nullptr && entry->isNetwork ? Offload::kBest : usual;
  const std::vector<std::string> names = {"all", "possible", "some", "best"};
  const auto found = std::find(names.begin(), names.end(), options.offload);
  if (found == names.end())
    return usageError("unknown-offload", "--offload", fmt::format("unknown offload mode '{}'", options.offload),
                      suggest(options.offload, names));
  return static_cast<Offload>(found - names.begin());
}

Result<evaluate::Objective> parseObjective(const Options &options) {
  using evaluate::Objective;
  std::vector<std::string> names;
  for (const Objective o : {Objective::kTime, Objective::kEnergy, Objective::kKernel}) {
    if (options.objective == name(o)) return o;
    names.emplace_back(name(o));
  }
  if (options.objective.empty()) return Objective::kTime;
  if (options.objective == "compute") return Objective::kKernel;  // compute-centric tuning's word for it
  names.emplace_back("compute");
  return usageError("unknown-objective", "--objective", fmt::format("unknown objective '{}'", options.objective),
                    suggest(options.objective, names));
}

Result<std::vector<mapping::MapSpec>> parseMaps(const Options &options) {
  std::vector<mapping::MapSpec> specs;
  const std::vector<std::string> texts = options.maps.empty() ? std::vector<std::string>{"auto"} : options.maps;
  for (const std::string &text : texts)
    for (const std::string_view part : split(text, '|')) {
      Result<mapping::MapSpec> spec = mapping::parseMapSpec(trim(part));
      if (!spec) return spec.diagnostics();
      if (spec->kind == mapping::MapSpec::Kind::kExplicit) spec->mapping.text = mapping::print(*spec);
      specs.push_back(std::move(*spec));
    }
  return specs;
}

namespace {

/// A mapping of which the text begins at `place` of a file (without a line: not known).
Result<mapping::MapSpec> statedAt(const std::string &text, const Location &place) {
  const auto move = [&](Location &where) {
    if (where.line == 0 || place.line == 0) return;
    where = {place.file, place.line + where.line - 1, where.line == 1 ? place.column + where.column - 1 : where.column};
  };
  Result<mapping::MapSpec> spec = mapping::parseMapSpec(text);
  if (!spec) {
    for (Diagnostic &d : spec.diagnostics()) move(d.where);
    return spec;
  }
  mapping::Mapping &m = spec->mapping;
  for (mapping::Subspace &s : m.subspaces) {
    move(s.where);
    for (Location &row : s.rowsWhere) move(row);
  }
  for (auto &[name, where] : m.where) move(where);
  if (spec->kind == mapping::MapSpec::Kind::kExplicit) m.text = mapping::print(*spec);
  return spec;
}

/// Whether the first kernel's mapping is of all: the target compiles them together, and the others have none.
bool isOfAll(const mapping::CnmModule &cnm, const machine::Machine &machine) {
  const auto kernels = static_cast<int>(cnm.graph.kernels.size());
  if (kernels < 2 || !cnm.graph.loops.empty() || !cnm.mappings.front()) return false;
  if (std::any_of(cnm.mappings.begin() + 1, cnm.mappings.end(), [](const auto &m) { return m.has_value(); }))
    return false;
  const auto target = targets::targetOf(machine);
  return target && (*target)->runLength(cnm.graph, 0, machine) == kernels;
}

/// One mapping per kernel, `usual` where the file leaves it open. Diagnostics: those of mapping::verify.
Result<std::vector<mapping::MapSpec>> mapsOfFile(const mapping::CnmModule &cnm, const machine::Machine &machine,
                                                 const mapping::MapSpec &usual) {
  if (const Status s = mapping::verify(cnm, machine); !s) return s.diagnostics();
  if (isOfAll(cnm, machine)) return std::vector<mapping::MapSpec>{*cnm.mappings.front()};
  std::vector<mapping::MapSpec> specs;
  for (const std::optional<mapping::MapSpec> &spec : cnm.mappings) specs.push_back(spec.value_or(usual));
  return specs;
}

}  // namespace

Status leaveOutPasses(const Options &options, std::vector<mapping::MapSpec> &specs) {
  for (const std::string &text : options.passes) {
    const std::string name = text.starts_with('-') ? text.substr(1) : text;
    if (std::ranges::count(mapping::passNames(), name) == 0)
      return usageError("bad-pass", "--pass", fmt::format("there is no pass '{}'", name),
                        suggest(name, mapping::passNames()));
    if (name == text)
      return usageError("bad-pass", "--pass", fmt::format("pass '{}' is in unless it is left out", name),
                        fmt::format("write --pass -{}, or omit it", name));
    for (mapping::MapSpec &spec : specs) {
      if (spec.kind == mapping::MapSpec::Kind::kHost) continue;
      spec.mapping.parameters[name] = 0;
      if (spec.kind == mapping::MapSpec::Kind::kExplicit) spec.mapping.text = mapping::print(spec);
    }
  }
  return okStatus();
}

namespace {

/// `--map`, else what the input's file states.
Result<std::vector<mapping::MapSpec>> chosenMaps(const Options &options, const Input &input, const std::string &target,
                                                 const machine::Machine &machine) {
  if (input.cnm && options.maps.empty() && (input.cnm->target.empty() || input.cnm->target == target)) {
    const Result<std::vector<mapping::MapSpec>> usual = parseMaps(options);
    if (!usual) return usual.diagnostics();
    return mapsOfFile(*input.cnm, machine, usual->front());
  }
  const bool isStated =
      std::any_of(input.mappings.begin(), input.mappings.end(), [](const std::string &m) { return !m.empty(); });
  if (!options.maps.empty() || !isStated || (!input.mappingTarget.empty() && input.mappingTarget != target))
    return parseMaps(options);
  std::vector<mapping::MapSpec> specs;
  for (std::size_t k = 0; k < input.mappings.size(); ++k) {
    const std::string text = input.mappings[k].empty() ? "auto" : input.mappings[k];
    Result<mapping::MapSpec> spec =
        statedAt(text, k < input.mappingPlaces.size() ? input.mappingPlaces[k] : Location{});
    if (!spec) return spec.diagnostics();
    specs.push_back(std::move(*spec));
  }
  return specs;
}

}  // namespace

Result<std::vector<mapping::MapSpec>> mapsOf(const Options &options, const Input &input, const std::string &target,
                                             const machine::Machine &machine) {
  Result<std::vector<mapping::MapSpec>> specs = chosenMaps(options, input, target, machine);
  if (!specs) return specs;
  if (Status s = leaveOutPasses(options, *specs); !s) return s.diagnostics();
  return specs;
}

}  // namespace pimento::driver
