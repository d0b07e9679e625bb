// y = A x in f16 on this machine's processor: the yardstick that `make demo` puts beside the device.
//
//   host_gemv M N [TARGET]
//
// Prints the measured time, labelled with the processor, and the roofline of the host that TARGET's machine file names.
// Measured: all processors, f16 operands, f32 accumulation; weights come from memory, since copies of A are used in
// turn until they exceed the caches. Not a tuned library. A processor without F16C converts in software and says so.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/base/rng.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/energy/energy.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/targets.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

using namespace pimento;
using Half = std::uint16_t;
using Clock = std::chrono::steady_clock;

constexpr int kRuns = 30;
constexpr std::int64_t kRowsPerItem = 64;

float dotPortable(const Half *a, const Half *x, std::int64_t n) {
  float sum = 0;
  for (std::int64_t j = 0; j < n; ++j) sum += f16ToFloat(a[j]) * f16ToFloat(x[j]);
  return sum;
}

#if defined(__x86_64__)
#define PIMENTO_F16C __attribute__((target("avx2,fma,f16c")))

PIMENTO_F16C inline __m256 load(const Half *p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}

PIMENTO_F16C float dotF16c(const Half *a, const Half *x, std::int64_t n) {
  __m256 sum[4] = {};
  std::int64_t j = 0;
  for (; j + 32 <= n; j += 32)
    for (int k = 0; k < 4; ++k) sum[k] = _mm256_fmadd_ps(load(a + j + 8 * k), load(x + j + 8 * k), sum[k]);
  float lanes[8];
  _mm256_storeu_ps(lanes, _mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3])));
  float total = dotPortable(a + j, x + j, n - j);
  for (const float lane : lanes) total += lane;
  return total;
}
bool hasF16c() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}
#else
float dotF16c(const Half *a, const Half *x, std::int64_t n) {
  return dotPortable(a, x, n);
}
bool hasF16c() {
  return false;
}
#endif

std::string processorName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "unknown processor";
}

/// Times y = A x; `copies` of A lie one after the other.
struct HostGemv {
  std::int64_t m, n, copies;
  std::vector<Half> a, x;
  std::vector<float> y;

  HostGemv(std::int64_t rows, std::int64_t columns) : m(rows), n(columns) {
    const std::int64_t cache = std::max<std::int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
    const std::int64_t wanted = std::clamp<std::int64_t>(4 * cache, 512 << 20, std::int64_t{2} << 30);
    copies = std::max<std::int64_t>(wanted / (m * n * 2), 1);
    Rng random(1);
    const auto value = [&random] { return f16FromFloat(static_cast<float>(random.real(-1, 1))); };
    a.resize(static_cast<std::size_t>(m * n));
    std::generate(a.begin(), a.end(), value);
    a.reserve(static_cast<std::size_t>(copies * m * n));
    for (std::int64_t c = 1; c < copies; ++c)
      a.insert(a.end(), a.begin(), a.begin() + static_cast<std::ptrdiff_t>(m * n));
    x.resize(static_cast<std::size_t>(n));
    std::generate(x.begin(), x.end(), value);
    y.resize(static_cast<std::size_t>(m));
  }

  /// Nanoseconds of one product with copy number `copy`.
  double run(std::int64_t copy, bool isVector) {
    const Half *weights = a.data() + copy * m * n;
    const auto start = Clock::now();
    parallelFor(jobCount(0), (m + kRowsPerItem - 1) / kRowsPerItem, [&](std::int64_t item) {
      const std::int64_t end = std::min(m, (item + 1) * kRowsPerItem);
      for (std::int64_t i = item * kRowsPerItem; i < end; ++i)
        y[static_cast<std::size_t>(i)] =
            isVector ? dotF16c(weights + i * n, x.data(), n) : dotPortable(weights + i * n, x.data(), n);
    });
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }

