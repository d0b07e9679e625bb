#include "pimento/driver/points.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pimento/driver/verbs.h"
#include "pimento/targets/hbm_pim/suite.h"

namespace pimento::driver {
namespace {

/// A file that lives as long as the test.
class PointsFile {
 public:
  explicit PointsFile(const std::string &text)
      : path_(std::filesystem::temp_directory_path() / ("pimento_points_" + std::to_string(::getpid()) + ".csv")) {
    std::ofstream(path_) << text;
  }
  ~PointsFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Points, CommentsAndUnknownColumnsAreSkipped) {
  const PointsFile f("# a comment\nkernel,elements,channels,cycles,colour\n# another\nadd,131072,64,731,red\n");
  const auto points = readPoints(f.path(), targets::hbm_pim::suite().rules);
  ASSERT_TRUE(points);
  ASSERT_EQ(points->points.size(), 1U);
  EXPECT_EQ(points->points[0].number("elements"), 131072);
  EXPECT_EQ(points->points[0].where.line, 4);
}

TEST(Points, BadRowsAreDiagnosticsWithTheirLine) {
  for (const char *text :
       {"kernel,elements,cycles\nadd,many,731\n", "kernel,elements,cycles\nadd,-5,731\n", "kernel,elements\nadd,5\n",
        "kernel,bytes,cycles\nadd,5,731\n", "elements,cycles\n5,731\n"}) {
    const PointsFile f(text);
    const auto points = readPoints(f.path(), targets::hbm_pim::suite().rules);
    ASSERT_FALSE(points) << text;
    EXPECT_EQ(points.diagnostics()[0].code, "bad-points") << text;
    EXPECT_EQ(points.diagnostics()[0].where.line, 2) << text;
    EXPECT_FALSE(points.diagnostics()[0].hint.empty());
  }
}

TEST(Points, RowsThatNothingReplaysAreNamed) {
  const PointsFile f("kernel,elements,cycles\nfft,5,731\nadd,5,367\nfft,6,731\n");
  const auto points = readPoints(f.path(), targets::hbm_pim::suite().rules);
  ASSERT_TRUE(points);
  EXPECT_EQ(points->points.size(), 1U);
  ASSERT_EQ(points->skipped.size(), 1U);
  EXPECT_NE(points->skipped[0].find("2 rows of 'fft'"), std::string::npos);
}

TEST(Validate, ARowThatDoesNotFitIsNamedAndTheOthersCount) {
  const PointsFile f(
      "kernel,output_dim,input_dim,batch,channels,ranks,cycles\ngemv,65536,65536,1,1,1,5\ngemv,4096,1024,1,64,2,"
      "3662\n");
  Options o;
  o.input = "hbm-pim";
  o.points = f.path();
  o.isJson = true;
  const Outcome out = run(VerbId::kValidate, o);
  EXPECT_EQ(out.status, 0);
  EXPECT_NE(out.text.find("not run"), std::string::npos);
  EXPECT_NE(out.text.find("\"exact\": 1"), std::string::npos);
}

TEST(Points, AMissingFileIsADiagnostic) {
  const auto points = readPoints("/no/such/file.csv", {});
  ASSERT_FALSE(points);
  EXPECT_EQ(points.diagnostics()[0].code, "unreadable-points");
}

TEST(Points, KernelsOfSeveralFilesCarryTheFilesName) {
  evaluate::Point a, b, c;
  a.columns = b.columns = {{"kernel", "gemv"}};
  c.columns = {{"kernel", "add"}};
  a.stem = "one";
  b.stem = "two";
  c.stem = "one";
  EXPECT_EQ(kernelNames({a, b, c}), (std::vector<std::string>{"one:gemv", "two:gemv", "add"}));
}

TEST(Validate, NetworkRowsRunByTheirKernel) {
  const PointsFile f(
      "kernel,output_dim_or_elements,input_dim,channels,ranks,cycles\n"
      "gemv,4096,1024,64,2,3662\nadd,401408,,64,2,1375\nrelu,4096,,64,2,367\n");
  Options o;
  o.input = "hbm-pim";
  o.points = f.path();
  const Outcome out = run(VerbId::kValidate, o);
  ASSERT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  EXPECT_EQ(out.text.find("worst row  gemv"), std::string::npos);
  o.isJson = true;
  const std::string json = run(VerbId::kValidate, o).text;
  EXPECT_NE(json.find("\"points\": 3"), std::string::npos);
  EXPECT_EQ(json.find("\"exact\": 0"), std::string::npos);
}

TEST(Validate, EnginesAreComparedRowByRow) {
  const PointsFile f("kernel,elements,channels,ranks,cycles\nrelu,40000000,64,2,69356\nrelu,4096,64,2,367\n");
  Options o;
  o.input = "hbm-pim";
  o.points = f.path();
  o.isJson = true;
  EXPECT_EQ(run(VerbId::kValidate, o).text.find("\"engine\""), std::string::npos);
  o.engine = "fast-forward";
  const std::string exact = run(VerbId::kValidate, o).text;
  o.engine = "simulate";
  const std::string simulated = run(VerbId::kValidate, o).text;
  o.engine = "two-slice";
  const std::string extrapolated = run(VerbId::kValidate, o).text;
  EXPECT_NE(exact.find("\"exact\": 1"), std::string::npos) << exact;
  EXPECT_NE(exact.find("\"fast-forwarded\": 1"), std::string::npos) << exact;
  EXPECT_NE(simulated.find("\"simulated\": 2"), std::string::npos) << simulated;
  EXPECT_NE(extrapolated.find("\"extrapolated\": 1"), std::string::npos) << extrapolated;
  EXPECT_NE(extrapolated.find("ours 88416"), std::string::npos) << extrapolated;
  EXPECT_NE(extrapolated.find("\"seconds\""), std::string::npos);
  o.isJson = false;
  EXPECT_NE(run(VerbId::kValidate, o).text.find("engine two-slice"), std::string::npos);
}

TEST(Validate, AnErrorIsReportedNotHidden) {
  const PointsFile f("kernel,elements,channels,ranks,cycles\nadd,131072,64,2,1000\n");
  Options o;
  o.input = "hbm-pim";
  o.points = f.path();
  o.isJson = true;
  const Outcome out = run(VerbId::kValidate, o);
  EXPECT_EQ(out.status, 0);
  EXPECT_NE(out.text.find("\"exact\": 0"), std::string::npos);
  EXPECT_NE(out.text.find("ours 731, theirs 1000"), std::string::npos);
}

}  // namespace
}  // namespace pimento::driver
