#include "pimento/machine/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/machine/document.h"
#include "pimento/machine/machine.h"
#include "pimento/machine/places.h"

namespace pimento::machine {
namespace {

const std::string kFolder = std::string(PIMENTO_SOURCE_DIR) + "/machines";

TEST(Schema, EveryRowSaysWhatItMeansAndEveryPathAppearsOnce) {
  std::set<std::string> paths;
  for (const SchemaRow &row : schema()) {
    EXPECT_TRUE(paths.insert(row.path).second) << row.path;
    EXPECT_FALSE(row.meaning.empty()) << row.path;
    const bool isNumber =
        row.kind == ValueKind::kNumber || row.kind == ValueKind::kFormula || row.kind == ValueKind::kNumbers;
    EXPECT_EQ(isNumber, !row.unit.empty()) << row.path;
    EXPECT_TRUE(!isNumber || row.low < row.high) << row.path;
    EXPECT_TRUE(row.kind != ValueKind::kChoice || !row.choices.empty()) << row.path;
  }
}

TEST(Schema, EveryRowStandsInASectionOfTheTable) {
  std::set<std::string> paths;
  for (const SchemaRow &row : schema()) paths.insert(row.path);
  for (const SchemaRow &row : schema()) {
    const auto dot = row.path.rfind('.');
    if (dot == std::string::npos || row.path.starts_with("**")) continue;
    EXPECT_TRUE(paths.contains(row.path.substr(0, dot))) << row.path;
  }
}

void expectRows(const Node &n, const std::string &path, const std::string &file) {
  for (const Entry &e : n.entries) {
    const std::string at = path.empty() ? e.key : path + "." + e.key;
    bool isNamed = false;
    if (e.key == "value" || e.key == "range" || e.key == "note") {
      const auto isRow = [&](const SchemaRow &row) { return row.path == "**." + e.key; };
      EXPECT_TRUE(std::any_of(schema().begin(), schema().end(), isRow)) << file << ": " << at;
      continue;
    }
    EXPECT_NE(rowFor(at, isNamed), nullptr) << file << ": " << at;
    expectRows(e.value, at, file);
  }
}

TEST(Schema, EveryKeyOfThePresetsHasARow) {
  const auto names = listMachines({kFolder});
  ASSERT_GE(names.size(), 2U);
  for (const std::string &name : names) {
    const auto text = readFile(kFolder + "/" + name + ".yaml");
    ASSERT_TRUE(text);
    const auto tree = parseDocument(*text, name);
    ASSERT_TRUE(tree) << tree.diagnostics().front().str();
    expectRows(*tree, "", name);
  }
}

TEST(Schema, EveryNumberOfAPresetHasSourceUnitAndRow) {
  for (const std::string &name : listMachines({kFolder})) {
    const auto machine = loadMachine(name, {kFolder});
    ASSERT_TRUE(machine) << machine.diagnostics().front().str();
    EXPECT_EQ(machine->name, name);
    EXPECT_GT(machine->numbers.size(), 20U);
    for (const auto &[path, n] : machine->numbers) {
      bool isNamed = false;
      EXPECT_EQ(path, n.path);
      EXPECT_FALSE(n.source.empty()) << path;
      EXPECT_FALSE(n.unit.empty()) << path;
      EXPECT_FALSE(n.canonicalUnit.empty()) << path;
      EXPECT_GT(n.where.line, 0) << path;
      EXPECT_NE(rowFor(path, isNamed), nullptr) << path;
    }
  }
}

}  // namespace
}  // namespace pimento::machine
