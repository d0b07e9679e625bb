// The example with a host in C++, built by its own Makefile: dpu-pkg-config and the compiler's wrapper come from the
// build folder's bin, as they come from an installation's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pimento/base/file.h"
#include "pimento/frontend/dpu_c.h"
#include "test/support/folder.h"

namespace pimento {
namespace {

std::string textOf(const std::string &path) {
  const auto text = readFile(path);
  return text ? *text : std::string();
}

TEST(SpmdMakefile, BuildsAProgramWithAHostInCpp) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  if (std::system("make --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "make is not installed";
  const test::Folder folder;
  std::filesystem::copy(PIMENTO_SOURCE_DIR "/examples/upmem/cpp", folder / "program");
  const std::string output = folder / "output", report = folder / "report.json";
  const std::string command = fmt::format(
      "cd '{}' && export PATH=\"{}/bin:$PATH\" && make CXX='{}' > '{}' 2>&1 && PIMENTO_MACHINES='{}/machines' "
      "PIMENTO_REPORT='{}' ./host > '{}' 2>&1",
      folder / "program", PIMENTO_BINARY_DIR, PIMENTO_CXX_COMPILER, output, PIMENTO_SOURCE_DIR, report, output);
  const int status = std::system(command.c_str());
  const std::string text = textOf(output);
  ASSERT_EQ(status, 0) << text;
  EXPECT_NE(text.find("=== DPU#0x0 ===\n20008 bytes: "), std::string::npos) << text;
  EXPECT_NE(text.find("70 DPUs, 2 ranks, 0 wrong"), std::string::npos) << text;
  const nlohmann::json j = nlohmann::json::parse(textOf(report));
  double calls = 0;
  for (const auto &row : j["calls"]) calls += row.value("ms", 0.0);
  EXPECT_NEAR(calls - j["overlap_ms"].get<double>(), j["total_ms"].get<double>(), 1e-9);
  EXPECT_EQ(j["compilers"], nlohmann::json::array({"pimento upmem-cc"})) << "of whose code the times are";
}

}  // namespace
}  // namespace pimento
