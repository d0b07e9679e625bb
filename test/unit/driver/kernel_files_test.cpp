// Names that stand for C files which come with Pimento, and for sizes.
#include "pimento/driver/kernel_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "pimento/base/file.h"
#include "pimento/driver/verbs.h"
#include "pimento/frontend/frontend.h"

namespace pimento::driver {
namespace {

namespace fs = std::filesystem;

std::set<std::string> sizesOf(const Options &o) {
  return {o.sizes.begin(), o.sizes.end()};
}

TEST(KernelFiles, EachNameHasAFileAndEachFileAName) {
  std::set<std::string> names, files;
  for (const kernel::ZooEntry &e : kernelFiles()) {
    EXPECT_TRUE(names.insert(e.name).second) << e.name;
    EXPECT_FALSE(e.about.empty());
    EXPECT_EQ(kernelFile(e.name), &e);
    EXPECT_EQ(kernel::zooEntry(e.name), nullptr) << "a built-in kernel is called " << e.name << " too";
  }
  for (const auto &f : fs::directory_iterator(PIMENTO_SOURCE_DIR "/kernels/infinity-stream"))
    if (f.path().extension() == ".c") files.insert(f.path().stem());
  EXPECT_EQ(names, files);
}

TEST(KernelFiles, ANameIsItsFileWithTheSizesThatAreNotGiven) {
  Options o;
  o.input = "mm_out";
  const Options alone = withKernelFileAlone(o);
  EXPECT_TRUE(fs::exists(alone.input)) << alone.input;
  EXPECT_TRUE(alone.input.ends_with("/infinity-stream/mm_out.c")) << alone.input;
  EXPECT_TRUE(alone.sizes.empty());
  EXPECT_EQ(withKernelFile(o).input, alone.input);
  EXPECT_EQ(sizesOf(withKernelFile(o)), (std::set<std::string>{"l=2048", "m=2048", "n=2048"}));
  o.sizes = {" m = 5,n=7"};
  EXPECT_EQ(sizesOf(withKernelFile(o)), (std::set<std::string>{" m = 5,n=7", "l=2048"}));
  o.sizes = {"l=1", "m=2", "n=3"};
  EXPECT_EQ(withKernelFile(o).sizes, o.sizes);
}

TEST(KernelFiles, OtherInputsStayAsTheyAre) {
  for (const char *input : {"gemv", "mm_out.c", "./mm_out", "c[i] = a[i]", "nothing", ""}) {
    Options o;
    o.input = input;
    EXPECT_EQ(kernelFile(input), nullptr) << input;
    EXPECT_EQ(withKernelFile(o).input, input);
    EXPECT_TRUE(withKernelFile(o).sizes.empty()) << input;
  }
  // A text that is there already has no file.
  Options o;
  o.input = "mm_out";
  o.text = "void f(void) {}";
  EXPECT_EQ(withKernelFile(o).input, "mm_out");
}

TEST(KernelFiles, HaveTheSizesThatTheirCodeNames) {
  for (const kernel::ZooEntry &e : kernelFiles()) {
    Options o;
    o.input = e.name;
    const std::string path = withKernelFileAlone(o).input;
    const auto text = readFile(path);
    ASSERT_TRUE(text) << path;
    const auto file = frontend::CFile::read(*text, path);
    ASSERT_TRUE(file) << path;
    std::set<std::string> expected, named;
    for (const auto &[name, value] : e.defaults) expected.insert(name);
    const auto sizes = file->sizes();
    ASSERT_TRUE(sizes) << path;
    named.insert(sizes->begin(), sizes->end());
    EXPECT_EQ(named, expected) << e.name;
  }
}

TEST(KernelFiles, AreListedAndSuggestedWithTheZoo) {
  const std::vector<std::string> names = allKernelNames();
  for (const char *name : {"gemv", "stencil1d", "gather_mlp_out", "array_sum"})
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  Options o;
  o.input = "stencil4d";
  o.target = "l3-sram";
  const Outcome out = run(VerbId::kEstimate, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_NE(out.diagnostics.front().str().find("stencil"), std::string::npos) << out.diagnostics.front().str();
}

}  // namespace
}  // namespace pimento::driver
