// DPU programs from files, through the verbs: data in, answer out, log, profile, timeline, faults.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "pimento/base/file.h"
#include "pimento/base/npy.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/load.h"
#include "pimento/driver/verbs.h"
#include "test/support/trace_text.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

const std::string kExamples = PIMENTO_SOURCE_DIR "/examples/upmem/";

Options program(const std::string &name, std::vector<std::string> ins = {}, std::vector<std::string> outs = {}) {
  Options o;
  o.input = name.find('/') == std::string::npos ? kExamples + name : name;
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  o.ins = std::move(ins);
  o.outs = std::move(outs);
  o.isJson = true;
  return o;
}

Json ran(VerbId verb, const Options &o, int status = 0) {
  const Outcome out = run(verb, o);
  EXPECT_EQ(out.status, status) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return Json::parse(out.text, nullptr, false);
}

std::string temporary(const std::string &name) {
  return ::testing::TempDir() + "/" + name;
}

std::string written(const std::string &name, const std::string &text) {
  std::ofstream(temporary(name), std::ios::binary) << text;
  return temporary(name);
}

Json numbers(std::int64_t from, std::int64_t count) {
  Json out = Json::array();
  for (std::int64_t i = 0; i < count; ++i) out.push_back(from + i);
  return out;
}

Options sum() {
  Options o = program("sum.s", {"blocks=u32:8", "heap=u32:3*2048"}, {"result:u32"});
  o.sets = {"tasklets=4"};
  return o;
}

TEST(DpuProgram, DataInAndAnswerOut) {
  const Json r = ran(VerbId::kSimulate, sum());
  EXPECT_EQ(r["outputs"], Json::parse(R"([{"place": "result:u32", "type": "u32", "values": [6144]}])"));
  EXPECT_EQ(r["log"].get<std::string>().size(), std::string("tasklet 0 found 1536\n").size() * 4);
  EXPECT_EQ(r["sizes"], Json({{"tasklets", 4}}));
  EXPECT_TRUE(r["fault"].is_null());
  EXPECT_EQ(r["target"], "upmem") << "the default for such input";
  EXPECT_EQ(r["counts"]["mram_read_bytes"], 8192);
  EXPECT_GT(r["breakdown"]["transfer_in"], 0);
  EXPECT_GT(r["breakdown"]["launch"], 0);
  EXPECT_GT(r["energy_pj"], 0);
}

TEST(DpuProgram, EstimateEqualsSimulate) {
  Options o = sum();
  const Json b = ran(VerbId::kSimulate, o);
  o.outs.clear();
  const Json a = ran(VerbId::kEstimate, o);
  for (const char *key : {"cycles", "counts", "profile"}) EXPECT_EQ(a[key], b[key]) << key;
}

TEST(DpuProgram, TheProfileAddsUpToTheCounts) {
  const Json r = ran(VerbId::kSimulate, sum());
  std::int64_t functions = 0, lines = 0;
  for (const Json &f : r["profile"]["functions"]) functions += f["slots"].get<std::int64_t>();
  for (const Json &l : r["profile"]["lines"]) lines += l["slots"].get<std::int64_t>();
  EXPECT_EQ(functions, r["counts"]["instructions"]);
  EXPECT_EQ(lines, functions);
  EXPECT_EQ(r["profile"]["functions"][0]["function"], "sum_words");
  EXPECT_EQ(r["profile"]["columns"][0]["key"], "slots");
  for (const Json &l : r["profile"]["lines"])
    EXPECT_FALSE(l["text"].get<std::string>().empty()) << "of the file or of the run-time library: " << l;
}

TEST(DpuProgram, BarriersHold) {
  for (const int tasklets : {1, 2, 11, 24}) {
    Options o = program("barrier.s", {}, {"seen:u32[" + std::to_string(tasklets) + "]"});
    o.sets = {"tasklets=" + std::to_string(tasklets)};
    Json expected = numbers(1, tasklets);
    expected.back() = 0;
    EXPECT_EQ(ran(VerbId::kSimulate, o)["outputs"][0]["values"], expected) << tasklets;
  }
}

TEST(DpuProgram, FilesAreRawBytesOrArrays) {
  std::string raw;
  for (int i = 0; i < 2056; ++i) raw += static_cast<char>(i % 251);
  NpyArray array{DType::kU32, {3}, {}};
  for (const std::uint32_t n : {0U, 4096U, 2056U})
    for (int byte = 0; byte < 4; ++byte) array.bytes.push_back(static_cast<std::byte>(n >> (8 * byte)));
  const std::string npy = written("job.npy", *printNpy(array)), bytes = written("raw.bin", raw);
  Options o = program("copy.s", {"job=" + npy, "mram=" + bytes},
                      {"mram+4096:2056=" + temporary("copied.bin"), "mram+4096:u8[8]=" + temporary("copied.npy")});
  ran(VerbId::kSimulate, o);
  EXPECT_EQ(*readFile(temporary("copied.bin")), raw);
  const Result<NpyArray> copied = readNpy(temporary("copied.npy"));
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->shape, std::vector<std::int64_t>{8});
  EXPECT_EQ(static_cast<int>(copied->bytes[7]), 7);
}

