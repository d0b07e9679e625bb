// `report`: which files it reads, and what it says of those it cannot.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "pimento/driver/verbs.h"
#include "pimento/emit/html/page.h"

namespace pimento::driver {
namespace {

const std::string kPages = PIMENTO_SOURCE_DIR "/test/unit/emit/pages/";

Outcome reportOf(std::vector<std::string> files) {
  Options options;
  options.inputs = std::move(files);
  return run(VerbId::kReport, options);
}

TEST(ReportVerb, MakesOnePageOfSeveralFiles) {
  const Outcome o = reportOf({kPages + "simulate.json", kPages + "trace.json"});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(o.text.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(o.text.find("timeline of gemv on hbm-pim"), std::string::npos);
}

TEST(ReportVerb, SaysWhichFilesCannotBeRead) {
  const Outcome o = reportOf({"no_such.json", kPages + "simulate.json", kPages});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(o.text.empty());
  ASSERT_EQ(o.diagnostics.size(), 2u);
  EXPECT_EQ(o.diagnostics[0].code, "unreadable-file");
  EXPECT_EQ(o.diagnostics[0].where.file, "no_such.json");
  EXPECT_EQ(o.diagnostics[1].code, "unreadable-file");
}

TEST(ReportVerb, DoesNotReadAnAbsurdlyLargeFile) {
  const std::string path = ::testing::TempDir() + "/pimento_large_" + std::to_string(::getpid()) + ".json";
  std::ofstream(path) << "{";
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);  // sparse
  const Outcome o = reportOf({path});
  std::filesystem::remove(path);
  EXPECT_EQ(o.status, 1);
  ASSERT_EQ(o.diagnostics.size(), 1u);
  EXPECT_EQ(o.diagnostics[0].code, "file-too-large");
}

TEST(ReportVerb, NeedsAFile) {
  const Outcome o = reportOf({});
  EXPECT_EQ(o.status, 1);
  ASSERT_EQ(o.diagnostics.size(), 1u);
  EXPECT_EQ(o.diagnostics[0].code, "no-input");
}

TEST(ReportVerb, MakesAPictureWhereTheOutputIsNamedSo) {
  Options options;
  options.inputs = {kPages + "figure_bars.json"};
  options.output = "errors.svg";
  const Outcome o = run(VerbId::kReport, options);
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(o.text.starts_with("<svg "));
}

TEST(ReportVerb, MakesOnePictureOfOneFigure) {
  Options options;
  options.inputs = {kPages + "figure_bars.json", kPages + "figure_spread.json"};
  options.output = "errors.svg";
  const Outcome o = run(VerbId::kReport, options);
  EXPECT_EQ(o.status, 1);
  ASSERT_EQ(o.diagnostics.size(), 1u);
  EXPECT_EQ(o.diagnostics[0].code, "several-pictures");
  EXPECT_FALSE(o.diagnostics[0].hint.empty());
}

}  // namespace
}  // namespace pimento::driver
