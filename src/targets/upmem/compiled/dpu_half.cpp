#include "pimento/targets/upmem/compiled/dpu_half.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/rng.h"

namespace pimento::targets::upmem::compiled {

namespace {

std::int64_t stackOf(const Source &source) {
  return std::max<std::int64_t>(source.scheme.stackBytes, kUnit);
}

std::vector<std::string> hashOf(const Source &source) {
  const std::uint64_t hash = hashText(source.written.text);
  return {fmt::format("0x{:08x}", hash >> 32), fmt::format("0x{:08x}", hash & 0xffffffff)};
}

std::string fingerprint(const Source &source) {
  const auto hash = hashOf(source);
  return fmt::format(R"(
/// Which text this is, and what it is built for: its host half compares.
#ifndef STACK_SIZE_DEFAULT
#define STACK_SIZE_DEFAULT 1024
#endif
__host uint32_t FINGERPRINT[4] = {{{}, {}, NR_TASKLETS, STACK_SIZE_DEFAULT}};
)",
                     hash[0], hash[1]);
}

std::string half(const Source &source, std::size_t number) {
  return buildComment(source, number) + source.written.text + fingerprint(source);
}

}  // namespace

std::vector<std::string> fingerprintOf(const Source &source) {
  std::vector<std::string> words = hashOf(source);
  words.push_back(std::to_string(source.scheme.threads));
  words.push_back(std::to_string(stackOf(source)));
  return words;
}

std::string buildComment(const Source &source, std::size_t number) {
  const std::string define = number > 0 ? fmt::format(" -DKERNEL={}", number) : "",
                    binary = number > 0 ? fmt::format("dpu_{}", number) : "dpu";
  return fmt::format(
      "// Mapping: {}\n//   dpu-upmem-dpurt-clang -O2{} -DNR_TASKLETS={} -DSTACK_SIZE_DEFAULT={} -o {} dpu.c\n",
      mapping::print(source.placed.mapping), define, source.scheme.threads, stackOf(source), binary);
}

std::string writeDpu(std::span<const Source> sources) {
  if (sources.size() == 1) return half(sources[0], 0);
  std::string text = fmt::format("// {} kernels, each a program of its own: KERNEL says which.\n", sources.size());
  for (std::size_t k = 0; k < sources.size(); ++k)
    text += fmt::format("\n#{} KERNEL == {}\n{}", k == 0 ? "if" : "elif", k + 1, half(sources[k], k + 1));
  return text + fmt::format("\n#else\n#error \"which kernel? -DKERNEL=1 to {}\"\n#endif\n", sources.size());
}

}  // namespace pimento::targets::upmem::compiled
