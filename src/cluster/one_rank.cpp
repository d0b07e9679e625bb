#include <mutex>

#include "pimento/base/thread_pool.h"
#include "pimento/cluster/ranks.h"

namespace pimento::cluster {

namespace {

class OneRank final : public Ranks {
 public:
  Status join(const std::string & /*plan*/, Work work, int jobs) override {
    work_ = std::move(work);
    jobs_ = jobs;
    return okStatus();
  }

  Status compute(const Tasks &tasks, const std::atomic<bool> *isStopped, const Take &take) override {
    std::mutex mutex;
    parallelFor(jobs_, static_cast<std::int64_t>(tasks.now.size()), [&](std::int64_t i) {
      if (isStopped != nullptr && *isStopped) return;
      const auto number = static_cast<std::size_t>(i);
      const std::string result = work_(tasks.now[number]);
      const std::lock_guard<std::mutex> lock(mutex);
      take.one(number, result);
      take.flush();
    });
    return okStatus();
  }

 private:
  Work work_;
  int jobs_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> oneRank() {
  return std::make_unique<OneRank>();
}

}  // namespace pimento::cluster
