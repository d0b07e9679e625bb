// Contents of the banks of some channels, burst by burst, and of the images that writes send.
//
// All channels receive one command stream, so the bursts of one place stand side by side, one per channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "pimento/sim/dram/channel.h"
#include "pimento/sim/pim/lanes.h"

namespace pimento::sim::pim {

/// Bursts of 16 halves, at first zeros.
class BankContents {
 public:
  /// `rows`: that are touched, from 0.
  BankContents(int channels, int banks, std::int64_t rows, std::int64_t columns)
      : channels_(channels), rows_(rows), columns_(columns) {
    const auto halves = static_cast<std::size_t>(banks * rows * columns * channels * kLanes);
    halves_.reset(static_cast<Half *>(std::calloc(std::max<std::size_t>(halves, 1), sizeof(Half))));
    if (!halves_) throw std::bad_alloc();
  }
  Half *burst(int channel, int bank, std::int64_t row, std::int64_t column) {
    return &halves_[static_cast<std::size_t>((((bank * rows_ + row) * columns_ + column) * channels_ + channel) *
                                             kLanes)];
  }

 private:
  struct Free {
    void operator()(Half *p) const { std::free(p); }
  };
  int channels_;
  std::int64_t rows_, columns_;
  std::unique_ptr<Half[], Free> halves_;  // from calloc: rows that nothing touches take no memory
};

/// Contents of one program image: [burst][channel or 1][lane].
struct ImageData {
  bool isPerChannel = false;
  std::vector<Half> values;
};

/// The burst that a write of a program sends to one of `channels` channels; null where it sends none.
inline const Half *sentBurst(const std::vector<ImageData> &images, const dram::IssuedCommand &c, int channels,
                             int channel) {
  if (c.command == nullptr || c.command->image < 0) return nullptr;
  const ImageData &image = images[static_cast<std::size_t>(c.command->image)];
  const std::int64_t at = image.isPerChannel ? c.burst * channels + channel : c.burst;
  return &image.values[static_cast<std::size_t>(at * kLanes)];
}

}  // namespace pimento::sim::pim
