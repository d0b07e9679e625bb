// Sampled intervals where what a kernel does changes along its data: running maxima, selections, searches, square
// roots, rounds, sorted inputs. Is the simulation of the same data inside the interval that the estimate reports? A
// line for each kernel: how often it is, and how wide the intervals are. As it stands the first ones on two seeds; with
// PIMENTO_LONG_TESTS all of them on 20 seeds, or as many as it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "pimento/kernel/notation.h"
#include "pimento/kernel/rounds.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

struct Case {
  const char *text;
  kernel::Sizes sizes;
  DType type = DType::kF32;
  const char *map = "reference;program=compiled";
  kernel::DataSpec data = {};
  /// Tensors whose elements ascend: inputs of the kernel that are known one by one.
  std::vector<const char *> sorted = {};
};

const char *const kDpus64 = "reference;program=compiled;dpus=64";
const char *const kDpus8 = "reference;program=compiled;dpus=8";
const char *const kEight = "reference;program=compiled;tasklets=8";
const char *const kThree = "reference;program=compiled;tasklets=3";
const char *const kMeasured = "reference;program=reference;buffer=64";

std::vector<Case> cases() {
  using enum DType;
  return {
      // The two that were outside.
      {"m[i] max= x[i,j]", {{"i", 500}, {"j", 600}}},
      {"y[i] = sqrt(abs(x[i]))", {{"i", 40000}}},
      // Rounds, each on what the one before left.
      {"for t in 0..60 { b[i] = sqrt(abs(a[i-1] + a[i])) where i >= 1; swap a, b }", {{"i", 800}}},
      {"for t in 0..200 { b[i] = (a[i-1] + a[i] + a[i+1]) / 3 where i >= 1, i < 399; swap a, b }", {{"i", 400}}},
      {"for t in 0..100 { b[i] = a[i] > 0 ? a[i] / 2 - 1 : a[i-1] + 1 where i >= 1; swap a, b }", {{"i", 800}}, kI32},
      // Running maxima and minima.
      {"m[i] max= x[i,j]", {{"i", 20000}, {"j", 40}}},
      {"m[i] max= x[i,j]", {{"i", 20000}, {"j", 100}}, kI32},
      {"m[i] min= x[i,j]", {{"i", 10000}, {"j", 64}}, kF32, kEight},
      {"m[i] min= x[i,j]", {{"i", 16000}, {"j", 50}}, kF16},
      {"m[i] max= x[i,j]", {{"i", 40000}, {"j", 20}}, kF32, kDpus8},
      {"m[i] max= abs(x[i,j])", {{"i", 20000}, {"j", 32}}, kF32},
      {"m[] max= x[i]", {{"i", 600000}}},
      {"m[] max= x[i]", {{"i", 4000000}}, kF32, "reference;program=compiled;dpus=128"},
      {"m[i] max= x[i,j] * w[j]", {{"i", 8000}, {"j", 20}}},
      {"m[i] min= x[i,j] * x[i,j]", {{"i", 8000}, {"j", 40}}, kI32},
      {"m[j] max= x[i,j]", {{"i", 40}, {"j", 20000}}},
      {"m[i] max= x[i,j] + y[j,i]", {{"i", 8000}, {"j", 20}}},
      // Selections.
      {"o[] append= x[i] if x[i] > 0 count n[]", {{"i", 1500000}}, kF32},
      {"o[] append= x[i] if x[i] > 100 count n[]", {{"i", 4000000}}, kI32},
      {"o[i] append= x[i,j] if x[i,j] > 0 count n[i]", {{"i", 50000}, {"j", 16}}, kF32},
      {"o[i] append= x[i,j] if x[i,j] > 0 count n[i] limit 8", {{"i", 30000}, {"j", 40}}, kI32},
      {"y[i] = x[i] > 0 ? sqrt(x[i]) : x[i]", {{"i", 200000}}},
      {"y[i] = x[i] > 0 ? x[i] * x[i] : x[i]", {{"i", 500000}}, kI32},
      {"y[i] = x[i] > z[i] ? x[i] / z[i] : z[i]", {{"i", 100000}}, kI32},
      {"y[i] = x[i] > 0 ? x[i] * w[i] : 0", {{"i", 250000}}, kF32, kEight},
      {"y[i,j] = x[i,j] > t[i] ? x[i,j] * x[i,j] : 0", {{"i", 10000}, {"j", 24}}},
      {"y[i] = x[i] > 0 ? x[i] / 3 : x[i]", {{"i", 150000}}, kI32, kDpus8},
      {"sel", {{"n", 6000000}}, kU32, kMeasured},
      {"sel", {{"n", 12000000}}, kU32, "reference;program=reference;buffer=64;dpus=16"},
      // Searches.
      {"m[i] min= x[i,j] with b[i] = j", {{"i", 10000}, {"j", 60}}},
      {"m[i] max= x[i,j] with b[i] = j", {{"i", 20000}, {"j", 60}}, kI32},
      {"m[i] max= x[i,j] with b[i] = j", {{"i", 500}, {"j", 1600}}},
      {"c[i] += x[j] < q[i] ? 1 : 0", {{"i", 16000}, {"j", 200}}, kI32},
      {"c[i] += x[j] < q[i] ? x[j] : 0", {{"i", 10000}, {"j", 40}}},
      {"d[i] min= abs(x[i] - y[j])", {{"i", 10000}, {"j", 30}}},
      {"d[i] min= (x[i] - y[j]) * (x[i] - y[j])", {{"i", 10000}, {"j", 30}}, kI32},
      {"d[i] min= abs(x[i] - y[j]) with b[i] = j", {{"i", 16000}, {"j", 30}}, kF32, kDpus8},
      {"y[i] = x[p[i]] * w[i]", {{"i", 200000}, {"x", 4000}}},
      {"h[p[i]] += x[i]", {{"i", 1000000}, {"h", 256}}, kI32},
      {"y[i] = x[p[i]] > 0 ? sqrt(x[p[i]]) : 0", {{"i", 150000}, {"x", 1000}}},
      {"hst", {{"n", 2500000}}, kU32, kMeasured, uniformData(0, 4095)},
      // Square roots, quotients, what takes as long as it takes.
      {"y[i] = sqrt(abs(x[i]))", {{"i", 200000}}},
      {"y[i] = sqrt(abs(x[i]))", {{"i", 150000}}, kF32, kEight},
      {"y[i] = sqrt(abs(x[i]))", {{"i", 150000}}, kF16, kThree},
      {"y[i] = sqrt(abs(x[i]))", {{"i", 300000}}, kF32, kDpus64},
      {"s[i] += sqrt(abs(x[i,j]))", {{"i", 8000}, {"j", 10}}},
      {"y[i] = x[i] / z[i]", {{"i", 150000}}},
      {"y[i] = x[i] / z[i]", {{"i", 300000}}, kI32},
      {"y[i] = x[i] * z[i]", {{"i", 500000}}, kI32, kThree},
      {"y[i] = sqrt(x[i] * x[i] + z[i] * z[i])", {{"i", 60000}}},
      {"y[i] = exp(x[i])", {{"i", 60000}}},
      {"y[i] = sqrt(abs(x[i-1] + x[i])) where i >= 1", {{"i", 100000}}},
      {"C[i,j] += A[i,k] * B[k,j]", {{"i", 8000}, {"j", 6}, {"k", 6}}},
      {"C[i,j] += A[i,k] * B[k,j]", {{"i", 60}, {"j", 60}, {"k", 60}}, kF16},
      {"y[i] += A[i,j] * x[j]", {{"i", 10000}, {"j", 60}}, kI32},
      {"y[i] += A[i,j] * x[j]", {{"i", 16000}, {"j", 20}}, kF32, kDpus8},
      // Sums, and inputs that ascend.
      {"s[] += x[i]", {{"i", 600000}}},
      {"s[] += x[i] * x[i]", {{"i", 800000}}, kI32},
      {"y[i] += v[e] * x[c[e]] for e in p[i]..p[i+1]", {{"i", 4000}, {"e", 200000}, {"x", 1000}}},
      {"y[i] = x[i] > 0 ? sqrt(x[i]) : x[i]", {{"i", 100000}}, kF32, "reference;program=compiled", {}, {"x"}},
      {"m[] max= x[i]", {{"i", 400000}}, kF32, "reference;program=compiled", {}, {"x"}},
      {"o[] append= x[i] if x[i] > 0 count n[]", {{"i", 800000}}, kF32, "reference;program=compiled", {}, {"x"}},
      {"y[i] = x[i] * x[i]", {{"i", 300000}}, kI32, kDpus8, {}, {"x"}},
  };
}

