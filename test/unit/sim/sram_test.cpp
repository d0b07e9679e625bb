// Micro-op programs of SRAM arrays give, bit for bit, what the interpreter's lanes give.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/scalar.h"
#include "pimento/sim/sram/arrays.h"
#include "pimento/sim/sram/operations.h"

namespace pimento::sim::sram {
namespace {

using kernel::Op;

constexpr std::array kTypes = {DType::kI8,  DType::kI16, DType::kI32, DType::kI64,  DType::kU8,  DType::kU16,
                               DType::kU32, DType::kU64, DType::kF16, DType::kBF16, DType::kF32, DType::kF64};
constexpr std::array kOps = {Op::kAdd,  Op::kSub,   Op::kMul,   Op::kDiv,   Op::kRem,   Op::kMin,   Op::kMax,
                             Op::kAnd,  Op::kOr,    Op::kXor,   Op::kShl,   Op::kShr,   Op::kNeg,   Op::kAbs,
                             Op::kRelu, Op::kCmpEq, Op::kCmpNe, Op::kCmpLt, Op::kCmpLe, Op::kCmpGt, Op::kCmpGe};

bool isWide(DType t) {
  return bitsOf(t) > 16;
}

/// Pairs per operation of types of which not all pairs are tried.
std::int64_t randomPairs() {
  const char *cases = std::getenv("PIMENTO_CASES");
  return cases != nullptr ? std::atoll(cases) : 20'000;
}

std::uint64_t maskOf(DType t) {
  return bitsOf(t) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bitsOf(t)) - 1;
}

/// Zeros, ones, subnormals, ties, infinities, NaN, the ends of ranges; otherwise random bits or nearby exponents.
std::uint64_t numberOf(DType t, Rng &rng) {
  const int bits = bitsOf(t);
  const std::uint64_t any =
      (std::uint64_t{rng.below(1u << 31)} << 33) ^ (std::uint64_t{rng.below(1u << 31)} << 11) ^ rng.below(1u << 31);
  if (rng.below(4) != 0 && !isFloat(t)) return any & maskOf(t) & (rng.below(3) == 0 ? 0xff : ~std::uint64_t{0});
  if (!isFloat(t)) {
    const std::array<std::uint64_t, 8> special = {0,
                                                  1,
                                                  2,
                                                  maskOf(t),
                                                  maskOf(t) - 1,
                                                  maskOf(t) >> 1,
                                                  (maskOf(t) >> 1) + 1,
                                                  std::uint64_t{1} << rng.below(static_cast<std::uint32_t>(bits))};
    return special[rng.below(special.size())];
  }
  const int mantissa = t == DType::kF16 ? 10 : t == DType::kBF16 ? 7 : t == DType::kF32 ? 23 : 52;
  const int exponentBits = bits - 1 - mantissa;
  const std::uint64_t exponentMask = (std::uint64_t{1} << exponentBits) - 1, bias = exponentMask >> 1;
  const std::uint64_t sign = std::uint64_t{rng.below(2)} << (bits - 1), ones = (std::uint64_t{1} << mantissa) - 1;
  std::uint64_t exponent = any >> 40 & exponentMask, fraction = any & ones;
  switch (rng.below(8)) {
    case 0:  // zero or subnormal
      exponent = 0;
      break;
    case 1:  // infinity or NaN
      exponent = exponentMask;
      break;
    case 2:
    case 3:  // near 1
      exponent = bias + rng.below(8) - 4;
      break;
    case 4:  // integers of about the widths of types
      exponent = std::min(exponentMask, bias + rng.below(70));
      break;
    default:
      break;
  }
  switch (rng.below(5)) {
    case 0:
      fraction = 0;
      break;
    case 1:
      fraction = ones;
      break;
    case 2:
      fraction &= rng.below(8) | (std::uint64_t{1} << (mantissa - 1));
      break;
    default:
      break;
  }
  return sign | (exponent << mantissa) | fraction;
}

struct Columns {
  std::vector<std::uint64_t> a, b, c;
};

DType typeOfArgument(const Operation &o, int argument) {
  return argument == 0 && (o.op == Op::kCast || o.op == Op::kSelect) ? o.argument : o.type;
}

std::vector<std::uint64_t> inArrays(const Operation &o, const Columns &in) {
  const auto program = microProgram(o);
  EXPECT_TRUE(program);
  Wordlines at{};
  int row = 0;
  for (int p = 0; p < 3; ++p) at[static_cast<std::size_t>(p)] = std::exchange(row, row + argumentBits(o, p));
  at[3] = std::exchange(row, row + resultBits(o));
  Arrays arrays(row, static_cast<std::int64_t>(in.a.size()));
  // What the result holds before must not matter.
  const std::vector<std::uint64_t> rubbish(in.a.size(), 0x5a5a5a5aa5a5a5a5);
  for (int r = at[3]; r < row; ++r) arrays.store(r, 1, 0, rubbish);
  arrays.store(at[0], argumentBits(o, 0), 0, in.a);
  if (argumentBits(o, 1) > 0) arrays.store(at[1], argumentBits(o, 1), 0, in.b);
  if (argumentBits(o, 2) > 0) arrays.store(at[2], argumentBits(o, 2), 0, in.c);
  arrays.run(*program, at);
  std::vector<std::uint64_t> out(in.a.size());
  arrays.load(at[3], resultBits(o), 0, out);
  return out;
}

std::vector<std::uint64_t> inLanes(const Operation &o, const Columns &in) {
  kernel::Value node;
  node.op = o.op;
  node.type = kernel::isComparison(o.op) ? DType::kU8 : o.type;
  std::vector<std::uint64_t> out(in.a.size());
  kernel::Lanes a, b, c, result;
  for (std::size_t begin = 0; begin < out.size(); begin += kernel::kBlock) {
    const int count = static_cast<int>(std::min<std::size_t>(kernel::kBlock, out.size() - begin));
    // Numbers of any type stand 8 bytes apart, in the low ones.
    const auto read = [&](DType t, const std::vector<std::uint64_t> &from, kernel::Lanes &lanes) {
      kernel::gather(t, reinterpret_cast<const std::byte *>(&from[begin]), 0, 64 / bitsOf(t), lanes, 0, count);
    };
    read(typeOfArgument(o, 0), in.a, a);
    if (argumentBits(o, 1) > 0) read(o.type, in.b, b);
    if (argumentBits(o, 2) > 0) read(o.type, in.c, c);
    kernel::evaluate(node, o.op == Op::kCast ? o.argument : o.type, result, a, b, c, count);
    kernel::scatter(node.type, reinterpret_cast<std::byte *>(&out[begin]), 0, 64 / bitsOf(node.type), result, 0, count);
  }
  return out;
}

std::string what(const Operation &o) {
  return std::string(kernel::name(o.op)) + " " + std::string(name(o.type)) + " of " + std::string(name(o.argument));
}

/// All NaN are one: which payload survives a move or a cast is not the interpreter's to say.
bool isSame(DType t, std::uint64_t a, std::uint64_t b) {
  if (a == b || !isFloat(t)) return a == b;
  const double x = decodeFloat(t, a), y = decodeFloat(t, b);
  return x != x && y != y;
}

void expectSame(const Operation &o, const Columns &in) {
  const DType type = kernel::isComparison(o.op) ? DType::kU8 : o.type;
  const auto bits = inArrays(o, in), lanes = inLanes(o, in);
  int shown = 0;
  for (std::size_t i = 0; i < bits.size() && shown < 3; ++i) {
    if (isSame(type, bits[i], lanes[i])) continue;
    ++shown;
    ADD_FAILURE() << what(o) << std::hex << ": a " << in.a[i] << " b " << (in.b.empty() ? 0 : in.b[i]) << " gives "
                  << bits[i] << ", not " << lanes[i];
  }
}

/// All pairs of 8-bit numbers, of the 16-bit formats all pairs of some of every kind, random ones of the others.
Columns columnsFor(const Operation &o, Rng &rng) {
  Columns in;
  const DType first = typeOfArgument(o, 0);
  std::vector<std::uint64_t> a, b;
  const std::size_t some = randomPairs() > 1'000'000 ? 2048 : 128;
  const auto all = [&](DType t) {
    std::vector<std::uint64_t> out;
    if (bitsOf(t) == 8)
      for (std::uint64_t x = 0; x < 256; ++x) out.push_back(x);
    else
      for (std::size_t i = 0; i < some; ++i) out.push_back(numberOf(t, rng));
    return out;
  };
  if (isWide(first) || isWide(o.type)) {
    for (std::int64_t i = 0; i < randomPairs(); ++i) {
      in.a.push_back(numberOf(first, rng));
      in.b.push_back(rng.below(8) == 0 && first == o.type ? in.a.back() : numberOf(o.type, rng));
      in.c.push_back(numberOf(o.type, rng));
    }
    return in;
  }
  const std::vector<std::uint64_t> as = all(first), bs = all(o.type);
  for (const std::uint64_t x : as)
    for (const std::uint64_t y : bs) {
      in.a.push_back(x);
      in.b.push_back(y);
      in.c.push_back(numberOf(o.type, rng));
    }
  return in;
}

TEST(SramOperations, GiveWhatTheInterpreterGives) {
  Rng rng(1);
  int programs = 0;
  for (const DType type : kTypes)
    for (const Op op : kOps) {
      const Operation o{op, type, type};
      if (!microProgram(o)) continue;
      ++programs;
      expectSame(o, columnsFor(o, rng));
    }
  EXPECT_EQ(programs, 8 * 21 + 4 * 15);
}

TEST(SramOperations, SelectAndCastFromAndToEveryType) {
  Rng rng(2);
  for (const DType type : kTypes) {
    for (const DType from : kTypes) {
      const Operation o{Op::kCast, type, from};
      expectSame(o, columnsFor(o, rng));
    }
    const Operation o{Op::kSelect, type, DType::kU8};
    expectSame(o, columnsFor(o, rng));
  }
}

TEST(SramOperations, WithoutSubnormalNumbersTheyAreZeroOnBothSides) {
  Rng rng(3);
  for (const DType type : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64})
    for (const Op op : {Op::kMul, Op::kDiv}) {
      const int mantissa = type == DType::kF16 ? 10 : type == DType::kBF16 ? 7 : type == DType::kF32 ? 23 : 52;
      const std::uint64_t magnitude = maskOf(type) >> 1;
      const auto flushed = [&](std::uint64_t x) { return (x & magnitude) >> mantissa == 0 ? x & ~magnitude : x; };
      Operation o{op, type, type};
      Columns in = columnsFor(o, rng), flat = in;
      for (std::uint64_t &x : flat.a) x = flushed(x);
      for (std::uint64_t &x : flat.b) x = flushed(x);
      const std::vector<std::uint64_t> expected = inLanes(o, flat);
      o.hasSubnormals = false;
      const std::vector<std::uint64_t> got = inArrays(o, in);
      const std::uint64_t smallest = std::uint64_t{1} << mantissa;
      for (std::size_t i = 0; i < got.size(); ++i) {
        // Of what rounds up to the smallest normal number the hardware sees a subnormal one.
        if ((expected[i] & magnitude) == smallest && (got[i] & magnitude) == 0) continue;
        ASSERT_EQ(got[i], flushed(expected[i])) << what(o) << std::hex << " " << in.a[i] << " " << in.b[i];
      }
    }
}

