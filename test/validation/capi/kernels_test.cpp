// Both halves that a kernel becomes, built with a DPU compiler and a C compiler, find what the interpreter finds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "pimento/base/file.h"
#include "pimento/driver/upmem_cc.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/lower/upmem/compiled/host_writer.h"
#include "test/support/compiled_run.h"
#include "test/validation/capi/folder.h"

namespace pimento {
namespace {

struct Case {
  const char *kernel;  ///< of the zoo, or notation
  DType type;
  kernel::Sizes sizes;
  const char *map;
  bool isLong = false;
};

const Case kCases[] = {
    {"va", DType::kI32, {{"n", 1001}}, "M1:{(2),(3),(4),(42)}"},
    {"red", DType::kI64, {{"n", 1001}}, "M1:{(2),(3),(4),(42)}"},
    {"gemv", DType::kF32, {{"m", 61}, {"n", 30}}, "M1:{(2,1),(4,2),(2,2),(4,8)}"},
    {"relu", DType::kF32, {{"n", 1001}}, "M1:{(2),(3),(4),(42)}"},
    {"sel", DType::kI32, {{"n", 1001}}, "M1:{(2),(3),(3),(56)}"},
    {"hst", DType::kU32, {{"n", 1001}, {"bins", 64}}, "M1:{(2),(3),(3),(56)}"},
    {"red", DType::kI16, {{"n", 1001}}, "M1:{(2),(3),(4),(42)};merge=device"},
    {"gemv", DType::kF32, {{"m", 61}, {"n", 30}}, "M1:{(1,1),(2,2),(2,4),(16,4)};merge=device"},
    {"y[i] = max(x[i] + i, -x[i])", DType::kI8, {{"i", 203}}, "M1:{(2),(3),(4),(9)}", true},
    {"gemv", DType::kF16, {{"m", 61}, {"n", 30}}, "M1:{(1,2),(4,2),(2,2),(8,4)}", true},
    {"gemv", DType::kBF16, {{"m", 13}, {"n", 30}}, "M1:{(1,2),(1,2),(1,2),(13,4)}", true},
    {"red", DType::kF64, {{"n", 500}}, "M1:{(3),(2),(4),(21)}", true},
    {"z[i,j] = x[j,i]", DType::kI16, {{"i", 17}, {"j", 30}}, "M1:{(2,1),(2,2),(3,1),(2,15)}", true},
    {"z[i] = x[2*i+1] - x[9-i]", DType::kI32, {{"i", 10}}, "M1:{(1),(3),(2),(2)}", true},
    {"y[i] += x[i+j] * w[j]", DType::kF32, {{"i", 50}, {"j", 5}}, "M1:{(2,1),(2,1),(2,1),(7,5)}", true},
    {"C[i,j] += A[i,k] * B[k,j]",
     DType::kF32,
     {{"i", 9}, {"j", 10}, {"k", 11}},
     "M1:{(2,1,1),(1,2,2),(2,1,2),(3,5,3)}",
     true},
};

/// What host programs fill operand number `tensor` with.
std::uint32_t pattern(std::uint32_t tensor, std::int64_t element) {
  std::uint32_t x = static_cast<std::uint32_t>(element) * 2654435761u + tensor * 40503u;
  x = (x ^ (x >> 15)) * 2246822519u;
  return x ^ (x >> 13);
}

kernel::DataSet dataOf(const kernel::Graph &graph) {
  kernel::DataSet data;
  std::int64_t values = 201;
  const bool isTable = graph.kernels[0].form == kernel::Form::kIndirect;
  for (const kernel::Store &s : graph.kernels[0].stores)
    if (isTable) values = std::min(values, graph.tensors[static_cast<std::size_t>(s.target.tensor)].shape.back());
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph.tensors[t];
    data.emplace_back(tensor.type, tensor.shape);
    if (tensor.role != kernel::Role::kInput && tensor.role != kernel::Role::kInOut) continue;
    for (std::int64_t e = 0; e < tensor.elements(); ++e) {
      const std::int64_t x = pattern(static_cast<std::uint32_t>(t), e) % values,
                         shift = isTable || !(isSigned(tensor.type) || isFloat(tensor.type)) ? 0 : 100;
      if (isFloat(tensor.type))
        data.back().setDouble(e, static_cast<double>(x - shift) / 64);
      else
        data.back().setInteger(e, x - shift);
    }
  }
  return data;
}

std::string expected(const kernel::Graph &graph, const lower::upmem::compiled::Source &source,
                     const machine::Machine &machine) {
  kernel::DataSet data = dataOf(graph);
  const Status s =
      kernel::interpretKernel(graph, 0, data, test::orderOf(graph.kernels[0], graph, source.placed, machine));
  if (!s) return s.diagnostics().front().str();
  std::string text;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].role == kernel::Role::kInput) continue;
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::byte b : data[t].bytes) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
    text += fmt::format("{} {:016x}\n", graph.tensors[t].name, hash);
  }
  return text;
}

