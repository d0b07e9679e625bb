// Two consumers of one stream.
#pragma once

#include "pimento/trace/stream.h"

namespace pimento::trace {

class Tee final : public Consumer {
 public:
  /// Both outlive this.
  Tee(Consumer &first, Consumer &second) : first_(first), second_(second) {}

  void onStart(const Program &program, bool hasValues) override {
    first_.onStart(program, hasValues);
    second_.onStart(program, hasValues);
  }
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
    first_.onBlock(block, count, accesses);
    second_.onBlock(block, count, accesses);
  }
  void onEnd() override {
    first_.onEnd();
    second_.onEnd();
  }
  bool wantsMore() const override { return first_.wantsMore() || second_.wantsMore(); }

 private:
  Consumer &first_, &second_;
};

}  // namespace pimento::trace