TEST(DpuProgram, RepeatedValuesFillPlaces) {
  // From an address that no wide store fits, in MRAM and in WRAM, with values behind it that stay.
  const std::string empty = written("empty.s", R"(
        .text
        .globl main
main:   jump    r23
        .section .dpu_host,"aw",@progbits
        .globl  words
words:  .zero   16
        .size   words, 16
)");
  Options o = program(empty, {"mram+8=u8:9*40", "mram+12=u16:513*3", "words=u8:8*16", "words+4=u32:16909060*2"},
                      {"mram+8:u8[16]", "words:u8"});
  o.sets = {"tasklets=1"};
  const Json r = ran(VerbId::kSimulate, o);
  EXPECT_EQ(r["outputs"][0]["values"], Json::parse("[9,9,9,9,1,2,1,2,1,2,9,9,9,9,9,9]"));
  EXPECT_EQ(r["outputs"][1]["values"], Json::parse("[8,8,8,8,4,3,2,1,4,3,2,1,8,8,8,8]"));
}

TEST(DpuProgram, AnExecutableIsRecognisedByItsFirstBytesAndKeepsItsTasklets) {
  dpu::LinkOptions link;
  link.tasklets = 6;
  const auto code = dpu::loadProgram(*readFile(kExamples + "barrier.s"), "barrier.s", link);
  ASSERT_TRUE(code);
  Options o = program(written("barrier.elf.or.any.name", dpu::writeExecutable(*code)), {}, {"seen:u32[6]"});
  const Json r = ran(VerbId::kSimulate, o);
  EXPECT_EQ(r["sizes"]["tasklets"], 6);
  EXPECT_EQ(r["outputs"][0]["values"], Json::parse("[1, 2, 3, 4, 5, 0]"));
  EXPECT_EQ(r["profile"]["functions"][0]["function"], "barrier_wait");
  o.sets = {"tasklets=3"};  // a machine too small for it
  const Outcome refused = run(VerbId::kSimulate, o);
  EXPECT_EQ(refused.status, 1);
  ASSERT_FALSE(refused.diagnostics.empty());
  EXPECT_EQ(refused.diagnostics.front().code, "program-tasklets");
}

TEST(DpuProgram, AKernelsTimelineIsThatOfItsProgram) {
  Options o;
  o.input = "va";
  o.target = "upmem";
  o.sizes = {"n=65536"};
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  o.isJson = true;
  o.trace = temporary("va_trace.json");
  EXPECT_TRUE(ran(VerbId::kSimulate, o)["checked"].get<bool>());
  const test::Checked c(*readFile(o.trace));
  EXPECT_FALSE(c.track("tasklet 0").empty());
  EXPECT_FALSE(c.track("DMA engine").empty());
}

TEST(DpuProgram, LaunchesGoOnWithTheMemoriesOfTheLast) {
  const std::string counter = written("counter.s", R"(
        .text
        .globl main
main:   lw      r0, zero, count
        add     r0, r0, 1
        sw      zero, count, r0
        jump    r23
        .section .dpu_host,"aw",@progbits
        .globl  count
count:  .long   0
        .size   count, 4
)");
  Options o = program(counter, {"count=u32:10"}, {"count:u32"});
  o.sets = {"tasklets=1"};
  const Json once = ran(VerbId::kSimulate, o);
  o.launches = 5;
  const Json often = ran(VerbId::kSimulate, o);
  EXPECT_EQ(often["outputs"][0]["values"][0], 15);
  EXPECT_EQ(often["cycles"], 5 * once["cycles"].get<std::int64_t>());
  EXPECT_EQ(often["breakdown"]["launch"], 5 * once["breakdown"]["launch"].get<std::int64_t>());
  EXPECT_EQ(often["profile"]["functions"][0]["slots"],
            5 * once["profile"]["functions"][0]["slots"].get<std::int64_t>());
}

