// The runtime in C: fat binaries on arrays of the user, and what it says of those that do not fit.
#include <gtest/gtest.h>
#include <pimento_inf.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "pimento/kernel/notation.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fat_binary.h"
#include "pimento/tdfg/fit.h"
#include "test/support/folder.h"

namespace pimento {
namespace {

/// Bytes of a fat binary whose sizes are `names`, each the extent of the dim at its place in `dims`.
std::string fatBinary(const std::string &text, const std::vector<std::string> &names, const std::string &dims) {
  auto program = tdfg::fitStreams(names, [&](const auto &sizes) {
    kernel::Sizes extents;
    for (std::size_t i = 0; i < names.size(); ++i) extents[std::string(1, dims[i])] = sizes.at(names[i]);
    return kernel::parseNotation(text, extents, DType::kF32);
  });
  EXPECT_TRUE(program) << program.diagnostics().front().str();
  tdfg::extract(*program);
  const auto binary = tdfg::makeFatBinary(std::move(*program));
  EXPECT_TRUE(binary);
  return tdfg::writeFatBinary(*binary);
}

class Inf : public testing::Test {
 protected:
  void start(const std::vector<const char *> &settings = {}) {
    ASSERT_EQ(inf_start(nullptr, settings.data(), settings.size(), &system_), INF_OK) << inf_problem();
  }
  void TearDown() override { inf_stop(system_); }

