#include "report.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "pimento/base/file.h"
#include "pimento/energy/energy.h"
#include "pimento/targets/upmem/counts.h"
#include "system.h"

namespace pimento::upmem {

namespace {

double ms(Picoseconds t) {
  return t.value / 1e9;
}

nlohmann::ordered_json callRow(Call call, const Totals::CallSum &sum) {
  const CallName name = nameOf(call);
  nlohmann::ordered_json row;
  row["call"] = name.name;
  if (!name.direction.empty()) row["direction"] = name.direction;
  row["count"] = sum.count;
  if (call != Call::kLaunch) row["bytes"] = sum.bytes.value;
  if (call != Call::kLoad) row["ms"] = ms(sum.time);
  return row;
}

/// Where programs were executed without their time: all that holds it is null.
void leaveTimeOut(nlohmann::ordered_json &j) {
  j["timing"] = "off: PIMENTO_TIMING=off executes programs without their time";
  for (const char *key :
       {"kernel_cycles", "kernel_ms", "overlap_ms", "total_ms", "energy_pj", "energy_low_pj", "energy_high_pj"})
    j[key] = nullptr;
  j["energy_breakdown"] = nlohmann::ordered_json::array();
  for (nlohmann::ordered_json &row : j["calls"])
    if (row["call"] == nameOf(Call::kLaunch).name) row["ms"] = nullptr;
}

}  // namespace

std::string toJson(const Totals &t) {
  nlohmann::ordered_json j;
  j["machines"] = t.machines;
  j["compilers"] = t.compilers;
  j["sets"] = t.sets;
  j["dpus"] = t.dpus;
  j["launches"] = t.launches;
  j["program_runs"] = t.programRuns;
  j["faults"] = t.faults;
  j["kernel_cycles"] = t.kernelCycles.value;
  j["kernel_ms"] = ms(t.kernel);
  j["to_dpu_ms"] = ms(t.toDpu);
  j["from_dpu_ms"] = ms(t.fromDpu);
  j["launch_ms"] = ms(t.launch);
  j["overlap_ms"] = ms(t.overlap);
  j["total_ms"] = ms(t.total);
  j["calls"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < kCalls; ++i)
    if (t.calls[i].count > 0) j["calls"].push_back(callRow(static_cast<Call>(i), t.calls[i]));
  j["to_dpu_transfers"] = t.toDpuTransfers;
  j["from_dpu_transfers"] = t.fromDpuTransfers;
  j["to_dpu_bytes"] = t.toDpuBytes.value;
  j["from_dpu_bytes"] = t.fromDpuBytes.value;
  j["energy_pj"] = t.energyTotal.value;
  j["energy_low_pj"] = t.energyLow.value;
  j["energy_high_pj"] = t.energyHigh.value;
  j["energy_note"] = energy::kDisclaimer;
  j["energy_breakdown"] = nlohmann::ordered_json::array();
  for (const Totals::Energy &e : t.energy)
    j["energy_breakdown"].push_back(
        {{"term", e.term}, {"component", e.component}, {"count", e.count}, {"pj", e.energy.value}});
  if (!t.isTimed) leaveTimeOut(j);
  evaluate::DeviceRun run;
  targets::upmem::setCounts(run, t.counts, {}, 0);
  if (!t.isTimed) run.counts.erase("idle_cycles");
  for (const auto &[name, value] : run.counts) j["counts"][name] = value;
  return j.dump(2) + "\n";
}

Outcome writeReport(const std::string &file) {
  if (const Status s = writeFile(file, toJson(Registry::get().totals())); !s)
    return failure(DPU_ERR_SYSTEM, s.diagnostics());
  return {};
}

Outcome writeEnvironmentReport() {
  const char *file = std::getenv("PIMENTO_REPORT");
  if (file == nullptr || *file == 0) return {};
  return attempt([&] { return writeReport(file); });
}

}  // namespace pimento::upmem
