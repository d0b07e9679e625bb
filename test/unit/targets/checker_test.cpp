#include "pimento/evaluate/checker.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/kernel/notation.h"

namespace pimento::evaluate {
namespace {

class CheckerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto graph = kernel::parseNotation("y[i] += A[i,j] * x[j]; z[i] = y[i] + x[i]", {{"i", 4}, {"j", 4}}, DType::kF16);
    ASSERT_TRUE(graph);
    graph_ = *graph;
    data_ = kernel::makeData(graph_, {});
  }

  kernel::TensorData &tensor(const char *name) { return data_[static_cast<std::size_t>(graph_.tensorNamed(name))]; }

  /// A device that is right, but for what `spoil` does to its results.
  template <class F>
  Status runOnDevice(F spoil) {
    Checker checker(graph_, &data_);
    for (std::size_t k = 0; k < graph_.kernels.size(); ++k) {
      const PlannedPart part{.first = static_cast<int>(k), .mapping = {}, .compiled = nullptr};
      checker.before(part);
      EXPECT_TRUE(kernel::interpretKernel(graph_, static_cast<int>(k), data_));
      spoil(k);
      if (Status s = checker.after(part, {}); !s) return s;
    }
    return okStatus();
  }

  kernel::Graph graph_;
  kernel::DataSet data_;
};

TEST_F(CheckerTest, ARightAnswerPassesAndStays) {
  EXPECT_TRUE(runOnDevice([](std::size_t) {}));
  kernel::DataSet reference = kernel::makeData(graph_, {});
  ASSERT_TRUE(kernel::interpret(graph_, reference));
  EXPECT_EQ(tensor("z").bytes, reference[static_cast<std::size_t>(graph_.tensorNamed("z"))].bytes);
}

TEST_F(CheckerTest, OneFlippedBitIsAWrongAnswerThatNamesTheElement) {
  const Status s = runOnDevice([&](std::size_t k) {
    if (k == 1) tensor("z").bytes[2 * 3] ^= std::byte{1};
  });
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics()[0].code, "wrong-answer");
  EXPECT_EQ(s.diagnostics()[0].kind, DiagnosticKind::kOurs);
  EXPECT_NE(s.diagnostics()[0].message.find("z[3] is "), std::string::npos) << s.diagnostics()[0].message;
}

TEST_F(CheckerTest, AWrongIntermediateIsFoundEvenIfTheResultHidesIt) {
  const Status s = runOnDevice([&](std::size_t k) {
    if (k == 0) tensor("y").bytes[0] ^= std::byte{1};
  });
  ASSERT_FALSE(s);
  EXPECT_NE(s.diagnostics()[0].message.find("y[0] is "), std::string::npos) << s.diagnostics()[0].message;
}

TEST_F(CheckerTest, AllNaNsAreEqualButZerosOfDifferentSignAreNot) {
  for (std::int64_t i = 0; i < 4; ++i) tensor("x").setDouble(i, std::nan(""));
  EXPECT_TRUE(runOnDevice([&](std::size_t k) {
    if (k == 0) tensor("y").bytes[0] ^= std::byte{2};  // another NaN
  }));
  data_ = kernel::makeData(graph_, {kernel::DataSpec::Kind::kZero});
  EXPECT_FALSE(runOnDevice([&](std::size_t k) {
    if (k == 1) tensor("z").bytes[1] ^= std::byte{0x80};
  }));
}

TEST_F(CheckerTest, AnUpdateStartsFromWhatWasThereBeforeTheDeviceRan) {
  graph_.tensors[static_cast<std::size_t>(graph_.tensorNamed("y"))].role = kernel::Role::kInOut;
  data_ = kernel::makeData(graph_, {});
  EXPECT_TRUE(runOnDevice([](std::size_t) {}));
}

}  // namespace
}  // namespace pimento::evaluate