TEST(SramOperations, TakeAsManyCyclesAsTheirStepsAtMost) {
  const auto cycles = [](Op op, DType type, bool hasSubnormals) {
    return microProgram({op, type, type, hasSubnormals})->cycles();
  };
  EXPECT_EQ(cycles(Op::kAdd, DType::kI32, true), 33);
  EXPECT_EQ(cycles(Op::kAnd, DType::kI32, true), 32);
  EXPECT_LE(cycles(Op::kAdd, DType::kF32, true), 1024);
  EXPECT_LE(cycles(Op::kMul, DType::kF32, false), 1024);
}

TEST(SramOperations, FitAnArrayWithTheirOperands) {
  for (const DType type : kTypes)
    for (const Op op : kOps) {
      const Operation o{op, type, type};
      const auto program = microProgram(o);
      if (!program) continue;
      const int rows = argumentBits(o, 0) + argumentBits(o, 1) + resultBits(o) + program->scratchRows;
      EXPECT_LE(rows, bitsOf(type) == 64 ? 512 : 256) << what(o);
    }
}

TEST(SramOperations, WhatArraysDoNotComputeIsRefused) {
  for (const Operation &o :
       {Operation{Op::kExp, DType::kF32, DType::kF32}, Operation{Op::kRem, DType::kF32, DType::kF32},
        Operation{Op::kAdd, DType::kF8E4M3, DType::kF8E4M3}, Operation{Op::kCast, DType::kF32, DType::kF8E5M2}}) {
    const auto program = microProgram(o);
    ASSERT_FALSE(program) << what(o);
    EXPECT_EQ(program.diagnostics().front().code, "sram-operation");
  }
}

