// Random loop nests, made by random_c_kernels.py: the graph computes what the host computes, by the interpreter and,
// for some, on UPMEM; what the front end cannot say is refused by name.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "test/support/cases.h"
#include "test/support/random_c_kernels.h"
#include "test/unit/frontend/c_support.h"
#include "test/unit/frontend/on_upmem.h"

namespace pimento::frontend {
namespace {

/// Counts by kind of piece.
struct Tally {
  std::map<std::string, int> read, refused, ran;
  std::map<std::string, int> codes;

  void print() const {
    for (const auto &[kind, n] : read) {
      const auto of = [&kind = kind](const std::map<std::string, int> &m) { return m.contains(kind) ? m.at(kind) : 0; };
      std::printf("  %-14s %5d, of which %d are refused; %d run on UPMEM\n", kind.c_str(), n, of(refused), of(ran));
    }
    for (const auto &[code, n] : codes) std::printf("  refused as %s: %d\n", code.c_str(), n);
  }
};

/// What no kernel says so far may be refused, as what it is and where.
void expectNamedRefusal(const Diagnostics &found, const test::RandomCKernel &k) {
  static const std::set<std::string> kOpen = {};  // kinds that the front end need not read
  bool isOpen = false;
  for (const std::string &kind : test::wordsOf(k.kinds)) isOpen = isOpen || kOpen.contains(kind);
  EXPECT_TRUE(isOpen) << k.kinds << ": " << found.front().str();
  EXPECT_EQ(found.front().kind, DiagnosticKind::kUnsupported) << found.front().str();
  EXPECT_GT(found.front().where.line, 0) << found.front().str();
  EXPECT_FALSE(found.front().hint.empty()) << found.front().str();
}

TEST(CRandom, GraphsOfRandomNestsComputeWhatTheHostComputes) {
  const test::RandomCKernel *first = test::randomCKernels();
  std::int64_t all = 0;
  while (first[all].text != nullptr) ++all;
  const std::int64_t every = std::max<std::int64_t>(1, all / test::caseCount(12));
  std::int64_t count = 0, refused = 0, tried = 0, ran = 0;
  Tally tally;
  for (const test::RandomCKernel *k = first; k->text != nullptr; ++k, ++count) {
    SCOPED_TRACE(testing::Message() << "random kernel " << count << ":\n" << k->text);
    const auto tell = [&](std::map<std::string, int> &by) {
      for (const std::string &kind : test::wordsOf(k->kinds)) ++by[kind];
    };
    tell(tally.read);
    const Result<CKernels> file = importC(k->text, "k.c", {});
    if (!file) {
      ++refused;
      ++tally.codes[file.diagnostics().front().code];
      tell(tally.refused);
      expectNamedRefusal(file.diagnostics(), *k);
    } else {
      expectSameAsHost(
          file->graph,
          [k](const HostArrays &arrays) {
            std::vector<void *> pointers;
            std::vector<std::uint64_t> unused(
                1 << 16);  // arrays that only touch what is overwritten later are no tensors
            for (const char *name = k->arrays; *name != 0; ++name) {
              const auto at = arrays.find(std::string(1, *name));
              pointers.push_back(at == arrays.end() ? unused.data() : at->second);
            }
            k->call(pointers.data());
          },
          {}, Unwritten::kCounts);
      if (count % every == 0) {
        ++tried;
        const UpmemOutcome upmem = runsOnUpmem(file->graph, static_cast<std::uint64_t>(count));
        if (upmem.isChecked) {
          ++ran;
          tell(tally.ran);
        } else {
          ++tally.codes["UPMEM's " + upmem.refusal];
        }
      }
    }
    if (HasFailure()) return;
  }
  tally.print();
  EXPECT_GE(all, 100);
  EXPECT_LT(refused, all / 3);
  EXPECT_GE(ran, tried / 2);
}

}  // namespace
}  // namespace pimento::frontend
