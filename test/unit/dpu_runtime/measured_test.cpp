// The measured programs compute what they say, and take the slots and transfers per element and per round that the
// published measurements have.
#include <functional>
#include <numeric>

#include "test/unit/dpu_runtime/run.h"

namespace pimento::test {
namespace {

using sim::dpu::Counts;
using Numbers = std::vector<std::uint64_t>;

/// One launch of kernels/upmem/measured/NAME_u32.s or _u16.s.
struct Launch {
  std::string kernel;
  std::uint32_t bytes = 4;  ///< per element
  std::vector<std::uint32_t> args;
  Numbers input;  ///< elements in MRAM, all arrays

  Counts counts;
  std::vector<std::uint8_t> output;  ///< MRAM behind the input

  void go(std::size_t outputBytes) {
    const std::string name = kernel + (bytes == 4 ? "_u32.s" : "_u16.s");
    const auto image = imageOf(sourceOf("kernels/upmem/measured/" + name), args[1], 512);
    sim::dpu::Dpu dpu(image, plainDpu());
    dpu.writeWram(addressOf(*image, "args"), bytesOf(args));
    std::vector<std::uint8_t> mram(input.size() * bytes);
    for (std::size_t i = 0; i < input.size(); ++i) std::memcpy(&mram[i * bytes], &input[i], bytes);
    dpu.writeMram(image->code.mramUsed, bytesOf(mram));
    const sim::dpu::RunResult result = dpu.simulate();
    if (result.fault) throw std::runtime_error(kernel + ": " + result.fault->str());
    counts = result.counts;
    output = fromMram<std::uint8_t>(dpu, image->code.mramUsed + static_cast<std::uint32_t>(mram.size()), outputBytes);
  }

