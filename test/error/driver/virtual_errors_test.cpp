// What is said where virtual instructions cannot be shown.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "pimento/base/file.h"
#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

TEST(VirtualErrors, TheyHaveNoTimelineAndNoDeviceCommands) {
  Options o;
  o.input = "va";
  o.sizes = {"n=256"};
  o.target = PIMENTO_SOURCE_DIR "/examples/machines/cnm-pipeline.yaml";
  o.trace = ::testing::TempDir() + "/kept_" + std::to_string(::getpid()) + ".json";
  ASSERT_TRUE(writeFile(o.trace, "of another run").ok());
  EXPECT_EQ(run(VerbId::kSimulate, o).diagnostics.front().code, "trace-virtual");
  EXPECT_EQ(*readFile(o.trace), "of another run") << "what is refused empties no file";
  std::remove(o.trace.c_str());
  o.trace.clear();
  for (const char *stage : {"commands", "asm", "host", "c", "ir"}) {
    SCOPED_TRACE(stage);
    o.emit = stage;
    const Outcome out = run(VerbId::kCompile, o);
    ASSERT_FALSE(out.diagnostics.empty());
    EXPECT_EQ(out.diagnostics.front().code, "unknown-stage");
    EXPECT_NE(out.diagnostics.front().message.find("runs virtual instructions"), std::string::npos);
    EXPECT_EQ(out.diagnostics.front().hint,
              "use --emit llvcnm, cnm, dcc, mapping, mlir, kernel, dims, drafts, sdfg, tdfg, inf");
  }
}

TEST(VirtualErrors, EveryStageThatAHintNamesIsThere) {
  for (const char *target : {"hbm-pim", PIMENTO_SOURCE_DIR "/examples/machines/cnm-pipeline.yaml"}) {
    Options o;
    o.input = "va";
    o.sizes = {"n=256"};
    o.target = target;
    o.emit = "host";
    const Outcome refused = run(VerbId::kCompile, o);
    ASSERT_FALSE(refused.diagnostics.empty());
    std::istringstream stages(refused.diagnostics.front().hint.substr(std::string("use --emit ").size()));
    for (std::string stage; std::getline(stages >> std::ws, stage, ',');) {
      if (stage == "mlir") continue;  // not in every build
      o.emit = stage;
      EXPECT_EQ(run(VerbId::kCompile, o).status, 0) << target << " " << stage;
    }
  }
}

const char *const kProgram =
    "program mine\nprocess unit x1 threads 1 {\n  array y bank i32[8]\n  SET i32 %0 1\n  STORE y[0] %0\n}\n";

TEST(VirtualErrors, AMachineThatTheTextNamesAndThatIsNotThereIsSaidAtItsName) {
  Options o;
  o.input = "p.llvcnm";
  o.text = kProgram;
  const Outcome out = run(VerbId::kEstimate, o);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "unknown-target");
  EXPECT_EQ(out.diagnostics.front().where.str(), "p.llvcnm:1:9");
  EXPECT_NE(out.diagnostics.front().message.find("'mine'"), std::string::npos);
  EXPECT_NE(out.diagnostics.front().hint.find("pass that machine's file with --target"), std::string::npos);
  o.input = "k.cnm";
  o.text = "cnm k\ntarget \"no_such_folder/mine.yaml\" lane\n";
  const Outcome file = run(VerbId::kEstimate, o);
  ASSERT_FALSE(file.diagnostics.empty());
  EXPECT_EQ(file.diagnostics.front().code, "unreadable-file");
  EXPECT_EQ(file.diagnostics.front().where.str(), "k.cnm:2:8");
  EXPECT_NE(file.diagnostics.front().hint.find("--target"), std::string::npos);
}

TEST(VirtualErrors, AProgramTakesNoOptionsOfKernels) {
  Options o;
  o.input = "p.llvcnm";
  o.text = kProgram;
  o.target = PIMENTO_SOURCE_DIR "/examples/machines/cnm-pipeline.yaml";
  const Outcome plain = run(VerbId::kEstimate, o);
  EXPECT_EQ(plain.status, 0) << plain.diagnostics.front().str();
  const auto expectRefused = [](const Options &with, const std::string &option) {
    const Outcome out = run(VerbId::kEstimate, with);
    ASSERT_FALSE(out.diagnostics.empty()) << option;
    EXPECT_EQ(out.diagnostics.front().code, "kernel-option");
    EXPECT_EQ(out.diagnostics.front().where.file, option);
  };
  Options with = o;
  with.sizes = {"n=3"};
  expectRefused(with, "--size");
  with = o;
  with.dtype = "f32";
  expectRefused(with, "--dtype");
  with = o;
  with.maps = {"auto"};
  expectRefused(with, "--map");
  with = o;
  with.offload = "best";
  expectRefused(with, "--offload");
}

TEST(VirtualErrors, SuitesOfMappingsLeaveOutKernelsThatAMachinesTypeHasNot) {
  Options o;
  o.input = "mappings";
  o.target = ::testing::TempDir() + "/whole_" + std::to_string(::getpid()) + ".yaml";
  o.count = 1;
  o.isJson = true;
  ASSERT_TRUE(writeFile(o.target, "name: whole\nextends: " PIMENTO_SOURCE_DIR
                                  "/examples/machines/cnm-vector.yaml\nnative_type: i32\n")
                  .ok());
  const Outcome out = run(VerbId::kValidate, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
  EXPECT_NE(out.text.find("\"gemv\""), std::string::npos);
  EXPECT_EQ(out.text.find("\"rnnt\""), std::string::npos);
  o.kernels = {"rnnt"};
  EXPECT_EQ(run(VerbId::kValidate, o).diagnostics.front().code, "unsupported-type");
  std::remove(o.target.c_str());
}

}  // namespace
}  // namespace pimento::driver
