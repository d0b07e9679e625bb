// Infinity Stream's whole flow on C: text, fat binary, layouts, commands, bits of arrays. Against the reference
// executor in the order of the layouts, and where sums keep the order of the source, against what compilers make of the
// text.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pimento/base/file.h"
#include "pimento/driver/emit_tdfg.h"
#include "pimento/driver/kernel_files.h"
#include "pimento/frontend/frontend.h"
#include "pimento/frontend/native.h"
#include "pimento/targets/l3_sram/runtime.h"
#include "pimento/tdfg/execute.h"
#include "test/support/cases.h"
#include "test/support/random_c_kernels.h"

namespace pimento::driver {
namespace {

using targets::l3_sram::Runtime;

std::string textOf(const Diagnostics &diagnostics) {
  std::string s;
  for (const Diagnostic &d : diagnostics) s += d.str() + "\n";
  return s;
}

/// The machine with arrays of 256 x 256 bits, or with as many bits in arrays of 512 x 512.
machine::Machine cache(bool isLarge) {
  std::vector<machine::Override> overrides;
  if (isLarge) overrides = {{"sram.wordlines", "512"}, {"sram.bitlines", "512"}, {"sram.arrays_per_way", "4"}};
  auto machine = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"}, overrides);
  EXPECT_TRUE(machine) << textOf(machine.diagnostics());
  return std::move(*machine);
}

/// What a run of a fat binary left.
struct Ran {
  kernel::DataSet data;      ///< by array of the program
  bool isRegrouped = false;  ///< tiles have changed the order of a sum whose order counts
  int inArrays = 0;          ///< regions, a round at a time
};

/// Runs it in bits, on contents by tensor of the source, and holds it against the reference executor.
void run(const tdfg::FatBinary &binary, const kernel::Sizes &sizes, const machine::Machine &machine,
         kernel::DataSet given, Ran &ran) {
  const auto runtime = Runtime::make(binary, sizes, machine);
  ASSERT_TRUE(runtime) << textOf(runtime.diagnostics());
  const tdfg::Program &program = runtime->program();
  given.resize(program.arrays.size());
  auto prepared = tdfg::prepare(program, runtime->values(), std::move(given));
  ASSERT_TRUE(prepared) << textOf(prepared.diagnostics());
  kernel::DataSet expected = *prepared;
  const Status reference = runtime->lowerAll([&](const auto &round) -> Status {
    if (round.instance == nullptr)
      return tdfg::executeStreams(program, round.region, *round.values, *round.names, expected);
    ++ran.inArrays;
    tdfg::ExecuteOptions options;
    options.tile = round.layout->tile;
    for (const tdfg::BoundNode &b : round.instance->nodes)
      ran.isRegrouped |= b.node->kind == tdfg::NodeKind::kReduce && isFloat(b.node->type) &&
                         (b.node->combine == kernel::Combine::kAdd || b.node->combine == kernel::Combine::kMul) &&
                         options.tile[static_cast<std::size_t>(b.node->dim)] > 1;
    return tdfg::executeRegion(program, round.region, *round.values, *round.names, expected, options);
  });
  ran.data = std::move(*prepared);
  const auto report = runtime->run(ran.data);
  ASSERT_EQ(reference.ok(), report.ok()) << textOf(reference.ok() ? report.diagnostics() : reference.diagnostics());
  if (!reference) return;
  for (std::size_t a = 0; a < expected.size(); ++a)
    if (program.arrays[a].role != kernel::Role::kTemporary) {
      EXPECT_TRUE(expected[a].bytes == ran.data[a].bytes) << program.arrays[a].name;
    }
}

/// What the host's compiler makes of a random kernel, by tensor; `given`: contents of inputs and in-outs.
kernel::DataSet onHost(const kernel::Graph &graph, const test::RandomCKernel &k, kernel::DataSet given) {
  // C may read behind what a tensor has and let it be; what it does not write is not taken for an answer.
  constexpr std::size_t kBehind = 4096;
  std::vector<std::uint64_t> unused(1 << 16);
  std::vector<void *> pointers;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph.tensors[t];
    if (tensor.role == kernel::Role::kOutput || tensor.role == kernel::Role::kTemporary) {
      given[t] = kernel::TensorData(tensor.type, tensor.shape);
      for (std::int64_t e = 0; e < given[t].elements(); ++e) given[t].setDouble(e, 77);
    }
    given[t].bytes.resize(given[t].bytes.size() + kBehind);
  }
  for (const char *name = k.arrays; *name != 0; ++name) {
    void *at = unused.data();
    for (std::size_t t = 0; t < graph.tensors.size(); ++t)
      if (graph.tensors[t].name == std::string(1, *name)) at = given[t].bytes.data();
    pointers.push_back(at);
  }
  k.call(pointers.data());
  for (kernel::TensorData &t : given) t.bytes.resize(t.bytes.size() - kBehind);
  return given;
}

TEST(InfinityStreamC, RandomLoopNestsLeaveInArraysWhatTheHostLeaves) {
  const machine::Machine machines[] = {cache(false), cache(true)};
  const test::RandomCKernel *first = test::randomCKernels();
  std::int64_t all = 0;
  while (first[all].text != nullptr) ++all;
  const std::int64_t every = std::max<std::int64_t>(1, all / test::caseCount(20));
  std::int64_t tried = 0, refused = 0, ran = 0, inArrays = 0, asHost = 0;
  std::map<std::string, int> kinds;
  for (std::int64_t n = 0; n < all; n += every) {
    const test::RandomCKernel &k = first[n];
    SCOPED_TRACE(testing::Message() << "random kernel " << n << ":\n" << k.text);
    ++tried;
    const auto file = frontend::importC(k.text, "k.c", {});
    Options options;
    options.input = "k.c";
    options.text = k.text;
    const auto binary = fatBinaryOf(withTarget(options));
    ASSERT_EQ(file.ok(), binary.ok()) << textOf(binary.diagnostics());
    if (!file) {
      ++refused;
      continue;
    }
    const auto again = tdfg::readFatBinary(tdfg::writeFatBinary(*binary), "k.inf");
    ASSERT_TRUE(again) << textOf(again.diagnostics());
    const kernel::DataSet given = kernel::makeData(file->graph, {.seed = 1 + static_cast<std::uint64_t>(n)});
    const kernel::DataSet host = onHost(file->graph, k, given);
    for (const machine::Machine &machine : machines) {
      Ran here;
      run(*again, {}, machine, given, here);
      if (HasFailure()) return;
      ++ran;
      inArrays += here.inArrays > 0 ? 1 : 0;
      if (here.inArrays > 0)
        for (const std::string &kind : test::wordsOf(k.kinds)) ++kinds[kind];
      if (here.isRegrouped) continue;
      ++asHost;
      for (std::size_t t = 0; t < file->graph.tensors.size(); ++t) {
        const kernel::Role role = file->graph.tensors[t].role;
        if (role == kernel::Role::kOutput || role == kernel::Role::kInOut) {
          ASSERT_TRUE(host[t].bytes == here.data[t].bytes) << file->graph.tensors[t].name;
        }
      }
    }
  }
  std::printf("  %ld kernels, %ld refused; %ld runs, %ld with arrays, %ld in the order of the source\n", tried, refused,
              ran, inArrays, asHost);
  EXPECT_LT(refused, tried / 3);
  EXPECT_GT(inArrays, ran / 3);
  EXPECT_GT(asHost, ran / 2);
  if (tried < 1000) return;
  for (const char *kind : {"stencil", "rounds", "broadcast", "reduction", "strides", "triangle", "outer", "gather",
                           "argmin", "nearest", "product"})
    EXPECT_GT(kinds[kind], 0) << kind;
}

TEST(InfinityStreamC, OneFatBinaryRunsAtThreeSizesOnBothArraySizes) {
  const machine::Machine machines[] = {cache(false), cache(true)};
  for (const kernel::ZooEntry &entry : kernelFiles()) {
    Options options;
    options.input = entry.name;
    options = withKernelFileAlone(options);
    const auto binary = fatBinaryOf(withTarget(options));
    ASSERT_TRUE(binary) << textOf(binary.diagnostics());
    const auto text = readFile(options.input);
    ASSERT_TRUE(text);
    for (const std::int64_t base : {9, 16, 21}) {
      SCOPED_TRACE(testing::Message() << entry.name << " at " << base);
      kernel::Sizes sizes;
      std::int64_t next = base;
      for (const auto &[name, value] : entry.defaults) sizes[name] = next += 6;
      const frontend::CKernelOptions cOptions{{}, sizes, {}};
      const auto file = frontend::importC(*text, options.input, cOptions);
      ASSERT_TRUE(file) << textOf(file.diagnostics());
      const kernel::DataSet given = kernel::makeData(file->graph, {});
      const auto native = frontend::runC(*text, options.input, cOptions, file->graph, given, {});
      ASSERT_TRUE(native) << textOf(native.diagnostics());
      ASSERT_EQ(native->whyNot, "");
      for (const machine::Machine &machine : machines) {
        Ran here;
        run(*binary, sizes, machine, given, here);
        if (HasFailure()) return;
        EXPECT_GT(here.inArrays, 0);
        if (here.isRegrouped) continue;
        for (std::size_t t = 0; t < native->outputs.size(); ++t)
          if (!native->outputs[t].bytes.empty()) {
            EXPECT_TRUE(native->outputs[t].bytes == here.data[t].bytes) << file->graph.tensors[t].name;
          }
      }
    }
  }
}

TEST(InfinityStreamC, ARegionThatNoArrayHasRoomForIsLeftToStreamsAndSaysSo) {
  // Five arrays of 64-bit numbers and a sum: more than 256 wordlines, fewer than 512.
  Options options;
  options.input = "k.c";
  options.text =
      "void f(int n, const double a[restrict n], const double b[restrict n], const double c[restrict n],\n"
      "       const double d[restrict n], double e[restrict n]) {\n"
      "  for (int i = 0; i < n; i++) e[i] = a[i] + b[i] + c[i] + d[i];\n"
      "}\n";
  const auto binary = fatBinaryOf(withTarget(options));
  ASSERT_TRUE(binary) << textOf(binary.diagnostics());
  const kernel::Sizes sizes{{"n", 300}};
  const auto file = frontend::importC(*options.text, "k.c", {{}, sizes, {}});
  ASSERT_TRUE(file);
  const kernel::DataSet given = kernel::makeData(file->graph, {});
  for (const bool isLarge : {false, true}) {
    const machine::Machine machine = cache(isLarge);
    const auto runtime = Runtime::make(*binary, sizes, machine);
    ASSERT_TRUE(runtime) << textOf(runtime.diagnostics());
    kernel::DataSet data = *tdfg::prepare(runtime->program(), runtime->values(), given), expected = given;
    ASSERT_TRUE(tdfg::execute(binary->program, sizes, expected));
    const auto report = runtime->run(data);
    ASSERT_TRUE(report) << textOf(report.diagnostics());
    EXPECT_TRUE(data.back().bytes == expected.back().bytes);
    EXPECT_EQ(report->left.size(), isLarge ? 0U : 1U);
    for (const std::string &left : report->left) EXPECT_NE(left.find("256 wordlines"), std::string::npos) << left;
  }
}

}  // namespace
}  // namespace pimento::driver
