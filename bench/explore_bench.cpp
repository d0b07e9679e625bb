// How many mappings are explored per second on UPMEM where the code is generated already: what a search costs besides
// the compiler. All cores; the limit is 10,000 per second on two. A process measures once, as bounds keep what they
// found.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "bench/need.h"
#include "pimento/base/cache.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/targets.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/explore.h"
#include "pimento/tune/problem.h"

namespace {

using namespace pimento;

using bench::need;

void exploreVectorAddition(benchmark::State &state) {
  const machine::Machine machine = need(machine::loadMachine("upmem", {PIMENTO_MACHINE_FOLDER}, {{"ranks", "32"}}));
  const kernel::Graph graph = need(kernel::makeZooKernel("va", {{"n", 16777216}}, DType::kI32));
  const auto compiler = driver::makeDpuCompiler();
  if (compiler == nullptr) return state.SkipWithError("built without LLVM");
  const evaluate::Tools tools{compiler.get(), std::make_shared<Cache>()};
  const tune::Problem warm = need(tune::makeProblem(graph, machine, *need(targets::targetOf(machine)), "plain", tools));
  tune::Candidates candidates(warm);
  while (candidates.next()) static_cast<void>(tune::compile(warm, tune::mappingOf(candidates.text())));
  tune::Control control;
  control.jobs = static_cast<int>(std::thread::hardware_concurrency());
  std::size_t explored = 0;
  for (auto _ : state) {
    const tune::Problem problem =
        need(tune::makeProblem(graph, machine, *need(targets::targetOf(machine)), "plain", tools));
    explored += need(tune::explore(problem, {}, control)).rows.size();
  }
  state.counters["mappings/s"] = benchmark::Counter(static_cast<double>(explored), benchmark::Counter::kIsRate);
}
BENCHMARK(exploreVectorAddition)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
