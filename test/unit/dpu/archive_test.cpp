#include "pimento/dpu/archive.h"

#include <gtest/gtest.h>

#include "test/support/archive.h"

namespace pimento::dpu {
namespace {

TEST(Archive, MembersComeInOrderWithShortNamesAndLongOnes) {
  const std::string bytes = test::archiveOf({{"a.o", "odd"}, {"a_rather_long_name.o", "even"}, {"b.o", ""}});
  const auto members = readArchive(bytes, "lib.a");
  ASSERT_TRUE(members) << members.diagnostics().front().str();
  ASSERT_EQ(members->size(), 3U);
  EXPECT_EQ((*members)[0].name, "a.o");
  EXPECT_EQ((*members)[0].contents, "odd");
  EXPECT_EQ((*members)[1].name, "a_rather_long_name.o");
  EXPECT_EQ((*members)[1].contents, "even");
  EXPECT_EQ((*members)[2].contents, "");
}

TEST(Archive, AThinOneNamesFiles) {
  std::string bytes = test::archiveOf({{"folder/a_rather_long_name.o", ""}, {"b.o", ""}});
  bytes.replace(0, 8, "!<thin>\n");
  // Their sizes are those of the files.
  bytes.replace(bytes.size() - 60 + 48, 4, "1234");
  const auto members = readArchive(bytes, "lib.a");
  ASSERT_TRUE(members) << members.diagnostics().front().str();
  ASSERT_EQ(members->size(), 2U);
  EXPECT_EQ((*members)[0].name, "folder/a_rather_long_name.o");
  EXPECT_EQ((*members)[1].name, "b.o");
  for (const ArchiveMember &m : *members) EXPECT_TRUE(m.isElsewhere && m.contents.empty());
}

TEST(Archive, MayBeEmpty) {
  const auto members = readArchive("!<arch>\n", "lib.a");
  ASSERT_TRUE(members);
  EXPECT_TRUE(members->empty());
}

TEST(Archive, IsToldByItsFirstBytes) {
  EXPECT_TRUE(isArchive("!<arch>\n"));
  EXPECT_TRUE(isArchive("!<thin>\n"));
  EXPECT_FALSE(isArchive("!<arch>"));
  EXPECT_FALSE(
      isArchive("\x7f"
                "ELF"));
}

}  // namespace
}  // namespace pimento::dpu
