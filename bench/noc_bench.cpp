// Packets of a mesh and requests to DDR4 per second of processor time.
#include <benchmark/benchmark.h>

#include "need.h"
#include "pimento/base/rng.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dram/memory.h"
#include "pimento/sim/noc/network.h"

namespace {

using namespace pimento;

machine::Machine uncore() {
  return bench::need(machine::loadMachine("l3-uncore", {PIMENTO_MACHINE_FOLDER}));
}

/// Lines between tiles at random, one for every `range` cycles.
void linesBetweenTiles(benchmark::State &state) {
  constexpr std::int64_t kPackets = 100'000;
  const machine::Machine m = uncore();
  const std::int64_t flits = m.noc->flits(Bytes(64));
  for (auto _ : state) {
    sim::noc::Network network(*m.noc);
    Rng rng(1);
    for (std::int64_t i = 0; i < kPackets; ++i) {
      network.send(i / state.range(0), static_cast<int>(rng.below(64)), static_cast<int>(rng.below(64)), flits,
                   sim::noc::Traffic::kData);
      if (i % 1000 == 0) network.workUntil(i / state.range(0));
    }
    network.finish();
    benchmark::DoNotOptimize(network.takeArrivals());
  }
  state.counters["packets_per_s"] =
      benchmark::Counter(static_cast<double>(kPackets), benchmark::Counter::kIsIterationInvariantRate);
}

/// Reads of lines one behind the other, or at random in 256 MB.
void reads(benchmark::State &state) {
  constexpr std::int64_t kReads = 100'000;
  const machine::Machine m = uncore();
  const bool isStream = state.range(0) == 0;
  for (auto _ : state) {
    sim::dram::Memory memory(*m.dram);
    Rng rng(1);
    for (std::int64_t i = 0; i < kReads; ++i)
      memory.request(i / 4, isStream ? static_cast<std::uint64_t>(i) * 64 : rng.below(1 << 28), false);
    memory.finish();
    benchmark::DoNotOptimize(memory.takeAnswers());
  }
  state.counters["requests_per_s"] =
      benchmark::Counter(static_cast<double>(kReads), benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

// Four lines a cycle, and sixteen: beyond what the mesh carries.
BENCHMARK(linesBetweenTiles)->Arg(4)->Arg(16);
BENCHMARK(reads)->Arg(0)->Arg(1);
BENCHMARK_MAIN();
