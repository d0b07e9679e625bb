// Stores of several tasks come together whole, or not at all.
#include "pimento/tune/store_files.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "pimento/tune/store.h"
#include "test/support/folder.h"

namespace pimento::test {
namespace {

using tune::Store;
using Results = std::map<std::string, std::string>;

class StoreFiles : public ::testing::Test {
 protected:
  std::string at(const std::string &name) const { return folder_ / name; }

  /// A store with results of kind "run" of one problem; with a share of so many, finished or not.
  std::string write(const std::string &name, const Results &results, const std::string &identity = "one",
                    std::int64_t share = 0, std::int64_t of = 0, bool isDone = true) const {
    auto store = Store::open(at(name), identity, "problem " + identity);
    EXPECT_TRUE(store.ok());
    if (share > 0) {
      EXPECT_TRUE((*store)->beginShare(share, of).ok());
    }
    for (const auto &[key, value] : results) EXPECT_TRUE((*store)->put("run", key, value).ok());
    if (share > 0 && isDone) {
      EXPECT_TRUE((*store)->endShare(share, of).ok());
    }
    return at(name);
  }

  std::optional<std::string> found(const std::string &name, const std::string &key,
                                   const std::string &identity = "one") const {
    auto store = Store::open(at(name), identity, "");
    return store ? (*store)->find("run", key) : std::nullopt;
  }

  static std::string codeOf(const Result<tune::MergedStores> &merged) {
    return merged ? "" : merged.diagnostics().front().code;
  }

  Folder folder_;
};

TEST_F(StoreFiles, ComeTogetherByProblem) {
  write("a.db", {{"x", "1"}, {"y", "2"}});
  const std::string b = write("b.db", {{"y", "2"}, {"z", "3"}});
  write("b.db", {{"x", "other"}}, "two");
  const auto merged = tune::mergeStores(at("a.db"), {b});
  ASSERT_TRUE(merged.ok()) << merged.diagnostics().front().str();
  EXPECT_EQ(merged->results, 3);
  EXPECT_EQ(merged->newResults, 2);
  ASSERT_EQ(merged->all.problems.size(), 2U);
  EXPECT_EQ(merged->all.problems[0].about, "problem one");
  EXPECT_EQ(merged->all.problems[0].results.at("run"), 3);
  EXPECT_EQ(found("a.db", "x"), "1");
  EXPECT_EQ(found("a.db", "z"), "3");
  EXPECT_EQ(found("a.db", "x", "two"), "other");
  const auto again = tune::mergeStores(at("a.db"), {b});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->newResults, 0);
}

TEST_F(StoreFiles, MakeTheFirstWhereItIsNotThere) {
  const std::string a = write("a.db", {{"x", "1"}}), b = write("b.db", {{"y", "2"}});
  ASSERT_TRUE(tune::mergeStores(at("all.db"), {a, b}).ok());
  EXPECT_EQ(found("all.db", "x"), "1");
  EXPECT_EQ(found("all.db", "y"), "2");
}

TEST_F(StoreFiles, KeepAnyBytes) {
  const std::string strange("a\0'\"\n\xff%", 7);
  const std::string b = write("b.db", {{strange, strange}});
  ASSERT_TRUE(tune::mergeStores(at("a.db"), {b}).ok());
  EXPECT_EQ(found("a.db", strange), strange);
}

TEST_F(StoreFiles, SayWhichSharesAreThere) {
  const std::string a = write("1.db", {{"x", "1"}}, "one", 1, 4), b = write("3.db", {{"y", "2"}}, "one", 3, 4, false);
  const auto merged = tune::mergeStores(at("all.db"), {a, b});
  ASSERT_TRUE(merged.ok()) << merged.diagnostics().front().str();
  ASSERT_EQ(merged->all.problems.front().plans.size(), 1U);
  const tune::StoredShares &shares = merged->all.problems.front().plans.front();
  EXPECT_EQ(shares.of, 4);
  EXPECT_EQ(shares.done, (std::set<std::int64_t>{1}));
  EXPECT_EQ(shares.missing(), (std::vector<std::int64_t>{2, 4}));
  // The task was run again, and finished.
  write("3.db", {{"y2", "2"}}, "one", 3, 4);
  const auto again = tune::mergeStores(at("all.db"), {b});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->all.problems.front().plans.front().done, (std::set<std::int64_t>{1, 3}));
  EXPECT_EQ(again->results, 2) << "shares are no results";
}

