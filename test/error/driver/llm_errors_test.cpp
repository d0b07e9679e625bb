// What language models, their hosts and tables of measured times are refused for: code, place, hint.
#include <gtest/gtest.h>

#include <fstream>

#include "pimento/driver/verbs.h"
#include "pimento/llm/gpu_table.h"
#include "pimento/llm/host.h"
#include "pimento/llm/model.h"
#include "pimento/llm/published.h"
#include "pimento/llm/requests.h"
#include "test/support/folder.h"
#include "test/support/llm_host.h"

namespace pimento::llm {
namespace {

using driver::Options;

Options asked(const std::string &model = "gpt3-13b") {
  Options o;
  o.input = model;
  o.isQuiet = true;
  o.generate = 2;
  o.maps = {"reference"};
  o.store = "none";
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  return o;
}

Diagnostic first(const Options &o, int status = 1) {
  const driver::Outcome out = driver::run(driver::VerbId::kLlm, o);
  EXPECT_EQ(out.status, status);
  EXPECT_FALSE(out.diagnostics.empty());
  if (out.diagnostics.empty()) return {};
  EXPECT_FALSE(out.diagnostics.front().hint.empty()) << out.diagnostics.front().str();
  return out.diagnostics.front();
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(WrongModels, AreNamedWithWhatThereIs) {
  const Diagnostic d = first(asked("gpt3-13"));
  EXPECT_EQ(d.code, "unknown-model");
  EXPECT_TRUE(has(d.hint, "gpt3-13b")) << d.hint;
}

TEST(WrongModels, DoNotFitAndAreToldByHowMuch) {
  const Diagnostic d = first(asked("mt-nlg-310b"));
  EXPECT_EQ(d.code, "model-does-not-fit");
  EXPECT_EQ(d.kind, DiagnosticKind::kCapacity);
  EXPECT_TRUE(has(d.message, "GiB more than there are")) << d.message;
  EXPECT_TRUE(has(d.hint, "--gpus")) << d.hint;
  Options eight = asked("mt-nlg-310b");
  eight.gpus = 8;
  eight.schedule = "published-base";
  EXPECT_EQ(driver::run(driver::VerbId::kLlm, eight).status, 0);
  Options longer = asked();
  longer.target = "none";
  longer.maps.clear();
  longer.prompt = 90'000;
  EXPECT_EQ(first(longer).code, "model-does-not-fit") << "keys and values";
  Options study = asked("mt-nlg-310b");
  study.schedule = "published-full";
  const driver::Outcome warned = driver::run(driver::VerbId::kLlm, study);
  EXPECT_EQ(warned.status, 0) << "the study checks no memory";
  EXPECT_TRUE(has(warned.text, "the study checks no memory"));
}

TEST(WrongModels, HaveHeadsThatGpusCannotShare) {
  Options o = asked();
  o.gpus = 3;
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "heads-not-divided");
  EXPECT_EQ(d.where.str(), "--gpus");
  EXPECT_TRUE(has(d.hint, "2, 4, 5, 8")) << d.hint;
  Options grouped = asked("llama3-8b");
  grouped.gpus = 16;
  EXPECT_TRUE(has(first(grouped).message, "keys and values"));
}

TEST(WrongModels, AreFilesWithBadNumbers) {
  const std::string head = "name,layers,hidden,heads,kv_heads,head_dim,ff,gated,vocabulary,tied,source\n";
  for (const auto &[row, column] :
       std::initializer_list<std::pair<const char *, const char *>>{{"a,0,8,2,2,4,16,no,10,yes,me", "layers"},
                                                                    {"a,1,x,2,2,4,16,no,10,yes,me", "hidden"},
                                                                    {"a,1,8,3,2,4,16,no,10,yes,me", "kv_heads"},
                                                                    {"a,1,8,2,2,4,16/0,no,10,yes,me", "ff"},
                                                                    {"a,1,8,2,2,4,16,maybe,10,yes,me", "gated"},
                                                                    {"a,1,8,2,2,4,16,no,10,,me", "tied"},
                                                                    {"a,1,8,2,2,4,16,no,10,yes,", "source"},
                                                                    {",1,8,2,2,4,16,no,10,yes,me", "name"}}) {
    const auto models = readModels(head + row, "m.csv");
    ASSERT_FALSE(models) << row;
    const Diagnostic &d = models.diagnostics().front();
    EXPECT_EQ(d.code, "bad-model");
    EXPECT_EQ(d.where.str(), "m.csv:2");
    EXPECT_TRUE(has(d.message, column)) << d.message;
  }
  EXPECT_EQ(readModels(head, "m.csv").diagnostics().front().code, "bad-model");
  const test::Folder folder;
  std::ofstream(folder / "two.csv") << head << "a,1,8,2,2,4,16,no,10,yes,me\nb,1,8,2,2,4,16,no,10,yes,me\n";
  EXPECT_EQ(first(asked(folder / "two.csv")).code, "several-models");
  EXPECT_EQ(first(asked(folder / "none.csv")).code, "unreadable-file");
}

TEST(WrongHosts, AreNamedWithWhatThereIs) {
  Options o = asked();
  o.host = "lunch";
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "unknown-host");
  EXPECT_EQ(d.where.str(), "--host");
  EXPECT_TRUE(has(d.hint, "published")) << d.hint;
}

TEST(WrongHosts, HaveDevicesThatNobodyKnows) {
  const test::Folder folder;
  std::ofstream(folder / "mine.yaml") << "name: mine\nextends: published\ngpu:\n  device: atacc\n";
  Options o = asked();
  o.host = folder / "mine.yaml";
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "unknown-device");
  EXPECT_EQ(d.where.line, 4);
  EXPECT_TRUE(has(d.hint, "attacc")) << d.hint;
}

