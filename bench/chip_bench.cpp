// How fast kernels run on the cores of a chip (vector operations per second) and as streams beside its L3.
#include <benchmark/benchmark.h>

#include "bench/need.h"
#include "pimento/kernel/notation.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/l3_sram/loops_time.h"

namespace pimento {
namespace {

using targets::l3_sram::ChipRun;
using targets::l3_sram::Count;
using targets::l3_sram::Place;

void loops(benchmark::State &state, const char *text, const kernel::Sizes &sizes, Place place, bool isWhole) {
  const machine::Machine machine = bench::need(machine::loadMachine("l3-sram", {PIMENTO_MACHINE_FOLDER}));
  const kernel::Graph graph = bench::need(kernel::parseNotation(text, sizes, DType::kF32));
  const auto nest = targets::chip::chipNest(graph, 0, machine.kernels->vector);
  const auto addresses = targets::chip::addressesOf(graph);
  targets::l3_sram::LoopsState cold;
  for (const kernel::Tensor &t : graph.tensors) {
    cold.bytes += t.elements() * 4;
    cold.coldLines += t.elements() / 16;
  }
  ChipRun run;
  for (auto _ : state) {
    run = timeOfLoops(nest, addresses, machine, place, 64, cold,
                      isWhole ? targets::l3_sram::kWholeLoops : targets::l3_sram::LoopsBudget{});
    benchmark::DoNotOptimize(run);
  }
  const auto items = static_cast<double>(place == Place::kCore ? run[Count::kInstructions] : run[Count::kStreamLines]);
  state.counters["cycles"] = static_cast<double>(run.cycles());
  if (isWhole) state.counters["items/s"] = benchmark::Counter(items, benchmark::Counter::kIsIterationInvariantRate);
}

constexpr std::int64_t kN = 1 << 20, kM = 256;
const char *const kAdd = "c[i] = a[i] + b[i]", *const kProduct = "C[i,j] += A[i,k] * B[k,j]";

void addOnCores(benchmark::State &state) {
  loops(state, kAdd, {{"i", kN}}, Place::kCore, true);
}
void addNearL3(benchmark::State &state) {
  loops(state, kAdd, {{"i", kN}}, Place::kNearL3, true);
}
void productOnCores(benchmark::State &state) {
  loops(state, kProduct, {{"i", kM}, {"j", kM}, {"k", kM}}, Place::kCore, true);
}
void sampledProductOnCores(benchmark::State &state) {
  loops(state, kProduct, {{"i", 2048}, {"j", 2048}, {"k", 2048}}, Place::kCore, false);
}
void sampledProductNearL3(benchmark::State &state) {
  loops(state, kProduct, {{"i", 2048}, {"j", 2048}, {"k", 2048}}, Place::kNearL3, false);
}
BENCHMARK(addOnCores)->Unit(benchmark::kMillisecond);
BENCHMARK(addNearL3)->Unit(benchmark::kMillisecond);
BENCHMARK(productOnCores)->Unit(benchmark::kMillisecond);
BENCHMARK(sampledProductOnCores)->Unit(benchmark::kMillisecond);
BENCHMARK(sampledProductNearL3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pimento

BENCHMARK_MAIN();
