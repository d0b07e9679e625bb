// A rank that computes what the first one deals out.
#pragma once

#include "pimento/cluster/many_ranks.h"
#include "pimento/cluster/messages.h"

namespace pimento::cluster {

class OtherRank final : public Ranks {
 public:
  OtherRank(std::unique_ptr<Channel> channel, std::string build, Patience patience)
      : channel_(std::move(channel)), build_(std::move(build)), patience_(patience) {}
  ~OtherRank() override;

  std::size_t count() const override { return channel_->count(); }
  bool isFirst() const override { return false; }
  Status join(const std::string &plan, Work work, int jobs) override;
  Status compute(const Tasks &tasks, const std::atomic<bool> *isStopped, const Take &take) override;
  void leave(const Diagnostics &problems) override;

 private:
  void loseFirst();

  std::unique_ptr<Channel> channel_;
  const std::string build_;
  const Patience patience_;
  bool hasEnded_ = false;  // the first one has said so, or is lost
  bool isWhole_ = true;    // it was heard of to the end
  bool isLeft_ = false;
};

}  // namespace pimento::cluster