TEST(WrongHosts, AreMachinesWithoutAGpu) {
  Options o = asked();
  o.host = PIMENTO_SOURCE_DIR "/machines/attacc-published.yaml";
  EXPECT_EQ(first(o).code, "missing-section");
}

TEST(WrongHosts, HaveNumbersWithoutUnits) {
  const test::Folder folder;
  std::ofstream(folder / "mine.yaml") << "name: mine\nextends: published\ngpu:\n  memory: 80\n  tiles: 8 16\n";
  Options o = asked();
  o.host = folder / "mine.yaml";
  EXPECT_EQ(first(o).code, "bare-number");
  std::ofstream(folder / "mine.yaml")
      << "name: mine\nextends: published\nsource: a test\nconfidence: assumed\ngpu:\n  tiles: 16 8 count\n";
  EXPECT_EQ(first(o).code, "impossible-value");
  std::ofstream(folder / "mine.yaml") << "name: mine\nextends: published\ngpu:\n  model: table\n";
  EXPECT_EQ(first(o).code, "missing-key");
  std::ofstream(folder / "mine.yaml") << "name: mine\nextends: published\ngpu:\n  model: table\n  table: no.csv\n";
  EXPECT_EQ(first(o).code, "unreadable-file");
}

TEST(WrongHosts, DoNotSayWhatTheStudyAssumes) {
  const test::Folder folder;
  std::ofstream(folder / "mine.yaml") << "name: mine\nextends: published\ngpu:\n  study: null\n";
  Options o = asked();
  o.host = folder / "mine.yaml";
  EXPECT_EQ(driver::run(driver::VerbId::kLlm, o).status, 0);
  o.schedule = "published-base";
  EXPECT_EQ(first(o).code, "no-study");
}

std::string tableCode(const std::string &text) {
  const auto t = GpuTable::parse(text, "t.csv");
  return t ? "" : t.diagnostics().front().code;
}

TEST(WrongTables, SayNoUnits) {
  const std::string head = "# gpu: a card\n# clock: 1980 MHz\n# driver: 550\n# cuda: 12.4\n";
  const std::string columns = "kernel,bytes,m,n,k,count,", row = "linear,2,1,2,3,1,";
  EXPECT_EQ(tableCode(head + columns + "time_ns\n" + row + "7\n"), "");
  EXPECT_EQ(tableCode(head + columns + "time\n" + row + "7\n"), "table-without-units");
  EXPECT_EQ(tableCode(head + columns + "time_ns,time_us\n" + row + "7,7\n"), "table-without-units");
  EXPECT_EQ(tableCode("# gpu: a\n# clock: 1980\n# driver: 550\n# cuda: 12.4\n" + columns + "time_ns\n" + row + "7\n"),
            "table-without-units");
  EXPECT_EQ(tableCode("# clock: 1980 MHz\n" + columns + "time_ns\n" + row + "7\n"), "table-head");
  EXPECT_EQ(tableCode(head + "kernel,m,n,k,count,time_ns\nlinear,1,2,3,1,7\n"), "table-columns");
  EXPECT_EQ(tableCode(head + columns + "time_ns\n"), "table-columns");
  EXPECT_EQ(tableCode(head + columns + "time_ns\n" + row + "-7\n"), "table-value");
  EXPECT_EQ(tableCode(head + columns + "time_ns\nlinaer,2,1,2,3,1,7\n"), "table-value");
}

