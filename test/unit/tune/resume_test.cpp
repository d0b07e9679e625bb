// An exploration that is killed at any moment goes on where it was, and ends with the same file as one that was not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "test/support/cases.h"

namespace pimento::test {
namespace {

const std::string kTool = PIMENTO_BINARY_DIR "/bin/pimento";

std::string contents(const std::string &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Resume : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/pimento_resume_" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ::setenv("PIMENTO_MACHINES", PIMENTO_SOURCE_DIR "/machines", 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string at(const std::string &name) const { return folder_ + "/" + name; }

  pid_t start(const std::vector<std::string> &arguments) const {
    std::vector<char *> argv = {const_cast<char *>(kTool.c_str())};
    for (const std::string &a : arguments) argv.push_back(const_cast<char *>(a.c_str()));
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int out = ::open(at("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = ::open(at("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, 1);
    ::dup2(err, 2);
    ::execv(kTool.c_str(), argv.data());
    ::_exit(127);
  }

  static int wait(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  int run(const std::vector<std::string> &arguments) const {
    const int status = wait(start(arguments));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// Microseconds that the command takes on this machine at this moment.
  int timed(const std::vector<std::string> &arguments) const {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run(arguments), 0) << contents(at("err"));
    return static_cast<int>(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count());
  }

  /// Results in a store that nobody uses; 0 where there is none yet.
  int stored(const std::string &path) const {
    sqlite3 *db = nullptr;
    sqlite3_stmt *count = nullptr;
    int n = 0;
    if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT count(*) FROM results", -1, &count, nullptr) == SQLITE_OK &&
        sqlite3_step(count) == SQLITE_ROW)
      n = sqlite3_column_int(count, 0);
    sqlite3_finalize(count);
    sqlite3_close(db);
    return n;
  }

  /// Kills the command at random moments, each time going on from the store, at least `kills` times and until a kill
  /// left something; then lets it end and compares its file with `expected`. The moments spread wider from attempt to
  /// attempt, since another process may slow the command down.
  void killAndCompare(std::vector<std::string> arguments, int kills, const std::string &expected, int microseconds) {
    Rng rng(static_cast<std::uint64_t>(kills));
    const std::string store = at("killed.db");
    for (const std::string &a : {std::string("--store"), store, std::string("-o"), at("killed.csv")})
      arguments.push_back(a);
    int before = 0, killed = 0, lost = 0, kept = 0;
    for (int attempt = 0; (killed < kills || kept == 0) && attempt < 10 * kills; ++attempt) {
      const pid_t child = start(arguments);
      ::usleep(static_cast<useconds_t>(rng.integer(500, microseconds + microseconds / 10 * attempt)));
      ::kill(child, SIGKILL);
      const int status = wait(child);
      if (!WIFSIGNALED(status)) {  // it was faster: from the start again
        ASSERT_EQ(WEXITSTATUS(status), 0) << contents(at("err"));
        for (const char *end : {"", "-wal", "-shm"}) std::filesystem::remove(store + end);
        before = 0;
        continue;
      }
      ++killed;
      const int now = stored(store);
      if (now < before) ++lost;
      if (now > before) ++kept;
      before = now;
    }
    EXPECT_GE(killed, kills);
    EXPECT_EQ(lost, 0) << "a kill must not lose what an earlier run kept";
    EXPECT_GT(kept, 0) << "all kills came too early to show anything";
    ASSERT_EQ(run(arguments), 0) << contents(at("err"));
    EXPECT_EQ(contents(at("killed.csv")), expected);
  }

  std::string folder_;
};

int kills() {
  return isLongRun() ? 20 : 3;
}

TEST_F(Resume, MappingsAfterKillsAtRandomMoments) {
  const std::vector<std::string> command = {"explore",      "gemv",   "--size", "m=300,n=700", "--set", "channels=8",
                                            "--exhaustive", "--jobs", "2"};
  std::vector<std::string> undisturbed = command;
  undisturbed.insert(undisturbed.end(), {"-o", at("undisturbed.csv")});
  const int microseconds = timed(undisturbed);
  const std::string expected = contents(at("undisturbed.csv"));
  ASSERT_GT(expected.size(), 10000u);
  killAndCompare(command, kills(), expected, microseconds);
}

TEST_F(Resume, SweepsAfterKillsAtRandomMoments) {
  const std::vector<std::string> command = {"explore",    "gemv",    "--size",          "m=512,n=512", "--sweep",
                                            "tRP=10..39", "--sweep", "size.n=512,1024", "--jobs",      "2"};
  std::vector<std::string> undisturbed = command;
  undisturbed.insert(undisturbed.end(), {"-o", at("undisturbed.csv")});
  const int microseconds = timed(undisturbed);
  killAndCompare(command, kills(), contents(at("undisturbed.csv")), microseconds);
}

/// A result of `tune` without what depends on when it was found.
std::string timeless(const std::string &json) {
  std::istringstream in(json);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const bool isOfTheRun =
        std::ranges::any_of(std::vector<std::string>{"\"seconds\"", "\"known\"", "\"wall_us\"", "\"compile_us\"",
                                                     "\"store\"", "killed", "own"},
                            [&](const std::string &key) { return line.find(key) != std::string::npos; });
    if (!isOfTheRun) out += line + "\n";
  }
  return out;
}

TEST_F(Resume, TuningAfterKillsOfSeveralProcessesOnOneStore) {
  const std::vector<std::string> command = {"tune",       "gemv",         "--size", "m=200,n=500", "--set",
                                            "channels=8", "--exhaustive", "--jobs", "1",           "--json"};
  const auto to = [&](const std::string &store, const std::string &out) {
    std::vector<std::string> all = command;
    all.insert(all.end(), {"--store", store, "-o", out});
    return all;
  };
  const int microseconds = timed(to("none", at("own.json")));
  const std::string expected = timeless(contents(at("own.json"))), store = at("shared.db");
  ASSERT_NE(expected.find("\"stop\": \"optimal\""), std::string::npos);
  Rng rng(7);
  const int rounds = isLongRun() ? 13 : 2, processes = 4;
  int killed = 0, before = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<pid_t> children;
    for (int p = 0; p < processes; ++p) children.push_back(start(to(store, at("killed.json"))));
    for (const pid_t child : children) {
      ::usleep(static_cast<useconds_t>(rng.integer(500, microseconds)));
      ::kill(child, SIGKILL);
      killed += WIFSIGNALED(wait(child)) ? 1 : 0;
    }
    const int now = stored(store);
    EXPECT_GE(now, before) << "a kill must not lose what an earlier run kept";
    before = now;
  }
  EXPECT_GT(killed, 0);
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) children.push_back(start(to(store, at("killed" + std::to_string(p) + ".json"))));
  for (const pid_t child : children) {
    const int status = wait(child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << contents(at("err"));
  }
  for (int p = 0; p < processes; ++p)
    EXPECT_EQ(timeless(contents(at("killed" + std::to_string(p) + ".json"))), expected);
}

TEST_F(Resume, AnInterruptEndsCleanlyAndSaysHowToGoOn) {
  const std::vector<std::string> command = {"explore", "gemv", "--size",  "m=300,n=700", "--exhaustive", "--no-check",
                                            "--jobs",  "2",    "--store", at("s.db"),    "-o",           at("r.json")};
  bool wasInterrupted = false;
  for (int wait_us = 20000; wait_us < 2000000 && !wasInterrupted; wait_us = wait_us * 3 / 2) {
    std::filesystem::remove(at("s.db"));
    const pid_t child = start(command);
    ::usleep(static_cast<useconds_t>(wait_us));
    ::kill(child, SIGINT);
    const int status = wait(child);
    if (!WIFEXITED(status)) continue;  // the signal came before the tool was ready for it
    wasInterrupted = WEXITSTATUS(status) == 1;
    if (!wasInterrupted) break;
    const std::string messages = contents(at("err"));
    EXPECT_NE(messages.find("[interrupted]"), std::string::npos) << messages;
    EXPECT_NE(messages.find(at("s.db")), std::string::npos) << messages;
    EXPECT_FALSE(std::filesystem::exists(at("r.json")));
  }
  ASSERT_TRUE(wasInterrupted) << "no attempt hit the tool at work";
  EXPECT_EQ(run(command), 0) << contents(at("err"));
  EXPECT_TRUE(std::filesystem::exists(at("r.json")));
}

}  // namespace
}  // namespace pimento::test
