// The bits that an independent script computed from the description of the accumulation order
// (scripts/golden_hbm_pim.py) are the bits the simulated device gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "pimento/kernel/zoo.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

namespace fs = std::filesystem;

struct Vector {
  std::string kernel, variant;
  kernel::Sizes sizes;
  std::map<std::string, std::vector<std::uint16_t>> inputs, outputs;
};

std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (const auto &entry : fs::directory_iterator(PIMENTO_SOURCE_DIR "/test/golden/hbm_pim"))
    if (entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::uint16_t> readWords(std::istream &in, std::size_t count) {
  std::vector<std::uint16_t> words;
  std::string line;
  while (words.size() < count && std::getline(in, line))
    for (std::size_t at = 0; at + 4 <= line.size(); at += 4)
      words.push_back(static_cast<std::uint16_t>(std::stoul(line.substr(at, 4), nullptr, 16)));
  EXPECT_EQ(words.size(), count);
  return words;
}

Vector read(const fs::path &file) {
  Vector v;
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string key, name;
    std::int64_t n = 0;
    words >> key;
    if (key == "kernel") words >> v.kernel;
    if (key == "variant") words >> v.variant;
    if (key == "size" && words >> name >> n) v.sizes[name] = n;
    if ((key == "input" || key == "output") && words >> name >> n)
      (key == "input" ? v.inputs : v.outputs)[name] = readWords(in, static_cast<std::size_t>(n));
  }
  return v;
}

std::uint16_t wordAt(const kernel::TensorData &t, std::size_t i) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(t.bytes[2 * i]) | static_cast<unsigned>(t.bytes[2 * i + 1])
                                                                                << 8);
}

kernel::DataSet inputsOf(const kernel::Graph &graph, const Vector &v) {
  kernel::DataSet data = kernel::makeData(graph, {});
  for (const auto &[name, words] : v.inputs) {
    const int t = graph.tensorNamed(name);
    EXPECT_GE(t, 0) << name;
    kernel::TensorData &tensor = data[static_cast<std::size_t>(t)];
    EXPECT_EQ(tensor.bytes.size(), 2 * words.size()) << name;
    for (std::size_t i = 0; i < words.size(); ++i) {
      tensor.bytes[2 * i] = static_cast<std::byte>(words[i] & 0xff);
      tensor.bytes[2 * i + 1] = static_cast<std::byte>(words[i] >> 8);
    }
  }
  return data;
}

void expectOutputs(const kernel::Graph &graph, const kernel::DataSet &data, const Vector &v) {
  for (const auto &[name, words] : v.outputs) {
    const int t = graph.tensorNamed(name);
    ASSERT_GE(t, 0) << name;
    const kernel::TensorData &tensor = data[static_cast<std::size_t>(t)];
    ASSERT_EQ(tensor.bytes.size(), 2 * words.size()) << name;
    for (std::size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(wordAt(tensor, i), words[i]) << name << "[" << i << "], bits of binary16";
  }
}

TEST(HbmPimGolden, TheDeviceGivesTheBitsOfTheIndependentScript) {
  const std::vector<fs::path> all = files();
  EXPECT_GE(all.size(), 20u);
  for (const fs::path &file : all) {
    const Vector v = read(file);
    EXPECT_FALSE(v.inputs.empty() || v.outputs.empty()) << file;
    for (const std::int64_t channels : {1, 4}) {
      SCOPED_TRACE(file.filename().string() + ", " + std::to_string(channels) + " channels");
      const machine::Machine machine = hbmPim(channels);
      const auto graph = kernel::makeZooKernel(v.kernel, v.sizes, DType::kF16, v.variant);
      ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
      kernel::DataSet data = inputsOf(*graph, v);
      RunOptions options;
      options.variant = v.variant;
      const Diagnostics refused = runBoth(*graph, machine, options, data);
      ASSERT_TRUE(refused.empty()) << refused.front().str();
      expectOutputs(*graph, data, v);
    }
  }
}

TEST(HbmPimGolden, TheOrderMatters) {
  // Plain and tree round differently on the same data: the vectors can tell orders apart.
  const fs::path folder = PIMENTO_SOURCE_DIR "/test/golden/hbm_pim";
  const Vector v = read(folder / "gemv_three_tiles.txt");
  const auto graph = kernel::makeZooKernel(v.kernel, v.sizes, DType::kF16);
  const machine::Machine machine = hbmPim(1);
  kernel::DataSet data = inputsOf(*graph, v);
  RunOptions tree;
  tree.variant = "tree";
  ASSERT_TRUE(runBoth(*graph, machine, tree, data).empty());
  const kernel::TensorData &y = data[static_cast<std::size_t>(graph->tensorNamed("y"))];
  std::size_t differing = 0;
  for (std::size_t i = 0; i < v.outputs.at("y").size(); ++i) differing += wordAt(y, i) != v.outputs.at("y")[i] ? 1 : 0;
  EXPECT_GT(differing, 0u);
}

}  // namespace
}  // namespace pimento::test