TEST(SramArrays, BitlinesThatAreNotEnabledKeepTheirWordlines) {
  constexpr std::int64_t kBitlines = 3000;
  const auto program = microProgram({Op::kAdd, DType::kI16, DType::kI16});
  Arrays arrays(48, kBitlines);
  std::vector<std::uint64_t> a(kBitlines), b(kBitlines), out(kBitlines), enabled((kBitlines + 63) / 64);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = i;
    b[i] = 3 * i;
    if (i % 3 == 0) enabled[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  arrays.store(0, 16, 0, a);
  arrays.store(16, 16, 0, b);
  arrays.run(*program, {0, 16, 0, 32}, enabled);
  arrays.load(32, 16, 0, out);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(out[i], i % 3 == 0 ? 4 * i & 0xffff : 0);
}

/// Bitlines of random words, of which every one has some of the bits of `lanes` alone.
std::vector<std::uint64_t> randomMask(Rng &rng, std::size_t words, std::uint64_t lanes) {
  std::vector<std::uint64_t> mask(words);
  for (std::uint64_t &m : mask)
    m = rng.below(3) == 0 ? 0 : lanes & (rng.below(2) == 0 ? ~std::uint64_t{0} : numberOf(DType::kU64, rng));
  return mask;
}

TEST(SramArrays, FewOfEveryWordsBitlinesComputeWhatAllWould) {
  Rng rng(5);
  // Every number of blocks that may share a run, shares of threads, and a block that is not whole.
  const std::int64_t words = 131 * kBlockWords + 5;
  const std::uint64_t patterns[] = {1,
                                    0xff,
                                    0xffffffff,
                                    0x5555555555555555,
                                    0x8000000000000000,
                                    0x00f000f000f000f0,
                                    0x0101010101010101 << 3,
                                    ~std::uint64_t{0},
                                    0xffff0000ffff0000,
                                    0x3f00,
                                    0x7fffffffffffffff};
  for (const std::uint64_t lanes : patterns)
    for (const Op op : {Op::kAdd, Op::kMax, Op::kCmpLt}) {
      const auto program = microProgram({op, DType::kI16, DType::kI16});
      ASSERT_TRUE(program);
      Arrays arrays(3 * 16, 64 * words, 2);
      std::vector<std::uint64_t> a(static_cast<std::size_t>(64 * words)), b = a, before = a, after = a;
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = rng.below(1 << 16);
        b[i] = rng.below(1 << 16);
        before[i] = rng.below(1 << 16);
      }
      arrays.store(0, 16, 0, a);
      arrays.store(16, 16, 0, b);
      arrays.store(32, 16, 0, before);
      const std::vector<std::uint64_t> mask = randomMask(rng, static_cast<std::size_t>(words), lanes);
      arrays.run(*program, {0, 16, 0, 32}, mask);
      arrays.load(32, 16, 0, after);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const auto x = static_cast<std::int16_t>(a[i]), y = static_cast<std::int16_t>(b[i]);
        std::uint64_t expected = before[i];
        if ((mask[i / 64] >> (i % 64) & 1) != 0)
          expected = op == Op::kAdd   ? static_cast<std::uint16_t>(x + y)
                     : op == Op::kMax ? static_cast<std::uint16_t>(std::max(x, y))
                                      : (before[i] & 0xff00) | (x < y ? 1 : 0);  // a u8
        ASSERT_EQ(after[i], expected) << i << " of lanes " << lanes;
      }
    }
}

