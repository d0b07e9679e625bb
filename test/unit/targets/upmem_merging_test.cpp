// Who merges the partial results of tasklets, where they lie, and what goes back to the host.
#include <gtest/gtest.h>

#include "pimento/kernel/zoo.h"
#include "pimento/targets/upmem/compiled/lower.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

using targets::upmem::compiled::Operand;
using targets::upmem::compiled::Scheme;

class Merging : public testing::Test {
 protected:
  Scheme schemeOf(const std::string &kernel, const kernel::Sizes &sizes, const std::string &map) {
    auto made = kernel::makeZooKernel(kernel, sizes, DType::kI32);
    EXPECT_TRUE(made.ok());
    graph_ = *made;
    const machine::Machine machine = handUpmemWithRoom();
    const auto spec = mapping::parseMapSpec(map);
    EXPECT_TRUE(spec.ok());
    auto source = targets::upmem::compiled::writeSource(graph_, 0, spec->mapping, machine);
    EXPECT_TRUE(source.ok()) << source.diagnostics().front().str();
    text_ = source->written.text;
    return source->scheme;
  }
  static const Operand &resultOf(const Scheme &scheme) {
    return scheme.operands[static_cast<std::size_t>(scheme.stores[0].operand)];
  }

  kernel::Graph graph_;
  std::string text_;
};

TEST_F(Merging, ArraysAreMergedByTheDpuAndSingleNumbersByTheHost) {
  const Scheme many = schemeOf("hst", {{"n", 8000}, {"bins", 256}}, "M1:{(1),(8),(16),(63)}");
  EXPECT_TRUE(resultOf(many).isMerged);
  EXPECT_TRUE(many.mergesInWram);
  EXPECT_EQ(many.resultsOf(resultOf(many)), 1);
  EXPECT_NE(text_.find("barrier_wait"), std::string::npos);
  const Scheme one = schemeOf("red", {{"n", 8000}}, "M1:{(1),(8),(16),(63)}");
  EXPECT_FALSE(resultOf(one).isMerged);
  EXPECT_EQ(one.resultsOf(resultOf(one)), 16);
  EXPECT_EQ(text_.find("barrier_wait"), std::string::npos);
}

TEST_F(Merging, WhatTheMappingSaysComesFirst) {
  EXPECT_TRUE(resultOf(schemeOf("red", {{"n", 8000}}, "M1:{(1),(8),(16),(63)};merge=device")).isMerged);
  EXPECT_FALSE(resultOf(schemeOf("hst", {{"n", 8000}, {"bins", 256}}, "M1:{(1),(8),(16),(63)};merge=host")).isMerged);
  EXPECT_FALSE(resultOf(schemeOf("red", {{"n", 8000}}, "M1:{(1),(8),(1),(1000)};merge=device")).isMerged)
      << "a lone tasklet shares nothing";
}

TEST_F(Merging, ResultsOfTilesAreMergedByWayOfMram) {
  const Scheme s = schemeOf("gemv", {{"m", 300}, {"n", 64}}, "M1:{(1,1),(1,1),(2,8),(150,8)};merge=device;buffer=8");
  EXPECT_TRUE(resultOf(s).isMerged);
  EXPECT_EQ(resultOf(s).members, 8);
  EXPECT_EQ(s.resultsOf(resultOf(s)), 2) << "one for each half of the rows";
  EXPECT_EQ(lower::resultOf(s, resultOf(s), 8), 1);
  EXPECT_FALSE(lower::resultOf(s, resultOf(s), 9).has_value());
  EXPECT_EQ(s.mergesInWram, text_.find("uint8_t *const sums") != std::string::npos);
}

TEST_F(Merging, TheChoiceIsSaidWithItsReason) {
  const auto notes = notesOnMerging(schemeOf("hst", {{"n", 8000}, {"bins", 256}}, "M1:{(1),(8),(16),(63)}"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("'h', 16 tasklets each, are merged in WRAM, by the DPU: about"), std::string::npos)
      << notes[0];
  EXPECT_TRUE(notesOnMerging(schemeOf("va", {{"n", 8000}}, "M1:{(1),(8),(16),(63)}")).empty());
}

}  // namespace
}  // namespace pimento::test
