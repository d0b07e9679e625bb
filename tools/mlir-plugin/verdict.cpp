#include "verdict.h"

#include "pimento/driver/verbs/compare.h"

namespace pimento::mlirplugin {

namespace {

struct Row {
  std::string target;
  std::string why;                  ///< what is on the host is there
  std::string mapping, mappingWhy;  ///< of the last kernel on the device, as MLIR files have it
  bool isOk = false, isOffloaded = false;
  double timeNs = 0, energyPj = 0, hostTimeNs = 0;
  std::optional<double> deviceTimeNs = 0.0;  ///< of all its kernels
};

void append(std::string &list, const std::string &text) {
  if (text.empty() || list.find(text) != std::string::npos) return;
  list += (list.empty() ? "" : "; ") + text;
}

Row rowOf(const emit::ComparisonRow &compared) {
  Row row;
  row.target = compared.target;  // as given: files stay files
  row.isOk = compared.report.has_value();
  if (!row.isOk) {
    row.why = compared.diagnostics.front().message;
    return row;
  }
  const evaluate::Report &report = *compared.report;
  const auto ns = [&](Cycles cycles) { return static_cast<double>(cycles.value) * report.nsPerCycle(); };
  row.timeNs = report.timeNs;
  row.energyPj = report.energy.total.value;
  for (const evaluate::Stage &stage : report.stages) {
    row.isOffloaded |= !stage.isOnHost;
    row.hostTimeNs += ns(stage.hostCycles);
    row.deviceTimeNs = !stage.offloadedCycles || !row.deviceTimeNs
                           ? std::nullopt
                           : std::optional(*row.deviceTimeNs + ns(*stage.offloadedCycles));
    if (stage.isOnHost) {
      append(row.why, stage.why);
      continue;
    }
    row.mapping = stage.mapping;
    row.mappingWhy = stage.mappingWhy;
  }
  return row;
}

/// Why it stays on the host: what every machine says, once where they agree.
std::string reasonsOf(const std::vector<Row> &rows) {
  std::map<std::string, std::string> sayers;
  std::vector<std::string> order;
  for (const Row &row : rows) {
    if (sayers.find(row.why) == sayers.end()) order.push_back(row.why);
    std::string &who = sayers[row.why];
    who += (who.empty() ? "" : ", ") + row.target;
  }
  std::string out;
  for (const std::string &why : order) out += (out.empty() ? "" : "; ") + sayers[why] + ": " + why;
  return out;
}

}  // namespace

Verdict verdictOf(const std::vector<emit::ComparisonRow> &compared) {
  std::vector<Row> rows;
  for (const emit::ComparisonRow &row : compared) rows.push_back(rowOf(row));
  const Row *best = nullptr, *host = nullptr;
  for (const Row &row : rows) {
    if (!row.isOk) continue;
    if (host == nullptr) host = &row;
    if (row.isOffloaded && (best == nullptr || row.timeNs < best->timeNs)) best = &row;
  }
  Verdict v;
  if (best == nullptr) v.reason = reasonsOf(rows);
  const Row *row = best != nullptr ? best : host;
  if (row == nullptr) return v;
  v.timeNs = row->timeNs;
  v.energyPj = row->energyPj;
  v.hostTimeNs = row->hostTimeNs;
  v.deviceTimeNs = row->deviceTimeNs;
  if (best == nullptr) return v;
  v.isOffloaded = true;
  v.target = best->target;
  v.mapping = best->mapping;
  v.reason = "faster than the host, transfers included; mapping: " + best->mappingWhy;
  if (!best->why.empty()) v.reason += "; partly on the host: " + best->why;
  return v;
}

const Verdict &Adviser::ask(const Question &question) {
  const auto [at, isNew] = known_.try_emplace(question);
  if (!isNew) return at->second;
  driver::Options o = options_;
  o.input = "op.mlir";
  o.text = question.text;
  o.sizes = question.sizes;
  const auto rows = driver::compare(o);
  PIMENTO_CHECK(rows.ok() && "what a machine cannot run is said in its row");
  at->second = verdictOf(*rows);
  return at->second;
}

}  // namespace pimento::mlirplugin
