// How fast streams near the L3 are simulated: c = a + b over all tiles, cold, and a sum with operands that lie
// elsewhere.
#include <benchmark/benchmark.h>

#include "need.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/stream/engine.h"

namespace pimento {
namespace {

using namespace sim::stream;

machine::Machine uncore() {
  return bench::need(machine::loadMachine("l3-uncore", {PIMENTO_MACHINE_FOLDER}));
}

/// `elements` in all, the same share for each tile; the second operand `apart` bytes further.
std::vector<Strand> add(std::int64_t elements, std::uint64_t apart) {
  std::vector<Strand> out;
  const std::int64_t each = elements / 64;
  for (Node core = 0; core < 64; ++core) {
    const auto at = static_cast<std::uint64_t>(core * each * 4);
    Strand s;
    s.core = core;
    s.nest = {{each}, 16};
    for (const std::uint64_t base : {at, (std::uint64_t{1} << 28) + apart + at})
      s.loads.push_back({Use::kLoad, {base, {4}, 4}});
    s.consumer = {Use::kStore, {(std::uint64_t{2} << 28) + at, {4}, 4}};
    s.latency = Cycles(4);
    out.push_back(std::move(s));
  }
  return out;
}

void streams(benchmark::State &state, std::uint64_t apart) {
  const machine::Machine machine = uncore();
  StreamTimes t;
  for (auto _ : state) {
    StreamEngines engines(machine, sim::uncore::Slices::of(machine), Engines{});
    t = engines.run(add(state.range(0), apart));
    benchmark::DoNotOptimize(t.cycles);
  }
  state.counters["cycles"] = static_cast<double>(t.cycles);
  state.counters["elements/s"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
}

void aligned(benchmark::State &state) {
  streams(state, 0);
}
void forwarded(benchmark::State &state) {
  streams(state, 5 * 1024);
}
BENCHMARK(aligned)->Arg(1 << 18)->Arg(1 << 22)->Unit(benchmark::kMillisecond);
BENCHMARK(forwarded)->Arg(1 << 22)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pimento

BENCHMARK_MAIN();
