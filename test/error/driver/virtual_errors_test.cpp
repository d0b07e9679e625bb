// What is said where virtual instructions cannot be shown.
#include <gtest/gtest.h>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

TEST(VirtualErrors, TheyHaveNoTimelineAndNoDeviceCommands) {
  Options o;
  o.input = "va";
  o.sizes = {"n=256"};
  o.target = PIMENTO_SOURCE_DIR "/examples/machines/cnm-pipeline.yaml";
  o.trace = ::testing::TempDir() + "/none.json";
  EXPECT_EQ(simulate(o).diagnostics.front().code, "trace-virtual");
  o.trace.clear();
  o.emit = "commands";
  const Outcome out = compile(o);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "unknown-stage");
  EXPECT_NE(out.diagnostics.front().hint.find("llvcnm"), std::string::npos);
  o.emit = "asm";
  const Outcome assembly = compile(o);
  ASSERT_FALSE(assembly.diagnostics.empty());
  EXPECT_EQ(assembly.diagnostics.front().code, "unknown-stage");
}

}  // namespace
}  // namespace pimento::driver
