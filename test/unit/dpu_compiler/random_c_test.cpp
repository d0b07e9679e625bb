// Random C programs, compiled for a DPU at every level, compute what the host's compiler makes them compute.
//
// PIMENTO_CASES: how many programs. PIMENTO_SEED: the first one; a failing one is cut down with PIMENTO_REDUCE=1.
#include <gtest/gtest.h>
#include <unistd.h>

#include "test/support/cases.h"
#include "test/support/compiled_c.h"
#include "test/support/in_child.h"
#include "test/support/reduce_c_program.h"
#include "test/unit/dpu_compiler/seeds.h"

namespace pimento::test {
namespace {

/// "not read", "fault", ...; empty for results.
std::string kindOf(const std::string &results) {
  const std::size_t colon = results.find(':');
  return colon == std::string::npos ? "" : results.substr(0, colon);
}

class RandomC : public testing::Test {
 protected:
  std::string folder_ = fmt::format("{}/random_c.{}", PIMENTO_BINARY_DIR, getpid());

  ~RandomC() override { std::filesystem::remove_all(folder_); }

  std::string host(const std::string &text) { return resultsOnHost(text, PIMENTO_HOST_COMPILER, folder_); }

  std::string reduced(const std::string &text, int level, const std::string &got) {
    CReducer reducer(text, [&](const std::string &smaller) {
      const std::string want = host(smaller);
      if (want.empty()) return false;
      const std::string result = inChild([&] { return resultsOnDpu(smaller, level); });
      return result != want && kindOf(result) == kindOf(got);
    });
    return reducer.run();
  }
};

TEST_F(RandomC, ComputesWhatTheHostsCompilerMakesOfItAtEveryLevel) {
  const std::int64_t first = numberOr("PIMENTO_SEED", 1), count = caseCount(12);
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    Choices choices(static_cast<std::uint64_t>(seed));
    const std::string text = RandomCProgram(choices).text();
    const std::string want = host(text);
    ASSERT_FALSE(want.empty()) << "seed " << seed << " does not run on the host";
    for (const int level : levelsFor(seed, count)) {
      const std::string got = inChild([&] { return resultsOnDpu(text, level); });
      if (got == want) continue;
      ADD_FAILURE() << "seed " << seed << " at -O" << level << ": " << (kindOf(got).empty() ? "wrong" : got);
      if (std::getenv("PIMENTO_REDUCE") != nullptr) GTEST_LOG_(ERROR) << reduced(text, level, got);
    }
  }
}

}  // namespace
}  // namespace pimento::test
