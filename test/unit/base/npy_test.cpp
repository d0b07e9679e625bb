#include "pimento/base/npy.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pimento {
namespace {

NpyArray sample(DType type, std::vector<std::int64_t> shape) {
  NpyArray array{type, std::move(shape), {}};
  std::int64_t n = sizeOf(type).value;
  for (const std::int64_t extent : array.shape) n *= extent;
  for (std::int64_t i = 0; i < n; ++i) array.bytes.push_back(static_cast<std::byte>(i * 7));
  return array;
}

/// What numpy.save writes: numpy.save(f, numpy.array([[1, 2, 3], [4, 5, 6]], dtype='<i2')).
std::string savedByNumpy() {
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  header.append(118 - 1 - header.size(), ' ');
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += header + '\n';
  for (char i = 1; i <= 6; ++i) file += {i, '\0'};
  return file;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string codeOf(const Result<NpyArray> &result) {
  return result ? "" : result.diagnostics()[0].code;
}

TEST(Npy, EveryTypeNumPyHasRoundTrips) {
  for (const DType t : allDTypes()) {
    const NpyArray array = sample(t, {3, 2});
    const auto text = printNpy(array);
    if (npyDescr(t).empty()) {
      ASSERT_FALSE(text);
      EXPECT_EQ(text.diagnostics()[0].code, "unsupported-npy");
      continue;
    }
    ASSERT_TRUE(text);
    EXPECT_EQ((text->size() - array.bytes.size()) % 64, 0u);
    const auto back = parseNpy(*text, "x.npy");
    ASSERT_TRUE(back);
    EXPECT_EQ(back->type, t);
    EXPECT_EQ(back->shape, array.shape);
    EXPECT_EQ(back->bytes, array.bytes);
  }
}

TEST(Npy, ScalarsVectorsAndEmptyArraysKeepTheirShape) {
  for (const auto &shape : std::vector<std::vector<std::int64_t>>{{}, {5}, {0}, {1, 2, 3, 4}}) {
    const auto back = parseNpy(*printNpy(sample(DType::kF32, shape)), "x.npy");
    ASSERT_TRUE(back);
    EXPECT_EQ(back->shape, shape);
  }
}

TEST(Npy, AFileOfNumPyReads) {
  const auto array = parseNpy(savedByNumpy(), "x.npy");
  ASSERT_TRUE(array) << array.diagnostics()[0].str();
  EXPECT_EQ(array->type, DType::kI16);
  EXPECT_EQ(array->shape, (std::vector<std::int64_t>{2, 3}));
  std::int16_t last = 0;
  std::memcpy(&last, array->bytes.data() + 10, 2);
  EXPECT_EQ(last, 6);
}

TEST(Npy, VersionTwoHasALongerHeaderLength) {
  std::string file = savedByNumpy();
  file[6] = 2;
  file.insert(10, std::string(2, '\0'));
  EXPECT_TRUE(parseNpy(file, "x.npy"));
}

TEST(Npy, WhatWeCannotHoldIsUnsupported) {
  EXPECT_EQ(codeOf(parseNpy(replaced(savedByNumpy(), "False", "True "), "x")), "unsupported-npy");
  EXPECT_EQ(codeOf(parseNpy(replaced(savedByNumpy(), "'<i2'", "'>i2'"), "x")), "unsupported-npy");
  EXPECT_EQ(codeOf(parseNpy(replaced(savedByNumpy(), "'<i2'", "[('a"), "x")), "unsupported-npy");
}

TEST(Npy, ABrokenFileIsBadWhereverItIsCut) {
  const std::string file = savedByNumpy();
  for (std::size_t n = 0; n < file.size(); ++n) EXPECT_EQ(codeOf(parseNpy(file.substr(0, n), "x")), "bad-npy") << n;
  EXPECT_EQ(codeOf(parseNpy(file + "x", "x")), "bad-npy");
  EXPECT_EQ(codeOf(parseNpy(replaced(file, "(2, 3)", "(2,-3)"), "x")), "bad-npy");
  EXPECT_EQ(codeOf(parseNpy(replaced(file, "descr", "decsr"), "x")), "bad-npy");
  EXPECT_EQ(codeOf(parseNpy(replaced(file, "(2, 3), }   ", "(9999999999999999, 9999999999999999)"), "x")), "bad-npy");
}

TEST(Npy, AMissingFileIsUnreadable) {
  EXPECT_EQ(codeOf(readNpy("no/such.npy")), "unreadable-file");
}

}  // namespace
}  // namespace pimento