  /// Whether the last run's answer is right: against double precision, within the bound of an f32 sum.
  bool isRight() const {
    for (std::int64_t i = 0; i < m; i += std::max<std::int64_t>(m / 16, 1)) {
      double sum = 0, magnitude = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const double term = static_cast<double>(f16ToFloat(a[static_cast<std::size_t>(i * n + j)])) *
                            static_cast<double>(f16ToFloat(x[static_cast<std::size_t>(j)]));
        sum += term;
        magnitude += std::abs(term);
      }
      if (std::abs(sum - static_cast<double>(y[static_cast<std::size_t>(i)])) >
          static_cast<double>(n) * 0x1p-24 * magnitude)
        return false;
    }
    return true;
  }
};

void printRoofline(const machine::Machine &machine, std::int64_t m, std::int64_t n) {
  const double bytes = 2.0 * static_cast<double>(m * n + m + n);
  const double compute = 2.0 * static_cast<double>(m * n) / machine.host.peakGflops;  // GFLOP/s = FLOP/ns
  const double memory = bytes / machine.host.memoryGBps;                              // GB/s = B/ns
  fmt::print("host, roofline   {:10.2f} us   {} bound: {:.4g} GB/s, {:.4g} GFLOP/s\n", std::max(compute, memory) / 1000,
             memory > compute ? "memory" : "compute", machine.host.memoryGBps, machine.host.peakGflops);
  fmt::print("                                 {}\n", machine.host.name);
  energy::ActionCounts traffic;
  traffic.add("host_memory_bytes", static_cast<std::int64_t>(bytes));
  for (const energy::EnergyRow &row : energy::price(machine, traffic, Picoseconds(0)).rows) {
    if (row.component != "host" || row.count == 0) continue;
    fmt::print("host, memory     {:10.2f} uJ   modelled [{:.4g} to {:.4g}], not validated: {} {} of traffic\n",
               row.energy.value * 1e-6, row.low.value * 1e-6, row.high.value * 1e-6, row.unitCost, row.unit);
    fmt::print("                                 memory dies and bus alone: no processor, no standby\n");
  }
}

int complain(const Diagnostics &diagnostics) {
  for (const Diagnostic &d : diagnostics) fmt::print(stderr, "{}\n", d.str());
  return 1;
}

}  // namespace

int main(int argc, char **argv) {
  const std::int64_t m = argc > 2 ? parseInteger(argv[1]).value_or(0) : 0;
  const std::int64_t n = argc > 2 ? parseInteger(argv[2]).value_or(0) : 0;
  if (m < 1 || n < 1 || m > (1 << 20) || n > (1 << 20) || m * n > (std::int64_t{1} << 31)) {
    fmt::print(stderr, "usage: host_gemv M N [TARGET]     M x N up to 2^31 elements\n");
    return 2;
  }
  const Result<machine::Machine> machine =
      machine::loadMachine(argc > 3 ? argv[3] : "hbm-pim", {PIMENTO_MACHINE_FOLDER});
  if (!machine) return complain(machine.diagnostics());
  if (const Status s = targets::check(*machine); !s) return complain(s.diagnostics());
  HostGemv gemv(m, n);
  const bool isVector = hasF16c();
  std::vector<double> times;
  for (int r = 0; r < kRuns; ++r) times.push_back(gemv.run(r % gemv.copies, isVector));
  if (!gemv.isRight()) {
    fmt::print(stderr, "host_gemv: wrong answer; please report this\n");
    return 3;
  }
  std::sort(times.begin(), times.end());
  const double median = times[kRuns / 2];
  fmt::print("host, measured   {:10.2f} us   median of {} (best {:.2f}), {:.1f} GB/s, {} threads{}\n", median / 1000,
             kRuns, times.front() / 1000, 2.0 * static_cast<double>(m * n) / median, jobCount(0),
             isVector ? "" : ", f16 converted in software");
  fmt::print("                                 {}\n", processorName());
  printRoofline(*machine, m, n);
  return 0;
}