  std::string write(const std::string &name, const std::string &bytes) {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  inf_program *open(const std::string &bytes) {
    inf_program *program = nullptr;
    EXPECT_EQ(inf_open(system_, write("p.inf", bytes).c_str(), &program), INF_OK) << inf_problem();
    return program;
  }
  int declare(std::vector<float> &array, std::vector<std::size_t> shape, std::size_t pitch = 0) {
    return inf_array(system_, array.data(), "f32", shape.size(), shape.data(), pitch);
  }
  int add(inf_program *program, std::size_t n, void *a, void *b, void *c) {
    const inf_size sizes[] = {{"n", static_cast<long long>(n)}};
    const inf_operand operands[] = {{"a", a}, {"b", b}, {"c", c}};
    return inf_cfg(program, sizes, 1, operands, 3);
  }
  static std::vector<float> numbers(std::size_t n, float first) {
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = first + 0.25F * static_cast<float>(i);
    return x;
  }
  static std::string problem() { return inf_problem(); }
  bool says(inf_program *program, const std::string &text) {
    for (std::size_t w = 0; w < inf_warnings(program); ++w)
      if (std::string(inf_warning(program, w)).find(text) != std::string::npos) return true;
    return false;
  }

  inf_system *system_ = nullptr;
  test::Folder folder_;
  const std::string add_ = fatBinary("c[i] = a[i] + b[i]", {"n"}, "i");
};

TEST_F(Inf, RunsOneFileAtThreeSizesOnBothArraySizes) {
  for (const bool isLarge : {false, true}) {
    inf_stop(system_);
    start(isLarge ? std::vector<const char *>{"sram.wordlines=512", "sram.bitlines=512", "sram.arrays_per_way=4"}
                  : std::vector<const char *>{});
    inf_program *program = open(add_);
    for (const std::size_t n : {1UL, 1000UL, 70000UL}) {
      std::vector<float> a = numbers(n, 1), b = numbers(n, -5), c(n, 9);
      for (auto *x : {&a, &b, &c}) ASSERT_EQ(declare(*x, {n}), INF_OK) << problem();
      ASSERT_EQ(add(program, n, a.data(), b.data(), c.data()), INF_OK) << problem();
      ASSERT_EQ(inf_end(program), INF_OK) << problem();
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
      EXPECT_GT(inf_time_ns(program), 0);
      EXPECT_GE(inf_count(program, "compute_commands"), 1);
      EXPECT_EQ(inf_count(program, "lowered_regions"), 1);
      EXPECT_NE(std::string(inf_report(program)).find("\"time_ns\""), std::string::npos);
      for (auto *x : {&a, &b, &c}) EXPECT_EQ(inf_release(system_, x->data()), INF_OK) << problem();
    }
  }
}

TEST_F(Inf, RunsArraysThatOverlapInTheOrderOfTheSource) {
  start();
  inf_program *program = open(add_);
  const std::size_t n = 500;
  std::vector<float> memory = numbers(n + 1, 1), b = numbers(n, 2), expected = memory;
  for (std::size_t i = 0; i < n; ++i) expected[i + 1] = expected[i] + b[i];
  const std::size_t shape[] = {n};
  ASSERT_EQ(inf_array(system_, memory.data(), "f32", 1, shape, 0), INF_OK);
  ASSERT_EQ(inf_array(system_, memory.data() + 1, "f32", 1, shape, 0), INF_OK);
  ASSERT_EQ(declare(b, {n}), INF_OK);
  ASSERT_EQ(add(program, n, memory.data(), b.data(), memory.data() + 1), INF_OK) << problem();
  ASSERT_EQ(inf_end(program), INF_OK) << problem();
  EXPECT_EQ(memory, expected);
  EXPECT_TRUE(says(program, "overlap"));
}

TEST_F(Inf, RefusesOverlapsWhereSumsBeginFromNothing) {
  start();
  inf_program *program = open(fatBinary("y[i] += a[i,j]", {"m", "n"}, "ij"));
  std::vector<float> a = numbers(16 * 16, 1);
  const std::size_t rows = 16;
  ASSERT_EQ(declare(a, {16, 16}), INF_OK);
  ASSERT_EQ(inf_array(system_, a.data() + 1, "f32", 1, &rows, 0), INF_OK);
  const inf_size sizes[] = {{"m", 16}, {"n", 16}};
  const inf_operand operands[] = {{"a", a.data()}, {"y", a.data() + 1}};
  ASSERT_EQ(inf_cfg(program, sizes, 2, operands, 2), INF_OK) << problem();
  EXPECT_EQ(inf_end(program), INF_REFUSED);
  EXPECT_NE(problem().find("overlap-form"), std::string::npos) << problem();
}

TEST_F(Inf, RefusesArraysThatAFileHasNoSchedulesFor) {
  start({"sram.wordlines=128"});
  inf_program *program = open(add_);
  const std::size_t n = 16;
  std::vector<float> a = numbers(n, 1), b = a, c = a;
  for (auto *x : {&a, &b, &c}) ASSERT_EQ(declare(*x, {n}), INF_OK);
  EXPECT_EQ(add(program, n, a.data(), b.data(), c.data()), INF_REFUSED);
  EXPECT_NE(problem().find("inf-array-size"), std::string::npos) << problem();
}

TEST_F(Inf, LeavesRowsThatAreNoWholeLinesToStreams) {
  start();
  inf_program *program = open(fatBinary("c[i,j] = a[i,j] + b[i,j]", {"m", "n"}, "ij"));
  const std::size_t m = 12, n = 20;
  for (const std::size_t pitch : {32UL, 21UL}) {
    std::vector<float> a = numbers(m * pitch, 1), b = numbers(m * pitch, 2), c(m * pitch, -1);
    for (auto *x : {&a, &b, &c}) ASSERT_EQ(declare(*x, {m, n}, pitch), INF_OK) << problem();
    const inf_size sizes[] = {{"m", m}, {"n", n}};
    const inf_operand operands[] = {{"a", a.data()}, {"b", b.data()}, {"c", c.data()}};
    ASSERT_EQ(inf_cfg(program, sizes, 2, operands, 3), INF_OK) << problem();
    ASSERT_EQ(inf_end(program), INF_OK) << problem();
    for (std::size_t i = 0; i < m * pitch; ++i) EXPECT_EQ(c[i], i % pitch < n ? a[i] + b[i] : -1) << i;
    EXPECT_EQ(says(program, "no whole lines"), pitch == 21);
    for (auto *x : {&a, &b, &c}) EXPECT_EQ(inf_release(system_, x->data()), INF_OK);
  }
}

TEST_F(Inf, SaysWhatIsWrongWithAFile) {
  start();
  inf_program *program = nullptr;
  const auto refused = [&](std::string bytes, const char *code) {
    EXPECT_EQ(inf_open(system_, write("bad.inf", bytes).c_str(), &program), INF_REFUSED);
    EXPECT_EQ(program, nullptr);
    EXPECT_NE(problem().find(code), std::string::npos) << problem();
    EXPECT_NE(problem().find("bad.inf"), std::string::npos) << problem();
  };
  refused(add_.substr(0, add_.size() - 5), "inf-length");
  refused(add_ + "x", "inf-length");
  std::string other = add_;
  other[other.size() / 2] ^= 4;
  refused(other, "inf-checksum");
  other = add_;
  other[std::strlen("PIMENTO-INF\n")] = 9;
  refused(other, "inf-version");
  refused("no fat binary", "inf-magic");
  EXPECT_EQ(inf_open(system_, "/nowhere/x.inf", &program), INF_REFUSED);
}

TEST_F(Inf, SaysWhatIsWrongWithSizesAndArrays) {
  start();
  inf_program *program = open(add_);
  const std::size_t n = 64;
  std::vector<float> a = numbers(n, 1), b = a, c = a, undeclared = a;
  for (auto *x : {&a, &b, &c}) ASSERT_EQ(declare(*x, {n}), INF_OK);
  const inf_operand operands[] = {{"a", a.data()}, {"b", b.data()}, {"c", c.data()}};
  EXPECT_EQ(inf_cfg(program, nullptr, 0, operands, 3), INF_REFUSED);
  EXPECT_NE(problem().find("missing-size"), std::string::npos) << problem();
  const inf_size other[] = {{"n", 64}, {"q", 1}};
  EXPECT_EQ(inf_cfg(program, other, 2, operands, 3), INF_REFUSED);
  EXPECT_NE(problem().find("unknown-size"), std::string::npos) << problem();
  const inf_size sizes[] = {{"n", 64}};
  EXPECT_EQ(inf_cfg(program, sizes, 1, operands, 2), INF_REFUSED);
  EXPECT_NE(problem().find("'c' is not given"), std::string::npos) << problem();
  EXPECT_EQ(add(program, n, a.data(), b.data(), undeclared.data()), INF_REFUSED);
  EXPECT_NE(problem().find("no array is declared"), std::string::npos) << problem();
  EXPECT_EQ(add(program, n + 1, a.data(), b.data(), c.data()), INF_REFUSED);
  EXPECT_NE(problem().find("65"), std::string::npos) << problem();
  const inf_operand unknown[] = {{"a", a.data()}, {"b", b.data()}, {"d", c.data()}};
  EXPECT_EQ(inf_cfg(program, sizes, 1, unknown, 3), INF_REFUSED);
  EXPECT_NE(problem().find("no array 'd'"), std::string::npos) << problem();
  EXPECT_EQ(inf_array(system_, undeclared.data(), "f31", 1, &n, 0), INF_WRONG_USAGE);
  EXPECT_EQ(declare(a, {n}), INF_WRONG_USAGE);
  EXPECT_EQ(inf_end(program), INF_WRONG_USAGE);
  EXPECT_NE(problem().find("not configured"), std::string::npos) << problem();
}

TEST_F(Inf, KeepsSixteenArraysAndOneProgramAtATime) {
  start();
  inf_program *program = open(add_), *second = open(add_);
  const std::size_t n = 16;
  std::vector<std::vector<float>> arrays(17, numbers(n, 1));
  for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(declare(arrays[i], {n}), INF_OK) << problem();
  EXPECT_EQ(declare(arrays[16], {n}), INF_REFUSED);
  EXPECT_NE(problem().find("too-many-arrays"), std::string::npos) << problem();
  ASSERT_EQ(add(program, n, arrays[0].data(), arrays[1].data(), arrays[2].data()), INF_OK);
  EXPECT_EQ(add(second, n, arrays[3].data(), arrays[4].data(), arrays[5].data()), INF_WRONG_USAGE);
  EXPECT_NE(problem().find("inf-busy"), std::string::npos) << problem();
  EXPECT_EQ(inf_release(system_, arrays[1].data()), INF_WRONG_USAGE);
  EXPECT_EQ(inf_end(program), INF_OK);
  EXPECT_EQ(add(second, n, arrays[3].data(), arrays[4].data(), arrays[5].data()), INF_OK);
  inf_close(second);
  EXPECT_EQ(add(program, n, arrays[0].data(), arrays[1].data(), arrays[2].data()), INF_OK);
}

TEST_F(Inf, AnswersNullWithoutCrashing) {
  EXPECT_EQ(inf_start(nullptr, nullptr, 0, nullptr), INF_WRONG_USAGE);
  const char *settings[] = {"nonsense"};
  EXPECT_EQ(inf_start(nullptr, settings, 1, &system_), INF_WRONG_USAGE);
  EXPECT_EQ(inf_start("upmem", nullptr, 0, &system_), INF_REFUSED);
  EXPECT_NE(problem().find("inf-machine"), std::string::npos) << problem();
  EXPECT_EQ(system_, nullptr);
  EXPECT_EQ(inf_open(nullptr, "x", nullptr), INF_WRONG_USAGE);
  EXPECT_EQ(inf_cfg(nullptr, nullptr, 0, nullptr, 0), INF_WRONG_USAGE);
  EXPECT_EQ(inf_end(nullptr), INF_WRONG_USAGE);
  EXPECT_EQ(inf_warning(nullptr, 0), nullptr);
  EXPECT_EQ(inf_report(nullptr), nullptr);
  EXPECT_EQ(inf_count(nullptr, nullptr), -1);
  EXPECT_EQ(inf_api_version(), INF_API_VERSION);
}

}  // namespace
}  // namespace pimento
