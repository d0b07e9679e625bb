// SPMD programs in UPMEM's C interface give the right answer, on any number of tasklets and DPUs: the host half of each
// checks it, and says so by its exit status.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "pimento/driver/upmem_cc.h"
#include "pimento/frontend/dpu_c.h"
#include "test/support/cases.h"
#include "test/support/folder.h"

namespace pimento {
namespace {

struct Program {
  const char *name;
  int perDpu, more;  ///< size of the problem: so much for every DPU, and that
};

constexpr Program kPrograms[] = {
    {"vecadd", 3000, 5},  {"reduce", 4000, 3}, {"select", 1500, 7},    {"histogram", 1200, 11},
    {"scan", 1700, 1},    {"matvec", 0, 90},   {"bfs", 0, 3000},       {"text", 0, 1237},
    {"search", 0, 10001}, {"image", 0, 37},    {"allocators", 0, 301}, {"pipeline", 0, 45},
};

class Runner {
 public:
  void compile(const Program &program, int tasklets) {
    binary_ = folder_ / fmt::format("{}.{}", program.name, tasklets);
    const std::string source = fmt::format("{}/examples/upmem/c/{}/dpu.c", PIMENTO_SOURCE_DIR, program.name);
    const driver::CcOutcome outcome = driver::upmemCc(
        {"-O2", "-Wall", "-Wextra", "-Werror", fmt::format("-DNR_TASKLETS={}", tasklets), "-o", binary_, source},
        {PIMENTO_SOURCE_DIR "/machines"});
    ASSERT_EQ(outcome.status, 0) << program.name << " for " << tasklets << " tasklets: " << outcome.messages;
  }

  void run(const Program &program, int tasklets, int dpus) {
    const std::string output = folder_ / "output";
    const int size = program.perDpu * dpus + program.more;
    const std::string command =
        fmt::format("PIMENTO_MACHINES='{0}/machines' '{1}/bin/upmem_example_{2}' {3} {4} '{5}' > '{6}' 2>&1",
                    PIMENTO_SOURCE_DIR, PIMENTO_BINARY_DIR, program.name, dpus, size, binary_, output);
    const int status = std::system(command.c_str());
    std::ifstream file(output);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(status, 0) << program.name << ", " << tasklets << " tasklets, " << dpus << " DPUs: " << text.str();
  }

 private:
  test::Folder folder_;
  std::string binary_;
};

TEST(SpmdPrograms, AreRightOnAnyNumberOfTaskletsAndDpus) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  const bool isLong = test::isLongRun();
  const std::vector<int> allTasklets = isLong ? std::vector<int>{1, 2, 7, 11, 16, 24} : std::vector<int>{11};
  const std::vector<int> allDpus = isLong ? std::vector<int>{1, 3, 64} : std::vector<int>{3};
  Runner runner;
  for (const Program &program : kPrograms) {
    for (const int tasklets : allTasklets) {
      runner.compile(program, tasklets);
      if (testing::Test::HasFatalFailure()) return;
      for (const int dpus : allDpus) runner.run(program, tasklets, dpus);
    }
  }
}

}  // namespace
}  // namespace pimento
