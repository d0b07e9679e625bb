// Random loop nests, made by random_c_kernels.py: the graph computes what the host computes, by the interpreter, as the
// MLIR that is written of it and, for some, on UPMEM; what cannot be said is refused by name. PIMENTO_RANDOM_C names a
// shared library with other kernels than those that the build made (random_c_many.py).
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "pimento/emit/mlir.h"
#include "test/support/cases.h"
#include "test/support/same_results.h"
#include "test/unit/frontend/c_support.h"
#include "test/unit/frontend/on_upmem.h"

// The generated file defines it; a null text ends it. Arrays have one letter, kinds are words.
extern "C" {
struct RandomCKernel {
  const char *text;
  const char *arrays;
  const char *kinds;
  void (*call)(void **);
};
extern const RandomCKernel randomCKernels[];
}

namespace pimento::frontend {
namespace {

const RandomCKernel *kernels() {
  const char *library = std::getenv("PIMENTO_RANDOM_C");
  if (library == nullptr) return randomCKernels;
  void *handle = dlopen(library, RTLD_NOW);
  EXPECT_NE(handle, nullptr) << dlerror();
  const void *table = handle == nullptr ? nullptr : dlsym(handle, "randomCKernels");
  EXPECT_NE(table, nullptr);
  return table == nullptr ? randomCKernels : static_cast<const RandomCKernel *>(table);
}

std::vector<std::string> wordsOf(const char *text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Counts by kind of piece.
struct Tally {
  std::map<std::string, int> read, refused, said, ran;
  std::map<std::string, int> codes;

  void print() const {
    for (const auto &[kind, n] : read) {
      const auto of = [&kind = kind](const std::map<std::string, int> &m) { return m.contains(kind) ? m.at(kind) : 0; };
      std::printf("  %-14s %5d, of which %d are refused; %d come back from MLIR, %d run on UPMEM\n", kind.c_str(), n, of(refused),
                  of(said), of(ran));
    }
    for (const auto &[code, n] : codes) std::printf("  refused as %s: %d\n", code.c_str(), n);
  }
};

/// What no kernel says so far may be refused, as what it is and where.
void expectNamedRefusal(const Diagnostics &found, const RandomCKernel &k) {
  static const std::set<std::string> kOpen = {};  // kinds that the front end need not read
  bool isOpen = false;
  for (const std::string &kind : wordsOf(k.kinds)) isOpen = isOpen || kOpen.contains(kind);
  EXPECT_TRUE(isOpen) << k.kinds << ": " << found.front().str();
  EXPECT_EQ(found.front().kind, DiagnosticKind::kUnsupported) << found.front().str();
  EXPECT_GT(found.front().where.line, 0) << found.front().str();
  EXPECT_FALSE(found.front().hint.empty()) << found.front().str();
}

/// What the graph is as MLIR reads back as the same function. The code of what MLIR cannot say; empty if it can.
std::string goesThroughMlir(const kernel::Graph &graph) {
  const Result<std::string> text = emit::toMlir(graph);
  if (!text) {
    EXPECT_EQ(text.diagnostics().front().kind, DiagnosticKind::kUnsupported) << text.diagnostics().front().str();
    return text.diagnostics().front().code;
  }
  const Result<kernel::Graph> back = importMlir(*text, "k.mlir", {});
  if (!back) {
    ADD_FAILURE() << back.diagnostics().front().str() << "\n" << kernel::print(graph) << *text;
    return {};
  }
  test::expectSameResults(graph, *back, *text);
  return {};
}

TEST(CRandom, GraphsOfRandomNestsComputeWhatTheHostComputes) {
  const RandomCKernel *first = kernels();
  std::int64_t all = 0;
  while (first[all].text != nullptr) ++all;
  const std::int64_t every = std::max<std::int64_t>(1, all / test::caseCount(12));
  std::int64_t count = 0, refused = 0, said = 0, tried = 0, ran = 0;
  Tally tally;
  for (const RandomCKernel *k = first; k->text != nullptr; ++k, ++count) {
    SCOPED_TRACE(testing::Message() << "random kernel " << count << ":\n" << k->text);
    const auto tell = [&](std::map<std::string, int> &by) {
      for (const std::string &kind : wordsOf(k->kinds)) ++by[kind];
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
      const std::string unsaid = goesThroughMlir(file->graph);
      if (unsaid.empty()) {
        ++said;
        tell(tally.said);
      } else {
        ++tally.codes["MLIR's " + unsaid];
      }
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
  EXPECT_GE(said, all * 4 / 5);
  EXPECT_GE(ran, tried / 2);
}

}  // namespace
}  // namespace pimento::frontend
