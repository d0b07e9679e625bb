// A memory array and what may be asked of it: geometry, access mode, device type, operations.
//
// Not here: what cells are (cell.h), whose numbers hold (set.h), energies (cost.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"

namespace pimento::energy::array {

/// How ways are read.
enum class Access : std::uint8_t {
  kNormal,      ///< all ways; the tags choose what leaves the array
  kSequential,  ///< tags first, then one way
  kFast,        ///< all ways, and all leave the array
};

/// Transistors of the ITRS: high performance, low operating power, low standby power.
enum class Device : std::uint8_t { kHp, kLop, kLstp };

/// What the amplifiers of an array can do with a row, or two, besides reading it as usual.
enum class Operation : std::uint8_t {
  kRead,  ///< a read through amplifiers that can compute
  kAnd,
  kOr,
  kXor,
  kAdd,  ///< of words of 32 bits, as many as a row has
  kSub,
};

/// As files and options have them: "normal", "hp", "cim_read", "and".
std::string_view name(Access access);
std::string_view name(Device device);
std::string_view name(Operation operation);
std::span<const Access> accesses();
std::span<const Device> devices();
std::span<const Operation> operations();

/// A data array. Tags are not modelled apart: what sets were fitted to contains them.
struct Array {
  Bytes size{64 * 1024}, line{64};
  int ways = 4;
  int banks = 1;       ///< an access is to one of them
  int portBits = 512;  ///< read or written by one access: a word or a whole line
  Access access = Access::kNormal;
  Device device = Device::kHp;
};

/// Bits of a line.
constexpr std::int64_t kBitsPerByte = 8;
constexpr std::int64_t lineBits(const Array &a) {
  return a.line.value * kBitsPerByte;
}

/// Whether there can be such an array: powers of two, sizes that contain each other. Diagnostic: "impossible-array",
/// for the first thing that is wrong.
Status check(const Array &array);

}  // namespace pimento::energy::array
