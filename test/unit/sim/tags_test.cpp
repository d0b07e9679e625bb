// Contents of caches against a plain model that searches lists.
#include "pimento/sim/cache/tags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "pimento/base/rng.h"
#include "test/support/cases.h"

namespace pimento::test {
namespace {

using sim::cache::Replacement;
using sim::cache::Tags;

/// A set is a list of lines in the order of their places; nothing is shared with the real one.
class PlainTags {
 public:
  explicit PlainTags(const Tags::Shape &shape) : shape_(shape), sets_(static_cast<std::size_t>(shape.sets)) {}

  bool use(std::uint64_t line, bool isWrite) {
    for (Line &l : sets_[set(line)])
      if (l.isThere && l.number == line) {
        l.isDirty = l.isDirty || isWrite;
        l.used = ++now_;
        l.prediction = 0;
        return true;
      }
    return false;
  }

  std::optional<Tags::Victim> bringIn(std::uint64_t line, bool isDirty) {
    std::vector<Line> &set = sets_[this->set(line)];
    set.resize(static_cast<std::size_t>(shape_.ways));
    ++came_;
    const int distant = (1 << shape_.predictionBits) - 1;
    const Line fresh{true, line, isDirty, ++now_, came_ % shape_.longEvery == 0 ? distant - 1 : distant};
    for (Line &l : set)
      if (!l.isThere) {
        l = fresh;
        return std::nullopt;
      }
    Line *goes = nullptr;
    if (shape_.replacement == Replacement::kLru) {
      goes = &*std::min_element(set.begin(), set.end(), [](const Line &a, const Line &b) { return a.used < b.used; });
    } else {
      while (goes == nullptr) {
        for (Line &l : set)
          if (l.prediction == distant && goes == nullptr) goes = &l;
        if (goes == nullptr)
          for (Line &l : set) ++l.prediction;
      }
    }
    const Tags::Victim victim{goes->number, goes->isDirty};
    *goes = fresh;
    return victim;
  }

 private:
  struct Line {
    bool isThere = false;
    std::uint64_t number = 0;
    bool isDirty = false;
    std::int64_t used = 0;
    int prediction = 0;
  };
  std::size_t set(std::uint64_t line) const { return static_cast<std::size_t>(line) % sets_.size(); }

  Tags::Shape shape_;
  std::vector<std::vector<Line>> sets_;
  std::int64_t now_ = 0, came_ = 0;
};

/// Streams as programs have them: rows, strides, blocks that come again, places at random.
std::vector<std::uint64_t> linesOf(int program, Rng &rng, std::size_t count) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t i = 0; lines.size() < count; ++i) {
    switch (program) {
      case 0:  // three arrays side by side
        lines.insert(lines.end(), {i, 10000 + i, 20000 + i});
        break;
      case 1:  // rows above and below
        for (const std::uint64_t row : {0, 64, 128}) lines.push_back(i % 4096 + row);
        break;
      case 2:  // blocks that are read again
        for (std::uint64_t k = 0; k < 32; ++k) lines.push_back(i % 8 * 64 + k * 8 + i / 64 % 8);
        break;
      case 3:  // a table by index
        lines.insert(lines.end(), {i / 16, 30000 + rng.below(2048)});
        break;
      default:  // every second line, ever further apart
        lines.push_back((i << (i / 512 % 5)) % 8192);
    }
  }
  return lines;
}

TEST(Tags, HoldWhatAPlainModelHolds) {
  int hits = 0;
  for (const Replacement replacement : {Replacement::kLru, Replacement::kBimodalRrip})
    for (int program = 0; program < 5; ++program)
      for (const int ways : {1, 2, 8, 16}) {
        Rng rng(static_cast<std::uint64_t>(program * 100 + ways));
        const Tags::Shape shape{std::int64_t{1} << (4 + rng.below(4)), ways, replacement, 2, 32};
        Tags tags(shape);
        PlainTags plain(shape);
        for (const std::uint64_t line : linesOf(program, rng, 20000)) {
          const bool isWrite = rng.below(4) == 0;
          const bool isThere = tags.use(line, isWrite);
          hits += isThere ? 1 : 0;
          ASSERT_EQ(isThere, plain.use(line, isWrite));
          if (isThere) continue;
          const auto ours = tags.bringIn(line, isWrite), theirs = plain.bringIn(line, isWrite);
          ASSERT_EQ(ours.has_value(), theirs.has_value());
          if (ours) {
            ASSERT_EQ(ours->line, theirs->line);
            ASSERT_EQ(ours->isDirty, theirs->isDirty);
          }
        }
      }
  EXPECT_GT(hits, 100000);
}

TEST(Tags, OfBimodalPredictionKeepAPartOfALoopThatDoesNotFit) {
  constexpr std::uint64_t kLines = 24;
  const auto hits = [](Replacement r) {
    Tags tags({1, 16, r, 2, 32});
    int n = 0;
    for (int round = 0; round < 200; ++round)
      for (std::uint64_t line = 0; line < kLines; ++line) {
        if (tags.use(line, false))
          ++n;
        else
          tags.bringIn(line, false);
      }
    return n;
  };
  EXPECT_EQ(hits(Replacement::kLru), 0) << "the line that is needed next has just gone";
  EXPECT_GT(hits(Replacement::kBimodalRrip), 200 * 10) << "most of 16 lines stay";
}

TEST(Tags, GiveUpTheWaysThatAreReserved) {
  Tags tags({4, 8, Replacement::kLru, 2, 32});
  for (std::uint64_t line = 0; line < 32; ++line) tags.bringIn(line, line % 3 == 0);
  EXPECT_EQ(tags.held(), 32);
  const std::vector<std::uint64_t> dirty = tags.restrict(2);
  EXPECT_EQ(tags.held(), 8);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t line = 8; line < 32; ++line)
    if (line % 3 == 0) expected.push_back(line);
  EXPECT_EQ(dirty, expected);
  for (std::uint64_t line = 100; line < 200; ++line) tags.bringIn(line, false);
  EXPECT_EQ(tags.held(), 8) << "no more than two in each set";
  tags.restrict(8);
  for (std::uint64_t line = 200; line < 300; ++line) tags.bringIn(line, false);
  EXPECT_EQ(tags.held(), 32);
}

TEST(Tags, CleanDirtyLinesOfARange) {
  Tags tags({8, 4, Replacement::kBimodalRrip, 2, 32});
  for (std::uint64_t line = 0; line < 32; ++line) tags.bringIn(line, line % 2 == 0);
  EXPECT_EQ(tags.clean(5, 12), (std::vector<std::uint64_t>{6, 8, 10}));
  EXPECT_TRUE(tags.clean(5, 12).empty());
  const auto out = tags.takeOut(12);
  ASSERT_TRUE(out);
  EXPECT_TRUE(out->isDirty);
  EXPECT_FALSE(tags.has(12));
  EXPECT_FALSE(tags.takeOut(12));
}

}  // namespace
}  // namespace pimento::test
