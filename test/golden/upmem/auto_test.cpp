// `--map auto` on UPMEM against every mapping of its space: close to the best, never worse than the reference, and the
// same at any number of threads.
#include <gtest/gtest.h>

#include "pimento/evaluate/choose.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/upmem/compiled/lower.h"
#include "test/support/cases.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

using evaluate::Objective;

class UpmemAuto : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  }

  kernel::Graph graphOf(const std::string &kernel, const kernel::Sizes &sizes, DType type) {
    auto graph = kernel::makeZooKernel(kernel, sizes, type);
    PIMENTO_CHECK(graph.ok());
    return std::move(*graph);
  }

  evaluate::Request requestFor(const kernel::Graph &graph, mapping::MapSpec spec, Objective objective, int jobs) {
    evaluate::Request request;
    request.machine = &machine_;
    request.target = &targetOf(machine_);
    request.graph = &graph;
    request.maps = {std::move(spec)};
    request.values = kernel::DataSpec{};
    request.objective = objective;
    request.tools = {&compiler_, std::make_shared<Cache>()};  // nothing is known from other cases
    request.jobs = jobs;
    return request;
  }

  evaluate::Report chosen(const kernel::Graph &graph, Objective objective = Objective::kTime, int jobs = 1) {
    mapping::MapSpec spec;
    spec.kind = mapping::MapSpec::Kind::kAuto;
    auto report = evaluate::evaluate(requestFor(graph, spec, objective, jobs));
    PIMENTO_CHECK(report.ok());
    return std::move(*report);
  }

  static double costOf(const evaluate::Report &r, Objective objective) {
    return objective == Objective::kTime     ? static_cast<double>(r.breakdown().total().value)
           : objective == Objective::kEnergy ? r.energy.total.value
                                             : static_cast<double>(r.cycles.value);
  }

  /// The least cost under every `every`th mapping of the space, and under the reference mapping.
  std::optional<double> leastCost(const kernel::Graph &graph, Objective objective, std::size_t every) {
    std::vector<mapping::MapSpec> specs(1);  // the reference
    const auto all = targets::upmem::compiled::mappingSpace(graph, 0, machine_, {});
    for (std::size_t i = 0; i < all.size(); i += every) {
      specs.emplace_back();
      specs.back().kind = mapping::MapSpec::Kind::kExplicit;
      specs.back().mapping = all[i];
    }
    const std::shared_ptr<Cache> cache = std::make_shared<Cache>();
    std::optional<double> least;
    for (const mapping::MapSpec &spec : specs) {
      evaluate::Request request = requestFor(graph, spec, objective, 1);
      request.tools.cache = cache;
      const auto report = evaluate::evaluate(request);
      if (report) least = std::min(least.value_or(costOf(*report, objective)), costOf(*report, objective));
    }
    return least;
  }

  void expectCloseToBest(const std::string &kernel, const kernel::Sizes &sizes, DType type, std::size_t every,
                         Objective objective = Objective::kTime) {
    const kernel::Graph graph = graphOf(kernel, sizes, type);
    const evaluate::Report report = chosen(graph, objective);
    const auto least = leastCost(graph, objective, every);
    ASSERT_TRUE(least);
    EXPECT_LE(costOf(report, objective), 1.05 * *least) << kernel << " " << report.mapping;
    ASSERT_TRUE(report.stages.front().choice);
    const evaluate::MappingChoice &how = *report.stages.front().choice;
    EXPECT_EQ(how.objective, objective);
    if (!how.isSampled) {
      EXPECT_GE(*least, (1 - how.gap) * costOf(report, objective) * (1 - 1e-12));
    }
  }

  machine::Machine machine_ = handUpmemWithRoom();
  LlvmDpuCompiler compiler_;
};

TEST_F(UpmemAuto, IsCloseToTheBestOfItsSpace) {
  const std::size_t every = isLongRun() ? 1 : 7;
  expectCloseToBest("va", {{"n", 20000}}, DType::kI32, every);
  expectCloseToBest("gemv", {{"m", 64}, {"n", 96}}, DType::kI32, every * 3);
  expectCloseToBest("gemv", {{"m", 48}, {"n", 40}}, DType::kF16, every * 3);
  if (!isLongRun()) return;
  expectCloseToBest("red", {{"n", 20000}}, DType::kI32, every);
  expectCloseToBest("gemm", {{"m", 16}, {"n", 24}, {"k", 32}}, DType::kI32, every);
  expectCloseToBest("sel", {{"n", 9000}}, DType::kI32, every);
  expectCloseToBest("hst", {{"n", 9000}}, DType::kI32, every);
  expectCloseToBest("scan", {{"n", 9000}}, DType::kI32, every);
}

TEST_F(UpmemAuto, MinimisesWhatIsAskedFor) {
  const std::size_t every = isLongRun() ? 1 : 7;
  expectCloseToBest("va", {{"n", 20000}}, DType::kI32, every, Objective::kKernel);
  expectCloseToBest("va", {{"n", 20000}}, DType::kI32, every, Objective::kEnergy);
}

TEST_F(UpmemAuto, DoesNotHangOnThreads) {
  const kernel::Graph graph = graphOf("gemv", {{"m", 64}, {"n", 96}}, DType::kI32);
  const evaluate::Report one = chosen(graph, Objective::kTime, 1), four = chosen(graph, Objective::kTime, 4);
  EXPECT_EQ(one.mapping, four.mapping);
  EXPECT_EQ(one.stages.front().mappingWhy, four.stages.front().mappingWhy);
}

TEST_F(UpmemAuto, ComparesOnRandomValuesWhatEarlierKernelsLeave) {
  for (const char *kernel : {"mlp", "gemvrelu"}) {
    const kernel::Sizes sizes = std::string(kernel) == "mlp" ? kernel::Sizes{{"m", 16}, {"n", 16}, {"hidden", 16}}
                                                             : kernel::Sizes{{"m", 16}, {"n", 16}};
    const evaluate::Report report = chosen(graphOf(kernel, sizes, DType::kF32));
    for (const evaluate::Stage &s : report.stages) EXPECT_TRUE(s.choice) << s.kernel;
  }
}

}  // namespace
}  // namespace pimento::test