TEST(DpuProgram, AFaultIsADiagnosticAndWhatHappenedBeforeIsShown) {
  const std::string faulty = written("faulty.s", R"(
        .text
        .globl main
        .type main,@function
main:
        move    r15, r23
        move    r0, hello
        call    r23, log_text
        move    r0, 100
        sw      zero, last, r0
        move    r1, 65534
        sw      r1, 0, r0
        jump    r15
        .section .data,"aw",@progbits
hello:  .asciz  "hello\n"
        .section .dpu_host,"aw",@progbits
        .globl  last
last:   .long   0
        .size   last, 4
)");
  Options o = program(faulty, {}, {"last:u32"});
  o.sets = {"tasklets=1"};
  const Outcome out = run(VerbId::kSimulate, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_EQ(out.diagnostics.size(), 1u);
  const Diagnostic &d = out.diagnostics.front();
  EXPECT_EQ(d.code, "dpu-wram-bounds");
  EXPECT_EQ(d.where.file, faulty);
  EXPECT_EQ(d.where.line, 12);
  EXPECT_NE(d.message.find("DPU 0, tasklet 0 at instruction"), std::string::npos) << d.message;
  EXPECT_NE(d.message.find("in 'main'"), std::string::npos) << d.message;
  const Json r = Json::parse(out.text);
  EXPECT_EQ(r["log"], "hello\n");
  EXPECT_EQ(r["outputs"][0]["values"][0], 100);
  EXPECT_EQ(r["fault"]["code"], "dpu-wram-bounds");
  EXPECT_EQ(ran(
                VerbId::kEstimate,
                [&] {
                  Options e = o;
                  e.outs.clear();
                  return e;
                }(),
                1)["fault"]["code"],
            "dpu-wram-bounds");
}

TEST(DpuProgram, AnEndlessProgramIsEnded) {
  const std::string endless = written("endless.s", ".text\n.globl main\nmain: jump main\n");
  Options o = program(endless);
  o.maxInstructions = 10'000;
  for (const auto verb : {VerbId::kSimulate, VerbId::kEstimate}) {
    const Outcome out = run(verb, o);
    EXPECT_EQ(out.status, 1);
    ASSERT_FALSE(out.diagnostics.empty());
    EXPECT_EQ(out.diagnostics.front().code, "dpu-instruction-limit");
  }
}

TEST(DpuProgram, TheTimelineHasATrackPerTasklet) {
  Options o = sum();
  o.trace = temporary("sum_trace.json");
  const Json r = ran(VerbId::kSimulate, o);
  const test::Checked c(*readFile(o.trace));
  for (int t = 0; t < 4; ++t) EXPECT_FALSE(c.track("tasklet " + std::to_string(t)).empty()) << t;
  std::int64_t bytes = 0;
  for (const test::TraceEvent &e : c.track("DMA engine")) bytes += e.args["bytes"].get<std::int64_t>();
  EXPECT_EQ(bytes,
            r["counts"]["mram_read_bytes"].get<std::int64_t>() + r["counts"]["mram_write_bytes"].get<std::int64_t>());
  EXPECT_EQ(ran(VerbId::kSimulate, sum())["cycles"], r["cycles"]) << "watching changes nothing";
}

TEST(DpuProgram, ExplainLeadsBackToWhatTheEngineCounted) {
  Options o = sum();
  const std::string result = written("sum.json", run(VerbId::kSimulate, o).text);
  Options e;
  e.input = result;
  e.machinePath = o.machinePath;
  for (const char *number : {"", "cycles", "counts.instructions", "breakdown.transfer_in", "energy_pj"}) {
    e.number = number;
    const Outcome out = run(VerbId::kExplain, e);
    EXPECT_EQ(out.status, 0) << number << ": " << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
    EXPECT_FALSE(out.text.empty()) << number;
  }
}

TEST(DpuProgram, CompileEmitsTheListing) {
  Options o = program("barrier.s");
  o.emit = "asm";
  const Outcome out = run(VerbId::kCompile, o);
  EXPECT_EQ(out.status, 0);
  for (const char *label : {"__bootstrap:", "main:", "barrier_wait:"})
    EXPECT_NE(out.text.find(label), std::string::npos) << label;
  o.emit = "kernel";
  ASSERT_EQ(run(VerbId::kCompile, o).status, 1);
  EXPECT_EQ(run(VerbId::kCompile, o).diagnostics.front().code, "unknown-stage");
}

TEST(DpuProgram, ThePageShowsProfileAndLog) {
  const std::string result = written("page.json", run(VerbId::kSimulate, sum()).text);
  Options o;
  o.inputs = {result};
  const Outcome out = run(VerbId::kReport, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  for (const char *text : {"By function", "By line", "DMA waits", "sum_words", "tasklet 3 found 1536"})
    EXPECT_NE(out.text.find(text), std::string::npos) << text;
}

}  // namespace
}  // namespace pimento::driver
