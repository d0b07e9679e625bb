#include "pimento/targets/upmem/measured/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pimento/base/integer.h"
#include "pimento/dpu/assembler.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/runtime.h"
#include "pimento/targets/upmem/measured/files.h"

namespace pimento::targets::upmem::measured {

namespace {

constexpr std::int64_t kRecord = 16;  // bytes that red and sel allocate for what a tasklet reports

/// What the head of a program says. Instructions are the fewest that a tasklet issues: for an element, a product left
/// out, and for a round; of products for an element and a chunk along the sum.
struct Head {
  std::size_t words;  ///< at `args`
  std::int64_t buffers, perElement, perRound;
  bool reports, multiplies;
};

const Head &headOf(Shape shape) {
  static constexpr std::array<Head, 7> kHeads = {{
      {3, 3, 9, 16, false, false},   // va
      {3, 2, 7, 13, true, false},    // red
      {3, 2, 4, 18, true, false},    // sel
      {3, 1, 10, 22, false, false},  // scan
      {4, 1, 10, 10, false, true},   // hst
      {4, 3, 6, 18, false, true},    // gemv
      {5, 3, 8, 11, false, true},    // gemm
  }};
  return kHeads[static_cast<std::size_t>(shape)];
}

}  // namespace

std::int64_t argumentBytes(Shape shape) {
  return static_cast<std::int64_t>(headOf(shape).words * sizeof(std::uint32_t));
}

std::int64_t leastInstructions(Shape shape, const Work &work, bool hasMultiplier) {
  constexpr std::int64_t kByZero = 8;        // call and return included
  constexpr std::int64_t kChunkOfTile = 19;  // of gemm, besides its columns
  const Head &head = headOf(shape);
  const auto times = [](std::int64_t a, std::int64_t b) { return multiplySaturated(a, b); };
  const auto loop = [&](std::int64_t elements) {
    const std::int64_t product = !head.multiplies ? 0 : hasMultiplier ? 1 : kByZero;
    return addSaturated(times(head.perElement + product, elements), times(head.perRound, elements / work.buffer));
  };
  if (shape == Shape::kGemv) return times(work.perTasklet, loop(work.inner));
  if (shape != Shape::kGemm) return loop(work.perTasklet);
  const std::int64_t chunks = times(work.columns / work.buffer, work.inner / work.buffer);
  return times(work.perTasklet, addSaturated(times(work.columns, loop(work.inner)), times(kChunkOfTile, chunks)));
}

std::int64_t heapBytes(Shape shape, std::int64_t bufferBytes, std::int64_t bins) {
  const Head &head = headOf(shape);
  return addSaturated(multiplySaturated(head.buffers, bufferBytes),
                      (head.reports ? kRecord : 0) + (shape == Shape::kHst ? bins * 4 : 0));
}

namespace {

using Built = Result<std::shared_ptr<const program::Code>>;

Built buildNow(const std::string &file, std::int64_t tasklets) {
  const std::vector<MeasuredFile> &files = measuredFiles();
  const auto found = std::find_if(files.begin(), files.end(), [&](const MeasuredFile &f) { return f.name == file; });
  PIMENTO_CHECK(found != files.end());
  Result<dpu::Object> object = dpu::assemble(found->text, "kernels/upmem/measured/" + file);
  if (!object) return object.diagnostics();
  dpu::LinkOptions options;
  options.tasklets = tasklets;
  Result<program::Code> code = dpu::link({std::move(*object)}, options, &dpu::runtimeLibrary());
  if (!code) return code.diagnostics();
  return std::make_shared<const program::Code>(std::move(*code));
}

}  // namespace

Built build(Shape shape, DType type, std::int64_t tasklets, Cache &cache) {
  constexpr std::size_t kProgram = 64 << 10;
  const std::string file = fmt::format("{}_u{}.s", name(shape), 8 * sizeOf(type).value);
  return *cache.get<Built>(fmt::format("{} {}", file, tasklets), kProgram, [&] { return buildNow(file, tasklets); });
}

std::int64_t firstMramByte(const program::Code &code) {
  return code.mramUsed;
}

program::Code::Segment arguments(const program::Code &code, Shape shape, std::int64_t tasklets, const Work &work) {
  const program::Code::Symbol *args = code.symbolNamed("args");
  PIMENTO_CHECK(args != nullptr && "the measured programs have arguments");
  std::array<std::int64_t, 5> words = {work.buffer, tasklets, work.perTasklet,
                                       shape == Shape::kHst ? work.bins : work.inner, work.columns};
  program::Code::Segment segment{args->address, {}};
  for (std::size_t i = 0; i < headOf(shape).words; ++i)
    for (int byte = 0; byte < 4; ++byte) segment.bytes.push_back(static_cast<std::uint8_t>(words[i] >> (8 * byte)));
  return segment;
}

}  // namespace pimento::targets::upmem::measured
