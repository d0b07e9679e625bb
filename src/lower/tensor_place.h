// Where a tensor lies in a machine's memory, and whether memories have room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"

namespace pimento::lower {

struct Position;

/// A dense array of a box, rows padded: the order is that of the positions, the last runs along rows.
struct TensorPlace {
  enum class Home : std::uint8_t { kUnit, kThread };  ///< what has an array of its own

  std::vector<std::int64_t> pitch;  ///< bytes from one step of a position to the next
  std::int64_t offset = 0;          ///< of the first array, in bytes from where arrays begin
  std::int64_t bytes = 0;           ///< of one array; they follow one another
  Home home = Home::kUnit;

  /// Of the box where dim d has sizes[d] points: rows of elements of `size` bytes begin at multiples of `unit` and are
  /// `slack` bytes longer.
  void fit(const std::vector<Position> &positions, const std::vector<std::int64_t> &sizes, std::int64_t size,
           std::int64_t unit, std::int64_t slack = 0);
};

/// Fails with `capacity` where `taken` is more than `there`. In words: kernel 'NAME' takes TAKEN `what`; `who` THERE:
/// so many too many.
Status checkCapacity(const kernel::Kernel &kernel, std::int64_t taken, std::string_view what, std::int64_t there,
                     std::string_view who, std::string hint);

}  // namespace pimento::lower
