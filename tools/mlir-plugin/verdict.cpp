#include "verdict.h"

#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::mlirplugin {

namespace {

using Json = nlohmann::json;

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

Row rowOf(const Json &j) {
  Row row;
  row.target = j.contains("run") ? j.at("run").at("target") : j.at("target");  // as given: files stay files
  row.isOk = j.at("error").is_null();
  if (!row.isOk) {
    row.why = j.at("error");
    return row;
  }
  row.timeNs = j.at("time_ns");
  row.energyPj = j.at("energy_pj");
  for (const Json &stage : j.at("stages")) {
    const bool isOffloaded = stage.at("where") == "pim";
    row.isOffloaded |= isOffloaded;
    row.hostTimeNs += stage.at("host_time_ns").get<double>();
    const Json &device = stage.at("offloaded_time_ns");
    row.deviceTimeNs =
        device.is_null() || !row.deviceTimeNs ? std::nullopt : std::optional(*row.deviceTimeNs + device.get<double>());
    if (!isOffloaded) append(row.why, stage.at("why"));
    if (!isOffloaded) continue;
    row.mapping = stage.at("mapping");
    row.mappingWhy = stage.at("mapping_why");
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

Verdict verdictOf(const std::string &json) {
  std::vector<Row> rows;
  const Json parsed = Json::parse(json);
  for (const Json &row : parsed.at("rows")) rows.push_back(rowOf(row));
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
  v.reason = "less time than on the host, moving the data included; mapping: " + best->mappingWhy;
  if (!best->why.empty()) v.reason += "; in part on the host: " + best->why;
  return v;
}

const Verdict &Adviser::ask(const Question &question) {
  const auto [at, isNew] = known_.try_emplace(question);
  if (!isNew) return at->second;
  driver::Options o = options_;
  o.input = "op.mlir";
  o.text = question.text;
  o.sizes = question.sizes;
  o.isJson = o.isQuiet = true;
  at->second = verdictOf(driver::compare(o).text);
  return at->second;
}

}  // namespace pimento::mlirplugin