/// What the seeds of one case gave.
struct Coverage {
  int seeds = 0, inside = 0, sampled = 0, sampledInside = 0;
  double width = 0, widest = 0;  ///< half intervals over cycles: sum over those that were sampled, largest
};

/// After so many runs that were not sampled, but were the simulation, a case is over.
constexpr int kExact = 3;

class Runner {
 public:
  Coverage run(const Case &c, int seeds) {
    Coverage out;
    for (int seed = 1; seed <= seeds; ++seed) {
      add(c, static_cast<std::uint64_t>(seed), out);
      if (out.sampled == 0 && seed == kExact) break;
    }
    return out;
  }

 private:
  Result<kernel::Graph> graphOf(const Case &c) const {
    if (std::string_view(c.text).find('[') == std::string_view::npos)
      return kernel::makeZooKernel(c.text, c.sizes, c.type);
    return kernel::parseNotation(c.text, c.sizes, c.type);
  }

  static void sort(kernel::TensorData &t) {
    std::vector<double> values;
    for (std::int64_t e = 0; e < t.elements(); ++e) values.push_back(t.asDouble(e));
    std::sort(values.begin(), values.end());
    for (std::int64_t e = 0; e < t.elements(); ++e) t.setDouble(e, values[static_cast<std::size_t>(e)]);
  }

