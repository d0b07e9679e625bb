// Models of memory arrays against the rows that they were fitted to, and the laws that every set keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/energy/array/cost.h"
#include "test/support/array_rows.h"

namespace pimento::energy::array {
namespace {

using test::arrayCell;
using test::arrayOf;
using test::arraySet;

constexpr double kFactor = 1.5;  // between a row and its set's model

Costs costOf(const Set &set, const Cell &cell, const Array &a) {
  auto costs = cost(set, cell, a);
  EXPECT_TRUE(costs.ok()) << set.name << ", " << cell.name << ": " << costs.diagnostics().front().str();
  return std::move(*costs);
}

/// Compares all numbers of the rows of `cell`; how many there were.
int compareRows(const std::string &set, const std::vector<test::ArrayRow> &rows, const std::string &cell) {
  const Set s = arraySet(set);
  const Cell c = arrayCell(cell);
  int count = 0;
  for (const test::ArrayRow &r : rows) {
    if (r.cell != cell) continue;
    const auto ours = test::numbersOf(costOf(s, c, r.array), r.array);
    for (const auto &[quantity, theirs] : r.numbers) {
      const auto found = ours.find(quantity);
      if (found == ours.end()) {
        ADD_FAILURE() << set << ", " << r.name << ": no " << quantity;
        continue;
      }
      ++count;
      EXPECT_LE(found->second, theirs * kFactor) << set << ", " << r.name << ", " << quantity;
      EXPECT_GE(found->second, theirs / kFactor) << set << ", " << r.name << ", " << quantity;
    }
  }
  return count;
}

TEST(ArraySets, Cacti7MeetsEveryRow) {
  EXPECT_EQ(compareRows("cacti7", test::cacti7Rows(), "sram"), 33 * 5);
}

TEST(ArraySets, DestinyMeetsEveryRowOfSram) {
  EXPECT_EQ(compareRows("destiny", test::destinyRows(), "sram"), 5 * 6);
}

TEST(ArraySets, ReleaseConstantsMeetEveryRow) {
  EXPECT_EQ(compareRows("release-constants", test::releaseRows(), "sram"), 7 * 7);
  EXPECT_EQ(compareRows("release-constants", test::releaseRows(), "fefet"), 7 * 7);
}

TEST(ArraySets, Table3IsTheTable) {
  const Set set = arraySet("table3");
  int count = 0;
  for (auto &t : test::tableOf("evacim_table3_energy_pJ.csv")) {
    const std::string config = t["config_as_labelled"];
    const double ways = test::numberIn(config), size = test::numberIn(config.substr(config.find('/') + 1));
    const Costs c = costOf(set, arrayCell(t["technology"] == "SRAM" ? "sram" : "fefet"), arrayOf(size, ways));
    EXPECT_EQ(c.readLine.energy.value, test::numberIn(t["nonCiM_read"]));
    for (const auto &[operation, column] : {std::pair{Operation::kOr, "CiM_OR"},
                                            {Operation::kAnd, "CiM_AND"},
                                            {Operation::kXor, "CiM_XOR"},
                                            {Operation::kAdd, "CiM_ADDW32"}}) {
      const auto o = c.operation(operation);
      ASSERT_TRUE(o.ok());
      EXPECT_EQ(o->energy.value, test::numberIn(t[column])) << config << " " << column;
      ++count;
    }
  }
  EXPECT_EQ(count, 16);
}

/// All sets with models, with each of their devices, or HP where they hold for any.
std::vector<std::pair<Set, Device>> models() {
  std::vector<std::pair<Set, Device>> all;
  for (const std::string &name : listSets(test::kArrayFolders)) {
    const Set set = arraySet(name);
    if (set.models.empty()) continue;
    for (const auto &[device, model] : set.models.at("sram"))
      for (const Device d : devices())
        if (device == energy::array::name(d) || (device == "any" && d == Device::kHp)) all.emplace_back(set, d);
  }
  return all;
}

TEST(ArraySets, ShippedSetsAndCellsAreThese) {
  EXPECT_EQ(listSets(test::kArrayFolders),
            (std::vector<std::string>{"cacti7", "destiny", "mcpat", "release-constants", "table3"}));
  EXPECT_EQ(listCells(test::kArrayFolders), (std::vector<std::string>{"fefet", "reram", "sram", "stt-mram"}));
  EXPECT_EQ(models().size(), 7U);
}

TEST(ArraySets, EveryNumberHasASource) {
  for (const std::string &name : listSets(test::kArrayFolders)) {
    const Set set = arraySet(name);
    EXPECT_GT(set.numbers.size(), 10U);
    for (const auto &[path, n] : set.numbers) EXPECT_FALSE(n.source.empty()) << name << " " << path;
  }
  for (const std::string &name : listCells(test::kArrayFolders)) {
    const Cell cell = arrayCell(name);
    EXPECT_EQ(cell.name, name);
    EXPECT_GT(cell.numbers.size(), 10U);
    for (const auto &[path, n] : cell.numbers) EXPECT_FALSE(n.source.empty()) << name << " " << path;
  }
}

TEST(ArrayLaws, EverythingRisesWithTheSize) {
  for (const auto &[set, device] : models()) {
    for (const std::string &name : listCells(test::kArrayFolders)) {
      const Cell cell = arrayCell(name);
      if (!set.reference && !set.models.contains(name)) continue;
      for (const Access access : accesses()) {
        std::map<std::string, double> before;
        for (double size = 32; size <= 8192; size *= 2) {
          Array a = arrayOf(size, 8);
          a.access = access;
          a.device = device;
          const auto now = test::numbersOf(costOf(set, cell, a), a);
          for (const auto &[quantity, value] : before)
            EXPECT_GT(now.at(quantity), value) << set.name << " " << name << " " << quantity << " at " << size;
          before = now;
        }
        EXPECT_GE(before.size(), 3U);
      }
    }
  }
}

TEST(ArrayLaws, PartsSumToTheEnergyAndNoneIsNegative) {
  for (const auto &[set, device] : models()) {
    for (const std::string &name : listCells(test::kArrayFolders)) {
      if (!set.reference && !set.models.contains(name)) continue;
      Array a = arrayOf(256, 8);
      a.device = device;
      const Costs costs = costOf(set, arrayCell(name), a);
      std::vector<Cost> all{costs.readLine, costs.readWord};
      if (costs.write) all.push_back(*costs.write);
      for (const auto &[operation, c] : costs.operations) all.push_back(c);
      for (const Cost &c : all) {
        ASSERT_TRUE(c.parts.has_value());
        EXPECT_NEAR(c.parts->total().value, c.energy.value, 1e-9 * c.energy.value) << set.name << " " << name;
        for (const Picojoules p :
             {c.parts->decode, c.parts->bitlines, c.parts->cell, c.parts->sense, c.parts->write, c.parts->wires})
          EXPECT_GE(p.value, 0) << set.name << " " << name;
      }
    }
  }
}

TEST(ArrayLaws, AnOperationTakesMoreThanARead) {
  for (const auto &[set, device] : models()) {
    for (const std::string &name : listCells(test::kArrayFolders)) {
      if (!set.reference && !set.models.contains(name)) continue;
      for (double size = 32; size <= 8192; size *= 4) {
        Array a = arrayOf(size, 8);
        a.device = device;
        const Costs costs = costOf(set, arrayCell(name), a);
        for (const auto &[operation, c] : costs.operations) {
          if (operation == Operation::kRead) continue;
          EXPECT_GT(c.energy.value, costs.readLine.energy.value) << set.name << " " << name << " " << size;
          ASSERT_EQ(c.latency.has_value(), costs.readLine.latency.has_value());
          if (c.latency.has_value()) {
            EXPECT_EQ(c.latency->value, (*costs.readLine.latency + c.beyondRead).value);
          }
        }
      }
    }
  }
}

TEST(ArrayLaws, ASumTakesFourCyclesMoreThanAReadAndLogicLessThanOne) {
  const Set set = arraySet("destiny");
  constexpr double kCycle = 1000;
  for (const char *name : {"sram", "fefet"}) {
    const Costs costs = costOf(set, arrayCell(name), arrayOf(64, 4));
    EXPECT_EQ(costs.operation(Operation::kAdd)->beyondRead.value, 4 * kCycle);
    for (const Operation o : {Operation::kAnd, Operation::kOr, Operation::kXor})
      EXPECT_LT(costs.operation(o)->beyondRead.value, kCycle);
  }
}

/// 32 KiB, 4 ways, as set `destiny` has it, by the coefficients of a set written here: nothing is fitted.
constexpr const char *kHandSet = R"(
name: hand
about: a set for tests
technology: 45 nm
access: [normal]
source: none
confidence: assumed
covers: {smallest: 16 KiB, largest: 64 KiB}
reference: sram
leakage_in_cells: 75 %
models:
  sram:
    lop:
      read: {column: 10 fJ, wires: 2 fJ, edge: 1 pJ, size: 0.5 pJ, constant: 3 pJ}
      write: {column: 20 fJ, wires: 4 fJ}
      latency: {edge: 0.1 ns, constant: 1 ns, tags: 0.2 ns}
      leakage: {size: 2 mW, constant: 1 mW}
      area: {size: 0.01 mm2}
)";

constexpr const char *kHandCell = R"(
name: hand
about: a cell for tests
technology: 45 nm
source: none
confidence: assumed
area: 36.5 F2
leakage: 20 %
read: {bitlines: 3 fJ, cell: 1 fJ, sense: 4 fJ, time: 2.2 ns}
write: {bitlines: 5.7 fJ, cell: 0.1 pJ, driver: 50 fJ, time: 9.1 ns}
operations:
  xor: {decode: 2 count, bitlines: 1 count, cell: 2 count, sense: 3 count, logic: 0.5 fJ, time: 700 ps}
  or: {decode: 2 count, bitlines: 1 count, cell: 2 count, sense: 1 count, wires: 0 count, write: 1 count}
)";

