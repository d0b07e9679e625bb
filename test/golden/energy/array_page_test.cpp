// Tables of docs/models/arrays.md: other models' rows beside ours, and what operations are made of. After a wanted
// change: PIMENTO_UPDATE_GOLDEN=1 build/bin/golden_energy, then read the difference.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/energy/array/cost.h"
#include "test/support/array_rows.h"

namespace pimento::energy::array {
namespace {

const std::string kPage = std::string(PIMENTO_SOURCE_DIR) + "/docs/models/arrays.md";
const std::string kEnd = "<!-- end of table -->\n";

/// Three digits.
std::string text(double x) {
  char buffer[32];
  const int decimals = x < 0.1 ? 3 : x < 10 ? 2 : x < 100 ? 1 : 0;
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, x);
  return buffer;
}

std::string line(const std::vector<std::string> &cells) {
  std::string l = "|";
  for (const std::string &c : cells) l += " " + c + " |";
  return l + "\n";
}

std::string head(const std::vector<std::string> &cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += "---|";
  return line(cells) + rule + "\n";
}

void expectTable(const std::string &name, const std::string &table) {
  const std::string begin = "<!-- table: " + name + " -->\n";
  const auto page = readFile(kPage);
  ASSERT_TRUE(page) << kPage;
  const auto from = page->find(begin);
  ASSERT_NE(from, std::string::npos) << name;
  const auto start = from + begin.size(), end = page->find(kEnd, start);
  ASSERT_NE(end, std::string::npos) << name;
  if (std::getenv("PIMENTO_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(writeFile(kPage, page->substr(0, start) + table + page->substr(end)));
    return;
  }
  EXPECT_EQ(page->substr(start, end - start), table) << name;
}

std::string sizeOf(const Array &a) {
  return std::to_string(a.size.value / 1024) + " KiB, " + std::to_string(a.ways) + " ways";
}

/// "theirs / ours" for each quantity.
std::vector<std::string> sideBySide(const Set &set, const test::ArrayRow &r,
                                    const std::vector<std::string> &quantities) {
  const auto costs = cost(set, test::arrayCell(r.cell), r.array);
  EXPECT_TRUE(costs.ok());
  auto ours = test::numbersOf(*costs, r.array);
  std::vector<std::string> cells;
  for (const std::string &q : quantities)
    cells.push_back(r.numbers.contains(q) ? text(r.numbers.at(q)) + " / " + text(ours.at(q)) : "");
  return cells;
}

TEST(ArrayPage, NonVolatileCellsBesideDestiny) {
  const Set set = test::arraySet("destiny");
  std::string table =
      head({"cell", "array", "read: DESTINY / ours", "write", "read's latency", "write's latency", "leakage", "area"});
  int count = 0;
  for (const test::ArrayRow &r : test::destinyRows()) {
    if (r.cell == "sram") continue;
    std::vector<std::string> cells{r.cell, sizeOf(r.array)};
    for (auto &c : sideBySide(set, r, {"read", "write", "latency", "write_latency", "leakage", "area"}))
      cells.push_back(c);
    table += line(cells);
    ++count;
  }
  EXPECT_EQ(count, 6);
  expectTable("nvm", table);
}

TEST(ArrayPage, RowsOfMcpatBesideItsSet) {
  const Set set = test::arraySet("mcpat");
  std::string table = head({"cache", "device", "bits", "read: McPAT / ours", "write", "leakage", "area"});
  int count = 0;
  for (const test::ArrayRow &r : test::mcpatRows()) {
    std::vector<std::string> cells{r.name, std::string(name(r.array.device)), std::to_string(r.array.portBits)};
    for (auto &c : sideBySide(set, r, {"read", "write", "leakage", "area"})) cells.push_back(c);
    table += line(cells);
    ++count;
  }
  EXPECT_EQ(count, 18);
  expectTable("mcpat", table);
}

TEST(ArrayPage, WhatOperationsAreMadeOf) {
  const struct {
    const char *set, *cell;
  } all[] = {{"release-constants", "sram"}, {"release-constants", "fefet"}, {"destiny", "sram"},
             {"destiny", "fefet"},          {"destiny", "stt-mram"},        {"destiny", "reram"}};
  std::string table = head({"set", "cell", "level", "operation", "energy", "decode", "bit-lines", "cell", "sense",
                            "write", "wires", "cycles"});
  for (const auto &[setName, cellName] : all) {
    const Set set = test::arraySet(setName);
    const Cell cell = test::arrayCell(cellName);
    for (const bool isL1 : {true, false}) {
      const auto costs = cost(set, cell, isL1 ? test::arrayOf(64, 4) : test::arrayOf(256, 8));
      ASSERT_TRUE(costs.ok());
      for (const Operation o : {Operation::kRead, Operation::kOr, Operation::kAnd, Operation::kXor, Operation::kAdd}) {
        if (!set.reference && o == Operation::kOr) continue;  // as an AND
        const auto c = o == Operation::kRead ? Result<Cost>(costs->readLine) : costs->operation(o);
        if (!c) continue;  // no adder
        constexpr double kPsPerCycle = 1000;
        std::vector<std::string> cells{"`" + std::string(setName) + "`", cellName, isL1 ? "L1" : "L2",
                                       o == Operation::kRead ? "read" : std::string(name(o)), text(c->energy.value)};
        const Parts &p = *c->parts;
        for (const Picojoules part : {p.decode, p.bitlines, p.cell, p.sense, p.write, p.wires})
          cells.push_back(part.value == 0 ? "0" : text(part.value));
        cells.push_back(c->latency ? text(c->latency->value / kPsPerCycle) : "");
        table += line(cells);
      }
    }
  }
  expectTable("operations", table);
}

}  // namespace
}  // namespace pimento::energy::array
