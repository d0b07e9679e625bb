// What is wrong with arrays, cells and sets, and what is said about it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "pimento/energy/array/cost.h"

namespace pimento::energy::array {
namespace {

const std::vector<std::string> kMachines{std::string(PIMENTO_SOURCE_DIR) + "/machines"};

Set set(const std::string &name) {
  auto s = loadSet(name, kMachines);
  EXPECT_TRUE(s.ok());
  return std::move(*s);
}

Cell cell(const std::string &name) {
  auto c = loadCell(name, kMachines);
  EXPECT_TRUE(c.ok());
  return std::move(*c);
}

/// One diagnostic with this code, its message and hint holding these words.
template <typename T>
void expectError(const Result<T> &result, const std::string &code, const std::string &message,
                 const std::string &hint) {
  ASSERT_FALSE(result.ok()) << code << ": " << message;
  ASSERT_EQ(result.diagnostics().size(), 1U) << result.diagnostics()[1].str();
  const Diagnostic &d = result.diagnostics().front();
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
}

void expectImpossible(const std::function<void(Array &)> &change, const std::string &message, const std::string &hint) {
  Array a;
  ASSERT_TRUE(check(a).ok());
  change(a);
  expectError(cost(set("cacti7"), cell("sram"), a), "impossible-array", message, hint);
}

TEST(ArrayErrors, NothingCanBeZeroOrLess) {
  expectImpossible([](Array &a) { a.size = Bytes(0); }, "size cannot be 0", "from 1");
  expectImpossible([](Array &a) { a.line = Bytes(-64); }, "line cannot be -64", "from 1");
  expectImpossible([](Array &a) { a.ways = 0; }, "ways cannot be 0", "from 1");
  expectImpossible([](Array &a) { a.banks = 0; }, "banks cannot be 0", "from 1");
  expectImpossible([](Array &a) { a.portBits = 0; }, "port bits cannot be 0", "from 1");
}

TEST(ArrayErrors, NothingIsEndless) {
  expectImpossible([](Array &a) { a.size = Bytes(std::int64_t{1} << 62); }, "size cannot be", "to 17179869184");
  expectImpossible([](Array &a) { a.ways = 2048; }, "ways cannot be 2048", "to 1024");
}

TEST(ArrayErrors, LinesBanksAndPortsArePowersOfTwo) {
  expectImpossible([](Array &a) { a.line = Bytes(48); }, "a line of 48 B is not a power of two", "64 B");
  expectImpossible([](Array &a) { a.banks = 3; }, "3 banks are not a power of two", "use 1, 2, 4");
  expectImpossible([](Array &a) { a.portBits = 96; }, "a port of 96 bits is not a power of two", "512 for whole lines");
}

TEST(ArrayErrors, WaysOfLinesFitIntoTheArray) {
  expectImpossible([](Array &a) { a.size = Bytes(128); },
                   "4 ways of lines of 64 B are 256 B, more than the array's 128 B", "at most 2 ways");
}

TEST(ArrayErrors, APortIsNoWiderThanALine) {
  expectImpossible([](Array &a) { a.portBits = 1024; }, "wider than a line of 512 bits", "at most 512 bits");
}

TEST(ArrayErrors, AnArrayHasWholeSetsInEveryBank) {
  expectImpossible([](Array &a) { a.size = Bytes(1000); }, "1000 B are no whole sets of 256 B", "multiple of 256 B");
  expectImpossible([](Array &a) { a.size = Bytes(512), a.banks = 4; }, "in 4 banks", "multiple of 1024 B");
}

TEST(ArrayErrors, UnknownNamesSuggestTheNearest) {
  expectError(loadSet("cacti", kMachines), "unknown-set", "unknown set 'cacti'", "did you mean 'cacti7'");
  expectError(loadCell("stt-ram", kMachines), "unknown-cell", "unknown cell 'stt-ram'", "did you mean 'stt-mram'");
  expectError(loadCell("../cells/sram", kMachines), "unknown-cell", "unknown cell", "ends in .yaml");
  expectError(loadCell("nowhere.yaml", kMachines), "unreadable-file", "nowhere.yaml", "");
}

TEST(ArrayErrors, ASetLacksDevicesCellsAndArrays) {
  Array a;
  a.device = Device::kLop;
  expectError(cost(set("destiny"), cell("sram"), a), "no-such-device", "has no devices 'lop'", "it has: hp");
  expectError(cost(set("release-constants"), cell("reram"), {}), "no-such-cell", "has no cell 'reram'", "fefet, sram");
  expectError(cost(set("table3"), cell("reram"), {}), "no-such-cell", "has no cell 'reram'", "sram, fefet");
  a = {};
  a.size = Bytes(32 * 1024);
  expectError(cost(set("table3"), cell("fefet"), a), "no-such-array", "no such array of 'fefet'",
              "64 KiB with 4 ways, 256 KiB with 8 ways");
  a = {};
  a.portBits = 32;
  expectError(cost(set("table3"), cell("fefet"), a), "no-such-array", "is a table", "whole lines");
}

TEST(ArrayErrors, AnOperationThatACellLacksIsNoZero) {
  const auto reram = cost(set("destiny"), cell("reram"), {});
  ASSERT_TRUE(reram.ok());
  for (const Operation o : {Operation::kAdd, Operation::kSub})
    expectError(reram->operation(o), "no-such-operation",
                "cell 'reram' has no operation '" + std::string(name(o)) + "'", "it has: cim_read, and, or, xor");
  const auto table = cost(set("table3"), cell("sram"), {});
  ASSERT_TRUE(table.ok());
  expectError(table->operation(Operation::kSub), "no-such-operation", "'sub' in set 'table3'", "xor, add");
}

constexpr const char *kCell = R"(name: mine
about: a cell
technology: 45 nm
source: mine
confidence: assumed
area: 50 F2
leakage: 0 ratio
read: {bitlines: 3 fJ, cell: 1 fJ, sense: 4 fJ, time: 1 ns}
write: {bitlines: 5 fJ, cell: 0.1 pJ, driver: 5 fJ, time: 9 ns}
operations:
  or: {decode: 2 count, bitlines: 1 count, cell: 2 count, sense: 1 count}
)";

Result<Cell> changed(const std::string &old, const std::string &now) {
  std::string text = kCell;
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return parseCell(text.replace(at, old.size(), now), "mine.yaml");
}

TEST(CellErrors, TheCellThatTheyChangeIsFine) {
  EXPECT_TRUE(parseCell(kCell, "mine.yaml").ok());
}

TEST(CellErrors, NumbersHaveUnits) {
  expectError(changed("sense: 4 fJ", "sense: 4"), "bare-number", "'read.sense' has no unit", "units: pJ, fJ, nJ");
  expectError(changed("time: 9 ns", "time: 9 fJ"), "wrong-unit", "'write.time' cannot be in 'fJ'", "ns");
  expectError(changed("50 F2", "50 um2"), "wrong-unit", "'area' cannot be in 'um2'", "F2");
  expectError(changed("sense: 4 fJ", "sense: much"), "bad-number", "'much' is not a number", "fJ");
}

TEST(CellErrors, NumbersHaveASource) {
  const auto unsourced = changed("source: mine\n", "");
  ASSERT_FALSE(unsourced.ok());
  EXPECT_EQ(unsourced.diagnostics().size(), 15U);  // each number is named
  for (const Diagnostic &d : unsourced.diagnostics()) {
    EXPECT_EQ(d.code, "missing-source");
    EXPECT_NE(d.hint.find("add 'source: ...'"), std::string::npos);
  }
}

TEST(CellErrors, KeysAreKnownAndThere) {
  expectError(changed("driver: 5 fJ", "driver: 5 fJ, drivers: 5 fJ"), "unknown-key", "'write.drivers'",
              "did you mean 'driver'");
  expectError(changed(", sense: 4 fJ", ""), "missing-key", "'read.sense' is missing", "its sense amplifier");
  expectError(changed("  or: ", "  nor: "), "unknown-key", "'operations.nor'", "or");
  expectError(changed("decode: 2 count, ", ""), "missing-key", "'operations.or.decode' is missing", "word lines");
}

TEST(CellErrors, ValuesArePossible) {
  expectError(changed("time: 9 ns", "time: -9 ns"), "impossible-value", "'write.time' is -9 ns", "from 0");
  expectError(changed("50 F2", "0 F2"), "impossible-value", "'area' is 0 F2", "from 1");
  expectError(changed("bitlines: 3 fJ, cell: 1 fJ, sense: 4 fJ", "bitlines: 0 fJ, cell: 0 fJ, sense: 0 fJ"),
              "impossible-value", "a read of a bit takes no energy", "more than 0 pJ");
}

TEST(CellErrors, MessagesSayWhere) {
  const auto broken = changed("sense: 4 fJ", "sense: 4");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.diagnostics().front().where.file, "mine.yaml");
  EXPECT_EQ(broken.diagnostics().front().where.line, 8);
}

