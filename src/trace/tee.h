// Several consumers of one stream.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "pimento/trace/stream.h"

namespace pimento::trace {

class Tee final : public Consumer {
 public:
  /// They outlive this.
  explicit Tee(std::vector<Consumer *> consumers) : consumers_(std::move(consumers)) {}

  void onStart(const Program &program, bool hasValues) override {
    for (Consumer *c : consumers_) c->onStart(program, hasValues);
  }
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
    for (Consumer *c : consumers_) c->onBlock(block, count, accesses);
  }
  void onEnd() override {
    for (Consumer *c : consumers_) c->onEnd();
  }
  bool wantsMore() const override {
    return std::ranges::any_of(consumers_, [](const Consumer *c) { return c->wantsMore(); });
  }

 private:
  std::vector<Consumer *> consumers_;
};

}  // namespace pimento::trace
