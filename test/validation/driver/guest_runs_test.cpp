// Programs that start threads and processes, take signals, are replaced or die: what the report says of each. And
// parts, samples and saved traces of runs. Where QEMU or a compiler is missing, tests say what was not run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"
#include "test/support/folder.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

bool has(const char *command) {
  return std::system((std::string("command -v ") + command + " >/dev/null 2>&1").c_str()) == 0;
}

struct Machine {
  const char *name, *compiler, *qemu;
};
constexpr Machine kA64 = {"A64", "aarch64-linux-gnu-gcc", "qemu-aarch64"},
                  kA32 = {"A32", "arm-linux-gnueabihf-gcc -marm", "qemu-arm"},
                  kT32 = {"T32", "arm-linux-gnueabihf-gcc -mthumb", "qemu-arm"},
                  kRv64 = {"RV64", "riscv64-linux-gnu-gcc", "qemu-riscv64"};

constexpr const char *kHead = R"(
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sum;
__attribute__((noinline)) void work(int n) { for (int i = 0; i < n; ++i) sum += i; }
__attribute__((noinline)) void finish(void) { sum ^= 1; }
)";

class GuestRuns : public testing::TestWithParam<Machine> {
 protected:
  void SetUp() override {
    if (!has(GetParam().qemu)) GTEST_SKIP() << "not run here: " << GetParam().qemu << " is not installed";
  }
  /// Builds a program; false: not run.
  bool build(const std::string &body, const std::string &flags = "-static") {
    std::ofstream(folder_ / "p.c") << kHead << body;
    return std::system((std::string(GetParam().compiler) + " -O1 " + flags + " -pthread " + (folder_ / "p.c") + " -o " +
                        (folder_ / "p") + " 2>" + (folder_ / "said"))
                           .c_str()) == 0;
  }
  Options options() const {
    Options o;
    o.input = folder_ / "p";
    o.stdoutFile = folder_ / "out";
    o.isJson = true;
    return o;
  }
  static Json run(const Options &o) {
    const Outcome out = driver::run(VerbId::kProfile, o);
    EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
    if (out.status != 0) return {};
    Json answer = Json::parse(out.text);
    // QEMU, or a saved trace: all else is the same.
    EXPECT_FALSE(answer["guest"]["engine"].empty());
    answer["guest"].erase("engine");
    return answer;
  }
  static std::string codeOf(const Options &o) {
    const Outcome out = driver::run(VerbId::kProfile, o);
    if (out.diagnostics.empty()) return "";
    EXPECT_EQ(out.status, 1);
    EXPECT_FALSE(out.diagnostics.front().hint.empty());
    return out.diagnostics.front().code;
  }
  std::string said() const {
    std::ifstream in(folder_ / "out");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string bytesOf(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  test::Folder folder_;
};

#define BUILD(...) \
  if (!build(__VA_ARGS__)) GTEST_SKIP() << "not run here: no " << GetParam().compiler

TEST_P(GuestRuns, ThreadsAreCounted) {
  BUILD(R"(
static void *other(void *n) { work(100000); return n; }
int main(void) {
  for (int i = 0; i < 4; ++i) {  // one after the other: each has the number of the one before
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
  }
  puts("joined");
  return 0;
})");
  const Json r = run(options());
  EXPECT_EQ(said(), "joined\n");
  EXPECT_EQ(r["guest"]["exit_status"], 0);
  EXPECT_EQ(r["guest"]["threads"], 5);
  const double share = r["guest"]["share"], own = r["instructions"];
  EXPECT_GT(own * (1 - share) / share, 4 * 100000 * 3) << "instructions of the others: no thread is lost";
  EXPECT_FALSE(r["warnings"].empty());
}

TEST_P(GuestRuns, ProcessesAreCounted) {
  BUILD(R"(
int main(void) {
  work(1000);
  const int child = fork();
  if (child == 0) { work(200000); _exit(5); }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
  return 4;
})");
  const Json r = run(options());
  EXPECT_EQ(said(), "5\n");
  EXPECT_EQ(r["guest"]["exit_status"], 4);
  EXPECT_EQ(r["guest"]["processes"], 2);
  EXPECT_EQ(r["guest"]["threads"], 1);
  const double share = r["guest"]["share"], own = r["instructions"];
  EXPECT_GT(own * (1 - share) / share, 200000 * 3) << "instructions of the child";
}

TEST_P(GuestRuns, ThatAreReplacedKeepWhatRan) {
  BUILD(R"(
int main(int argc, char **argv) {
  work(100000);
  if (argc > 1) finish();
  execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
  return 1;
})");
  const Json r = run(options());
  EXPECT_EQ(r["guest"]["exit_status"], 9);
  EXPECT_EQ(r["guest"]["replaced"], true);
  EXPECT_GT(r["instructions"], 100000 * 3);
}

TEST_P(GuestRuns, SignalsArePartOfTheStream) {
  BUILD(R"(
static sigjmp_buf back;
static void onSignal(int s) { work(50000); if (s == SIGSEGV) siglongjmp(back, 1); }
int main(void) {
  signal(SIGUSR1, onSignal);
  signal(SIGSEGV, onSignal);
  raise(SIGUSR1);
  int *volatile nowhere = 0;
  if (sigsetjmp(back, 1) == 0) { work(10); *nowhere = 1; }
  puts("back");
  return 6;
})");
  const Json r = run(options());
  EXPECT_EQ(said(), "back\n");
  EXPECT_EQ(r["guest"]["exit_status"], 6);
  EXPECT_EQ(r["guest"]["signal"], 0);
  EXPECT_GT(r["instructions"], 2 * 50000 * 3);
  EXPECT_EQ(r["guest"]["share"], 1.0);
}

TEST_P(GuestRuns, ThatDieKeepWhatRan) {
  BUILD(R"(
int main(int argc, char **argv) {
  work(100000);
  finish();
  if (strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(argv[1], "abort") == 0) abort();
  int *volatile nowhere = 0;
  *nowhere = 1;
  return 0;
})");
  Options o = options();
  o.arguments = {"kill"};
  o.stop = "finish";
  const std::int64_t before = run(o)["instructions"];
  EXPECT_GT(before, 100000 * 3);
  o.stop.clear();
  for (const auto &[how, signal] : {std::pair{"kill", 9}, {"abort", 6}, {"fault", 11}}) {
    o.arguments = {how};
    const Json r = run(o);
    EXPECT_EQ(r["guest"]["signal"], signal) << how;
    EXPECT_GT(r["instructions"], before) << how << ": up to its end";
    EXPECT_LT(r["instructions"], before + 50000) << how;
  }
}

constexpr const char *kCalls = R"(
int main(int argc, char **argv) {
  for (int i = 0; i < 5; ++i) { work(1000 * (i + 1)); finish(); }
  printf("%d\n", sum);
  return 2;
})";

TEST_P(GuestRuns, PartsAreBetweenMarkers) {
  BUILD(kCalls);
  Options o = options();
  const std::int64_t all = run(o)["instructions"];
  o.start = "work:3";
  o.stop = "finish";
  const Json part = run(o);
  EXPECT_EQ(said(), "9\n") << "it runs to its end";
  EXPECT_EQ(part["guest"]["exit_status"], 2);
  const std::int64_t third = part["instructions"];
  EXPECT_GT(third, 3000 * 3);
  EXPECT_LT(third, 3000 * 12);
  EXPECT_EQ(part["functions"][0]["name"], "work");
  EXPECT_EQ(third + part["guest"]["instructions_left_out"].get<std::int64_t>(), all);
  o.stop = "finish:2";
  EXPECT_GT(run(o)["instructions"], third * 2);
  o.stop.clear();
  o.skip = 100;
  o.maxInstructions = 1234;
  EXPECT_EQ(run(o)["instructions"], 1234);
}

TEST_P(GuestRuns, PartsAreFoundWhereverTheProgramLies) {
  BUILD(kCalls, "-static-pie");
  Options o = options();
  o.start = "work:3";
  o.stop = "finish";
  const Json r = run(o);
  EXPECT_GT(r["instructions"], 3000 * 3);
  EXPECT_EQ(r["functions"][0]["name"], "work");
}

TEST_P(GuestRuns, MarkersThatNeverComeAreErrors) {
  BUILD(kCalls);
  Options o = options();
  o.start = "work:6";
  EXPECT_EQ(codeOf(o), "marker-not-reached");
  o.start.clear();
  o.stop = "0x8";
  EXPECT_EQ(codeOf(o), "marker-not-reached");
  o.stop.clear();
  o.start = "wrok";
  EXPECT_EQ(codeOf(o), "unknown-function");
  for (const char *bad : {"work:", "work:0", "work:x", "0xg"}) {
    o.start = bad;
    EXPECT_EQ(codeOf(o), "bad-marker") << bad;
  }
  o.start.clear();
  o.skip = 1'000'000'000;
  EXPECT_EQ(codeOf(o), "no-instructions");
}

TEST_P(GuestRuns, SavedTracesSayTheSame) {
  BUILD(kCalls);
  Options o = options();
  o.savesValues = true;
  o.save = folder_ / "a.ptrace";
  const Json live = run(o);
  // Values are what the kernel makes up, too: the process id differs from run to run.
  o.savesValues = false;
  for (const char *file : {"b.ptrace", "d.ptrace"}) {
    o.save = folder_ / file;
    run(o);
  }
  EXPECT_EQ(bytesOf(folder_ / "b.ptrace"), bytesOf(folder_ / "d.ptrace"));
  o.savesValues = true;
  Options saved;
  saved.input = folder_ / "a.ptrace";
  saved.isJson = true;
  EXPECT_EQ(run(saved), live);
  // A part of it, as of the program.
  saved.start = "work:3";
  saved.stop = "finish";
  o.start = saved.start;
  o.stop = saved.stop;
  o.save = folder_ / "c.ptrace";
  const Json part = run(o);
  EXPECT_EQ(run(saved), part);
  saved = Options();
  saved.input = folder_ / "c.ptrace";
  saved.isJson = true;
  EXPECT_EQ(run(saved), part);
  // Without values nothing is proved, and nothing is wrong.
  o.savesValues = false;
  run(o);
  const Json silent = run(saved);
  EXPECT_EQ(silent["proved"], 0);
  EXPECT_EQ(silent["candidates"], part["candidates"]);
  EXPECT_EQ(silent["cycles"], part["cycles"]);
  saved.sysroot = "/";
  EXPECT_EQ(codeOf(saved), "trace-option");
  saved.sysroot.clear();
  saved.input = folder_ / "none.ptrace";
  EXPECT_EQ(codeOf(saved), "unreadable-file");
  o.save = folder_ / "no/such/folder.ptrace";
  EXPECT_EQ(codeOf(o), "unwritable-file");
}

TEST_P(GuestRuns, SampledCyclesAreInTheirInterval) {
  BUILD(R"(
int table[1 << 16];
int main(void) {
  unsigned s = 1;
  for (int i = 0; i < 600000; ++i) { s = s * 1103515245u + 12345u; table[s >> 16] += i & 3 ? i : table[i & 255]; }
  return table[77] & 1;
})");
  Options o = options();
  o.save = folder_ / "a.ptrace";
  const double cycles = run(o)["cycles"];
  Options sampled;
  sampled.input = folder_ / "a.ptrace";
  sampled.isJson = true;
  sampled.isSampled = true;
  int inside = 0;
  constexpr int kSeeds = 5;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    sampled.seed = static_cast<std::uint64_t>(seed);
    const Json r = run(sampled);
    EXPECT_EQ(r["exact"], "sampled");
    EXPECT_EQ(r["interval"]["level"], 0.99);
    const double low = r["interval"]["cycles"][0], high = r["interval"]["cycles"][1];
    inside += low <= cycles && cycles <= high ? 1 : 0;
    EXPECT_NEAR(r["cycles"].get<double>() / cycles, 1, 0.05);
    EXPECT_LT(high - low, cycles / 2) << "it says something";
    EXPECT_EQ(run(sampled), r) << "the same seed";
    std::int64_t stack = 0;
    for (const auto &[cause, n] : r["cpi_stack"].items()) stack += n.get<std::int64_t>();
    EXPECT_EQ(stack, r["cycles"]);
  }
  EXPECT_GE(inside, kSeeds - 1);
}

std::string nameOf(const testing::TestParamInfo<Machine> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(All, GuestRuns, testing::Values(kA64, kA32, kT32, kRv64), nameOf);

}  // namespace
}  // namespace pimento::driver
