// How fast the interpreter of RV64 runs: loops of integers, of memory, of calls, and of doubles; with accesses for a
// consumer, and without. A loop's counter of items is in instructions.
#include <benchmark/benchmark.h>

#include <string>

#include "need.h"
#include "pimento/guest/rv64/machine.h"
#include "test/support/rv64_program.h"

namespace pimento {
namespace {

using namespace test::rv64;
using guest::rv64::Machine;

constexpr std::uint32_t kNothing = 0x13;

/// A loop without end.
std::string loopOf(const std::vector<std::uint32_t> &body) {
  Assembler a;
  a.set(kA5, kDataAt).set(kA4, 12345);
  const std::uint64_t start = a.here();
  for (const std::uint32_t i : body) a.add(i);
  a.add(makeJ(kZero, static_cast<int>(start) - static_cast<int>(a.here())));
  return elfOf(a.code(), std::string(4096, '\x21'));
}

/// A generator of random numbers, its bits mixed.
std::string integers() {
  return loopOf({makeR(0x33, 0, 1, kA0, kA0, kA4), addi(kA0, kA0, 77), makeI(0x13, 5, kA1, kA0, 7),
                 makeR(0x33, 4, 0, kA2, kA2, kA1), makeI(0x13, 7, kA1, kA1, 255), makeR(0x33, 0, 0, kA3, kA3, kA1),
                 makeR(0x33, 3, 0, kA1, kA3, kA2), makeB(1, kA1, kZero, 8), addi(kA3, kA3, 1)});
}

std::string memory() {
  return loopOf({ld(kA0, kA5, 8), addi(kA0, kA0, 1), sd(kA0, kA5, 8), makeI(0x03, 2, kA1, kA5, 100),
                 makeI(0x03, 4, kA2, kA5, 200), makeR(0x33, 0, 0, kA1, kA1, kA2), makeS(0x23, 2, kA5, kA1, 100),
                 makeI(0x03, 1, kA2, kA5, 300)});
}

/// Calls of a function of two instructions.
std::string calls() {
  return loopOf({makeJ(kRa, 8), makeJ(kZero, 12), addi(kA0, kA0, 1), makeI(0x67, 0, kZero, kRa, 0), kNothing});
}

/// a = a * b + c, and a sum.
std::string doubles() {
  return loopOf({makeI(0x07, 3, 1, kA5, 0), makeI(0x07, 3, 2, kA5, 8),
                 0x02000043U | 3 << 7 | 7 << 12 | 1 << 15 | 2 << 20 | 3U << 27, makeR(0x53, 7, 1, 4, 3, 1),
                 makeR(0x53, 7, 9, 5, 4, 2), makeS(0x27, 3, kA5, 5, 16), addi(kA0, kA0, 1)});
}

void run(benchmark::State &state, const std::string &program, bool isRecorded) {
  guest::ElfImage image;
  image.file = "program";
  image.isa = trace::Isa::kRv64;
  const auto machine = bench::need(Machine::make(image, program, {{}, 2, false, false}));
  constexpr std::int64_t kBlocks = 10000;
  const std::int64_t before = machine->hart().instructions();
  for (auto _ : state) {
    if (!isRecorded && !machine->run(kBlocks)) state.SkipWithError("refused");
    for (std::int64_t i = 0; isRecorded && i < kBlocks; ++i)
      benchmark::DoNotOptimize(bench::need(machine->step()).count);
  }
  if (machine->hasEnded()) state.SkipWithError("it has ended");
  state.SetItemsProcessed(machine->hart().instructions() - before);
}

BENCHMARK_CAPTURE(run, integers, integers(), false);
BENCHMARK_CAPTURE(run, integers_recorded, integers(), true);
BENCHMARK_CAPTURE(run, memory, memory(), false);
BENCHMARK_CAPTURE(run, memory_recorded, memory(), true);
BENCHMARK_CAPTURE(run, calls, calls(), false);
BENCHMARK_CAPTURE(run, doubles, doubles(), false);

}  // namespace
}  // namespace pimento

BENCHMARK_MAIN();
