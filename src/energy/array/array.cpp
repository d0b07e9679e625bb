#include "pimento/energy/array/array.h"

#include <array>
#include <bit>
#include <string>

#include "pimento/base/text.h"

namespace pimento::energy::array {

namespace {

constexpr std::array kAccesses{Access::kNormal, Access::kSequential, Access::kFast};
constexpr std::array kDevices{Device::kHp, Device::kLop, Device::kLstp};
constexpr std::array kOperations{Operation::kRead, Operation::kAnd, Operation::kOr,
                                 Operation::kXor,  Operation::kAdd, Operation::kSub};

constexpr std::int64_t kMostBytes = std::int64_t{1} << 34;  // keeps products in 64 bits; no limit of any device
constexpr std::int64_t kMostWays = 1024;

bool isPowerOfTwo(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

Diagnostic impossible(const std::string &message, const std::string &hint) {
  return error("impossible-array", {}, message, hint);
}

std::string bytes(std::int64_t n) {
  return std::to_string(n) + " B";
}

}  // namespace

std::string_view name(Access access) {
  constexpr std::array<std::string_view, kAccesses.size()> kNames{"normal", "sequential", "fast"};
  return kNames[static_cast<std::size_t>(access)];
}

std::string_view name(Device device) {
  constexpr std::array<std::string_view, kDevices.size()> kNames{"hp", "lop", "lstp"};
  return kNames[static_cast<std::size_t>(device)];
}

std::string_view name(Operation operation) {
  constexpr std::array<std::string_view, kOperations.size()> kNames{"cim_read", "and", "or", "xor", "add", "sub"};
  return kNames[static_cast<std::size_t>(operation)];
}

std::span<const Access> accesses() {
  return kAccesses;
}

std::span<const Device> devices() {
  return kDevices;
}

std::span<const Operation> operations() {
  return kOperations;
}

Status check(const Array &a) {
  const struct {
    const char *what;
    std::int64_t value, most;
  } counts[] = {{"size", a.size.value, kMostBytes},
                {"line", a.line.value, kMostBytes},
                {"ways", a.ways, kMostWays},
                {"banks", a.banks, kMostBytes},
                {"port bits", a.portBits, kMostBytes}};
  for (const auto &[what, value, most] : counts)
    if (value < 1 || value > most)
      return impossible("an array's " + std::string(what) + " cannot be " + std::to_string(value),
                        "give it from 1 to " + std::to_string(most));
  if (!isPowerOfTwo(a.line.value))
    return impossible("a line of " + bytes(a.line.value) + " is not a power of two", "use 32 B, 64 B or 128 B");
  if (!isPowerOfTwo(a.banks))
    return impossible(std::to_string(a.banks) + " banks are not a power of two", "use 1, 2, 4 or 8");
  if (!isPowerOfTwo(a.portBits))
    return impossible("a port of " + std::to_string(a.portBits) + " bits is not a power of two",
                      "use 32 bits for words, " + std::to_string(lineBits(a)) + " for whole lines");
  if (a.portBits > lineBits(a))
    return impossible("a port of " + std::to_string(a.portBits) + " bits is wider than a line of " +
                          std::to_string(lineBits(a)) + " bits",
                      "use at most " + std::to_string(lineBits(a)) + " bits");
  const std::int64_t set = a.ways * a.line.value;
  if (set > a.size.value)
    return impossible(std::to_string(a.ways) + " ways of lines of " + bytes(a.line.value) + " are " + bytes(set) +
                          ", more than the array's " + bytes(a.size.value),
                      "use at most " + std::to_string(a.size.value / a.line.value) + " ways");
  if (a.size.value % (set * a.banks) != 0)
    return impossible(bytes(a.size.value) + " are no whole sets of " + bytes(set) + " in " + std::to_string(a.banks) +
                          (a.banks == 1 ? " bank" : " banks"),
                      "use a multiple of " + bytes(set * a.banks));
  return okStatus();
}

}  // namespace pimento::energy::array
