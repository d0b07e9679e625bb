// Commands of SRAM arrays: what they compute in both modes, and what they take.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/kernel/scalar.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/sram/command_time.h"
#include "pimento/sim/sram/executor.h"
#include "pimento/sim/sram/operations.h"
#include "test/support/cases.h"

namespace pimento::sim::sram {
namespace {

using program::SramCommand;
using program::SramPattern;
using Kind = program::SramCommandKind;

machine::Sram preset(const std::string &times = "counted") {
  const auto m = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"}, {{"sram.times", times}});
  EXPECT_TRUE(m) << m.diagnostics().front().str();
  return *m->sram;
}

SramPattern run(std::int64_t first, std::int64_t count) {
  SramPattern p(first);
  p.add(1, count);
  return p;
}

TEST(SramTime, OfShiftsIsThatOfThePublishedSimulator) {
  const CommandTime time(preset("artifact"));
  struct Case {
    std::int64_t tiles, bitlines, intra;  // of the move to other tiles; distance inside tiles, 0: none
    std::vector<std::int64_t> levels;
    std::int64_t packets, total;
    std::int64_t leaving;
  };
  const Case worked[] = {
      {1, 1, 1, {32, 32, 32, 32, 480, 32}, 1, 672, 1},       {1, 16, 1, {32, 32, 32, 32, 480, 32}, 1, 672, 1},
      {128, 16, 16, {0, 0, 0, 0, 256, 512}, 128, 1280, 128}, {8, 256, 0, {0, 0, 0, 2048, 3840, 2048}, 128, 7936, 8},
      {1, 64, 1, {64, 64, 64, 64, 960, 64}, 4, 1312, 1},     {32, 64, 64, {0, 0, 0, 0, 896, 1024}, 128, 3968, 32},
  };
  for (const Case &c : worked) {
    for (const std::int64_t sign : {1, -1}) {
      const TileShiftTime t = time.tileShift(sign * c.tiles, c.bitlines, 32, 256, c.leaving);
      EXPECT_EQ(t.levels, c.levels) << c.tiles;
      EXPECT_EQ(t.packets, c.packets);
      EXPECT_EQ(t.total() + time.intraShift(sign * c.intra, 32).value, c.total);
    }
  }
}

TEST(SramTime, OfComputeCommandsComesFromTheChosenTable) {
  SramCommand add;
  add.kind = Kind::kCompute;
  add.bitlines = run(0, 256);
  add.tiles = run(0, 4);
  add.banks = program::banksOf(add.tiles, 256);
  const auto cycles = [&](const std::string &times, kernel::Op op, DType type) {
    add.op = op;
    add.type = add.argument = type;
    CommandTime time(preset(times));
    return time.of(add, 0)->value;
  };
  EXPECT_EQ(cycles("artifact", kernel::Op::kAdd, DType::kI32), 32);
  EXPECT_EQ(cycles("artifact", kernel::Op::kMul, DType::kI32), 512);
  EXPECT_EQ(cycles("artifact", kernel::Op::kMul, DType::kF32), 1024);
  EXPECT_EQ(cycles("artifact", kernel::Op::kCmpLt, DType::kF32), 1024);
  EXPECT_EQ(cycles("paper", kernel::Op::kMul, DType::kI32), 32 * 32 + 5 * 32);
  EXPECT_EQ(cycles("paper", kernel::Op::kAdd, DType::kI32), 32);
  EXPECT_EQ(cycles("counted", kernel::Op::kAdd, DType::kI32),
            microProgram({kernel::Op::kAdd, DType::kI32, DType::kI32})->cycles());
  CommandTime shared(preset("artifact"), 2);
  EXPECT_EQ(shared.of(add, 0)->value, 2 * 32);
}

TEST(SramTime, OfAListWaitsForTheSlowestBankAtEachSync) {
  const std::string text =
      "add i32 64 = 0, 32 | bitlines 0:1:256 | tiles 0:1:256\n"
      "mul i32 96 = 0, 32 | bitlines 0:1:256 | tiles 256:1:256\n"
      "sync\n"
      "add i32 64 = 0, 32 | bitlines 0:1:255 | tiles 0\n"
      "add i32 64 = 0, 32 | bitlines 0:1:256 | tiles 1:1:255\n";
  const auto list = program::parseSramCommands(text, 256);
  ASSERT_TRUE(list) << list.diagnostics().front().str();
  EXPECT_EQ(print(*list), text);
  CommandTime time(preset("artifact"));
  const auto sum = time.of(*list);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->compute.value, 512 + 32);
  EXPECT_EQ(sum->sync.value, 2 * (14 * 6 + 5));
  EXPECT_EQ(sum->total.value, 512 + 32 + 178);
}

TEST(SramCommands, AreReadBackOrRefusedWithTheirLine) {
  const std::string good =
      "select f32 of u8 96 = 0, 8, 40 | bitlines 0:1:256 | tiles 3\n"
      "broadcast 32 64 = 0 by -3:16:4 tiles 2:16:2 | bitlines 5 | tiles 0:2:2\n"
      "constant 16 9 = 15360 | bitlines 1:2:2 | tiles 0:2:2\n"
      "stream 4\n";
  const auto again = program::parseSramCommands(good, 256);
  ASSERT_TRUE(again) << again.diagnostics().front().str();
  EXPECT_EQ(print(*again), good);
  const auto text = [](std::string_view line) {
    const auto c = program::parseSramCommands(std::string("sync\n") + std::string(line), 256, "x.txt");
    return c ? std::string() : c.diagnostics().front().str();
  };
  for (const char *line : {"nonsense",
                           "add",
                           "add f32",
                           "add f32 0 = 1",
                           "add f32 0 = 1, 2",
                           "add f32 0 = 1, 2 | bitlines",
                           "add f32 0 = 1, 2 | bitlines 0:0:2 | tiles 0",
                           "add f32 0 = 1, 2 | bitlines 0:1 | tiles 0",
                           "add f32 0 = 1, 2 | bitlines 0 | tiles 99999999",
                           "add f32 0 = 1, 2 | bitlines 0 | tiles 0 more",
                           "sync now",
                           "shift 32 0 = 32 | bitlines 0 | tiles 0",
                           "shift 32 0 = 32 by x | bitlines 0 | tiles 0",
                           "constant 32 0 = x",
                           "stream x",
                           "copy 32 0 32",
                           "add f32 -1 = 1, 2 | bitlines 0 | tiles 0",
                           "add f32 0 = 1, 99999999 | bitlines 0 | tiles 0",
                           "stream -1",
                           "copy -8 0 = 32 | bitlines 0 | tiles 0"})
    EXPECT_EQ(text(line).substr(0, 8), "x.txt:2:") << line << ": " << text(line);
  const auto code = [](std::string_view line) {
    return program::parseSramCommands(line, 256).diagnostics().front().code;
  };
  EXPECT_EQ(code("nonsense"), "sram-command");
  EXPECT_EQ(code("add f32 0 = 1, 2 | bitlines 0:0:2 | tiles 0"), "sram-pattern");
}

/// Any bits; of NaN the positive quiet one, since which payload survives is not the interpreter's to say.
std::uint64_t randomNumber(Rng &rng, DType type) {
  const int bits = bitsOf(type);
  const std::uint64_t x = rng.next() & (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
  if (!isFloat(type)) return x;
  const int mantissa = type == DType::kF16 ? 10 : type == DType::kBF16 ? 7 : type == DType::kF32 ? 23 : 52;
  const std::uint64_t ones = (std::uint64_t{1} << (bits - 1 - mantissa)) - 1;
  return (x >> mantissa & ones) == ones ? (ones << mantissa) | (std::uint64_t{1} << (mantissa - 1)) : x;
}

/// Random commands on random values leave the same in both executors.
TEST(SramExecutors, ComputeTheSameInBitsAndInWords) {
  const std::int64_t cases = test::caseCount(40);
  Rng rng(7);
  const auto number = [&](std::int64_t below) {
    return static_cast<std::int64_t>(rng.next() % static_cast<std::uint64_t>(below));
  };
  using kernel::Op;
  const DType types[] = {DType::kI8, DType::kU16, DType::kI32, DType::kF16, DType::kBF16, DType::kF32, DType::kF64};
  const Op ops[] = {Op::kAdd, Op::kSub, Op::kMul,  Op::kMin,   Op::kMax,
                    Op::kNeg, Op::kAbs, Op::kRelu, Op::kCmpLt, Op::kDiv};
  for (int i = 0; i < cases; ++i) {
    const DType type = types[number(std::size(types))];
    const int bits = bitsOf(type);
    const LatticeShape shape{256, 6, 256};
    const auto inBits = makeExecutor(machine::Sram::Mode::kBits, shape),
               inWords = makeExecutor(machine::Sram::Mode::kWords, shape);
    std::vector<std::uint64_t> values(static_cast<std::size_t>(shape.cells()));
    for (int v = 0; v < 2; ++v) {
      for (std::uint64_t &x : values) x = randomNumber(rng, type);
      inBits->store(v * bits, bits, 0, values);
      inWords->store(v * bits, bits, 0, values);
    }
    std::fill(values.begin(), values.end(), 0);
    inBits->store(2 * bits, bits, 0, values);
    inWords->store(2 * bits, bits, 0, values);
    SramCommand c;
    c.bits = bits;
    c.type = c.argument = type;
    c.operands = {0, bits, -1};
    c.dest = 2 * bits;
    c.bitlines = SramPattern(number(16));
    c.bitlines.add(1 + number(3), 1 + number(5));
    c.bitlines.add(32, 1 + number(4));
    c.tiles = SramPattern(number(2));
    c.tiles.add(1 + number(2), 1 + number(2));
    switch (number(4)) {
      case 0:
        c.kind = Kind::kCompute;
        c.op = ops[number(std::size(ops))];
        if (kernel::isComparison(c.op)) c.type = DType::kU8;
        break;
      case 1:
        c.kind = Kind::kTileShift;
        c.bitlineDistance = number(64);
        c.tileDistance = number(2);
        break;
      case 2:
        c.kind = Kind::kBroadcast;
        c.bitlines = SramPattern(number(8));
        c.bitlines.add(64, 1 + number(3));
        c.tiles = SramPattern(number(2));
        c.bitlineDistance = -number(c.bitlines.start() + 1);
        c.bitlineCopies = SramPattern(0);
        c.bitlineCopies.add(8, 1 + number(7));
        c.tileCopies = SramPattern(0);
        c.tileCopies.add(1, 1 + number(4));
        break;
      default:
        c.kind = Kind::kConstant;
        c.constant = rng.next() & 0xff;
        break;
    }
    ASSERT_TRUE(inBits->run(c));
    ASSERT_TRUE(inWords->run(c));
    const int read = c.kind == Kind::kCompute ? bitsOf(c.type) : bits;
    std::vector<std::uint64_t> left(values.size()), right(values.size());
    inBits->load(c.dest, read, 0, left);
    inWords->load(c.dest, read, 0, right);
    // Words keep no bits of another width behind a narrower result.
    if (read != bits) {
      const auto keep = [&](std::vector<std::uint64_t> &v) {
        std::vector<std::uint64_t> only;
        c.tiles.forEach([&](std::int64_t t) {
          c.bitlines.forEach([&](std::int64_t b) { only.push_back(v[static_cast<std::size_t>(t * 256 + b)]); });
        });
        v = only;
      };
      keep(left);
      keep(right);
    }
    ASSERT_EQ(left, right) << print(c);
  }
}

}  // namespace
}  // namespace pimento::sim::sram
