#include "pimento/sim/dram/memory.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include "pimento/base/diagnostics.h"
#include "pimento/sim/dram/address_map.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::sim::dram {

/// It stays where it is: its channel calls it.
class Memory::Channel final : public CommandObserver {
 public:
  Channel(const ChannelSpec &spec, std::vector<Answer> &answers, CommandObserver *other)
      : spec_(spec), answers_(answers), other_(other), channel_(spec, RequestSource{}, this) {}

  void handIn(Tick time, std::int64_t number, const program::Transaction &t) {
    channel_.source().handIn(time, t);
    numbers_.push_back(number);
  }
  void workUntil(Tick time) {
    channel_.source().promise(time);
    run();
  }
  void finish() {
    channel_.source().close();
    run();
    PIMENTO_CHECK(numbers_.empty());
  }
  const ChannelCounts &counts() const { return channel_.counts(); }

  void onCommand(const IssuedCommand &c) override {
    if (other_ != nullptr) other_->onCommand(c);
    if (c.number < 0 || Slot::kColumn != machine::Command::slotOf(c.kind)) return;
    std::int64_t &number = numbers_[static_cast<std::size_t>(c.number - first_)];
    const bool isWrite = c.kind == machine::CommandKind::kWrite;
    answers_.push_back({number, c.time + (isWrite ? spec_.writeLatency : spec_.readLatency)});
    number = kAnswered;
    for (; !numbers_.empty() && numbers_.front() == kAnswered; ++first_) numbers_.pop_front();
  }

 private:
  using Slot = machine::Slot;
  static constexpr std::int64_t kAnswered = -1;

  void run() {
    while (channel_.run().kind == Checkpoint::Kind::kEvent) continue;
  }

  const ChannelSpec &spec_;
  std::vector<Answer> &answers_;
  CommandObserver *other_;
  ChannelOf<RequestSource> channel_;
  std::deque<std::int64_t> numbers_;  ///< of the memory, by the channel's own from `first_` on
  std::int64_t first_ = 0;
};

Memory::Memory(const machine::Dram &dram, CommandObserver *observer) : dram_(dram), spec_(dram) {
  PIMENTO_CHECK(!spec_.isFourQueues);
  for (std::int64_t c = 0; c < dram.organization.channels; ++c)
    channels_.push_back(std::make_unique<Channel>(spec_, answers_, c == 0 ? observer : nullptr));
}

Memory::~Memory() = default;

std::int64_t Memory::request(Tick time, std::uint64_t address, bool isWrite) {
  PIMENTO_CHECK(time >= promised_);
  promised_ = time;
  const Place p = placeOf(dram_.organization, address);
  channels_[static_cast<std::size_t>(p.channel)]->handIn(
      time, requests_, spec_.transaction(isWrite ? spec_.write : spec_.read, p.bank, p.row, p.column));
  ++(isWrite ? counts_.writes : counts_.reads);
  return requests_++;
}

void Memory::workUntil(Tick time) {
  promised_ = std::max(promised_, time);
  for (const auto &c : channels_) c->workUntil(promised_);
}

void Memory::finish() {
  for (const auto &c : channels_) c->finish();
}

std::vector<Answer> Memory::takeAnswers() {
  std::vector<Answer> answers = std::exchange(answers_, {});
  std::sort(answers.begin(), answers.end(),
            [](const Answer &a, const Answer &b) { return std::tie(a.time, a.request) < std::tie(b.time, b.request); });
  return answers;
}

Memory::Counts Memory::counts() const {
  Counts sum = counts_;
  for (const auto &channel : channels_) {
    const ChannelCounts &c = channel->counts();
    sum.activates += c.activates;
    sum.precharges += c.precharges;
    sum.refreshes += c.refreshes;
  }
  return sum;
}

}  // namespace pimento::sim::dram
