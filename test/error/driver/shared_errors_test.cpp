// Shares, and stores that do not go together.
#include <gtest/gtest.h>

#include <fstream>

#include "pimento/driver/verbs.h"
#include "test/support/folder.h"
#include "test/support/gemv_options.h"

namespace pimento::test {
namespace {

using driver::Options;
using driver::VerbId;

/// The code of what is wrong; every diagnostic has a hint and ends with status 1.
std::string codeOf(VerbId verb, const Options &o) {
  const driver::Outcome out = driver::run(verb, o);
  if (out.diagnostics.empty()) return "";
  EXPECT_EQ(out.status, 1);
  EXPECT_FALSE(out.diagnostics.front().hint.empty()) << out.diagnostics.front().str();
  return out.diagnostics.front().code;
}

TEST(WrongShare, IsNoPartOfAPlan) {
  const Folder folder;
  for (const char *share : {"0/4", "5/4", "1", "/4", "1/", "a/b", "1/4/2", "-1/4", "1/99999999"}) {
    Options o = gemvOptions();
    o.share = share;
    o.store = folder / "a.db";
    EXPECT_EQ(codeOf(VerbId::kExplore, o), "bad-share") << share;
    EXPECT_EQ(codeOf(VerbId::kTune, o), "bad-share") << share;
  }
}

TEST(WrongShare, HasNowhereToKeepWhatItFinds) {
  for (const char *store : {"", "none"}) {
    Options o = gemvOptions();
    o.share = "1/4";
    o.store = store;
    EXPECT_EQ(codeOf(VerbId::kExplore, o), "share-store");
  }
}

TEST(WrongStore, ActionIsNotKnown) {
  Options o;
  EXPECT_EQ(codeOf(VerbId::kStore, o), "store-action");
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"marge", "a.db", "b.db"}, {"merge", "a.db"}, {"show"}, {"show", "a.db", "b.db"}}) {
    o.inputs = words;
    EXPECT_EQ(codeOf(VerbId::kStore, o), "store-action") << words.front();
  }
}

TEST(WrongStore, IsNotThereOrNamedTwice) {
  const Folder folder;
  Options o = gemvOptions();
  o.share = "1/2";
  o.sweeps = {"timing.tRP=10..13"};
  o.store = folder / "a.db";
  ASSERT_EQ(codeOf(VerbId::kExplore, o), "");
  Options merge;
  merge.inputs = {"merge", folder / "a.db", folder / "none.db"};
  EXPECT_EQ(codeOf(VerbId::kStore, merge), "store-missing");
  merge.inputs = {"merge", folder / "a.db", folder / "a.db"};
  EXPECT_EQ(codeOf(VerbId::kStore, merge), "store-twice");
  std::ofstream(folder / "text.db") << std::string(4000, 'x');
  merge.inputs = {"merge", folder / "a.db", folder / "text.db"};
  EXPECT_EQ(codeOf(VerbId::kStore, merge), "store-corrupt");
}

TEST(WrongStore, IsOfAnotherPlan) {
  const Folder folder;
  std::vector<std::string> files;
  for (const char *share : {"1/2", "1/3"}) {
    Options o = gemvOptions();
    o.share = share;
    o.sweeps = {"timing.tRP=10..13"};
    o.store = folder / (std::string("of") + share[2] + ".db");
    ASSERT_EQ(codeOf(VerbId::kExplore, o), "");
    files.push_back(o.store);
  }
  Options merge;
  merge.inputs = {"merge", folder / "all.db", files[0], files[1]};
  const driver::Outcome out = driver::run(VerbId::kStore, merge);
  EXPECT_EQ(out.diagnostics.front().code, "store-plan");
  EXPECT_NE(out.diagnostics.front().message.find("shares of 3"), std::string::npos) << out.diagnostics.front().str();
}

}  // namespace
}  // namespace pimento::test
