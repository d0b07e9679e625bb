// A store keeps what was put, for one problem and one process; everything else about it is a diagnostic.
#include "pimento/tune/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

TEST_F(StoreFile, OfAnotherProblemIsRefusedWithBothNames) {
  {
    ASSERT_TRUE(Store::open(path_, "one", "problem one").ok());
  }
  const auto store = Store::open(path_, "two", "problem two");
  ASSERT_FALSE(store.ok());
  const Diagnostic &d = store.diagnostics().front();
  EXPECT_EQ(d.code, "store-other-problem");
  EXPECT_EQ(d.where.file, path_);
  EXPECT_NE(d.message.find("problem one"), std::string::npos);
  EXPECT_NE(d.message.find("problem two"), std::string::npos);
  EXPECT_FALSE(d.hint.empty());
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

TEST_F(StoreFile, InUseIsLocked) {
  auto store = Store::open(path_, "one", "problem one");
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(codeOf(), "store-locked");
  store->reset();
  EXPECT_EQ(codeOf(), "");
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