class Builder {
 public:
  /// What the two halves print.
  std::string run(const lower::upmem::compiled::Source &source) {
    const auto host = lower::upmem::compiled::writeHost(source);
    if (!host) return host.diagnostics().front().str();
    if (!writeFile(folder_ / "dpu.c", source.written.text) || !writeFile(folder_ / "host.c", *host)) return "no file";
    const driver::CcOutcome outcome = driver::upmemCc(
        {"-O2", "-Wall", "-Wextra", fmt::format("-DNR_TASKLETS={}", source.scheme.tasklets), "-o", folder_ / "dpu",
         fmt::format("-DSTACK_SIZE_DEFAULT={}", std::max<std::int64_t>(source.scheme.stackBytes, 8)),
         folder_ / "dpu.c"},
        {PIMENTO_SOURCE_DIR "/machines"});
    if (outcome.status != 0) return outcome.messages;
    const std::string messages =
        shell(fmt::format("{} -O1 -Wall -Wextra -Werror -I'{}/capi/upmem/include' -o '{}' '{}' -L'{}/lib' "
                          "-lpimento_dpu -Wl,-rpath,'{}/lib'",
                          PIMENTO_C_COMPILER, PIMENTO_SOURCE_DIR, folder_ / "host", folder_ / "host.c",
                          PIMENTO_BINARY_DIR, PIMENTO_BINARY_DIR));
    if (!messages.empty()) return messages;
    return shell(
        fmt::format("PIMENTO_MACHINES='{}/machines' '{}' '{}'", PIMENTO_SOURCE_DIR, folder_ / "host", folder_ / "dpu"));
  }

 private:
  std::string shell(const std::string &command) const {
    const std::string output = folder_ / "output";
    const int status = std::system(fmt::format("{} > '{}' 2>&1", command, output).c_str());
    std::ifstream file(output);
    std::stringstream text;
    text << file.rdbuf() << (status != 0 ? "and a status that is not 0\n" : "");
    return text.str();
  }

  test::Folder folder_;
};

TEST(EmittedPrograms, FindWhatTheInterpreterFinds) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  const bool isLong = std::getenv("PIMENTO_LONG_TESTS") != nullptr;
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine) << machine.diagnostics().front().str();
  Builder builder;
  for (const Case &c : kCases) {
    if (c.isLong && !isLong) continue;
    SCOPED_TRACE(c.kernel);
    const auto graph = kernel::zooEntry(c.kernel) != nullptr ? kernel::makeZooKernel(c.kernel, c.sizes, c.type)
                                                             : kernel::parseNotation(c.kernel, c.sizes, c.type);
    ASSERT_TRUE(graph) << graph.diagnostics().front().str();
    const auto spec = mapping::parseMapSpec(c.map);
    ASSERT_TRUE(spec) << spec.diagnostics().front().str();
    const auto source = lower::upmem::compiled::writeSource(*graph, 0, spec->mapping, *machine);
    ASSERT_TRUE(source) << source.diagnostics().front().str();
    EXPECT_EQ(builder.run(*source), expected(*graph, *source, *machine));
  }
}

}  // namespace
}  // namespace pimento
