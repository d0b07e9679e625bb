// How many drafts DCC's artifact keeps, and that searches look at these.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pimento/kernel/zoo.h"
#include "pimento/targets/near_bank/lower.h"
#include "pimento/targets/near_bank/published_drafts.h"
#include "test/support/machine_file.h"
#include "test/support/near_bank_run.h"

namespace pimento::targets::near_bank {
namespace {

TEST(PublishedDrafts, AreAsManyAsTheArtifactKeeps) {
  struct Shape {
    std::vector<std::int64_t> sizes;
    std::size_t drafts;
  };
  // Products and attention of Fig. 8 by batch * heads, reductions and sums by batch and length, products of inference,
  // attention of inference.
  const std::vector<Shape> shapes = {
      {{32, 128, 512}, 1081},  {{32, 128, 4096}, 2184},  {{64, 128, 512}, 1373},  {{64, 128, 4096}, 2552},
      {{128, 128, 512}, 1789}, {{128, 128, 4096}, 3054}, {{256, 128, 512}, 2205}, {{256, 128, 4096}, 3509},
      {{1, 1024}, 9},          {{1, 2048}, 17},          {{1, 4096}, 31},         {{2, 1024}, 26},
      {{2, 2048}, 47},         {{2, 4096}, 80},          {{4, 1024}, 60},         {{4, 2048}, 99},
      {{4, 4096}, 159},        {{8, 128, 5120}, 1391},   {{32, 128, 5120}, 2273}, {{11, 128, 6656}, 1710},
      {{42, 128, 6656}, 2433}, {{8, 5120, 384}, 3043},   {{32, 5120, 384}, 4478}, {{11, 6656, 384}, 3482},
      {{42, 6656, 384}, 4661}, {{8, 128, 128}, 197},     {{8, 128, 4096}, 1314},  {{42, 128, 128}, 581},
      {{42, 128, 4096}, 2203}};
  for (const Shape &s : shapes)
    EXPECT_EQ(publishedDrafts(s.sizes).size(), s.drafts) << s.sizes.front() << " x " << s.sizes.back();
}

TEST(PublishedDrafts, HoldTheBaselines) {
  const auto has = [](const std::vector<std::int64_t> &sizes, const Draft &draft) {
    const std::vector<Draft> all = publishedDrafts(sizes);
    return std::find(all.begin(), all.end(), draft) != all.end();
  };
  EXPECT_TRUE(has({{32, 128, 512}}, {{{16, 1, 2}, {1, 4, 32}, {1, 16, 32}}}));
  // Eight heads: the other eight groups share the length, or dhead.
  EXPECT_TRUE(has({{8, 128, 512}}, {{{8, 1, 1}, {1, 4, 32}, {2, 16, 16}}}));
  EXPECT_TRUE(has({{8, 128, 512}}, {{{8, 1, 1}, {2, 4, 16}, {1, 16, 32}}}));
  EXPECT_TRUE(has({{4, 1024}}, {{{4, 1, 1}, {4, 64, 4}}}));
}

/// Some of the drafts of a kernel, in each program and mode that it has.
void expectBounds(const std::string &kernel, const std::vector<std::int64_t> &sizes, DType type, std::size_t every) {
  const machine::Machine machine = test::load("attacc-published");
  const Result<kernel::Graph> graph =
      kernel::makeZooKernel(kernel, {{"batch", 1}, {"heads", sizes[0]}, {"dhead", sizes[1]}, {"len", sizes[2]}}, type);
  ASSERT_TRUE(graph.ok());
  const evaluate::GraphPart part{&*graph, 0, static_cast<int>(graph->kernels.size())};
  ASSERT_NE(test::targetOf(machine).leastCosts(part, machine), nullptr);
  const std::vector<Draft> drafts = publishedDrafts(sizes);
  for (std::size_t i = 0; i < drafts.size(); i += every)
    for (const auto program : {mapping::ProgramKind::kPublished, mapping::ProgramKind::kPublishedEvaluated})
      for (const auto mode : {mapping::StreamMode::kAny, mapping::StreamMode::kInference}) {
        if (kernel == "bgemv" && program == mapping::ProgramKind::kPublishedEvaluated) continue;
        mapping::MapSpec spec;
        spec.mapping.program = program;
        spec.mapping.mode = mode;
        spec.mapping = mappingOf(drafts[i], spec);
        spec.kind = mapping::MapSpec::Kind::kExplicit;
        SCOPED_TRACE(mapping::print(spec.mapping));
        test::expectBound(part, machine, spec);
        const auto least = test::targetOf(machine).leastCosts(part, machine)->of(spec.mapping);
        ASSERT_TRUE(least);
        const auto compiled = test::targetOf(machine).compile(part, spec.mapping, machine, "plain", {});
        ASSERT_TRUE(compiled.ok());
        const auto run = (*compiled)->run({.isFastForward = true});
        ASSERT_TRUE(run.ok());
        EXPECT_GT(4 * least->cycles.value, run->cycles.value) << "not much of it is counted";
      }
}

TEST(PublishedDrafts, OfBytesMultiplyHalfAsOften) {
  const machine::Machine machine = test::load("attacc-published");
  const auto cycles = [&](const char *kernel, DType type) {
    const Result<kernel::Graph> graph =
        kernel::makeZooKernel(kernel, {{"batch", 1}, {"heads", 32}, {"dhead", 128}, {"len", 512}}, type);
    const evaluate::GraphPart part{&*graph, 0, static_cast<int>(graph->kernels.size())};
    mapping::MapSpec spec;
    spec.mapping.program = mapping::ProgramKind::kPublished;
    spec.mapping.part = mapping::StreamPart::kCompute;
    spec.mapping = mappingOf({{{16, 1, 2}, {1, 4, 32}, {1, 16, 32}}}, spec);
    const auto compiled = test::targetOf(machine).compile(part, spec.mapping, machine, "plain", {});
    EXPECT_TRUE(compiled.ok());
    return compiled.ok() ? (*compiled)->run({.isFastForward = true})->cycles.value : 0;
  };
  for (const char *kernel : {"bgemv", "attn"}) {
    EXPECT_LT(cycles(kernel, DType::kF8E4M3), 0.65 * static_cast<double>(cycles(kernel, DType::kF16))) << kernel;
    EXPECT_GT(cycles(kernel, DType::kF8E4M3), 0.4 * static_cast<double>(cycles(kernel, DType::kF16))) << kernel;
  }
}

TEST(PublishedDrafts, TakeNoLessThanIsCountedWithoutTheirStreams) {
  expectBounds("bgemv", {32, 128, 512}, DType::kF16, 29);
  expectBounds("bgemv", {13, 512, 96}, DType::kF16, 31);
  expectBounds("bgemv", {9, 100, 77}, DType::kF8E4M3, 17);
  expectBounds("attn", {32, 128, 512}, DType::kF16, 41);
  expectBounds("attn", {5, 128, 1000}, DType::kF16, 23);
  expectBounds("attn", {11, 64, 208}, DType::kF8E4M3, 17);
}

}  // namespace
}  // namespace pimento::targets::near_bank