  std::uint64_t word(std::size_t offset, std::uint32_t size) const {
    std::uint64_t x = 0;
    std::memcpy(&x, &output.at(offset), size);
    return x;
  }
  /// `count` elements of the output from byte `offset` on.
  Numbers elements(std::size_t offset, std::size_t count) const {
    Numbers all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = word(offset + i * bytes, bytes);
    return all;
  }
  std::uint64_t mask() const { return (std::uint64_t{1} << (8 * bytes)) - 1; }
};

Numbers randomNumbers(Rng &rng, std::size_t count, std::uint64_t bound) {
  Numbers all(count);
  for (std::uint64_t &x : all) x = rng.below(bound);
  return all;
}

struct Shape {
  std::uint32_t tasklets, rounds, buffer;
};
constexpr Shape kShapes[] = {{1, 3, 8}, {2, 4, 16}, {3, 5, 32}, {11, 1, 64}, {16, 2, 64}, {24, 7, 8}};

void forAll(const char *kernel, std::size_t arrays,
            const std::function<void(Launch &, std::size_t perTasklet)> &check) {
  Rng rng(hashText(kernel));
  for (const std::uint32_t bytes : {4u, 2u}) {
    for (const Shape &s : kShapes) {
      const std::uint32_t perTasklet = s.rounds * s.buffer;
      Launch run{kernel, bytes, {s.buffer, s.tasklets, perTasklet}, {}, {}, {}};
      run.input = randomNumbers(rng, arrays * s.tasklets * perTasklet, std::uint64_t{1} << (8 * bytes));
      check(run, perTasklet);
    }
  }
}

TEST(MeasuredPrograms, VaAddsTwoVectors) {
  forAll("va", 2, [](Launch &run, std::size_t) {
    const std::size_t n = run.input.size() / 2;
    run.go(n * run.bytes);
    Numbers sums(n);
    for (std::size_t i = 0; i < n; ++i) sums[i] = (run.input[i] + run.input[n + i]) & run.mask();
    EXPECT_EQ(run.elements(0, n), sums);
  });
}

TEST(MeasuredPrograms, RedSumsBothArrays) {
  forAll("red", 2, [](Launch &run, std::size_t perTasklet) {
    const std::size_t n = run.input.size() / 2, tasklets = run.args[1];
    run.go(16 * tasklets);
    for (std::size_t t = 0; t < tasklets; ++t) {
      const auto sum = [&](std::size_t from) {
        const auto *first = run.input.data() + from + t * perTasklet;
        return std::accumulate(first, first + perTasklet, std::uint64_t{0});
      };
      EXPECT_EQ(run.word(16 * t, 4), (sum(0) + sum(n)) & 0xffffffff);
      EXPECT_EQ(run.word(16 * t + 4, 4) | run.word(16 * t + 8, 8), 0u);
    }
  });
}

TEST(MeasuredPrograms, SelKeepsEvenElements) {
  forAll("sel", 1, [](Launch &run, std::size_t) {
    const std::size_t n = run.input.size(), buffer = run.args[0], rounds = n / buffer;
    run.go(n * run.bytes + 16 * rounds);
    Numbers kept, even;
    for (std::size_t r = 0; r < rounds; ++r) {
      const std::size_t counter = n * run.bytes + 16 * r;
      const Numbers some = run.elements(r * buffer * run.bytes, run.word(counter, 4));
      kept.insert(kept.end(), some.begin(), some.end());
      EXPECT_EQ(run.word(counter + 4, 4) | run.word(counter + 8, 8), 0u);
    }
    for (const std::uint64_t x : run.input)
      if (x % 2 == 0) even.push_back(x);
    EXPECT_EQ(kept, even);
  });
}

TEST(MeasuredPrograms, ScanSumsPrefixes) {
  forAll("scan", 1, [](Launch &run, std::size_t) {
    const std::size_t n = run.input.size();
    run.go(n * run.bytes);
    Numbers sums(n);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sums[i] = (sum += run.input[i]) & run.mask();
    EXPECT_EQ(run.elements(0, n), sums);
  });
}

TEST(MeasuredPrograms, HstCountsWhatFallsIntoEachBin) {
  for (const std::uint32_t bins : {256u, 2u, 100u, 512u}) {
    forAll("hst", 1, [&](Launch &run, std::size_t) {
      if (bins > 256 && run.args[1] > 16) return;  // more than WRAM
      for (std::uint64_t &x : run.input) x &= 4095;
      run.args.push_back(bins);
      const std::size_t tasklets = run.args[1];
      run.go(4 * bins * tasklets);
      Numbers counts(bins), expected(bins);
      for (std::size_t i = 0; i < bins * tasklets; ++i) counts[i % bins] += run.word(4 * i, 4);
      for (const std::uint64_t x : run.input) ++expected[x * bins >> 12];
      EXPECT_EQ(counts, expected);
    });
  }
}

TEST(MeasuredPrograms, GemvMultipliesAMatrixAndAVector) {
  Rng rng(6);
  for (const std::uint32_t bytes : {4u, 2u}) {
    for (const Shape &s : kShapes) {
      for (const std::uint32_t chunks : {1u, 3u}) {
        const std::uint32_t rows = s.rounds * 3, length = chunks * s.buffer;
        Launch run{"gemv", bytes, {s.buffer, s.tasklets, rows, length}, {}, {}, {}};
        const std::size_t matrix = std::size_t{s.tasklets} * rows * length;
        run.input = randomNumbers(rng, matrix + length, std::uint64_t{1} << (8 * bytes));
        const std::size_t perTasklet = (rows * bytes + 7) / 8 * 8;
        run.go(perTasklet * s.tasklets);
        for (std::size_t t = 0; t < s.tasklets; ++t) {
          Numbers products(rows);
          for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t k = 0; k < length; ++k)
              products[r] += run.input[(t * rows + r) * length + k] * run.input[matrix + k];
            products[r] &= run.mask();
          }
          EXPECT_EQ(run.elements(t * perTasklet, rows), products);
        }
      }
    }
  }
}

TEST(MeasuredPrograms, GemmMultipliesTwoMatrices) {
  Rng rng(7);
  for (const std::uint32_t bytes : {4u, 2u}) {
    for (const Shape &s : {Shape{1, 3, 8}, Shape{2, 4, 16}, Shape{16, 1, 8}, Shape{24, 2, 4}}) {
      const std::uint32_t k = 3 * s.buffer, n = 2 * s.buffer, rows = s.tasklets * s.rounds;
      Launch run{"gemm", bytes, {s.buffer, s.tasklets, s.rounds, k, n}, {}, {}, {}};
      run.input = randomNumbers(rng, (rows + n) * k, std::uint64_t{1} << (8 * bytes));
      run.go(std::size_t{rows} * n * bytes);
      Numbers products(rows * n);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t x = 0; x < k; ++x)
            products[i * n + j] += run.input[i * k + x] * run.input[(rows + j) * k + x];
          products[i * n + j] &= run.mask();
        }
      }
      EXPECT_EQ(run.elements(0, rows * n), products);
    }
  }
}

