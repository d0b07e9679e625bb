// Random loop nests, made by random_c_kernels.py when this is built: the graph computes what the host computes.
#include <gtest/gtest.h>

#include "test/unit/frontend/c_support.h"

// The generated file defines it; a null text ends it. Arrays have one letter.
extern "C" {
struct RandomCKernel {
  const char *text;
  const char *arrays;
  void (*call)(void **);
};
extern const RandomCKernel randomCKernels[];
}

namespace pimento::frontend {
namespace {

TEST(CRandom, GraphsOfRandomNestsComputeWhatTheHostComputes) {
  int count = 0;
  for (const RandomCKernel *k = randomCKernels; k->text != nullptr; ++k, ++count) {
    const kernel::Graph graph = importGoodC(k->text);
    expectSameAsHost(graph, [k](const HostArrays &arrays) {
      std::vector<void *> pointers;
      for (const char *name = k->arrays; *name != 0; ++name) {
        const auto at = arrays.find(std::string(1, *name));
        pointers.push_back(at == arrays.end() ? nullptr : at->second);
      }
      k->call(pointers.data());
    });
    if (::testing::Test::HasFailure()) {
      FAIL() << "random kernel " << count << ":\n" << k->text;
    }
  }
  EXPECT_EQ(count, 300);
}

}  // namespace
}  // namespace pimento::frontend
