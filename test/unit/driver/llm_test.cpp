// `llm` and `serve` as a caller sees them: their JSON, files that they write.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pimento/base/csv.h"
#include "pimento/base/file.h"
#include "pimento/driver/verbs.h"
#include "test/support/folder.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

Options options(const std::string &model) {
  Options o;
  o.input = model;
  o.isJson = o.isQuiet = true;
  o.store = "none";
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  return o;
}

Json answered(VerbId verb, const Options &o) {
  const Outcome out = run(verb, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
  return out.status == 0 ? Json::parse(out.text) : Json();
}

TEST(Llm, SaysWhereEachLayerRunsAndWhatItTakes) {
  Options o = options("llama3-8b");
  o.maps = {"reference"};
  o.generate = 3;
  const Json j = answered(VerbId::kLlm, o);
  ASSERT_EQ(j["phases"].size(), 2U);
  for (const Json &phase : j["phases"]) {
    double ns = 0, pj = 0;
    for (const Json &layer : phase["layers"]) {
      ns += layer["ns"].get<double>();
      for (const char *device : {"gpu", "pim", "link"}) pj += layer[device]["energy_pj"].get<double>();
      EXPECT_EQ(layer["pim_mapping"].is_null(), layer["busy_ns"]["pim"] == 0.0) << layer;
    }
    EXPECT_LE(ns, phase["ns"].get<double>() * (1 + 1e-9) + 1e6);
    EXPECT_NEAR(pj, phase["energy_pj"].get<double>(), 1e-9 * pj);
    for (const auto &[device, share] : phase["busy"].items()) EXPECT_LE(share.get<double>(), 1 + 1e-9) << device;
  }
  EXPECT_EQ(j["phases"][1]["steps"], 2);
  EXPECT_EQ(j["time_per_token_ns"], j["phases"][1]["ns_per_step"]);
  int chosen = 0;
  for (const Json &c : j["choices"]) chosen += c["chosen"].get<bool>() ? 1 : 0;
  EXPECT_EQ(chosen, 6) << "one place for each layer that may be placed";
  EXPECT_GT(j["pim_layers"]["run"].get<int>(), 0);
}

TEST(Llm, ATokenThatAStoreKnowsRunsNothing) {
  const test::Folder folder;
  Options o = options("gpt3-13b");
  o.store = folder / "s.db";
  o.maps = {"reference"};
  o.generate = 2;
  const Json first = answered(VerbId::kLlm, o), second = answered(VerbId::kLlm, o);
  EXPECT_GT(first["pim_layers"]["run"].get<int>(), 0);
  EXPECT_EQ(second["pim_layers"]["run"], 0);
  EXPECT_EQ(second["pim_layers"]["known"], first["pim_layers"]["run"]);
  EXPECT_EQ(first["phases"], second["phases"]);
}

TEST(Llm, PublishedSchedulesAreSlowerWithoutThePublishedOverlap) {
  Options o = options("gpt3-13b");
  o.generate = 3;
  double last = 0;
  for (const char *schedule : {"published-full", "published-base"}) {
    o.schedule = schedule;
    const Json j = answered(VerbId::kLlm, o);
    EXPECT_TRUE(j["phases"].empty());
    double ns = 0;
    for (const auto &[layer, time] : j["published"]["layers"].items()) ns += time.get<double>();
    EXPECT_NEAR(ns, j["time_per_token_ns"].get<double>(), 1e-9 * ns);
    EXPECT_GT(ns, last);
    last = ns;
  }
}

struct Serve : ::testing::Test {
  test::Folder folder;
  Options o = options("llama3-8b");
  void SetUp() override {
    o.requests = PIMENTO_SOURCE_DIR "/examples/llm/requests.csv";
    o.target = "none";
    o.mostRequests = 4;
  }
};

TEST_F(Serve, GivesDistributionsThatRise) {
  const Json j = answered(VerbId::kServe, o);
  for (const char *what : {"time_to_first_token_ns", "time_per_token_ns", "latency_ns", "waiting_ns"}) {
    const Json &d = j[what];
    EXPECT_LE(d["p50"], d["p90"]);
    EXPECT_LE(d["p90"], d["p99"]);
    EXPECT_LE(d["p99"], d["most"]);
  }
  EXPECT_LE(j["most_requests"], 4);
  EXPECT_LE(j["keys_and_values"]["most_bytes"], j["keys_and_values"]["room_bytes"]);
  double tokens = 0;
  for (const Json &r : j["requests"]) {
    EXPECT_LE(r["arrival_ns"], r["admitted_ns"]);
    EXPECT_LT(r["admitted_ns"], r["first_token_ns"]);
    EXPECT_LE(r["first_token_ns"], r["done_ns"]);
    tokens += r["output"].get<double>();
  }
  EXPECT_EQ(j["tokens"], tokens);
}

TEST_F(Serve, WritesATimelineAndTheTimesOfLayers) {
  o.trace = folder / "t.json";
  o.tables = folder / "l.csv";
  const Json j = answered(VerbId::kServe, o);
  const Result<std::string> trace = readFile(o.trace), table = readFile(o.tables);
  ASSERT_TRUE(trace.ok() && table.ok());
  const Json events = Json::parse(*trace)["traceEvents"];
  double end = 0;
  for (const Json &e : events)
    if (e["ph"] == "X") end = std::max(end, e["ts"].get<double>() + e["dur"].get<double>());
  EXPECT_NEAR(end * 1000, j["time_ns"].get<double>(), 1e-3 * end * 1000);
  const CsvTable rows = readCsv(*table);
  for (const char *column : {"layer", "phase", "batch", "length", "where", "ns", "pJ", "exact", "source"})
    EXPECT_TRUE(rows.has(column)) << column;
  EXPECT_EQ(rows.rows.size(), j["layers"]);
  for (const CsvTable::Row &row : rows.rows) EXPECT_EQ(row.cells.size(), rows.columns.size()) << row.line;
}

}  // namespace
}  // namespace pimento::driver