TEST(CellErrors, AFileIsYamlAndAMapping) {
  expectError(parseCell("[a", "mine.yaml"), "yaml-syntax", "", "");
  expectError(parseCell("a list", "mine.yaml"), "yaml-syntax", "not a mapping of keys", "one mapping");
}

TEST(CellErrors, NothingIsScaledToAnotherNode) {
  const auto other = changed("45 nm", "22 nm");
  ASSERT_TRUE(other.ok());
  expectError(cost(set("cacti7"), *other, {}), "wrong-technology", "of 22 nm, set 'cacti7' of 45 nm",
              "give the cell's numbers for 45 nm");
}

constexpr const char *kSet = R"(name: mine
about: a set
technology: 45 nm
access: [normal]
source: mine
confidence: assumed
covers: {smallest: 32 KiB, largest: 64 KiB}
reference: sram
models:
  sram:
    any:
      read: {column: 1 fJ}
)";

Result<Set> changedSet(const std::string &old, const std::string &now) {
  std::string text = kSet;
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return parseSet(text.replace(at, old.size(), now), "mine.yaml", kMachines);
}

TEST(SetErrors, TheSetThatTheyChangeIsFine) {
  EXPECT_TRUE(parseSet(kSet, "mine.yaml", kMachines).ok());
}

