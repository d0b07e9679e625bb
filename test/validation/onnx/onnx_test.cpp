// ONNX operators against numpy: every model that cases.py writes computes what it says, in the reference interpreter.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "pimento/base/file.h"
#include "pimento/base/npy.h"
#include "pimento/frontend/model/import.h"
#include "pimento/frontend/onnx/read.h"
#include "pimento/kernel/interpreter.h"
#include "test/support/cases.h"
#include "test/support/folder.h"

namespace pimento::test {
namespace {

namespace fs = std::filesystem;
using kernel::TensorData;

TensorData tensorIn(const std::string &path) {
  const Result<NpyArray> array = readNpy(path);
  EXPECT_TRUE(array.ok()) << path << ": " << array.diagnostics().front().str();
  TensorData out;
  if (!array) return out;
  out.type = array->type;
  out.shape = array->shape;
  out.bytes = array->bytes;
  return out;
}

/// `bound`: relative to the largest element, of f32's steps.
void expectClose(const TensorData &ours, const TensorData &theirs, double bound, const std::string &what) {
  ASSERT_EQ(ours.elements(), theirs.elements()) << what;
  double largest = 1e-6;
  for (std::int64_t n = 0; n < theirs.elements(); ++n)
    if (std::isfinite(theirs.asDouble(n))) largest = std::max(largest, std::abs(theirs.asDouble(n)));
  for (std::int64_t n = 0; n < theirs.elements(); ++n) {
    const double a = ours.asDouble(n), b = theirs.asDouble(n);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    ASSERT_LE(std::abs(a - b), bound * largest) << what << " element " << n;
  }
}

void check(const fs::path &file) {
  const Result<std::string> bytes = readFile(file.string());
  ASSERT_TRUE(bytes.ok());
  const auto model = frontend::readOnnx(*bytes, file.string());
  ASSERT_TRUE(model.ok()) << file << ": " << model.diagnostics().front().str();
  const auto imported = frontend::model::importModel(*model, {});
  ASSERT_TRUE(imported.ok()) << file << ": " << imported.diagnostics().front().str();
  const kernel::Graph &graph = imported->graph;
  const std::string stem = (file.parent_path() / file.stem()).string();
  kernel::DataSet data(graph.tensors.size());
  std::size_t outputs = 0;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph.tensors[t];
    if (tensor.role != kernel::Role::kInput) continue;
    data[t] = TensorData(tensor.type, tensor.shape);
    if (const auto given = imported->contents.find(static_cast<int>(t)); given != imported->contents.end())
      data[t].bytes = given->second;
    else
      data[t].bytes = tensorIn(stem + ".in-" + tensor.name + ".npy").bytes;
  }
  ASSERT_TRUE(kernel::interpret(graph, data).ok()) << file;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].role != kernel::Role::kOutput) continue;
    const std::string out = stem + ".out-" + graph.tensors[t].name + ".npy";
    ASSERT_TRUE(fs::exists(out)) << out;
    expectClose(data[t], tensorIn(out), 2e-5, file.string());
    ++outputs;
  }
  EXPECT_EQ(outputs, model->outputs.size()) << file;
}

TEST(Onnx, OperatorsComputeWhatNumpyDoes) {
  if (!frontend::hasOnnx()) GTEST_SKIP() << "not run here: built without ONNX";
  const Folder folder;
  const std::string command = PIMENTO_PYTHON " " PIMENTO_SOURCE_DIR "/test/validation/onnx/cases.py " + (folder / "") +
                              " --count " + std::to_string(caseCount(3));
  const int status = std::system(command.c_str());
  constexpr int kSkipped = 77;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) GTEST_SKIP() << "not run here: no python3-onnx";
  ASSERT_EQ(status, 0) << command;
  std::set<std::string> operators;
  std::set<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder / ""))
    if (entry.path().extension() == ".onnx") files.insert(entry.path());
  for (const fs::path &file : files) {
    check(file);
    operators.insert(file.stem().string().substr(0, file.stem().string().find('-')));
  }
  EXPECT_GE(operators.size(), 60u);
}

}  // namespace
}  // namespace pimento::test
