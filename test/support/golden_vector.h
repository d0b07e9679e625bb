// Golden vectors: what an independent script computed, read from a file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/kernel/zoo.h"

namespace pimento::test {

/// A kernel with its inputs and the bits of its results.
struct GoldenVector {
  std::string kernel, variant, machine, map;
  kernel::Sizes sizes;
  std::map<std::string, std::vector<std::uint16_t>> inputs, outputs;
};

/// The files of a folder of test/golden.
inline std::vector<std::filesystem::path> goldenFiles(const std::string &folder) {
  std::vector<std::filesystem::path> out;
  for (const auto &entry : std::filesystem::directory_iterator(PIMENTO_SOURCE_DIR "/test/golden/" + folder))
    if (entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

inline std::vector<std::uint16_t> readWords(std::istream &in, std::size_t count) {
  std::vector<std::uint16_t> words;
  std::string line;
  while (words.size() < count && std::getline(in, line))
    for (std::size_t at = 0; at + 4 <= line.size(); at += 4)
      words.push_back(static_cast<std::uint16_t>(std::stoul(line.substr(at, 4), nullptr, 16)));
  EXPECT_EQ(words.size(), count);
  return words;
}

inline GoldenVector readGolden(const std::filesystem::path &file) {
  GoldenVector v;
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string key, name;
    std::int64_t n = 0;
    words >> key;
    if (key == "kernel") words >> v.kernel;
    if (key == "variant") words >> v.variant;
    if (key == "machine") words >> v.machine;
    if (key == "map") words >> v.map;
    if (key == "size" && words >> name >> n) v.sizes[name] = n;
    if ((key == "input" || key == "output") && words >> name >> n)
      (key == "input" ? v.inputs : v.outputs)[name] = readWords(in, static_cast<std::size_t>(n));
  }
  return v;
}

inline std::uint16_t wordAt(const kernel::TensorData &t, std::size_t i) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(t.bytes[2 * i]) | static_cast<unsigned>(t.bytes[2 * i + 1])
                                                                                << 8);
}

inline kernel::DataSet inputsOf(const kernel::Graph &graph, const GoldenVector &v) {
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

inline void expectOutputs(const kernel::Graph &graph, const kernel::DataSet &data, const GoldenVector &v) {
  for (const auto &[name, words] : v.outputs) {
    const int t = graph.tensorNamed(name);
    ASSERT_GE(t, 0) << name;
    const kernel::TensorData &tensor = data[static_cast<std::size_t>(t)];
    ASSERT_EQ(tensor.bytes.size(), 2 * words.size()) << name;
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(wordAt(tensor, i), words[i]) << name << "[" << i << "]";
  }
}

}  // namespace pimento::test
