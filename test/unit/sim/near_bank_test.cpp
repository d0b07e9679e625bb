// Commands added by a row of a machine file and one function: a matrix-vector product by MAC16, WRGB and RDMAC.
#include "pimento/sim/pim/near_bank.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "pimento/base/dtype.h"
#include "pimento/base/rng.h"
#include "pimento/program/text.h"
#include "pimento/sim/dram/bound.h"
#include "pimento/sim/dram/critical_path.h"
#include "pimento/sim/pim/unit_arithmetic.h"
#include "test/support/near_bank_machine.h"
#include "test/support/trace.h"

namespace pimento::test {
namespace {

using sim::dram::IssuedCommand;
using sim::pim::Effect;
using sim::pim::Half;
using sim::pim::kLanes;
using sim::pim::NearBankDevice;

// --- What the commands do to data: all that C++ has to know of them.

void writeBuffer(NearBankDevice &d, const IssuedCommand &c) {
  for (int channel = 0; channel < d.channels(); ++channel)
    std::copy_n(d.sent(c, channel), kLanes, d.buffer(channel, c.column));
}

void multiplyAccumulate(NearBankDevice &d, const IssuedCommand &c) {
  for (std::uint64_t m = c.banks; m != 0; m &= m - 1)
    for (int channel = 0; channel < d.channels(); ++channel) {
      const int bank = std::countr_zero(m);
      sim::pim::lanes().mac(d.accumulator(channel, bank), d.burst(channel, bank, c.row, c.column),
                            d.buffer(channel, c.column));
    }
}

/// The sums of all banks to the host, and zeros in their place.
void readAccumulators(NearBankDevice &d, const IssuedCommand &c) {
  for (int channel = 0; channel < d.channels(); ++channel)
    for (std::uint64_t m = c.banks; m != 0; m &= m - 1) {
      Half *sums = d.accumulator(channel, std::countr_zero(m));
      d.host().insert(d.host().end(), sums, sums + kLanes);
      std::fill_n(sums, kLanes, Half{0});
    }
}

constexpr std::array<Effect, 5> kEffects = {{{"RD", sim::pim::readBanks},
                                             {"WR", sim::pim::writeBanks},
                                             {"MAC16", multiplyAccumulate},
                                             {"WRGB", writeBuffer},
                                             {"RDMAC", readAccumulators}}};

/// y = A x: bank b holds row 16 * tile + b of A in its row `tile`; x is in the buffer, burst by burst.
std::string productOf(int tiles, int bursts) {
  return fmt::format(R"(program near-bank
command WRGB write
command MAC16 read
command RDMAC read
image x bursts {0}
process channel x1 {{
  loop c {0} {{
    WRGB column c barrier broadcast data x[c]
  }}
  loop tile {1} {{
    loop c {2} {{
      MAC16 row tile column c pim_mac
    }}
    MAC16 row tile column {2} barrier pim_mac
    RDMAC barrier host_read
  }}
}}
)",
                     bursts, tiles, bursts - 1);
}

program::Program parsed(const std::string &text) {
  auto p = program::parse(text);
  EXPECT_TRUE(p) << p.diagnostics().front().str();
  return *p;
}

TEST(NearBank, AMatrixVectorProductByItsCommandsIsThatOfAPlainLoop) {
  constexpr int kTiles = 5, kBursts = 8, kBanks = 16;
  const machine::Machine m = nearBankMachine();
  const program::Program program = parsed(productOf(kTiles, kBursts));
  ASSERT_TRUE(program::verify(program, m)) << program::verify(program, m).diagnostics().front().str();

  Rng rng(7);
  const auto random = [&] { return static_cast<Half>(0x3000 + rng.integer(0, 0xbff) + (rng.integer(0, 1) << 15)); };
  std::vector<Half> x(kBursts * kLanes);
  for (Half &h : x) h = random();
  NearBankDevice device(m, 1, kTiles, kEffects);
  device.setImages({{false, x}});
  for (int tile = 0; tile < kTiles; ++tile)
    for (int bank = 0; bank < kBanks; ++bank)
      for (int c = 0; c < kBursts; ++c)
        for (int l = 0; l < kLanes; ++l) device.burst(0, bank, tile, c)[l] = random();

  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(m);
  const program::FlatLoops code = flatten(program.processes.front(), spec, program.commands);
  sim::dram::Channel channel(spec, code, &device);
  while (channel.run().kind != sim::Checkpoint::Kind::kDone) {
  }

  ASSERT_EQ(device.host().size(), static_cast<std::size_t>(kTiles * kBanks * kLanes));
  for (int y = 0; y < kTiles * kBanks; ++y) {
    for (int l = 0; l < kLanes; ++l) {
      Half sum = 0;
      for (int c = 0; c < kBursts; ++c)
        sum = f16Add(
            sum, f16Mul(device.burst(0, y % kBanks, y / kBanks, c)[l], x[static_cast<std::size_t>(c * kLanes + l)]));
      ASSERT_EQ(device.host()[static_cast<std::size_t>(y * kLanes + l)], sum) << "element " << y << " lane " << l;
    }
  }
}

TEST(NearBank, WritesAndReadsOfOneBankMoveItsBursts) {
  const machine::Machine m = nearBankMachine();
  const program::Program program = parsed(
      "program near-bank\nimage d bursts 2\nprocess c x1 {\n  WR rank 0 bank 3 row 1 column 2 barrier host_write data "
      "d[1]\n  RD rank 0 bank 3 row 1 column 2 host_read\n}\n");
  std::vector<Half> values(2 * kLanes);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Half>(i);
  NearBankDevice device(m, 1, 2, kEffects);
  device.setImages({{false, values}});
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(m);
  const program::FlatLoops code = flatten(program.processes.front(), spec);
  sim::dram::Channel channel(spec, code, &device);
  while (channel.run().kind != sim::Checkpoint::Kind::kDone) {
  }
  EXPECT_EQ(device.host(), std::vector<Half>(values.begin() + kLanes, values.end()));
}

// Fast-forward and the plain run, one time and one set of counts; most is skipped.
TEST(NearBank, EstimatesWhatItSimulates) {
  for (const char *refresh : {"", "refresh: {policy: single-slot}\n"}) {
    std::string yaml = kNearBankYaml;
    if (*refresh != 0) yaml.replace(yaml.find("refresh: {policy: none}\n"), 24, refresh);
    const auto m = machine::parseMachine(yaml, "m.yaml", {std::string(PIMENTO_SOURCE_DIR) + "/machines"});
    ASSERT_TRUE(m) << m.diagnostics().front().str();
    for (const int tiles : {1, 7, 400, 3000}) {
      const program::Program program = parsed(productOf(tiles, 20));
      const sim::dram::ChannelSpec spec = sim::pim::channelSpec(*m);
      const program::FlatLoops code = flatten(program.processes.front(), spec, program.commands);
      sim::dram::Channel plain(spec, code), fast(spec, code);
      const auto all = sim::FastForward<sim::dram::Channel>(plain, {false}).run();
      const auto some = sim::FastForward<sim::dram::Channel>(fast, {}).run();
      EXPECT_FALSE(all.isStuck);
      EXPECT_EQ(fast.cycles(), plain.cycles()) << tiles << " tiles; " << refresh;
      EXPECT_EQ(fast.counts(), plain.counts());
      if (tiles >= 400) {
        EXPECT_GT(some.skipped, fast.cycles().value / 2);
      }
      EXPECT_LE(sim::dram::lowerBound(spec, code).cycles, plain.cycles());
    }
  }
}

TEST(NearBank, ItsCyclesAreExplainedWithoutRemainder) {
  const machine::Machine m = nearBankMachine();
  const program::Program program = parsed(productOf(9, 12));
  const program::Process &process = program.processes.front();
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(m);
  const program::FlatLoops code = flatten(process, spec, program.commands);
  const sim::dram::Phases phases(commandsOf(process));
  sim::dram::CriticalPath path(*m.dram, spec, code, phases);
  sim::dram::Channel channel(spec, code, &path);
  sim::FastForward<sim::dram::Channel>(channel, {false}).run();
  EXPECT_EQ(path.result().total(), channel.cycles());
  for (const sim::dram::PathShare &s : path.result().shares) EXPECT_NE(s.wait, sim::dram::Wait::kUnattributed);
}

// Processors differ in the sign of a NaN that arithmetic makes; relu makes 0 of one and keeps the other.
TEST(NearBank, ANaNThatArithmeticMakesIsPositiveInEveryType) {
  const float made = -std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(std::signbit(made));
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    const float x = sim::pim::rounded(type, made);
    EXPECT_TRUE(std::isnan(x));
    EXPECT_FALSE(std::signbit(x)) << name(type);
  }
}

}  // namespace
}  // namespace pimento::test
