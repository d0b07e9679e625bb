// Tasks on devices that do one thing at a time: when each begins, by list scheduling.
//
// The rule: whenever a device is free, it takes of the tasks that are ready the one with the longest way to the end
// (Graham 1969; Hu 1961). Sound by construction: no device has two tasks at once, and no task begins before all that it
// reads are done. A plain checker in the tests proves it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/units.h"

namespace pimento::llm {

/// GPUs that share a model run the same layers at once, and so do their PIM devices: each kind is one.
enum class Device : std::uint8_t {
  kGpu,
  kPim,
  kLink,  ///< between a GPU and its PIM devices
  kPeer,  ///< between GPUs
};
inline constexpr std::array<Device, 4> kDevices = {Device::kGpu, Device::kPim, Device::kLink, Device::kPeer};
/// "gpu", "pim", "link", "peer".
std::string_view name(Device device);

struct Task {
  std::string name;
  Device device = Device::kGpu;
  Picoseconds time;
  std::vector<int> after;  ///< tasks with smaller numbers, whose results it reads
};

struct Schedule {
  std::vector<Picoseconds> begin;  ///< by task
  Picoseconds end;                 ///< of the last one

  /// Time that a device works.
  static Picoseconds busy(const std::vector<Task> &tasks, Device device);
};

Schedule schedule(const std::vector<Task> &tasks);

}  // namespace pimento::llm