TEST_F(StoreFiles, OfTwoPlansAreRefusedUntouched) {
  const std::string a = write("a.db", {{"x", "1"}}, "one", 1, 4);
  const std::string b = write("b.db", {{"y", "2"}}, "one", 1, 8), c = write("c.db", {{"z", "3"}}, "two", 2, 4);
  for (const std::string &other : {b, c}) {
    const auto merged = tune::mergeStores(a, {other});
    EXPECT_EQ(codeOf(merged), "store-plan");
    EXPECT_EQ(merged.diagnostics().front().where.file, other);
  }
  EXPECT_EQ(codeOf(tune::mergeStores(at("new.db"), {a, b})), "store-plan");
  EXPECT_FALSE(found("a.db", "y").has_value());
  EXPECT_FALSE(std::filesystem::exists(at("new.db")));
  // One without shares goes with any.
  EXPECT_EQ(codeOf(tune::mergeStores(a, {write("d.db", {{"w", "4"}}, "two")})), "");
}

TEST_F(StoreFiles, ThatDisagreeAreADiagnostic) {
  const std::string a = write("a.db", {{"x", "1"}}), b = write("b.db", {{"w", "0"}, {"x", "2"}});
  const auto merged = tune::mergeStores(a, {b});
  EXPECT_EQ(codeOf(merged), "store-conflict");
  EXPECT_NE(merged.diagnostics().front().message.find("'x' of problem one"), std::string::npos);
  EXPECT_EQ(found("a.db", "x"), "1");
  EXPECT_FALSE(found("a.db", "w").has_value()) << "nothing of it was taken";
}

TEST_F(StoreFiles, ThatCannotBeReadAreDiagnostics) {
  const std::string a = write("a.db", {{"x", "1"}}), b = write("b.db", {{"y", "2"}});
  EXPECT_EQ(codeOf(tune::mergeStores(a, {at("none.db")})), "store-missing");
  EXPECT_EQ(codeOf(tune::mergeStores(a, {b, at("./b.db")})), "store-twice");
  EXPECT_EQ(codeOf(tune::mergeStores(a, {a})), "store-twice");
  std::ofstream(at("text.db")) << std::string(5000, 'x');
  EXPECT_EQ(codeOf(tune::mergeStores(a, {at("text.db")})), "store-corrupt");
  sqlite3 *db = nullptr;
  ASSERT_EQ(sqlite3_open(b.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA user_version = 77", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  EXPECT_EQ(codeOf(tune::mergeStores(a, {b})), "store-version");
  EXPECT_EQ(tune::contentsOfStore(at("none.db")).diagnostics().front().code, "store-missing");
  EXPECT_FALSE(std::filesystem::exists(at("none.db")));
}

TEST_F(StoreFiles, AreWholeAfterAKill) {
  Results many;
  for (int i = 0; i < 20'000; ++i) many["key " + std::to_string(i)] = std::string(50, 'v');
  const std::string b = write("b.db", {});
  {
    // One transaction, or writing it takes longer than the rest.
    auto store = Store::open(b, "one", "problem one");
    ASSERT_TRUE(store.ok());
    sqlite3 *db = nullptr;
    ASSERT_EQ(sqlite3_open(b.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, "BEGIN", nullptr, nullptr, nullptr), SQLITE_OK);
    for (const auto &[key, value] : many)
      ASSERT_EQ(sqlite3_exec(db, ("INSERT INTO results VALUES(1, 'run', '" + key + "', '" + value + "')").c_str(),
                             nullptr, nullptr, nullptr),
                SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  write("a.db", {{"x", "1"}});
  for (int delay = 0; delay < 30; ++delay) {
    const pid_t child = fork();
    if (child == 0) {
      (void)tune::mergeStores(at("a.db"), {b});
      _exit(0);
    }
    usleep(static_cast<useconds_t>(delay) * 2000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto contents = tune::contentsOfStore(at("a.db"));
    ASSERT_TRUE(contents.ok()) << contents.diagnostics().front().str();
    const std::int64_t n = contents->problems.front().results.at("run");
    ASSERT_TRUE(n == 1 || n == 20'001) << n;
    if (n > 1) break;
  }
  EXPECT_EQ(found("a.db", "x"), "1");
}

}  // namespace
}  // namespace pimento::test