/// Instructions and transfers of a run with every element `value`.
struct Cost {
  std::int64_t slots = 0, reads = 0, writes = 0;

  Cost operator-(const Cost &o) const { return {slots - o.slots, reads - o.reads, writes - o.writes}; }
  bool operator==(const Cost &) const = default;
};

Cost costOf(const char *kernel, std::uint32_t bytes, std::vector<std::uint32_t> args, std::uint64_t value) {
  Launch run{kernel, bytes, std::move(args), {}, {}, {}};
  run.input.assign(20000, value);
  run.go(0);
  return {run.counts.instructions, run.counts.mramReads, run.counts.mramWrites};
}

void PrintTo(const Cost &cost, std::ostream *out) {
  *out << cost.slots << " slots, " << cost.reads << " reads, " << cost.writes << " writes";
}

// What a round of a streaming program costs: `perElement` for each element, and the rest.
void expectStreamingCost(const char *kernel, std::int64_t perElement, Cost perRound, std::uint64_t value,
                         std::vector<std::uint32_t> more = {}) {
  for (const std::uint32_t bytes : {4u, 2u}) {
    const auto cost = [&](std::uint32_t rounds, std::uint32_t buffer) {
      std::vector<std::uint32_t> args = {buffer, 1, rounds * buffer};
      args.insert(args.end(), more.begin(), more.end());
      return costOf(kernel, bytes, std::move(args), value);
    };
    const Cost round8 = cost(9, 8) - cost(8, 8), round16 = cost(9, 16) - cost(8, 16);
    EXPECT_EQ(round16.slots - round8.slots, 8 * perElement) << kernel;
    EXPECT_EQ(round8, (Cost{perRound.slots + 8 * perElement, perRound.reads, perRound.writes})) << kernel;
  }
}

TEST(MeasuredPrograms, StreamingProgramsTakeTheMeasuredSlots) {
  expectStreamingCost("va", 9, {16, 2, 1}, 3);
  expectStreamingCost("red", 7, {13, 2, 0}, 3);
  expectStreamingCost("sel", 4, {18, 1, 2}, 3);
  expectStreamingCost("sel", 7, {18, 1, 2}, 2);
  expectStreamingCost("scan", 4 + 6, {9 + 13, 2, 1}, 3);
  expectStreamingCost("hst", 10 + 8, {10, 1, 0}, 1, {256});
  expectStreamingCost("hst", 10 + 16, {10, 1, 0}, 4095, {256});
}

TEST(MeasuredPrograms, GemvTakesTheMeasuredSlots) {
  for (const std::uint32_t bytes : {4u, 2u}) {
    const auto cost = [&](std::uint32_t buffer, std::uint32_t rows, std::uint32_t length) {
      return costOf("gemv", bytes, {buffer, 1, rows, length}, 1);
    };
    // Rows 9 and 10 of 11, so that the factors of the addresses have equal bits.
    const Cost row = cost(16, 11, 32) - cost(16, 10, 32), longer = cost(16, 11, 48) - cost(16, 10, 48);
    EXPECT_EQ(longer - row, (Cost{16 * (6 + 8) + 18, 2, 0}));
    EXPECT_EQ(row, (Cost{25 + 2 * (16 * (6 + 8) + 18), 4, 0}));
  }
}

TEST(MeasuredPrograms, GemmTakesTheMeasuredSlots) {
  for (const std::uint32_t bytes : {4u, 2u}) {
    const auto chunk = [&](std::uint32_t tile) {
      return costOf("gemm", bytes, {tile, 1, 1, 7 * tile, tile}, 2) -
             costOf("gemm", bytes, {tile, 1, 1, 6 * tile, tile}, 2);
    };
    const auto expected = [](std::int64_t tile) { return Cost{19 + tile * (11 + tile * (8 + 9)), 1 + tile, 0}; };
    for (const std::uint32_t tile : {4u, 8u, 16u}) EXPECT_EQ(chunk(tile), expected(tile)) << tile;
    const auto tile = [&](std::uint32_t n) { return costOf("gemm", bytes, {8, 1, 1, 8, 8 * n}, 2); };
    EXPECT_EQ(tile(7) - tile(6), (Cost{24 + 8 * 3 + expected(8).slots, 9, 1}));
  }
}

}  // namespace
}  // namespace pimento::test
