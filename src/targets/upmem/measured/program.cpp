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

/// Words at `args`.
std::size_t argumentWords(Shape shape) {
  switch (shape) {
    case Shape::kHst:
    case Shape::kGemv:
      return 4;
    case Shape::kGemm:
      return 5;
    default:
      return 3;
  }
}

}  // namespace

std::int64_t argumentBytes(Shape shape) {
  return static_cast<std::int64_t>(argumentWords(shape) * sizeof(std::uint32_t));
}

std::int64_t leastInstructions(Shape shape, const Work &work, bool hasMultiplier) {
  const std::int64_t product = hasMultiplier ? 1 : 8;  // by 0, call and return included
  const auto times = [](std::int64_t a, std::int64_t b) { return multiplySaturated(a, b); };
  const std::int64_t n = work.perTasklet, rounds = n / work.buffer;
  const std::int64_t chunks = work.inner / work.buffer;
  switch (shape) {
    case Shape::kVa:
      return addSaturated(times(9, n), times(16, rounds));
    case Shape::kRed:
      return addSaturated(times(7, n), times(13, rounds));
    case Shape::kSel:
      return addSaturated(times(4, n), times(18, rounds));
    case Shape::kScan:
      return addSaturated(times(10, n), times(22, rounds));
    case Shape::kHst:
      return addSaturated(times(10 + product, n), times(10, rounds));
    case Shape::kGemv:
      return times(n, addSaturated(times(6 + product, work.inner), times(18, chunks)));
    case Shape::kGemm:
      break;
  }
  // Per column and chunk, and per chunk of a tile.
  const std::int64_t perColumn = addSaturated(times(8 + product, work.inner), times(11, chunks));
  return times(n, addSaturated(times(work.columns, perColumn), times(19, times(work.columns / work.buffer, chunks))));
}

std::int64_t heapBytes(Shape shape, std::int64_t bufferBytes, std::int64_t bins) {
  const auto buffers = [&](std::int64_t n) { return multiplySaturated(n, bufferBytes); };
  switch (shape) {
    case Shape::kScan:
      return buffers(1);
    case Shape::kHst:
      return addSaturated(buffers(1), bins * 4);
    case Shape::kRed:
    case Shape::kSel:
      return addSaturated(buffers(2), kRecord);
    case Shape::kVa:
    case Shape::kGemv:
    case Shape::kGemm:
      break;
  }
  return buffers(3);
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
  for (std::size_t i = 0; i < argumentWords(shape); ++i)
    for (int byte = 0; byte < 4; ++byte) segment.bytes.push_back(static_cast<std::uint8_t>(words[i] >> (8 * byte)));
  return segment;
}

}  // namespace pimento::targets::upmem::measured