/// 64 KiB with 4 ways, lines of 64 B: sqrt(s) is 8, 2,048 columns.
Array handArray() {
  Array a = arrayOf(64, 4);
  a.device = Device::kLop;
  return a;
}

Set handSet() {
  auto set = parseSet(kHandSet, "hand.yaml", test::kArrayFolders);
  EXPECT_TRUE(set.ok()) << set.diagnostics().front().str();
  return std::move(*set);
}

Cell handCell() {
  auto cell = parseCell(kHandCell, "hand.yaml");
  EXPECT_TRUE(cell.ok()) << cell.diagnostics().front().str();
  return std::move(*cell);
}

TEST(ArrayCost, ASetsOwnCellCostsTheSumOfItsTerms) {
  const Costs c = costOf(handSet(), arrayCell("sram"), handArray());
  EXPECT_NEAR(c.readLine.energy.value, 20.48 + 8.192 + 8 + 32 + 3, 1e-9);
  EXPECT_NEAR(c.readLine.parts->decode.value, 8 + 3, 1e-9);
  EXPECT_NEAR(c.readLine.parts->wires.value, 8.192 + 32, 1e-9);
  EXPECT_NEAR(c.readLine.parts->bitlines.value, 20.48 * 6 / 8.2, 1e-9);
  EXPECT_NEAR(c.readLine.parts->sense.value, 20.48 * 2 / 8.2, 1e-9);
  EXPECT_NEAR(c.write->energy.value, 40.96 + 16.384, 1e-9);
  EXPECT_NEAR(c.readLine.latency->value, 1800, 1e-9);
  EXPECT_NEAR(c.write->latency->value, 1800, 1e-9);
  EXPECT_NEAR(c.leakage->value, 129, 1e-9);
  EXPECT_NEAR(c.area->value, 0.64e6, 1e-6);
  EXPECT_TRUE(c.told.empty());
}

