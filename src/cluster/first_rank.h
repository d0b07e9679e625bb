// The first of several ranks: deals out tasks, takes results, and computes as well.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "pimento/cluster/hand_out.h"
#include "pimento/cluster/many_ranks.h"
#include "pimento/cluster/messages.h"

namespace pimento::cluster {

using Clock = std::chrono::steady_clock;

class FirstRank final : public Ranks {
 public:
  FirstRank(std::unique_ptr<Channel> channel, std::string build, Patience patience);
  ~FirstRank() override;

  std::size_t count() const override { return others_.size(); }
  Status join(const std::string &plan, Work work, int jobs) override;
  Status compute(const Tasks &tasks, const std::atomic<bool> *isStopped, const Take &take) override;
  std::optional<Sharing> sharing() const override;
  void leave(const Diagnostics &problems) override;

 private:
  struct Task {
    const std::string *text;  ///< a key of numbers_
    std::string result;
    bool isDone, isLater;
    std::vector<std::size_t> wantedAs;  ///< numbers in the call of compute()
  };
  struct Other {
    std::optional<Hello> hello;  ///< once it has said so
    Clock::time_point heardAt = Clock::now();
    bool isLost = false;
    double busy = 0;  ///< seconds
  };

  void want(const std::string &text, std::size_t n);
  void setLater(const std::vector<std::string> &texts);
  void computeHere();
  void finish(std::size_t rank, std::int64_t number, double seconds, std::string result);

  void speak();
  void hear(std::size_t rank, const std::string &message);
  void welcome(std::size_t rank);
  bool serve();
  void look(Clock::time_point now);
  void fail(Diagnostic problem);
  std::string hostOf(std::size_t rank) const;

  std::unique_ptr<Channel> channel_;  // the speaker's alone, while it runs
  const std::string build_;
  const Patience patience_;

  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  HandOut handOut_;
  std::vector<Other> others_;     // by rank; the first is this one
  std::set<std::size_t> hungry_;  // ranks that may have too little work
  std::string plan_;              // empty: nobody has joined here
  Work work_;
  int jobs_ = 1;
  std::unordered_map<std::string, std::int64_t> numbers_;  // of tasks, by text
  std::deque<Task> tasks_;
  std::vector<std::pair<std::size_t, std::string>> ready_;  // results for the caller
  std::size_t left_ = 0;                                    // that the caller waits for
  bool isComputing_ = false, isLeaving_ = false;
  Diagnostics problems_;
  std::exception_ptr thrown_;  // by a task on this rank
  std::int64_t lost_ = 0, finished_ = 0;
  double computing_ = 0, busyHere_ = 0, speaking_ = 0;  // seconds
  Clock::time_point saidAt_ = Clock::now();
  std::thread speaker_;
};

}  // namespace pimento::cluster
