// Both halves that a kernel becomes, built with a DPU compiler and a C compiler, find what the interpreter finds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "pimento/base/file.h"
#include "pimento/driver/upmem_cc.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/frontend/frontend.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/borders.h"
#include "pimento/targets/upmem/compiled/dpu_half.h"
#include "pimento/targets/upmem/compiled/host_writer.h"
#include "test/support/cases.h"
#include "test/support/compiled_run.h"
#include "test/support/folder.h"
#include "test/support/random_affine_graph.h"

namespace pimento {
namespace {

struct Case {
  const char *kernel;  ///< of the zoo, notation, C, or a C file of kernels/
  DType type;
  kernel::Sizes sizes;
  std::vector<const char *> maps;  ///< kernel by kernel
  bool isLong = false;
};

const Case kCases[] = {
    {"va", DType::kI32, {{"n", 1001}}, {"M1:{(2),(3),(4),(42)}"}},
    {"red", DType::kI64, {{"n", 1001}}, {"M1:{(2),(3),(4),(42)}"}},
    {"gemv", DType::kF32, {{"m", 61}, {"n", 30}}, {"M1:{(2,1),(4,2),(2,2),(4,8)}"}},
    {"relu", DType::kF32, {{"n", 1001}}, {"M1:{(2),(3),(4),(42)}"}},
    {"sel", DType::kI32, {{"n", 1001}}, {"M1:{(2),(3),(3),(56)}"}},
    {"hst", DType::kU32, {{"n", 1001}, {"bins", 64}}, {"M1:{(2),(3),(3),(56)}"}},
    {"red", DType::kI16, {{"n", 1001}}, {"M1:{(2),(3),(4),(42)};merge=device"}},
    {"gemv", DType::kF32, {{"m", 61}, {"n", 30}}, {"M1:{(1,1),(2,2),(2,4),(16,4)};merge=device"}},
    {"y[i] = max(x[i] + i, -x[i])", DType::kI8, {{"i", 203}}, {"M1:{(2),(3),(4),(9)}"}, true},
    {"gemv", DType::kF16, {{"m", 61}, {"n", 30}}, {"M1:{(1,2),(4,2),(2,2),(8,4)}"}, true},
    {"gemv", DType::kBF16, {{"m", 13}, {"n", 30}}, {"M1:{(1,2),(1,2),(1,2),(13,4)}"}, true},
    {"red", DType::kF64, {{"n", 500}}, {"M1:{(3),(2),(4),(21)}"}, true},
    {"z[i,j] = x[j,i]", DType::kI16, {{"i", 17}, {"j", 30}}, {"M1:{(2,1),(2,2),(3,1),(2,15)}"}, true},
    {"z[i] = x[2*i+1] - x[9-i]", DType::kI32, {{"i", 10}}, {"M1:{(1),(3),(2),(2)}"}, true},
    {"y[i] += x[i+j] * w[j]", DType::kF32, {{"i", 50}, {"j", 5}}, {"M1:{(2,1),(2,1),(2,1),(7,5)}"}, true},
    {"C[i,j] += A[i,k] * B[k,j]",
     DType::kF32,
     {{"i", 9}, {"j", 10}, {"k", 11}},
     {"M1:{(2,1,1),(1,2,2),(2,1,2),(3,5,3)}"},
     true},
    {"scan", DType::kI32, {{"n", 1001}}, {"M1:{(2),(3),(4),(42)}"}},
    {"scan", DType::kI8, {{"n", 203}}, {"M1:{(1),(3),(1),(80)}"}},
    {"scan", DType::kU64, {{"n", 500}}, {"M1:{(3),(2),(4),(32)}"}, true},
    {"scan", DType::kI16, {{"n", 64}}, {"M1:{(1),(1),(8),(8)}"}, true},
    {"scan.c", DType::kI32, {{"n", 1001}}, {"M1:{(2),(3),(4),(42)}"}, true},
    {"t[i] = max(x[i], -x[i]); s += t[i]; y[i] = t[i] + x[i] * s",
     DType::kI32,
     {{"i", 203}},
     {"M1:{(1),(3),(4),(17)}", "M1:{(2),(2),(2),(26)}", "M1:{(2),(3),(2),(17)}"}},
    {"mlp.c",
     DType::kF32,
     {{"in", 30}, {"hidden", 17}, {"out", 9}},
     {"M1:{(1,2),(3,1),(2,3),(3,5)}", "M1:{(1),(3),(2),(3)}", "M1:{(1),(3),(2),(3)}", "M1:{(1,1),(2,2),(1,2),(5,5)}",
      "M1:{(1),(1),(3),(3)}"}},
    {"void before(int n, const int *restrict x, int *restrict y) {\n"
     "  int sum = 0;\n"
     "  for (int i = 0; i < n; i++) { y[i] = sum; sum += x[i]; }\n}\n",
     DType::kI32,
     {{"n", 1001}},
     {"M1:{(2),(3),(4),(42)}"},
     true},
    {"void onto(int n, const short *restrict x, short *restrict sum, short *restrict y, short *restrict z) {\n"
     "  for (int i = 0; i < n; i++) { *sum += x[i]; y[i] = *sum; z[i] = x[i]; }\n}\n",
     DType::kI16,
     {{"n", 301}},
     {"M1:{(2),(3),(4),(13)}"},
     true},
    {"void most(int n, const long long *restrict x, long long *restrict y, long long *restrict z) {\n"
     "  long long most = -50;\n"
     "  for (int i = 0; i < n; i++) { most = x[i] > most ? x[i] : most; y[i] = most; }\n"
     "  for (int i = 0; i < n; i++) z[i] = y[i] - x[i];\n}\n",
     DType::kI64,
     {{"n", 301}},
     {"M1:{(2),(3),(4),(13)}"},
     true},
    {"stencil.c", DType::kF32, {{"n", 50}}, {"M1:{(1),(3),(2),(8)}"}, true},
    {"m[i] min= x[i,j] with b[i] = j", DType::kF32, {{"i", 17}, {"j", 30}}, {"M1:{(2,1),(1,2),(3,2),(3,8)}"}},
    {"m[] max= x[i] with b[] = i", DType::kF16, {{"i", 1001}}, {"M1:{(2),(3),(4),(42)}"}, true},
    {"o[i] append= x[i,j] if x[i,j] > 0 count n[i] limit 8",
     DType::kI32,
     {{"i", 17}, {"j", 30}},
     {"M1:{(2,1),(1,2),(3,2),(3,8)}"}},
    {"o[] append= x[i] if x[i] > 0 count n[] limit 100", DType::kI8, {{"i", 1001}}, {"M1:{(2),(3),(4),(42)}"}, true},
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
  bool isTable = false;
  for (const kernel::Kernel &k : graph.kernels)
    for (const kernel::Store &s : k.stores) {
      if (!s.target.isIndirect()) continue;
      isTable = true;
      values = std::min(values, graph.tensors[static_cast<std::size_t>(s.target.tensor)].shape.back());
    }
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

using Sources = std::vector<targets::upmem::compiled::Source>;

std::string expected(const kernel::Graph &graph, const Sources &sources, const machine::Machine &machine) {
  kernel::DataSet data = dataOf(graph);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const Status s = kernel::interpretKernel(graph, static_cast<int>(k), data,
                                             test::orderOf(graph.kernels[k], graph, sources[k].placed, machine));
    if (!s) return s.diagnostics().front().str();
  }
  std::string text;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].role == kernel::Role::kInput || graph.tensors[t].role == kernel::Role::kTemporary) continue;
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::byte b : data[t].bytes) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
    text += fmt::format("{} {:016x}\n", graph.tensors[t].name, hash);
  }
  return text;
}

