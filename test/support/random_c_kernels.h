// The loop nests that random_c_kernels.py made, as text and as the host's compiler built them. PIMENTO_RANDOM_C names a
// shared library with other kernels than those of the build (random_c_many.py).
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

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

namespace pimento::test {

using ::RandomCKernel;

inline const RandomCKernel *randomCKernels() {
  const char *library = std::getenv("PIMENTO_RANDOM_C");
  if (library == nullptr) return ::randomCKernels;
  void *handle = dlopen(library, RTLD_NOW);
  EXPECT_NE(handle, nullptr) << dlerror();
  const void *table = handle == nullptr ? nullptr : dlsym(handle, "randomCKernels");
  EXPECT_NE(table, nullptr);
  return table == nullptr ? ::randomCKernels : static_cast<const RandomCKernel *>(table);
}

inline std::vector<std::string> wordsOf(const char *text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace pimento::test
