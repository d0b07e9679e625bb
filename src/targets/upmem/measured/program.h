// The measured programs, assembled, linked and given their arguments.
//
// Which program serves a shape, what it takes of WRAM, and the block of arguments that the host writes: what the heads
// of kernels/upmem/measured/*.s say, in one place. Linked programs depend on the number of tasklets alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pimento/base/cache.h"
#include "pimento/program/code.h"
#include "pimento/targets/upmem/measured/pattern.h"

namespace pimento::targets::upmem::measured {

/// What one tasklet is given.
struct Work {
  std::int64_t buffer = 0;              ///< elements per buffer
  std::int64_t perTasklet = 0;          ///< elements of an array, or rows
  std::int64_t inner = 0, columns = 0;  ///< products: elements per row, and columns of the result
  std::int64_t bins = 0;
};

/// Bytes of the block of arguments.
std::int64_t argumentBytes(Shape shape);

/// Instructions that a tasklet issues at least, whatever its data: those of rounds and elements, multiplications by 0,
/// nothing selected; prologues and waiting left out. Products are one instruction each where the machine multiplies.
std::int64_t leastInstructions(Shape shape, const Work &work, bool hasMultiplier);

/// Bytes of WRAM heap that one tasklet takes with buffers of `bufferBytes`.
std::int64_t heapBytes(Shape shape, std::int64_t bufferBytes, std::int64_t bins);

/// The program, assembled and linked when `cache` has none. `type` is one that recognise() lets through.
/// Diagnostics: those of the linker.
Result<std::shared_ptr<const program::Code>> build(Shape shape, DType type, std::int64_t tasklets, Cache &cache);

/// The words at `args`.
program::Code::Segment arguments(const program::Code &code, Shape shape, std::int64_t tasklets, const Work &work);

/// First byte of MRAM that is the kernel's, as an offset.
std::int64_t firstMramByte(const program::Code &code);

}  // namespace pimento::targets::upmem::measured
