#include "pimento/driver/verbs/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/progress.h"
#include "pimento/base/suggest.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/kernel_files.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/tool_box.h"
#include "pimento/driver/verbs/estimate.h"
#include "pimento/driver/verbs/simulate.h"
#include "pimento/emit/json.h"
#include "pimento/emit/table.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {

Result<std::vector<emit::ComparisonRow>> compare(const Options &given) {
  Options options = withKernelFile(given);
  if (!options.tools) options.tools = makeToolBox();
  std::vector<std::string> names = options.targets;
  if (names.empty() || names == std::vector<std::string>{"all"}) names = machine::listMachines(machineFolders(options));
  const bool isSimulated = options.engine == name(Engine::kSimulate);
  std::vector<emit::ComparisonRow> rows;
  Progress progress("comparing", static_cast<std::int64_t>(names.size()), !options.isQuiet);
  for (const std::string &target : names) {
    emit::ComparisonRow row;
    row.target = target;
    Options onTarget = options;
    onTarget.target = target;
    onTarget.targets = {target};
    Result<Evaluated> done =
        isSimulated ? simulateOn(VerbId::kCompare, onTarget) : estimateOn(VerbId::kCompare, options, target);
    if (done) {
      row.report = std::move(done->report);
      row.run = std::move(done->run);
    } else {
      row.diagnostics = done.diagnostics();
      locate(row.diagnostics, onTarget);
    }
    rows.push_back(std::move(row));
    progress.advance();
  }
  if (options.baseline.empty()) return rows;
  const auto base = std::ranges::find(rows, options.baseline, &emit::ComparisonRow::target);
  if (base == rows.end())
    return usageError("unknown-name", "--baseline", fmt::format("'{}' is none of the targets", options.baseline),
                      suggest(options.baseline, names));
  if (!base->report) return base->diagnostics;
  const double time = base->report->timeNs, energy = base->report->energy.total.value;
  for (emit::ComparisonRow &row : rows)
    if (row.report) {
      row.speedup = time / row.report->timeNs;
      row.efficiency = energy / row.report->energy.total.value;
    }
  return rows;
}

Outcome show(const std::vector<emit::ComparisonRow> &rows, const Options &options) {
  return {options.isJson ? emit::toJson(rows) : emit::toTable(rows), {}, 0};
}

}  // namespace pimento::driver