TEST(ArrayCost, AnotherCellBringsItsOwnEnergyTimeLeakageAndArea) {
  const Costs c = costOf(handSet(), handCell(), handArray());
  // A quarter of SRAM's area: half the length.
  EXPECT_NEAR(c.readLine.parts->decode.value, 4 + 3, 1e-9);
  EXPECT_NEAR(c.readLine.parts->wires.value, 4.096 + 8, 1e-9);
  EXPECT_NEAR(c.readLine.parts->bitlines.value, 20.48 * 3 / 8.2, 1e-9);
  EXPECT_NEAR(c.readLine.parts->cell.value, 2.048, 1e-9);
  EXPECT_NEAR(c.readLine.parts->sense.value, 8.192, 1e-9);
  EXPECT_NEAR(c.readLine.latency->value, 1400 - 200 + 2200, 1e-9);
  EXPECT_NEAR(c.write->parts->cell.value, 51.2, 1e-9);
  EXPECT_NEAR(c.write->parts->write.value, 25.6, 1e-9);
  EXPECT_NEAR(c.write->parts->bitlines.value, 40.96 * 5.7 / 57, 1e-9);
  EXPECT_NEAR(c.write->parts->wires.value, 8.192, 1e-9);
  EXPECT_NEAR(c.write->latency->value, 1400 - 100 + 9100, 1e-9);
  EXPECT_NEAR(c.leakage->value, 129 * (0.25 + 0.75 * 0.2), 1e-9);
  const double cells = 64 * 1024 * 8 * 0.045 * 0.045;
  EXPECT_NEAR(c.area->value, 0.64e6 - cells * (146 - 36.5), 1e-6);
}

