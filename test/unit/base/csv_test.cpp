#include "pimento/base/csv.h"

#include <gtest/gtest.h>

namespace pimento {
namespace {

TEST(Csv, TheFirstLineThatIsNoCommentNamesTheColumns) {
  const CsvTable table = readCsv("# measured\n\n a , b\n1, 2\n# again\n 3 ,4\r\n");
  EXPECT_EQ(table.columns, (std::vector<std::string_view>{"a", "b"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1].cells, (std::vector<std::string_view>{"3", "4"}));
  EXPECT_TRUE(table.has("a"));
  EXPECT_FALSE(table.has("c"));
}

TEST(Csv, RowsKnowTheirLines) {
  const CsvTable table = readCsv("a\n1\n\n2");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].line, 2);
  EXPECT_EQ(table.rows[1].line, 4);
}

TEST(Csv, ARowMayEndEarlyAndAnEmptyCellIsThere) {
  const CsvTable table = readCsv("a,b,c\n1,\n");
  ASSERT_EQ(table.rows.size(), 1U);
  const CsvTable::Row &row = table.rows[0];
  EXPECT_EQ(table.cell(row, "a"), "1");
  EXPECT_EQ(table.cell(row, "b"), "");
  EXPECT_EQ(table.cell(row, "c"), std::nullopt);
  EXPECT_EQ(table.cell(row, "d"), std::nullopt);
}

TEST(Csv, OfTwoColumnsWithOneNameTheFirstCounts) {
  const CsvTable table = readCsv("a,a\n1,2\n");
  EXPECT_EQ(table.cell(table.rows.at(0), "a"), "1");
}

TEST(Csv, ATextWithoutLinesHasNoColumns) {
  EXPECT_TRUE(readCsv("").columns.empty());
  EXPECT_TRUE(readCsv("# nothing\n").rows.empty());
}

}  // namespace
}  // namespace pimento
