// A kernel for near-bank units as lowerings hand it on: the program, and who moves data between tensors and the device.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/data.h"
#include "pimento/sim/pim/near_bank.h"

namespace pimento::targets::near_bank {

/// Knows a layout.
class KernelData {
 public:
  virtual ~KernelData() = default;
  /// What the program's writes send, image by image.
  virtual std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const = 0;
  /// What lies in the banks before the program runs.
  virtual void place(const kernel::DataSet & /*data*/, sim::pim::NearBankDevice & /*device*/) const {}
  /// Stores what the program left, partial results merged in the mapping's order.
  virtual void collect(sim::pim::NearBankDevice &device, kernel::DataSet &data) const = 0;

  std::int64_t channels = 1;      ///< at work
  std::int64_t resultBursts = 0;  ///< that leave the units of a channel
};

struct LoweredKernel {
  program::Program program;
  mapping::PlacedMapping placed;
  mapping::AccumulationRules rules;
  evaluate::HostWork host;
  std::int64_t bytesPerBank = 0;
  std::int64_t rows = 0;                      ///< of a bank, the host's data included
  std::optional<program::Program> placement;  ///< of constants, once
  std::shared_ptr<const KernelData> data;
  std::vector<std::string> choices;
};

/// Puts an element of so many bytes into its lane of a burst.
inline void putLane(sim::pim::Half *burst, std::int64_t lane, const void *value, std::int64_t size) {
  std::memcpy(reinterpret_cast<std::byte *>(burst) + lane * size, value, static_cast<std::size_t>(size));
}

/// The bits of element `lane` of a burst of elements of so many bytes.
inline std::uint64_t laneOf(const sim::pim::Half *burst, std::int64_t lane, std::int64_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte *>(burst) + lane * size, static_cast<std::size_t>(size));
  return bits;
}

}  // namespace pimento::targets::near_bank
