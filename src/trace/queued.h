// A consumer that works in a thread of its own: what it is given is passed on in batches, in order.
#pragma once

#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "pimento/base/pipe.h"
#include "pimento/trace/stream.h"

namespace pimento::trace {

class Queued final : public Consumer {
 public:
  /// `to` outlives this, and so do blocks. Of `to`, onBlock() and onEnd() run in another thread, and are over once
  /// onEnd() of this has returned.
  explicit Queued(Consumer &to) : to_(to), batch_(std::make_unique<Batch>()) {
    for (std::size_t i = 1; i < kBatches; ++i) spare_.put(std::make_unique<Batch>());
    thread_ = std::thread([this] {
      while (auto batch = full_.take()) {
        std::size_t first = 0;
        for (const Run &r : (*batch)->runs) {
          to_.onBlock(*r.block, r.count, std::span((*batch)->accesses).subspan(first, r.accesses - first));
          first = r.accesses;
        }
        spare_.put(std::move(*batch));
      }
    });
  }
  ~Queued() override { join(); }
  Queued(const Queued &) = delete;
  Queued &operator=(const Queued &) = delete;

  void onStart(const Program &program, bool hasValues) override { to_.onStart(program, hasValues); }
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
    batch_->accesses.insert(batch_->accesses.end(), accesses.begin(), accesses.end());
    batch_->runs.push_back({&block, count, batch_->accesses.size()});
    batch_->instructions += count;
    if (batch_->instructions >= kBatch) hand();
  }
  void onEnd() override {
    if (!thread_.joinable()) return;
    hand();
    join();
    to_.onEnd();
  }

 private:
  static constexpr std::size_t kBatches = 6;
  static constexpr int kBatch = 8192;  ///< instructions
  struct Run {
    const Block *block = nullptr;
    int count = 0;
    std::size_t accesses = 0;  ///< where its accesses end
  };
  struct Batch {
    std::vector<Run> runs;
    std::vector<Access> accesses;
    int instructions = 0;
  };

  void hand() {
    full_.put(std::move(batch_));
    batch_ = *spare_.take();
    batch_->runs.clear();
    batch_->accesses.clear();
    batch_->instructions = 0;
  }
  void join() {
    full_.close();
    if (thread_.joinable()) thread_.join();
  }

  Consumer &to_;
  std::unique_ptr<Batch> batch_;
  Pipe<std::unique_ptr<Batch>> full_{kBatches}, spare_{kBatches};
  std::thread thread_;
};

}  // namespace pimento::trace
