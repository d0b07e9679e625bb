// A store keeps what was put, by problem, for any number of processes; everything else about it is a diagnostic.
#include "pimento/tune/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

namespace pimento::test {
namespace {

using tune::Store;

class StoreFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/pimento_store_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/results.db";
  }
  void TearDown() override {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder_);
  }
  std::string codeOf(const std::string &identity = "one", const std::string &about = "problem one") const {
    const auto store = Store::open(path_, identity, about);
    return store ? "" : store.diagnostics().front().code;
  }

  std::string folder_, path_;
};

TEST_F(StoreFile, KeepsResultsByKindAndName) {
  {
    auto store = Store::open(path_, "one", "problem one");
    ASSERT_TRUE(store.ok()) << store.diagnostics().front().str();
    EXPECT_FALSE((*store)->find("run", "a").has_value());
    ASSERT_TRUE((*store)->put("run", "a", "1 2 3").ok());
    ASSERT_TRUE((*store)->put("point", "a", "else").ok());
    ASSERT_TRUE((*store)->put("run", "a", "4").ok());
    EXPECT_EQ((*store)->find("run", "a"), "4");
    EXPECT_EQ((*store)->found(), 0);
  }
  auto store = Store::open(path_, "one", "problem one");
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->found(), 2);
  EXPECT_EQ((*store)->find("run", "a"), "4");
  EXPECT_EQ((*store)->find("point", "a"), "else");
  EXPECT_FALSE((*store)->find("run", "b").has_value());
}

TEST_F(StoreFile, KeepsAnyBytes) {
  const std::string strange("a\0'\"\n\xff%", 7);
  {
    ASSERT_TRUE((*Store::open(path_, "one", "x"))->put(strange, strange, strange).ok());
  }
  auto store = Store::open(path_, "one", "x");
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->find(strange, strange), strange);
}

TEST_F(StoreFile, WhatWasPutSurvivesAKill) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto store = Store::open(path_, "one", "problem one");
    for (int i = 0; i < 50; ++i) (void)(*store)->put("run", std::to_string(i), "kept");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  auto store = Store::open(path_, "one", "problem one");
  ASSERT_TRUE(store.ok()) << store.diagnostics().front().str();
  EXPECT_EQ((*store)->found(), 50);
}

TEST_F(StoreFile, KeepsProblemsApart) {
  ASSERT_TRUE((*Store::open(path_, "one", "problem one"))->put("run", "a", "1").ok());
  {
    auto other = Store::open(path_, "two", "problem two");
    ASSERT_TRUE(other.ok());
    EXPECT_EQ((*other)->found(), 0);
    EXPECT_FALSE((*other)->find("run", "a").has_value());
    ASSERT_TRUE((*other)->put("run", "a", "2").ok());
  }
  EXPECT_EQ((*Store::open(path_, "one", "problem one"))->find("run", "a"), "1");
  EXPECT_EQ((*Store::open(path_, "two", "problem two"))->find("run", "a"), "2");
}

TEST_F(StoreFile, ServesProcessesAtOnce) {
  constexpr int kProcesses = 4, kResults = 100;
  std::vector<pid_t> children;
  for (int c = 0; c < kProcesses; ++c) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    auto store = Store::open(path_, c % 2 == 0 ? "even" : "odd", "x");
    bool isWell = store.ok();
    if (!isWell) std::fprintf(stderr, "%s\n", store.diagnostics().front().str().c_str());
    for (int i = 0; i < kResults && isWell; ++i)
      isWell = (*store)->put("run", std::to_string(c) + ":" + std::to_string(i), "kept").ok();
    ::_exit(isWell ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const char *problem : {"even", "odd"}) EXPECT_EQ((*Store::open(path_, problem, "x"))->found(), 2 * kResults);
}

TEST_F(StoreFile, ThatAnotherProcessKeepsIsLocked) {
  ASSERT_TRUE(Store::open(path_, "one", "problem one").ok());
  sqlite3 *db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto store = Store::open(path_, "two", "problem two", 50);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.diagnostics().front().code, "store-locked");
  sqlite3_close(db);
  EXPECT_EQ(codeOf(), "");
}

TEST_F(StoreFile, OfAnotherVersionIsRefused) {
  ASSERT_TRUE(Store::open(path_, "one", "problem one").ok());
  sqlite3 *db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA user_version = 77", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  const auto store = Store::open(path_, "one", "problem one");
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.diagnostics().front().code, "store-version");
  EXPECT_NE(store.diagnostics().front().message.find("77"), std::string::npos);
}

TEST_F(StoreFile, ThatIsNoDatabaseIsCorrupt) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_EQ(codeOf(), "store-corrupt");
}

TEST_F(StoreFile, WithDamagedPagesIsCorrupt) {
  {
    auto store = Store::open(path_, "one", "problem one");
    ASSERT_TRUE(store.ok());
    for (int i = 0; i < 3000; ++i) ASSERT_TRUE((*store)->put("run", std::to_string(i), std::string(40, 'v')).ok());
  }
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path_));
  ASSERT_GT(size, 40000);
  for (std::streamoff at = 8192; at < size; at += 4096) {
    file.seekp(at);
    file << std::string(2000, '\xee');
  }
  file.close();
  EXPECT_EQ(codeOf(), "store-corrupt");
}

TEST_F(StoreFile, OfSomeoneElseIsRefusedUntouched) {
  sqlite3 *db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "CREATE TABLE mine(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  EXPECT_EQ(codeOf(), "store-other-file");
}

TEST_F(StoreFile, InAFolderThatIsNotThereIsUnwritable) {
  path_ = folder_ + "/missing/results.db";
  EXPECT_EQ(codeOf(), "store-unwritable");
}

TEST_F(StoreFile, ThatIsAFolderIsUnwritable) {
  path_ = folder_;
  EXPECT_EQ(codeOf(), "store-unwritable");
}

TEST_F(StoreFile, ThatMayNotBeWrittenIsUnwritable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  {
    ASSERT_TRUE(Store::open(path_, "one", "problem one").ok());
  }
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  EXPECT_EQ(codeOf(), "store-unwritable");
}

}  // namespace
}  // namespace pimento::test