TEST(ArrayCost, AnOperationIsAReadWithStepsRepeated) {
  const Costs c = costOf(handSet(), handCell(), handArray());
  const Parts row = *c.readLine.parts;
  const auto x = c.operation(Operation::kXor);
  ASSERT_TRUE(x.ok());
  EXPECT_NEAR(x->parts->decode.value, 2 * row.decode.value, 1e-9);
  EXPECT_NEAR(x->parts->bitlines.value, row.bitlines.value, 1e-9);
  EXPECT_NEAR(x->parts->cell.value, 2 * row.cell.value, 1e-9);
  EXPECT_NEAR(x->parts->sense.value, 3 * row.sense.value + 2048 * 0.0005, 1e-9);
  EXPECT_NEAR(x->beyondRead.value, 2 * 2200 + 700, 1e-9);
  const auto o = c.operation(Operation::kOr);
  ASSERT_TRUE(o.ok());
  EXPECT_NEAR(o->parts->wires.value, 0, 1e-9);
  const Parts w = *c.write->parts;
  EXPECT_NEAR(o->parts->write.value, (w.bitlines + w.cell + w.write).value, 1e-9);
}

TEST(ArrayCost, ANarrowPortReadsALineInSeveralAccesses) {
  Array narrow = handArray();
  narrow.portBits = 32;
  const Costs wide = costOf(handSet(), arrayCell("sram"), handArray()),
              c = costOf(handSet(), arrayCell("sram"), narrow);
  EXPECT_NEAR(c.readWord.energy.value, 1.28 + 0.512 + 8 + 32 + 3, 1e-9);
  EXPECT_NEAR(c.readLine.energy.value, 16 * c.readWord.energy.value, 1e-9);
  EXPECT_NEAR(c.readLine.latency->value, 16 * c.readWord.latency->value, 1e-6);
  EXPECT_EQ(wide.readWord.energy.value, wide.readLine.energy.value);
  narrow.portBits = 8;
  const Costs bytes = costOf(handSet(), arrayCell("sram"), narrow);
  EXPECT_NEAR(bytes.readLine.energy.value, 16 * bytes.readWord.energy.value, 1e-9);
  EXPECT_EQ(bytes.operation(Operation::kAdd)->energy.value, wide.operation(Operation::kAdd)->energy.value);
}

TEST(ArrayCost, OneWayIsReadAfterTheTags) {
  Array a = handArray();
  a.access = Access::kSequential;
  const Costs c = costOf(handSet(), arrayCell("sram"), a);
  EXPECT_NEAR(c.readLine.energy.value, 5.12 + 8.192 + 8 + 32 + 3, 1e-9);
  EXPECT_NEAR(c.readLine.latency->value, 1800 + 1600, 1e-9);
  ASSERT_EQ(c.told.size(), 1U);
  EXPECT_EQ(c.told.front().code, "no-such-access");
  EXPECT_EQ(c.told.front().severity, Severity::kWarning);
}

TEST(ArrayCost, AllWaysLeaveAnArrayOfFastAccess) {
  Array a = handArray();
  a.access = Access::kFast;
  const Costs c = costOf(handSet(), arrayCell("sram"), a);
  EXPECT_NEAR(c.readLine.energy.value, 20.48 + 4 * 8.192 + 8 + 32 + 3, 1e-9);
  EXPECT_NEAR(c.readLine.latency->value, 1800, 1e-9);
}

TEST(ArrayCost, AnAccessIsToOneBankButWiresReachAll) {
  Array a = handArray();
  a.banks = 4;
  const Costs c = costOf(handSet(), arrayCell("sram"), a);
  EXPECT_NEAR(c.readLine.energy.value, 20.48 + 8.192 + 4 + 8 + 3, 1e-9);
  EXPECT_NEAR(c.readLine.latency->value, 1400, 1e-9);
  EXPECT_NEAR(c.leakage->value, 4 * 33, 1e-9);
  EXPECT_NEAR(c.area->value, 0.64e6, 1e-6);
}

