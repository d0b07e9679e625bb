#include "pimento/cluster/first_rank.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "pimento/base/checksum.h"
#include "pimento/cluster/this_process.h"

namespace pimento::cluster {

namespace {

double secondsBetween(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

FirstRank::FirstRank(std::unique_ptr<Channel> channel, std::string build, Patience patience)
    : channel_(std::move(channel)),
      build_(std::move(build)),
      patience_(patience),
      handOut_(channel_->count()),
      others_(channel_->count()) {
  speaker_ = std::thread([this] { speak(); });
}

FirstRank::~FirstRank() {
  leave({});
}

Status FirstRank::join(const std::string &plan, Work work, int jobs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  plan_ = md5(plan);
  work_ = std::move(work);
  jobs_ = jobs;
  handOut_.join(0, jobs);
  for (std::size_t r = 1; r < others_.size(); ++r)
    if (others_[r].hello) welcome(r);
  return okStatus();
}

// --- what the caller does

Status FirstRank::compute(const Tasks &tasks, const std::atomic<bool> *isStopped, const Take &take) {
  const Clock::time_point start = Clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  left_ = 0;
  for (std::size_t n = 0; n < tasks.now.size(); ++n) want(tasks.now[n], n);
  setLater(tasks.later);
  isComputing_ = true;
  changed_.notify_all();
  std::vector<std::thread> threads;
  for (int j = 0; j < jobs_; ++j) threads.emplace_back([this] { computeHere(); });
  // Results are taken on this thread, without the lock: whoever takes them may write files.
  while (true) {
    while (!ready_.empty()) {
      std::vector<std::pair<std::size_t, std::string>> ready;
      ready.swap(ready_);
      lock.unlock();
      for (const auto &[number, text] : ready) take.one(number, text);
      take.flush();
      lock.lock();
    }
    const bool isAsked = isStopped != nullptr && *isStopped;
    if (left_ == 0 || isAsked || !problems_.empty() || thrown_ != nullptr) break;
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
  isComputing_ = false;
  changed_.notify_all();
  lock.unlock();
  for (std::thread &t : threads) t.join();
  lock.lock();
  for (const auto &[number, text] : ready_) take.one(number, text);
  take.flush();
  ready_.clear();
  if (left_ > 0)  // it was stopped
    for (Task &task : tasks_) task.wantedAs.clear();
  computing_ += secondsBetween(start, Clock::now());
  if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  if (!problems_.empty()) return problems_;
  return okStatus();
}

/// The task of a text is wanted now, as number `n`.
void FirstRank::want(const std::string &text, std::size_t n) {
  ++left_;
  const auto [at, isNew] = numbers_.emplace(text, static_cast<std::int64_t>(tasks_.size()));
  if (isNew) tasks_.push_back({&at->first, {}, false, false, {}});
  Task &task = tasks_[static_cast<std::size_t>(at->second)];
  if (task.isDone) {
    --left_;
    ready_.emplace_back(n, task.result);
    return;
  }
  task.wantedAs.push_back(n);
  if (isNew)
    handOut_.add(at->second);
  else if (task.isLater)  // named before, and nobody has begun it
    handOut_.promote(at->second);
  task.isLater = false;
}

void FirstRank::setLater(const std::vector<std::string> &texts) {
  std::vector<std::int64_t> later;
  for (const std::string &text : texts) {
    const auto [at, isNew] = numbers_.emplace(text, static_cast<std::int64_t>(tasks_.size()));
    if (isNew) tasks_.push_back({&at->first, {}, false, true, {}});
    const Task &task = tasks_[static_cast<std::size_t>(at->second)];
    if (!task.isDone && task.isLater) later.push_back(at->second);
  }
  handOut_.setLater(std::move(later));
}

/// One of the threads that compute on this rank.
void FirstRank::computeHere() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (isComputing_) {
    const std::vector<std::int64_t> chunk = handOut_.take(0);
    if (chunk.empty()) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      continue;
    }
    for (const std::int64_t number : chunk) {
      const std::string &text = *tasks_[static_cast<std::size_t>(number)].text;
      lock.unlock();
      const Clock::time_point start = Clock::now();
      std::string result;
      std::exception_ptr thrown;
      try {
        result = work_(text);
      } catch (...) {
        thrown = std::current_exception();
      }
      const double seconds = secondsBetween(start, Clock::now());
      lock.lock();
      if (thrown != nullptr) {  // memory runs out, say
        thrown_ = thrown;
        changed_.notify_all();
        return;
      }
      busyHere_ += seconds;
      finish(0, number, seconds, std::move(result));
    }
  }
}

void FirstRank::finish(std::size_t rank, std::int64_t number, double seconds, std::string result) {
  (void)handOut_.finish(rank, number, seconds);
  Task &task = tasks_[static_cast<std::size_t>(number)];
  if (task.isDone) return;
  task.isDone = true;
  task.result = std::move(result);
  ++finished_;
  for (const std::size_t n : task.wantedAs) {
    --left_;
    ready_.emplace_back(n, task.result);
  }
  if (!task.wantedAs.empty()) changed_.notify_all();
  task.wantedAs.clear();
}

// --- what the others say

void FirstRank::speak() {
  Clock::time_point lastLook = Clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!isLeaving_) {
    const Clock::time_point start = Clock::now();
    std::size_t from = 0;
    std::string message;
    bool isBusy = false;
    while (channel_->receive(from, message)) {
      isBusy = true;
      hear(from, message);
    }
    isBusy = serve() || isBusy;
    if (start - lastLook > patience_.sign / 4) {
      lastLook = start;
      look(start);
    }
    speaking_ += secondsBetween(start, Clock::now());
    lock.unlock();  // others want it, too
    if (isBusy)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    lock.lock();
  }
}

void FirstRank::hear(std::size_t rank, const std::string &message) {
  Other &other = others_[rank];
  other.heardAt = Clock::now();
  if (other.isLost) {  // it was only silent
    other.isLost = false;
    --lost_;
    if (!plan_.empty() && other.hello) welcome(rank);
  }
  switch (kindOf(message)) {
    case Message::kHello: {
      Hello hello;
      if (!read(message, hello)) break;
      other.hello = std::move(hello);
      if (!plan_.empty()) welcome(rank);
      break;
    }
    case Message::kResults: {
      std::vector<ResultMessage> results;
      if (!read(message, results)) break;
      for (ResultMessage &r : results) {
        if (r.number < 0 || r.number >= static_cast<std::int64_t>(tasks_.size())) continue;
        other.busy += r.seconds;
        finish(rank, r.number, r.seconds, std::move(r.text));
      }
      hungry_.insert(rank);
      break;
    }
    case Message::kFailed: {
      Diagnostics found;
      if (!read(message, found) || found.empty()) break;
      const Diagnostic &d = found.front();
      fail(error(d.kind, "rank-failed", d.where,
                 fmt::format("rank {}{}: {} [{}]", rank, hostOf(rank), d.message, d.code), d.hint));
      break;
    }
    default:
      break;
  }
}

/// A rank that is there may compute, if it has what this one has.
void FirstRank::welcome(std::size_t rank) {
  const Hello &hello = *others_[rank].hello;
  if (hello.build != build_) {
    fail(usageError("ranks-differ", "", fmt::format("rank {}{} runs another build of Pimento", rank, hostOf(rank)),
                    "install the same build on all nodes, or start it from a shared folder"));
  } else if (hello.plan != plan_) {
    fail(usageError("ranks-differ", "",
                    fmt::format("rank {}{} read another input, machine file or command line", rank, hostOf(rank)),
                    "give all ranks the same command line, and files that are the same on all nodes"));
  } else {
    handOut_.join(rank, hello.jobs);
    hungry_.insert(rank);
  }
}

std::string FirstRank::hostOf(std::size_t rank) const {
  const auto &hello = others_[rank].hello;
  return hello ? fmt::format(" on {}", hello->host) : std::string();
}

void FirstRank::fail(Diagnostic problem) {
  if (problems_.empty()) problems_.push_back(std::move(problem));
  changed_.notify_all();
}

/// Deals out; false: there was nothing to do.
bool FirstRank::serve() {
  if (hungry_.empty() || (handOut_.waiting() == 0 && !handOut_.hasLater())) return false;
  bool hasDealt = false;
  std::set<std::size_t> hungry;
  hungry.swap(hungry_);
  for (const std::size_t rank : hungry) {
    if (others_[rank].isLost) continue;
    const std::vector<std::int64_t> chunk = handOut_.take(rank);
    if (chunk.empty()) {
      if (handOut_.isShort(rank)) hungry_.insert(rank);
      continue;
    }
    std::vector<TaskMessage> tasks;
    for (const std::int64_t number : chunk) {
      tasks_[static_cast<std::size_t>(number)].isLater = false;
      tasks.push_back({number, *tasks_[static_cast<std::size_t>(number)].text});
    }
    channel_->send(rank, written(tasks));
    hasDealt = true;
  }
  return hasDealt;
}

/// Who is still there.
void FirstRank::look(Clock::time_point now) {
  const bool isSaid = now - saidAt_ >= patience_.sign;
  if (isSaid) saidAt_ = now;
  for (std::size_t rank = 1; rank < others_.size(); ++rank) {
    Other &other = others_[rank];
    if (other.isLost) continue;
    if (isSaid) channel_->send(rank, written(Message::kAlive));
    if (!other.hello) continue;  // it still reads its input
    // Not at once: where ranks are in containers, this process may not see the other.
    const bool isGone = now - other.heardAt > 2 * patience_.sign && other.hello->host == hostName() &&
                        other.hello->process > 0 && kill(static_cast<pid_t>(other.hello->process), 0) != 0 &&
                        errno == ESRCH;
    if (!isGone && now - other.heardAt < patience_.silence) continue;
    other.isLost = true;
    ++lost_;
    handOut_.leave(rank);
    hungry_.erase(rank);
    changed_.notify_all();
  }
}

// --- the end

std::optional<Sharing> FirstRank::sharing() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sharing s;
  s.ranks = static_cast<std::int64_t>(others_.size());
  s.lost = lost_;
  s.jobs = jobs_;
  s.tasks = finished_;
  s.chunks = handOut_.chunks();
  s.seconds = computing_;
  double busy = busyHere_;
  const auto shareOf = [&](double seconds, int jobs) {
    return computing_ > 0 && jobs > 0 ? std::min(1.0, seconds / (computing_ * jobs)) : 0;
  };
  s.busy.push_back(shareOf(busyHere_, jobs_));
  for (std::size_t r = 1; r < others_.size(); ++r) {
    const int jobs = others_[r].hello ? others_[r].hello->jobs : 0;
    s.jobs += jobs;
    busy += others_[r].busy;
    s.busy.push_back(shareOf(others_[r].busy, jobs));
  }
  s.idleShare = 1 - shareOf(busy, static_cast<int>(s.jobs));
  s.messageShare = shareOf(speaking_, 1);
  return s;
}

void FirstRank::leave(const Diagnostics & /*problems*/) {
  if (!speaker_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    isLeaving_ = true;
  }
  speaker_.join();
  for (std::size_t rank = 1; rank < others_.size(); ++rank)
    if (!others_[rank].isLost) channel_->send(rank, written(Message::kEnd));
  channel_->close(lost_ == 0);
}

}  // namespace pimento::cluster