  void add(const Case &c, std::uint64_t seed, Coverage &out) {
    const auto graph = graphOf(c);
    ASSERT_TRUE(graph.ok()) << c.text << ": " << graph.diagnostics().front().str();
    evaluate::Request request;
    std::optional<kernel::Unrolled> rounds;
    if (graph->loops.empty()) {
      request.graph = &*graph;
    } else {
      const Result<kernel::Unrolled> flat = kernel::unrolled(*graph);
      ASSERT_TRUE(flat.ok()) << c.text;
      request.rounds = &rounds.emplace(*flat);
      request.graph = &rounds->graph;
    }
    request.machine = &machine_;
    request.target = &targetOf(machine_);
    request.tools = {&compiler_, sharedCache()};
    const auto spec = mapping::parseMapSpec(c.map);
    ASSERT_TRUE(spec.ok()) << c.map << ": " << spec.diagnostics().front().str();
    request.maps = {*spec};
    request.values = c.data;
    request.values->seed = seed;
    kernel::DataSet contents;
    if (!c.sorted.empty()) {
      contents = kernel::makeData(*request.graph, *request.values);
      for (const char *name : c.sorted) sort(contents[static_cast<std::size_t>(request.graph->tensorNamed(name))]);
      request.contents = &contents;
    }
    const auto estimated = evaluate::evaluate(request);
    request.isSimulation = true;
    const auto simulated = evaluate::evaluate(request);
    ASSERT_TRUE(estimated.ok()) << c.text << ": " << estimated.diagnostics().front().str();
    ASSERT_TRUE(simulated.ok()) << c.text << ": " << simulated.diagnostics().front().str();
    ++out.seeds;
    const auto cycles = static_cast<double>(simulated->cycles.value);
    if (!estimated->interval) {
      EXPECT_EQ(estimated->cycles, simulated->cycles) << c.text;
      ++out.inside;
      return;
    }
    ++out.sampled;
    EXPECT_LE(estimated->cyclesSimulated.value, simulated->cycles.value * simulated->unitsIdentical) << c.text;
    const auto low = static_cast<double>(estimated->interval->low.value),
               high = static_cast<double>(estimated->interval->high.value);
    const int isInside = low <= cycles && cycles <= high ? 1 : 0;
    out.inside += isInside;
    out.sampledInside += isInside;
    out.width += (high - low) / 2 / cycles;
    out.widest = std::max(out.widest, (high - low) / 2 / cycles);
    if (std::getenv("PIMENTO_SHOW_SAMPLES") != nullptr)
      std::printf("    seed %d: %.4f to %.4f of the simulation's\n", static_cast<int>(seed), low / cycles,
                  high / cycles);
  }

  static machine::Machine manyDpus() {
    machine::Machine m = handUpmemWithRoom();
    m.levels[1].count = 64;
    m.dpu->mram = Bytes(1 << 26);
    return m;
  }

  machine::Machine machine_ = manyDpus();
  LlvmDpuCompiler compiler_;
};

void print(const Case &c, const Coverage &found) {
  const double mean = found.sampled == 0 ? 0 : 100 * found.width / found.sampled;
  std::printf("%-56s %-4s %3d of %3d inside, %3d sampled, +-%.2f %% (widest %.2f %%)\n", c.text,
              std::string(name(c.type)).c_str(), found.inside, found.seeds, found.sampled, mean, 100 * found.widest);
  std::fflush(stdout);
}

class Coverages : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  }
  /// Of all cases that ran.
  static void TearDownTestSuite() {
    if (all_.sampled == 0) return;
    std::printf("%d kernels, %d of them sampled: %d of %d runs inside; of %d that were sampled %d\n", kernels_,
                sampledKernels_, all_.inside, all_.seeds, all_.sampled, all_.sampledInside);
    EXPECT_GE(100 * all_.sampledInside, 97 * all_.sampled);
  }
  void run(std::size_t number, int seeds) {
    const Case c = cases()[number];
    const Coverage found = Runner().run(c, seeds);
    print(c, found);
    // 99 % of the runs are: that 4 of 20 are not happens once in 25,000 times.
    EXPECT_GE(found.inside, found.seeds - std::max(1, 3 * found.seeds / 20)) << c.text;
    ++kernels_;
    sampledKernels_ += found.sampled > 0 ? 1 : 0;
    all_.seeds += found.seeds;
    all_.inside += found.inside;
    all_.sampled += found.sampled;
    all_.sampledInside += found.sampledInside;
  }

 private:
  static inline Coverage all_;
  static inline int kernels_ = 0, sampledKernels_ = 0;
};

TEST_P(Coverages, OfAKernelWhoseBehaviourChangesAlongItsData) {
  const char *asked = std::getenv("PIMENTO_LONG_TESTS");
  const int seeds = asked == nullptr ? 2 : std::atoi(asked) > 1 ? std::atoi(asked) : 20;
  const std::size_t usual = 3;  // of a quick run
  if (asked == nullptr && GetParam() >= usual) GTEST_SKIP() << "long: set PIMENTO_LONG_TESTS";
  run(GetParam(), seeds);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Coverages, testing::Range(std::size_t{0}, cases().size()));

}  // namespace
}  // namespace pimento::test