TEST(SramArrays, MoveBitsBetweenAnyBitlines) {
  Rng rng(6);
  const std::int64_t words = 70 * kBlockWords, bitlines = 64 * words;
  const std::int64_t distances[] = {0,    1,     -1,   32,    -32,  63,     -63,     64,    -64,
                                    1024, -1024, 1025, -1025, 4096, -40000, 1 << 14, 12345, -54321};
  for (const std::int64_t distance : distances)
    for (const std::uint64_t lanes : {~std::uint64_t{0}, std::uint64_t{0xffffffff}, std::uint64_t{0xffff0000}})
      for (const bool isOnto : {false, true}) {
        Arrays arrays(8, bitlines, 2);
        std::vector<std::uint64_t> from(static_cast<std::size_t>(bitlines)), to = from, after = from;
        for (std::uint64_t &x : from) x = rng.below(16);
        for (std::uint64_t &x : to) x = rng.below(16);
        std::vector<std::uint64_t> mask = randomMask(rng, static_cast<std::size_t>(words), lanes);
        // What would leave the bitlines, and what would be read after it was written, stays.
        for (std::int64_t i = 0; i < bitlines; ++i) {
          const std::int64_t target = i + distance;
          bool isLeft = target < 0 || target >= bitlines;
          if (isOnto && !isLeft && distance != 0)
            isLeft = i / std::abs(distance) % 2 == 0 || target / std::abs(distance) % 2 != 0 || target < 0;
          if (isLeft) mask[static_cast<std::size_t>(i / 64)] &= ~(std::uint64_t{1} << (i % 64));
        }
        arrays.store(0, 4, 0, from);
        arrays.store(4, 4, 0, to);
        arrays.move(0, isOnto ? 0 : 4, 4, distance, mask);
        std::vector<std::uint64_t> expected = isOnto ? from : to;
        for (std::int64_t i = 0; i < bitlines; ++i)
          if ((mask[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) != 0)
            expected[static_cast<std::size_t>(i + distance)] = from[static_cast<std::size_t>(i)];
        arrays.load(isOnto ? 0 : 4, 4, 0, after);
        ASSERT_TRUE(after == expected) << "by " << distance << " of lanes " << lanes << " onto itself " << isOnto;
      }
}

TEST(SramArrays, FillTheBitlinesThatAreEnabled) {
  Rng rng(7);
  const std::int64_t words = 66 * kBlockWords + 3;
  Arrays arrays(12, 64 * words, 2);
  std::vector<std::uint64_t> before(static_cast<std::size_t>(64 * words)), after = before;
  for (std::uint64_t &x : before) x = rng.below(256);
  arrays.store(2, 8, 0, before);
  const std::vector<std::uint64_t> mask = randomMask(rng, static_cast<std::size_t>(words), ~std::uint64_t{0});
  arrays.fill(2, 8, 0xa5, mask);
  arrays.load(2, 8, 0, after);
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_EQ(after[i], (mask[i / 64] >> (i % 64) & 1) != 0 ? 0xa5 : before[i]) << i;
}

}  // namespace
}  // namespace pimento::sim::sram
