// Commands shown to two observers: the device that computes, and who watches the run.
#pragma once

#include "pimento/evaluate/target.h"
#include "pimento/sim/dram/channel_core.h"

namespace pimento::targets::dram {

/// Sends what one observer sees to two.
class Tee final : public evaluate::Observer, public sim::dram::CommandObserver {
 public:
  Tee(sim::dram::CommandObserver &first, evaluate::Observer *second)
      : first_(first), second_(dynamic_cast<sim::dram::CommandObserver *>(second)) {}
  void onCommand(const sim::dram::IssuedCommand &c) override {
    first_.onCommand(c);
    if (second_ != nullptr) second_->onCommand(c);
  }

 private:
  sim::dram::CommandObserver &first_;
  sim::dram::CommandObserver *second_;
};

}  // namespace pimento::targets::dram
