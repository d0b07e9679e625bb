#include "pimento/base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

namespace pimento {
namespace {

TEST(File, WhatIsWrittenReadsBackByteForByte) {
  const std::string path = testing::TempDir() + "/pimento_file_test_" + std::to_string(getpid()) + ".bin";
  const std::string contents("a\0b\r\n\xff", 6);
  ASSERT_TRUE(writeFile(path, contents));
  const auto back = readFile(path);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, contents);
  ASSERT_TRUE(writeFile(path, ""));
  EXPECT_EQ(*readFile(path), "");
  std::remove(path.c_str());
}

TEST(File, AMissingFileIsUnreadable) {
  const auto result = readFile(testing::TempDir() + "/no/such/file");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics()[0].code, "unreadable-file");
  EXPECT_NE(result.diagnostics()[0].message.find("No such file"), std::string::npos);
}

TEST(File, AFolderIsUnreadable) {
  const auto result = readFile(testing::TempDir());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics()[0].code, "unreadable-file");
}

TEST(File, AMissingFolderIsUnwritable) {
  const auto result = writeFile(testing::TempDir() + "/no/such/file", "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics()[0].code, "unwritable-file");
}

}  // namespace
}  // namespace pimento
