#include "pimento/emit/mapping_suite.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"
#include "pimento/emit/sharing.h"

namespace pimento::emit {

namespace {

using Json = nlohmann::ordered_json;

std::int64_t rowsOf(const KernelErrors &e, const char *way) {
  const auto at = e.ways.find(way);
  return at == e.ways.end() ? 0 : at->second;
}

Json errorsOf(const KernelErrors &e) {
  return {{"mean_abs_error_pct", e.meanAbsErrorPct()},
          {"worst_abs_error_pct", e.worstAbsErrorPct},
          {"within_15_pct", e.within15Pct()},
          {"exact", e.exact},
          {"simulated", rowsOf(e, "simulated")},
          {"sampled", rowsOf(e, "sampled")},
          {"worst_row", e.worstRow},
          {"seconds", e.seconds}};
}

std::string ratioText(double part, double whole) {
  return whole > 0 ? fmt::format("{:.3g}", part / whole) : "-";
}

}  // namespace

std::string toJson(const MappingSuite &suite) {
  Json j = {{"suite", "mappings"},  {"target", suite.target}, {"seed", suite.seed},
            {"count", suite.count}, {"alpha", suite.alpha},   {"kernels", Json::object()}};
  for (const MappingErrors &k : suite.kernels)
    j["kernels"][k.kernel] = {{"mappings", k.mappings},
                              {"distinct", k.distinct},
                              {"counts_differ", k.countsDiffer},
                              {"fast_forward", errorsOf(k.fastForward)},
                              {"two_slice", errorsOf(k.twoSlice)},
                              {"simulation_seconds", k.simulationSeconds},
                              {"compile_seconds", k.compileSeconds},
                              {"device_seconds", k.deviceSeconds}};
  if (suite.sharing) j["ranks"] = sharingJson(*suite.sharing);
  j["warnings"] = suite.warnings;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string toTable(const MappingSuite &suite) {
  const auto percent = [](double p) { return fmt::format("{:.3f} %", p); };
  Columns errors("lrrlrrrrr"), times("lrrrrrr");
  errors.row({"kernel", "mappings", "distinct", "engine", "mean", "worst", "within 15 %", "simulated", "sampled"});
  errors.rule();
  times.row({"kernel", "compiling", "simulation", "fast-forward", "two-slice", "machine", "fast-forward / machine"});
  times.rule();
  std::string worst;
  for (const MappingErrors &k : suite.kernels) {
    const auto row = [&](const char *engine, const KernelErrors &e, bool isFirst) {
      errors.row({isFirst ? k.kernel : "", isFirst ? grouped(k.mappings) : "", isFirst ? grouped(k.distinct) : "",
                  engine, percent(e.meanAbsErrorPct()), percent(e.worstAbsErrorPct),
                  fmt::format("{:.1f} %", e.within15Pct()), grouped(rowsOf(e, "simulated")),
                  grouped(rowsOf(e, "sampled"))});
      if (e.exact != e.rows) worst += fmt::format("  {}, {}: {}\n", k.kernel, engine, e.worstRow);
    };
    row("fast-forward", k.fastForward, true);
    row("two-slice", k.twoSlice, false);
    const auto seconds = [](double s) { return fmt::format("{:.3f} s", s); };
    times.row({k.kernel, seconds(k.compileSeconds), seconds(k.simulationSeconds), seconds(k.fastForward.seconds),
               seconds(k.twoSlice.seconds), seconds(k.deviceSeconds),
               ratioText(k.fastForward.seconds, k.deviceSeconds)});
  }
  std::string text = fmt::format("random mappings on {}, seed {}: absolute cycle errors against simulation\n\n",
                                 suite.target, suite.seed) +
                     errors.str() + "\nprocessor time, and the time on the modelled machine\n\n" + times.str();
  if (!worst.empty()) text += "\nworst\n" + worst;
  if (suite.sharing) text += "\n" + sharingText(suite.sharing.get());
  for (const std::string &w : suite.warnings) text += "\nnote: " + w;
  return text + (suite.warnings.empty() ? "" : "\n");
}

}  // namespace pimento::emit