/// Builds halves as the comments at their beginning say.
class Builder {
 public:
  /// Random kernels compare values with themselves: of those, warnings are no findings.
  explicit Builder(bool heedsWarnings = true) : heedsWarnings_(heedsWarnings) {}

  /// What the two halves print.
  std::string run(const Sources &sources) {
    std::string messages = buildHost(sources);
    for (std::size_t k = 0; k < sources.size() && messages.empty(); ++k) messages = buildDpu(sources, k);
    return messages.empty() ? runHost(sources.size()) : messages;
  }

  std::string buildHost(const Sources &sources) const {
    if (!writeFile(folder_ / "host.c", targets::upmem::compiled::writeHost(sources))) return "no file";
    return shell(
        fmt::format("{} -O1 -Wall -Wextra -Werror -I'{}/capi/upmem/include' -o '{}' '{}' -L'{}/lib' "
                    "-lpimento_dpu -Wl,-rpath,'{}/lib'",
                    PIMENTO_C_COMPILER, PIMENTO_SOURCE_DIR, folder_ / "host", folder_ / "host.c", PIMENTO_BINARY_DIR,
                    PIMENTO_BINARY_DIR));
  }

  /// The program of kernel number `k`, for as many tasklets as its mapping has unless told.
  std::string buildDpu(const Sources &sources, std::size_t k, std::int64_t tasklets = 0) const {
    if (!writeFile(folder_ / "dpu.c", targets::upmem::compiled::writeDpu(sources))) return "no file";
    const auto &scheme = sources[k].scheme;
    std::vector<std::string> arguments = {
        "-O2",
        "-Wextra",
        heedsWarnings_ ? "-Wall" : "-w",
        fmt::format("-DNR_TASKLETS={}", tasklets > 0 ? tasklets : scheme.threads),
        fmt::format("-DSTACK_SIZE_DEFAULT={}", std::max<std::int64_t>(scheme.stackBytes, 8)),
        "-o",
        binary(k, sources.size()),
        folder_ / "dpu.c"};
    if (sources.size() > 1) arguments.push_back(fmt::format("-DKERNEL={}", k + 1));
    return driver::upmemCc(arguments, {PIMENTO_SOURCE_DIR "/machines"}).messages;
  }

