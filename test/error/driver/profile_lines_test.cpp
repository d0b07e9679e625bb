// What `profile --lines` says of sources that are missing, changed or newer, of programs without lines, and of options
// that cannot be; by saved traces, so that nothing is run.
#include "pimento/driver/profile_lines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "pimento/base/checksum.h"
#include "pimento/driver/options.h"
#include "pimento/driver/source_files.h"
#include "pimento/driver/verbs/profile.h"
#include "pimento/trace/file/writer.h"
#include "test/support/folder.h"

namespace pimento::driver {
namespace {

constexpr const char *kText = "int f(int x) {\n  return x + 1;\n}\n";

/// A trace of a function of two lines, one of them inlined, and of instructions that are in no function.
struct Scene {
  test::Folder folder;
  Options options;
  trace::Program program;

  Scene() {
    program.name = "prog";
    program.codeEnd = 0x3000;
    program.functions = {{"f", 0x1000, 16}};
    program.sources.files = {{folder / "src/f.c", ""}};
    program.sources.functions = {{"f", 1}, {"inner", 2}};
    program.sources.frames = {{0, 0, 2, 3, -1}, {1, 0, 3, 1, 0}};
    program.sources.places = {{0x1000, 0}, {0x1008, 1}, {0x1010, -1}};
    options.isLined = true;
    std::filesystem::create_directory(folder / "src");
  }
  void source(const std::string &name, const std::string &text = kText) const {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  void writeTrace() {
    options.input = folder / "t.ptrace";
    std::ofstream out(options.input, std::ios::binary);
    trace::file::Writer writer(out, false);
    writer.onStart(program, false);
    trace::Block blocks[3];
    for (std::uint64_t b = 0; b < 3; ++b)
      for (std::uint64_t i = 0; i < 4; ++i) {
        trace::Instruction &in = blocks[b].instructions.emplace_back();
        in.address = 0x1000 * (b + 1) + 4 * i;
      }
    for (int turn = 0; turn < 50; ++turn)
      for (const trace::Block &b : blocks) writer.onBlock(b, 4, {});
    trace::ProgramEnd end;
    end.instructions = 600;
    ASSERT_TRUE(writer.finish(end));
  }
  ProfileAnswer run() {
    writeTrace();
    const Result<ProfileAnswer> answer = profile(options);
    if (answer) return *answer;
    ADD_FAILURE() << answer.diagnostics().front().str();
    return {};
  }
  std::string refusal() {
    writeTrace();
    const Result<ProfileAnswer> answer = profile(options);
    if (answer) return "";
    EXPECT_FALSE(answer.diagnostics().front().hint.empty());
    return answer.diagnostics().front().code;
  }
};

bool says(const ProfileAnswer &a, const std::string &part) {
  return std::ranges::any_of(a.warnings, [&](const std::string &w) { return w.find(part) != std::string::npos; });
}

void makeOld(const std::string &file, int hours) {
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
}

TEST(ProfileLines, OfSourcesThatAreMissing) {
  Scene s;
  const ProfileAnswer a = s.run();
  ASSERT_TRUE(a.lines);
  EXPECT_TRUE(says(a, "1 source files were not found"));
  EXPECT_TRUE(says(a, "--sources"));
  EXPECT_EQ(a.lines->sources.front().state, SourceState::kMissing);
  EXPECT_TRUE(a.lines->sources.front().chunks.empty());
}

TEST(ProfileLines, OfSourcesWhoseChecksumDiffers) {
  Scene s;
  s.source("src/f.c");
  s.program.sources.files.front().md5 = md5("another text");
  const ProfileAnswer a = s.run();
  EXPECT_TRUE(says(a, "checksum differs"));
  EXPECT_EQ(a.lines->sources.front().state, SourceState::kChanged);
}

TEST(ProfileLines, OfSourcesThatAreNewerThanTheProgram) {
  Scene s;
  s.source("src/f.c");
  s.writeTrace();
  makeOld(s.options.input, 2);
  const Result<ProfileAnswer> a = profile(s.options);
  ASSERT_TRUE(a);
  EXPECT_TRUE(says(*a, "was changed after the program was built"));
  // A checksum that agrees says more than a time.
  s.program.sources.files.front().md5 = md5(kText);
  s.writeTrace();
  makeOld(s.options.input, 2);
  const Result<ProfileAnswer> same = profile(s.options);
  ASSERT_TRUE(same);
  EXPECT_FALSE(says(*same, "was changed"));
  EXPECT_EQ(same->lines->sources.front().state, SourceState::kSame);
}

TEST(ProfileLines, FindSourcesElsewhere) {
  Scene s;
  s.program.sources.files.front().name = "/build/deep/src/f.c";
  s.source("moved/src/f.c");
  s.options.sourceFolders = {s.folder / "moved"};
  const ProfileAnswer folder = s.run();
  EXPECT_EQ(folder.lines->sources.front().path, s.folder / "moved/src/f.c");
  ASSERT_EQ(folder.lines->sources.front().chunks.size(), 1u);
  EXPECT_EQ(folder.lines->sources.front().chunks.front().text.front(), "int f(int x) {");
  s.options.sourceFolders.clear();
  s.options.sourceMaps = {"/build/deep=" + (s.folder / "moved")};
  EXPECT_EQ(s.run().lines->sources.front().path, s.folder / "moved/src/f.c");
  // Only whole folders have new names.
  s.options.sourceMaps = {"/build/de=" + (s.folder / "moved")};
  EXPECT_EQ(s.run().lines->sources.front().state, SourceState::kMissing);
}

TEST(ProfileLines, SumToTheProfile) {
  Scene s;
  const ProfileAnswer a = s.run();
  const auto cyclesOf = [](const auto &rows) {
    return std::accumulate(rows.begin(), rows.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto &r) { return sum + r.own.cycles; });
  };
  EXPECT_EQ(cyclesOf(a.lines->functions), a.profile().cycles);
  EXPECT_EQ(cyclesOf(a.lines->lines), a.profile().cycles);
  EXPECT_EQ(a.lines->total.executions, 600);
  ASSERT_EQ(a.lines->calls.size(), 1u);
  const CallShare &f = a.lines->calls.front();
  ASSERT_EQ(f.inlined.size(), 1u);
  EXPECT_EQ(f.inlined.front().function, "inner");
  EXPECT_EQ(f.inlined.front().line, 2u) << "of the call";
  EXPECT_EQ(f.all.cycles, f.own.cycles + f.inlined.front().all.cycles);
  EXPECT_EQ(f.all.executions, 200);
}

TEST(ProfileLines, OfCodeInNoFunctionAreRangesAndOutsideTheProgramElsewhere) {
  Scene s;
  const ProfileAnswer a = s.run();
  std::vector<std::string> names;
  for (const FunctionShare &f : a.lines->functions) names.push_back(f.name);
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"(elsewhere)", "0x2000-0x200c", "f"}));
}