TEST(WrongTables, LackAShape) {
  const test::Folder folder;
  std::ofstream(folder / "t.csv") << "# gpu: a\n# clock: 1980 MHz\n# driver: 550\n# cuda: 12.4\n"
                                  << "kernel,bytes,m,n,k,count,time_ns\nlinear,2,1,2,3,1,7\n";
  std::ofstream(folder / "mine.yaml") << "name: mine\nextends: published\ngpu:\n  model: table\n  table: t.csv\n";
  Options o = asked();
  o.host = folder / "mine.yaml";
  EXPECT_EQ(first(o).code, "not-in-table");
}

TEST(WrongOptions, OfLanguageModelsAreRefused) {
  Options o = asked();
  o.schedule = "full";
  EXPECT_EQ(first(o).code, "unknown-schedule");
  o = asked();
  o.dtype = "f64";
  EXPECT_EQ(first(o).code, "unsupported-type");
  o = asked();
  o.maps = {"M1:{(4,4),(64,1),(12,1280)}"};
  EXPECT_EQ(first(o).code, "one-map-for-all");
  o = asked();
  o.target = "attac";
  EXPECT_EQ(first(o).code, "unknown-target");
}

TEST(WrongOptions, NumbersThatCannotBeExplained) {
  Options o = asked();
  o.number = "token.qvk";
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "unknown-number");
  EXPECT_TRUE(has(d.hint, "token.qkv")) << d.hint;
  o.number = "token";
  o.schedule = "published-base";
  EXPECT_EQ(first(o).code, "unsound-number");
}

TEST(WrongOptions, OfPimDevicesNeedSome) {
  Options o = asked();
  o.target = "none";
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "no-devices");
  EXPECT_EQ(d.where.str(), "--map");
  o.maps.clear();
  o.devices = 2;
  EXPECT_EQ(first(o).where.str(), "--devices");
  o.devices = 0;
  o.sets = {"timing.nCCDAB=4"};
  EXPECT_EQ(first(o).where.str(), "--set");
}

Diagnostic requestError(const std::string &text) {
  const auto requests = readRequests(text, "r.csv");
  return requests ? Diagnostic() : requests.diagnostics().front();
}

TEST(WrongRequests, GoBackInTime) {
  const Diagnostic d = requestError("arrival_s,prompt,output\n0,8,8\n2,8,8\n1.5,8,8\n");
  EXPECT_EQ(d.code, "requests-go-back");
  EXPECT_EQ(d.where.str(), "r.csv:4");
  EXPECT_TRUE(has(d.message, "1.5")) << d.message;
  EXPECT_TRUE(has(d.hint, "sort"));
}

TEST(WrongRequests, LackUnitsColumnsOrValues) {
  EXPECT_EQ(requestError("arrival,prompt,output\n0,8,8\n").code, "requests-without-units");
  EXPECT_EQ(requestError("arrival_s,arrival_ms,prompt,output\n0,0,8,8\n").code, "requests-without-units");
  EXPECT_EQ(requestError("arrival_s,prompt\n0,8\n").code, "requests-columns");
  EXPECT_EQ(requestError("arrival_s,prompt,output\n").code, "requests-columns");
  for (const char *row : {"-1,8,8", "x,8,8", "0,0,8", "0,8,1.5", "0,8"})
    EXPECT_EQ(requestError(std::string("arrival_s,prompt,output\n") + row).code, "requests-value") << row;
}

TEST(WrongRequests, AreServedByTheVerbAlone) {
  Options o = asked("llama3-8b");
  const auto served = [&] {
    const driver::Outcome out = driver::run(driver::VerbId::kServe, o);
    return out.diagnostics.empty() ? Diagnostic() : out.diagnostics.front();
  };
  EXPECT_EQ(served().code, "no-requests");
  const test::Folder folder;
  o.requests = folder / "none.csv";
  EXPECT_EQ(served().code, "unreadable-file");
  std::ofstream(folder / "r.csv") << "arrival_s,prompt,output\n0,8,1000000\n";
  o.requests = folder / "r.csv";
  const Diagnostic d = served();
  EXPECT_EQ(d.code, "request-does-not-fit");
  EXPECT_EQ(d.kind, DiagnosticKind::kCapacity);
  EXPECT_TRUE(has(d.message, "GiB more than there are")) << d.message;
  std::ofstream(folder / "r.csv") << "arrival_s,prompt,output\n0,8,2\n";
  o.trace = folder / "none/t.json";
  EXPECT_EQ(served().code, "unwritable-file");
}

}  // namespace
}  // namespace pimento::llm