  std::string runHost(std::size_t kernels) const {
    std::string command = fmt::format("PIMENTO_MACHINES='{}/machines' '{}'", PIMENTO_SOURCE_DIR, folder_ / "host");
    for (std::size_t k = 0; k < kernels; ++k) command += fmt::format(" '{}'", binary(k, kernels));
    return shell(command);
  }

 private:
  std::string binary(std::size_t k, std::size_t kernels) const {
    return folder_ / (kernels > 1 ? fmt::format("dpu_{}", k + 1) : "dpu");
  }

  std::string shell(const std::string &command) const {
    const std::string output = folder_ / "output";
    const int status = std::system(fmt::format("{} > '{}' 2>&1", command, output).c_str());
    std::ifstream file(output);
    std::stringstream text;
    text << file.rdbuf() << (status != 0 ? "and a status that is not 0\n" : "");
    return text.str();
  }

  test::Folder folder_;
  bool heedsWarnings_;
};

machine::Machine upmem() {
  auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  EXPECT_TRUE(machine) << machine.diagnostics().front().str();
  return *machine;
}

Result<kernel::Graph> graphOf(const Case &c) {
  const std::string name = c.kernel;
  const bool isText = name.find('{') != std::string::npos;
  if (isText || name.ends_with(".c")) {
    const std::string path = isText ? "kernel.c" : PIMENTO_SOURCE_DIR "/kernels/" + name;
    std::stringstream text(isText ? name : "");
    if (!isText) text << std::ifstream(path).rdbuf();
    Result<frontend::CKernels> kernels = frontend::importC(text.str(), path, {{}, c.sizes});
    if (!kernels) return kernels.diagnostics();
    return std::move(kernels->graph);
  }
  return kernel::zooEntry(name) != nullptr ? kernel::makeZooKernel(name, c.sizes, c.type)
                                           : kernel::parseNotation(name, c.sizes, c.type);
}

/// The last mapping serves all kernels that follow. `graph` must outlive the sources.
Sources sourcesOf(const kernel::Graph &graph, const std::vector<const char *> &maps, const machine::Machine &machine) {
  Sources sources;
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
    const auto spec = mapping::parseMapSpec(maps[std::min(k, maps.size() - 1)]);
    EXPECT_TRUE(spec) << spec.diagnostics().front().str();
    auto source = targets::upmem::compiled::writeSource(graph, static_cast<int>(k), spec->mapping, machine);
    EXPECT_TRUE(source) << source.diagnostics().front().str();
    if (source) sources.push_back(std::move(*source));
  }
  return sources;
}

TEST(EmittedPrograms, FindWhatTheInterpreterFinds) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  const bool isLong = test::isLongRun();
  const machine::Machine machine = upmem();
  Builder builder;
  for (const Case &c : kCases) {
    if (c.isLong && !isLong) continue;
    SCOPED_TRACE(c.kernel);
    const auto graph = graphOf(c);
    ASSERT_TRUE(graph) << graph.diagnostics().front().str();
    const Sources sources = sourcesOf(*graph, c.maps, machine);
    ASSERT_EQ(sources.size(), graph->kernels.size());
    EXPECT_EQ(builder.run(sources), expected(*graph, sources, machine));
  }
}

