#include "pimento/emit/columns.h"

#include <gtest/gtest.h>

namespace pimento::emit {
namespace {

TEST(Columns, CellsAreAlignedToTheirColumn) {
  Columns t("lr");
  t.row({"name", "n"});
  t.rule();
  t.row({"a", "100"});
  EXPECT_EQ(t.str(),
            "name    n\n"
            "----  ---\n"
            "a     100\n");
}

TEST(Columns, MissingCellsAreEmptyAndLeaveNoBlanksAtTheEnd) {
  Columns t("ll", 2);
  t.row({"a"});
  t.row({"bb", "c"});
  EXPECT_EQ(t.str(), "  a\n  bb  c\n");
}

TEST(Columns, ALongLastCellIsWrappedBelowItself) {
  Columns t("ll");
  const std::string word(30, 'x');
  t.row({"note", word + " " + word + " " + word + " " + word});
  EXPECT_EQ(t.str(), "note  " + word + " " + word + " " + word + "\n      " + word + "\n");
}

TEST(Columns, AColumnIsAsWideAsItsCharactersNotItsBytes) {
  Columns t("ll");
  t.row({"\xc3\xa4", "1"});
  t.row({"ab", "2"});
  EXPECT_EQ(t.str(), "\xc3\xa4   1\nab  2\n");
}

TEST(Wrapped, AWordLongerThanALineIsCut) {
  EXPECT_EQ(wrapped("abcdefgh ij", 3), (std::vector<std::string>{"abc", "def", "gh", "ij"}));
  EXPECT_EQ(wrapped("ab;cd;efghijk", 6), (std::vector<std::string>{"ab;cd;", "efghij", "k"}));
}

TEST(Wrapped, AnEmptyTextHasOneEmptyLine) {
  EXPECT_EQ(wrapped("", 10), std::vector<std::string>{""});
}

}  // namespace
}  // namespace pimento::emit