TEST(ProfileLines, OfProgramsWithoutDebugInformationAreFunctions) {
  Scene s;
  s.program.sources = {};
  const ProfileAnswer functions = s.run();
  EXPECT_TRUE(says(functions, "no debug information"));
  EXPECT_TRUE(functions.lines->calls.empty());
  s.program.functions = {};
  EXPECT_TRUE(says(s.run(), "neither debug information nor symbols"));
}

TEST(ProfileLines, HaveTheirNumbersInJson) {
  Scene s;
  s.source("src/f.c", "int f(int x) {\n  return \xff;\n}\n");
  const ProfileAnswer a = s.run();
  Options options;
  options.isJson = true;
  const auto j = nlohmann::json::parse(show(a, options).text);
  std::int64_t cycles = 0;
  for (const auto &l : j["lines"]) cycles += l["cycles"].get<std::int64_t>();
  EXPECT_EQ(cycles, j["cycles"]);
  EXPECT_EQ(j["sources"][0]["chunks"][0]["text"].size(), 4u);
  EXPECT_EQ(j["inlined"][0]["inlined"][0]["function"], "inner");
}

TEST(ProfileLines, RefuseWhatCannotBe) {
  Scene sample;
  sample.options.isSampled = true;
  EXPECT_EQ(sample.refusal(), "lines-of-sample");
  for (const char *map : {"", "/old", "=/new"}) {
    Scene s;
    s.options.sourceMaps = {map};
    EXPECT_EQ(s.refusal(), "bad-source-map") << map;
  }
  Scene folder;
  folder.options.sourceFolders = {folder.folder / "nowhere"};
  EXPECT_EQ(folder.refusal(), "no-source-folder");
}

}  // namespace
}  // namespace pimento::driver
