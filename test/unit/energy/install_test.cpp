// Sets of arrays and cells in a machine's energy section.
#include "pimento/energy/array/install.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/energy/array/cost.h"
#include "pimento/energy/energy.h"
#include "test/support/array_rows.h"
#include "test/support/machine_file.h"

namespace pimento::energy::array {
namespace {

using test::arrayCell;
using test::arraySet;

const machine::EnergyTerm *termOf(const machine::Machine &m, std::string_view name) {
  const auto found = std::ranges::find(m.energy, name, &machine::EnergyTerm::name);
  return found == m.energy.end() ? nullptr : &*found;
}

machine::Machine installed(machine::Machine m, const std::string &set, const std::string &cell) {
  const Status s = install(m, arraySet(set), arrayCell(cell), arrayCell("sram"));
  EXPECT_TRUE(s.ok()) << s.diagnostics().front().str();
  return m;
}
machine::Machine installed(const std::string &machine, const std::string &set, const std::string &cell) {
  return installed(test::load(machine), set, cell);
}

TEST(InstalledArrays, OfTable3HaveItsNumbers) {
  for (const auto &[cell, read, add] : {std::tuple{"sram", 61, 79}, std::tuple{"fefet", 34, 105}}) {
    const machine::Machine m = installed("cim-a9-64k", "table3", cell);
    EXPECT_EQ(termOf(m, "l1d_read")->energy.value, read);
    EXPECT_EQ(termOf(m, "l1d_cim_add")->energy.value, add);
    // What the table lacks stays as it was, and nothing is there twice.
    EXPECT_EQ(termOf(m, "l1d_write")->energy, termOf(test::load("cim-a9-64k"), "l1d_write")->energy);
    for (const machine::EnergyTerm &t : m.energy)
      EXPECT_EQ(std::ranges::count(m.energy, t.name, &machine::EnergyTerm::name), 1) << t.name;
    EXPECT_EQ(m.energySet, "table3-" + std::string(cell));
  }
}

TEST(InstalledArrays, ArePricedByTheirCounts) {
  const machine::Machine m = installed("cim-a9", "cacti7", "sram");
  ActionCounts counts;
  counts.add("l1d.cim_xor", 1000);
  counts.add("l2.read", 10);
  const EnergyReport none = price(m, {}, Picoseconds(1e6)), some = price(m, counts, Picoseconds(1e6));
  EXPECT_NEAR((some.total - none.total).value,
              1000 * termOf(m, "l1d_cim_xor")->energy.value + 10 * termOf(m, "l2_read")->energy.value, 1e-6);
  // 1 us of what both caches leak, in mW.
  EXPECT_NEAR(none.background.value,
              1000 * (termOf(m, "l1d_leakage")->energy.value + termOf(m, "l2_leakage")->energy.value), 1e-6);
  for (const EnergyRow &r : some.rows) EXPECT_FALSE(r.term.starts_with("l1d") && r.source.empty()) << r.term;
}

TEST(InstalledArrays, ALoadPaysForAWordAndAnOperationForRows) {
  const machine::Machine m = installed("cim-a9", "cacti7", "sram");
  const Set set = arraySet("cacti7");
  const Cell cell = arrayCell("sram");
  const machine::CacheLevel &l1 = *std::ranges::find(m.caches, "l1d", &machine::CacheLevel::name);
  Array a{.size = l1.size, .line = l1.line, .ways = l1.ways, .portBits = 512};
  EXPECT_LT(termOf(m, "l1d_read")->energy, cost(set, cell, a)->readLine.energy);
  EXPECT_EQ(termOf(m, "l1d_cim_add")->energy, cost(set, cell, a)->operation(Operation::kAdd)->energy);
}

TEST(InstalledArrays, SlowCellsKeepBanksAndHits) {
  const machine::Machine sram = installed("cim-a9", "destiny", "sram"), plain = test::load("cim-a9");
  for (const char *cell : {"stt-mram", "reram", "fefet"}) {
    // ReRAM has no sums.
    const machine::Machine m = installed(
        test::accepted(machine::parseMachine("name: mine\nextends: cim-a9\ncim: {operations: [and, or, xor]}\n",
                                             "mine.yaml", {test::kMachines})),
        "destiny", cell);
    for (std::size_t l = 0; l < m.caches.size(); ++l) {
      EXPECT_EQ(sram.caches[l].latency, plain.caches[l].latency);
      EXPECT_EQ(sram.caches[l].writeBusy, 1);
      EXPECT_GE(m.caches[l].latency, plain.caches[l].latency);
      if (m.caches[l].servesInstructions)
        EXPECT_EQ(m.caches[l].writeBusy, 1);
      else
        EXPECT_GT(m.caches[l].writeBusy, 3) << cell;
    }
    EXPECT_LT(termOf(m, "l2_leakage")->energy, termOf(sram, "l2_leakage")->energy) << cell;
  }
}

TEST(InstalledArrays, RefuseWhatTheyDoNotKnow) {
  const auto codeOf = [](const std::string &set, const std::string &cell, const std::vector<machine::Override> &more) {
    machine::Machine m = test::load("cim-a9", more);
    const Status s = install(m, arraySet(set), arrayCell(cell), arrayCell("sram"));
    return s.ok() ? std::string("none") : s.diagnostics().front().code;
  };
  EXPECT_EQ(codeOf("destiny", "reram", {}), "no-such-operation") << "it has no adder";
  EXPECT_EQ(codeOf("table3", "sram", {}), "no-such-array") << "32 KiB";
  EXPECT_EQ(codeOf("release-constants", "stt-mram", {}), "no-such-cell");
}

}  // namespace
}  // namespace pimento::energy::array