TEST(ArrayCost, SizesFourTimesBeyondTheRowsAreTold) {
  const Set set = arraySet("cacti7");
  const Cell sram = arrayCell("sram");
  for (const double size : {8.0, 32.0, 2048.0, 8192.0})
    EXPECT_TRUE(costOf(set, sram, arrayOf(size, 4)).told.empty()) << size;
  for (const double size : {4.0, 16384.0}) {
    const Diagnostics told = costOf(set, sram, arrayOf(size, 4)).told;
    ASSERT_EQ(told.size(), 1U) << size;
    EXPECT_EQ(told.front().code, "extrapolated");
    EXPECT_EQ(told.front().severity, Severity::kWarning);
    EXPECT_NE(told.front().hint.find("32 KiB to 2048 KiB"), std::string::npos) << told.front().hint;
  }
  Array banked = arrayOf(1024, 4);
  banked.banks = 256;
  const Diagnostics told = costOf(set, sram, banked).told;
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().message.find("in banks of 4 KiB"), std::string::npos) << told.front().message;
}

TEST(ArrayCost, DevicesThatASetDoesNotTellApartAreTold) {
  Array a = arrayOf(64, 4);
  a.device = Device::kLstp;
  for (const char *name : {"release-constants", "table3"}) {
    EXPECT_TRUE(costOf(arraySet(name), arrayCell("sram"), arrayOf(64, 4)).told.empty());
    const Costs c = costOf(arraySet(name), arrayCell("sram"), a);
    ASSERT_EQ(c.told.size(), 1U) << name;
    EXPECT_EQ(c.told.front().code, "any-device");
    EXPECT_EQ(c.readLine.energy.value, costOf(arraySet(name), arrayCell("sram"), arrayOf(64, 4)).readLine.energy.value);
  }
  EXPECT_TRUE(costOf(arraySet("cacti7"), arrayCell("sram"), a).told.empty());
  EXPECT_TRUE(costOf(arraySet("cacti7"), arrayCell("reram"), a).told.empty());
}

TEST(ArrayCost, DecodersHaveTheSetsShareWhereItsTermsHaveNone) {
  const Set set = arraySet("destiny");
  ASSERT_TRUE(set.decodeShare.has_value());
  EXPECT_GT(*set.decodeShare, 0.1);
  EXPECT_LT(*set.decodeShare, 0.5);
  const Parts p = *costOf(set, arrayCell("sram"), arrayOf(64, 4)).readLine.parts;
  EXPECT_NEAR(p.decode.value, *set.decodeShare * (p.decode + p.wires).value, 1e-9);
  EXPECT_FALSE(arraySet("cacti7").decodeShare.has_value());
}

TEST(ArrayCost, NonVolatileWritesTakeTheirPulseAndEnergy) {
  const Set set = arraySet("destiny");
  const Costs sram = costOf(set, arrayCell("sram"), arrayOf(64, 4));
  for (const char *name : {"fefet", "stt-mram", "reram"}) {
    const Cell cell = arrayCell(name);
    const Costs c = costOf(set, cell, arrayOf(64, 4));
    EXPECT_GE(c.write->latency->value, cell.write.time.value) << name;
    EXPECT_GE(c.write->energy.value, 512 * (cell.write.cell + cell.write.driver).value) << name;
    EXPECT_GE(c.readLine.latency->value, cell.read.time.value) << name;
    EXPECT_LT(c.leakage->value, 0.2 * sram.leakage->value) << name;
    EXPECT_LT(c.area->value, sram.area->value) << name;
    Cell slower = cell;
    slower.write.time = cell.write.time * 2;
    slower.write.cell = cell.write.cell * 2;
    slower.read.cell = cell.read.cell * 2;
    const Costs d = costOf(set, slower, arrayOf(64, 4));
    EXPECT_NEAR((d.write->latency->value - c.write->latency->value), cell.write.time.value, 1e-6) << name;
    EXPECT_NEAR((d.write->energy - c.write->energy).value, 512 * cell.write.cell.value, 1e-9) << name;
    EXPECT_NEAR((d.readLine.energy - c.readLine.energy).value, 2048 * cell.read.cell.value, 1e-9) << name;
  }
}

}  // namespace
}  // namespace pimento::energy::array