TEST(SetErrors, PartsOfASetGoTogether) {
  expectError(changedSet("models:\n  sram:\n    any:\n      read: {column: 1 fJ}\n", ""), "impossible-set",
              "either models or a table", "add 'models:'");
  expectError(changedSet("covers: {smallest: 32 KiB, largest: 64 KiB}\n", ""), "missing-key", "'covers' is missing",
              "smallest");
  expectError(changedSet("smallest: 32 KiB", "smallest: 32 MiB"), "impossible-set", "larger than the largest", "swap");
  expectError(changedSet("reference: sram", "reference: fefet"), "impossible-set", "'fefet' is not among the models",
              "below 'models'");
  expectError(changedSet("reference: sram", "reference: sramm"), "unknown-cell", "'sramm'", "did you mean 'sram'");
  expectError(changedSet("read: {", "write: {"), "missing-key", "'models.sram.any.read' is missing",
              "energy of a read");
  expectError(changedSet("any:", "hpp:"), "unknown-key", "'models.sram.hpp'", "hp");
  expectError(changedSet("1 fJ", "-1 fJ"), "impossible-value", "'models.sram.any.read.column'", "from 0");
  expectError(changedSet("[normal]", "[slow]"), "unknown-choice", "'access' names 'slow'", "sequential");
}

TEST(SetErrors, OtherCellsNeedAReference) {
  const auto alone = changedSet("reference: sram\n", "");
  ASSERT_TRUE(alone.ok());
  EXPECT_TRUE(cost(*alone, cell("sram"), {}).ok());
  expectError(cost(*alone, cell("fefet"), {}), "no-such-cell", "has no cell 'fefet'", "reference cell");
}

}  // namespace
}  // namespace pimento::energy::array