TEST(EmittedPrograms, OfRandomAffineKernelsFindItToo) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  const int wanted = test::isLongRun() ? 100 : 4;
  constexpr DType kTypes[] = {DType::kI32, DType::kU8, DType::kI16, DType::kF32, DType::kI64, DType::kF16};
  const machine::Machine machine = upmem();
  Builder builder(false);
  Rng rng(2026);
  int ran = 0;
  for (int n = 0; ran < wanted && n < 20 * wanted; ++n) {
    test::RandomAffineGraph random(rng, kTypes[n % 6]);
    const kernel::Graph graph = random.make();
    mapping::Mapping m = random.mappingOf(graph.kernels[0], 4);
    if (const auto drafts = mapping::BorderChoices(graph, 0, machine).of(m); !drafts.empty()) m = drafts.back();
    m.mergeAt = n % 2 == 0 ? mapping::MergeAt::kDevice : mapping::MergeAt::kHost;
    if (!kernel::verify(graph)) continue;
    auto source = targets::upmem::compiled::writeSource(graph, 0, m, machine);
    if (!source) continue;
    Sources sources;
    sources.push_back(std::move(*source));
    ++ran;
    EXPECT_EQ(builder.run(sources), expected(graph, sources, machine))
        << "number " << n << " under " << mapping::print(m) << "\n"
        << kernel::print(graph);
  }
  EXPECT_EQ(ran, wanted);
}

class Halves : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  }

  /// Halves of `y[i] = x[i] + 1`, and of what else is asked for.
  Sources of(const char *notation, std::int64_t size, const char *map) {
    auto graph = kernel::parseNotation(notation, {{"i", size}}, DType::kI32);
    EXPECT_TRUE(graph) << graph.diagnostics().front().str();
    graphs_.push_back(std::make_unique<kernel::Graph>(std::move(*graph)));
    return sourcesOf(*graphs_.back(), {map}, machine_);
  }

  machine::Machine machine_ = upmem();
  std::vector<std::unique_ptr<kernel::Graph>> graphs_;
  Builder builder_;
};

TEST_F(Halves, OfDifferentKernelsRefuseToRunTogether) {
  const char *const map = "M1:{(1),(2),(2),(16)}";
  ASSERT_EQ(builder_.buildHost(of("y[i] = x[i] + 1", 64, map)), "");
  ASSERT_EQ(builder_.buildDpu(of("y[i] = x[i] - 1", 64, map), 0), "");
  const std::string says = builder_.runHost(1);
  EXPECT_NE(says.find("not the DPU half of this host half"), std::string::npos) << says;
  EXPECT_NE(says.find("a status that is not 0"), std::string::npos) << says;
}

TEST_F(Halves, OfDifferentStructuresRefuseToRunTogether) {
  ASSERT_EQ(builder_.buildHost(of("y[i] = x[i] + 1", 64, "M1:{(1),(2),(2),(16)}")), "");
  ASSERT_EQ(builder_.buildDpu(of("y[i] = x[i] + 1", 64, "M1:{(1),(2),(1),(32)}"), 0), "");
  const std::string says = builder_.runHost(1);
  EXPECT_NE(says.find("not the DPU half of this host half"), std::string::npos) << says;
}

TEST_F(Halves, SayHowManyTaskletsTheyWant) {
  const Sources sources = of("y[i] = x[i] + 1", 64, "M1:{(1),(2),(2),(16)}");
  ASSERT_EQ(builder_.buildHost(sources), "");
  ASSERT_EQ(builder_.buildDpu(sources, 0, 3), "");
  const std::string says = builder_.runHost(1);
  EXPECT_NE(says.find("built for 3 tasklets with"), std::string::npos) << says;
  EXPECT_NE(says.find("-DNR_TASKLETS=2 "), std::string::npos) << says;
}

TEST_F(Halves, OfOneStructureGoTogetherWhateverTheSize) {
  const Sources large = of("y[i] = x[i] + 1", 1001, "M1:{(2),(3),(2),(84)}");
  ASSERT_EQ(builder_.buildHost(large), "");
  ASSERT_EQ(builder_.buildDpu(of("y[i] = x[i] + 1", 64, "M1:{(1),(2),(2),(16)}"), 0), "");
  EXPECT_EQ(builder_.runHost(1), expected(*graphs_.front(), large, machine_));
}

TEST_F(Halves, OfAGraphAreBuiltKernelByKernel) {
  const Sources sources = of("t[i] = x[i] + 1; y[i] = t[i] * 2", 64, "M1:{(1),(2),(2),(16)}");
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(builder_.run(sources), expected(*graphs_.front(), sources, machine_));
  ASSERT_EQ(builder_.buildDpu({sources.begin(), sources.begin() + 1}, 0), "");
  const std::string text = targets::upmem::compiled::writeDpu(sources);
  EXPECT_NE(text.find("-DKERNEL=2 -DNR_TASKLETS=2"), std::string::npos) << text;
  EXPECT_NE(text.find("#error \"which kernel? -DKERNEL=1 to 2\""), std::string::npos) << text;
}

}  // namespace
}  // namespace pimento
