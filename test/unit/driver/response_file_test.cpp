#include "pimento/driver/response_file.h"

#include <gtest/gtest.h>

namespace pimento::driver {
namespace {

using Arguments = std::vector<std::string>;

Arguments split(const std::string &text) {
  const auto arguments = splitArguments(text, "arguments");
  EXPECT_TRUE(arguments);
  return arguments ? *arguments : Arguments{};
}

TEST(ResponseFile, WhiteSpaceSeparatesArguments) {
  EXPECT_EQ(split(" -O2\t-c\r\n\n a.c "), (Arguments{"-O2", "-c", "a.c"}));
  EXPECT_EQ(split(""), Arguments{});
  EXPECT_EQ(split(" \n"), Arguments{});
}

TEST(ResponseFile, QuotesHoldItTogether) {
  EXPECT_EQ(split("'a b' \"c d\" e' 'f"), (Arguments{"a b", "c d", "e f"}));
  EXPECT_EQ(split("'say \"x\"' \"it's\""), (Arguments{"say \"x\"", "it's"}));
  EXPECT_EQ(split("'' a \"\""), (Arguments{"", "a", ""}));
}

TEST(ResponseFile, ABackslashTakesTheNextCharacter) {
  EXPECT_EQ(split("a\\ b \\\\ -DX=\\\"x\\\" 'it\\'s'"), (Arguments{"a b", "\\", "-DX=\"x\"", "it's"}));
}

TEST(ResponseFile, WhatCannotBeReadStaysAsItIs) {
  const auto all = expandResponseFiles({"@/no/such/file", "@", "a@b"});
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (Arguments{"@/no/such/file", "@", "a@b"}));
}

}  // namespace
}  // namespace pimento::driver
