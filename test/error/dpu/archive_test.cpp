#include "pimento/dpu/archive.h"

#include <gtest/gtest.h>

#include "test/support/archive.h"

namespace pimento::dpu {
namespace {

void expectProblem(const std::string &bytes, const std::string &message) {
  const auto members = readArchive(bytes, "lib.a");
  ASSERT_FALSE(members) << message;
  const Diagnostic &d = members.diagnostics().front();
  EXPECT_EQ(d.code, "dpu-archive");
  EXPECT_EQ(d.where.file, "lib.a");
  EXPECT_NE(d.message.find(message), std::string::npos) << d.message;
  EXPECT_FALSE(d.hint.empty());
}

TEST(ArchiveErrors, ABrokenArchiveSaysWhere) {
  const std::string whole = test::archiveOf({{"a.o", "contents"}});
  const std::size_t header = whole.size() - 68;  // of a.o
  expectProblem(whole.substr(0, header + 20), "ends inside a member's header, at byte");
  expectProblem(whole.substr(0, whole.size() - 3), "a member of 8 bytes, but only 5 are left");
  std::string bytes = whole;
  bytes[header + 58] = 'x';
  expectProblem(bytes, "there is no member header at byte");
  bytes = whole;
  bytes.replace(header + 48, 2, "-8");
  expectProblem(bytes, "the size of a member is '-8'");
  bytes.replace(header + 48, 2, "xy");
  expectProblem(bytes, "the size of a member is 'xy'");
}

TEST(ArchiveErrors, ALongNameStandsInTheTableOfNames) {
  const std::string whole = test::archiveOf({{"a.o", "contents"}});
  const std::size_t header = whole.size() - 68;
  for (const char *name : {"/7              ", "/x              ", "#1/20           ", "                "}) {
    std::string bytes = whole;
    bytes.replace(header, 16, name);
    expectProblem(bytes, "is not the name of a member");
  }
}

TEST(ArchiveErrors, AFileThatIsNoneAndAThinOneThatIsBroken) {
  expectProblem("text", "not an archive");
  expectProblem("!<thin>\na.o/  ", "ends inside a member's header");
}

}  // namespace
}  // namespace pimento::dpu
