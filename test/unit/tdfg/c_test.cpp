// C through tensor graphs: the programs of kernels/infinity-stream at sizes of which the compiled file knows nothing,
// and random loop nests.
#include <gtest/gtest.h>

#include <filesystem>

#include "pimento/base/file.h"
#include "pimento/frontend/frontend.h"
#include "pimento/frontend/native.h"
#include "pimento/tdfg/fat_binary.h"
#include "pimento/tdfg/graph.h"
#include "test/support/random_c_kernels.h"
#include "test/unit/tdfg/equal.h"

namespace pimento::tdfg {
namespace {

namespace fs = std::filesystem;

/// What the program's tensor graphs leave must be what the C code does that Clang compiles for this machine.
void expectCode(const std::string &text, const std::string &file, const Program &program, const kernel::Sizes &sizes) {
  const frontend::CKernelOptions options{{}, sizes, {}};
  const auto read = frontend::importC(text, file, options);
  ASSERT_TRUE(read.ok()) << textOf(read.diagnostics());
  expectEqual(read->graph, program, sizes, {});
  const auto streams = graphOf(program, *bindSizes(program, sizes));
  ASSERT_TRUE(streams.ok()) << textOf(streams.diagnostics());
  EXPECT_EQ(kernel::print(*streams), kernel::print(read->graph));
  kernel::DataSet data = kernel::makeData(read->graph, {});
  const auto native = frontend::runC(text, file, options, read->graph, data, {});
  ASSERT_TRUE(native.ok()) << textOf(native.diagnostics());
  ASSERT_EQ(native->whyNot, "");
  ASSERT_TRUE(execute(program, sizes, data).ok());
  for (std::size_t t = 0; t < data.size(); ++t) {
    if (native->outputs[t].bytes.empty()) continue;
    EXPECT_EQ(native->outputs[t].bytes, data[t].bytes) << read->graph.tensors[t].name;
  }
}

TEST(TdfgC, ProgramsCompiledWithoutSizesRunAtAnyAsTheirCodeDoes) {
  int programs = 0;
  for (const auto &entry : fs::directory_iterator(PIMENTO_SOURCE_DIR "/kernels/infinity-stream")) {
    if (entry.path().extension() != ".c") continue;
    ++programs;
    const std::string file = entry.path().filename();
    SCOPED_TRACE(file);
    const auto text = readFile(entry.path());
    ASSERT_TRUE(text.ok());
    const auto read = frontend::CFile::read(*text, file);
    ASSERT_TRUE(read.ok()) << textOf(read.diagnostics());
    const auto names = read->sizes();
    ASSERT_TRUE(names.ok());
    auto program = fitStreams(*names, [&](const kernel::Sizes &sizes) {
      auto bound = read->bind(sizes);
      return bound ? Result<kernel::Graph>(std::move(bound->graph)) : Result<kernel::Graph>(bound.diagnostics());
    });
    ASSERT_TRUE(program.ok()) << textOf(program.diagnostics());
    extract(*program);
    const auto binary = makeFatBinary(std::move(*program));
    const auto again = readFatBinary(writeFatBinary(*binary), file);
    ASSERT_TRUE(again.ok()) << textOf(again.diagnostics());
    for (const auto &schedules : again->schedules)
      for (std::size_t r = 0; r < schedules.size(); ++r) {
        EXPECT_EQ(schedules[r].steps.empty(), again->program.regions[r].nodes.empty());
        EXPECT_EQ(schedules[r].spills, 0);
      }
    for (const std::int64_t base : {9, 16, 21}) {
      kernel::Sizes sizes;
      for (std::size_t s = 0; s < names->size(); ++s)
        sizes[(*names)[s]] = base + 6 * static_cast<std::int64_t>(names->size() - s);
      expectCode(*text, file, again->program, sizes);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(programs, 18);
}

/// The graphs of a program of the paper's figure 4, from its domain on, without sources.
std::string graphsOf(const std::string &name) {
  const std::string file = PIMENTO_SOURCE_DIR "/kernels/infinity-stream/" + name + ".c";
  const auto read = frontend::CFile::read(*readFile(file), name + ".c");
  auto program = fitStreams(*read->sizes(), [&](const kernel::Sizes &sizes) {
    auto bound = read->bind(sizes);
    return bound ? Result<kernel::Graph>(std::move(bound->graph)) : Result<kernel::Graph>(bound.diagnostics());
  });
  extract(*program);
  for (Region &region : program->regions) region.source.clear();
  const std::string text = print(*program, Part::kGraphs);
  return text.substr(text.find("region"));
}

TEST(TdfgC, ProgramsOfFigure4BecomeThePapersGraphs) {
  EXPECT_EQ(graphsOf("fig4a"),
            "region r0 lattice 1\n"
            "  domain [1:n - 1]\n"
            "  %0 = tensor A [0:n - 2]\n"
            "  %1 = mv %0 dim 0 by 1\n"
            "  %2 = tensor A [1:n - 1]\n"
            "  %3 = cmp add f32 %1, %2\n"
            "  %4 = tensor A [2:n]\n"
            "  %5 = mv %4 dim 0 by -1\n"
            "  %6 = cmp add f32 %3, %5\n"
            "  out B = %6 over [1:n - 1]\n"
            "  hints A shifted 0 with B\n"
            "  hints B with A\n"
            "end\n");
  EXPECT_EQ(graphsOf("fig4b"),
            "region r0 lattice 1\n"
            "  domain [0:n]\n"
            "  %0 = tensor A [0:n]\n"
            "  %1 = strm f32 load result [0] over [0:1] reason \"what a sum starts from\"\n"
            "  %2 = reduce add dim 0 %0, %1\n"
            "  out result = %2 over [0:1]\n"
            "  hints A reduced 0 with result\n"
            "  hints result with A\n"
            "end\n");
  const std::string c = graphsOf("fig4c");
  EXPECT_EQ(c.substr(c.find("region r2")),
            "region r2 lattice 2\n"
            "  domain [k + 1:n, k + 1:n]\n"
            "  %0 = tensor A [k + 1:n, k + 1:n]\n"
            "  %1 = tensor A [k + 1:n, k:k + 1]\n"
            "  %2 = bc %1 dim 1 by 1 count n - k - 1\n"
            "  %3 = strm f32 load m [$1 - k - 1] over [0:1, k + 1:n] reason \"it lies across the lattice\"\n"
            "  %4 = bc %3 dim 0 by k + 1 count n - k - 1\n"
            "  %5 = cmp mul f32 %2, %4\n"
            "  %6 = cmp neg f32 %5\n"
            "  %7 = cmp add f32 %0, %6\n"
            "  out A = %7 over [k + 1:n, k + 1:n]\n"
            "  hints A broadcast 1\n"
            "end\n");
}

TEST(TdfgC, RandomLoopNestsEqualTheInterpreter) {
  int read = 0, graphs = 0;
  for (const test::RandomCKernel *k = test::randomCKernels(); k->text != nullptr; ++k) {
    SCOPED_TRACE(testing::Message() << k->text);
    const auto file = frontend::importC(k->text, "k.c", {});
    if (!file) continue;
    ++read;
    expectSameProgram(file->graph, static_cast<std::uint64_t>(read), &graphs);
    if (HasFailure()) return;
  }
  std::printf("  %d kernels of C, %d regions with graphs\n", read, graphs);
  EXPECT_GT(graphs, read / 2);
}

}  // namespace
}  // namespace pimento::tdfg
