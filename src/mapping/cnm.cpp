#include "pimento/mapping/cnm.h"

#include "pimento/base/text.h"
#include "pimento/mapping/dcc_lines.h"
#include "pimento/mapping/drafts.h"

namespace pimento::mapping {

namespace {

Status firstOf(Diagnostics found) {
  if (found.empty()) return okStatus();
  if (found.size() > kMaxCnmDiagnostics) found.resize(kMaxCnmDiagnostics);
  return found;
}

}  // namespace

Status verify(const CnmModule &module) {
  Status s = kernel::verify(module.graph, &module.places);
  return s ? s : firstOf(std::move(s.diagnostics()));
}

Status verify(const CnmModule &module, const machine::Machine &machine) {
  if (Status s = verify(module); !s) return s;
  std::vector<std::string> levels;
  for (const machine::Level &l : machine.levels) levels.push_back(l.name);
  if (!module.target.empty() && module.levels != levels)
    return error("cnm-levels", module.targetWhere,
                 machine.name + " has the levels " + join(levels, " ") + ", but the text names " +
                     (module.levels.empty() ? "none" : join(module.levels, " ")),
                 "write: target " + machine.name + " " + join(levels, " "));
  const DraftHardware h = draftHardware(machine);
  if (module.groups > 0 && (module.groups != h.groups || module.cores != h.cores))
    return error("dcc-platform", module.targetWhere,
                 machine.name + " has " + std::to_string(h.groups) + " groups of " + std::to_string(h.cores) +
                     " cores, but the text says " + std::to_string(module.groups) + " of " +
                     std::to_string(module.cores),
                 "give the machine its size with --set, as in --set channels=N, or change the text");
  Diagnostics found;
  for (std::size_t k = 0; k < module.mappings.size(); ++k) {
    const std::optional<MapSpec> &spec = module.mappings[k];
    if (!spec || spec->kind != MapSpec::Kind::kExplicit) continue;
    const Result<PlacedMapping> placed = place(spec->mapping, module.graph, static_cast<int>(k), machine);
    if (!placed) found.insert(found.end(), placed.diagnostics().begin(), placed.diagnostics().end());
    const std::vector<kernel::Dim> &dims = module.graph.kernels[k].dims;
    for (std::size_t d = 0; placed && module.groups > 0 && d < dims.size(); ++d)
      if (spec->mapping.by.contains(dims[d].name) && !haveCoresBorders(spec->mapping.subspaces.front(), d, machine))
        found.push_back(error("dcc-tile", module.graph.kernels[k].where,
                              "cores of " + machine.name + " would share a tile of " + dims[d].name,
                              "split it over the levels of units alone, or mark the loop's own variable"));
  }
  return firstOf(std::move(found));
}

}  // namespace pimento::mapping
