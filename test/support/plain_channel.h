// The plain oracle of one DRAM channel: every cycle is one turn of one loop, every rule is looked up where it applies.
//
// Written from the description of the controller (docs/models/hbm-pim.md: order of work within a cycle, choice of a
// command, barriers, refresh, modes), not from the event-driven engine, and without caring for speed: that the two
// agree on every command is what plain_channel_test.cpp checks. Where the description leaves a policy to the machine
// file (precharge on conflict, refresh per rank, refresh that waits, fences) the comments of machine.h are the source.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "test/support/trace.h"

namespace pimento::test {

class PlainChannel {
 public:
  PlainChannel(const machine::Machine &machine, const program::Process &process)
      : machine_(machine), dram_(*machine.dram), perRank_(static_cast<int>(dram_.organization.banks())) {
    ranks_ = static_cast<int>(dram_.organization.ranks);
    banks_.resize(static_cast<std::size_t>(ranks_ * perRank_));
    for (Bank &b : banks_) b.next.assign(dram_.commands.size(), 0);
    if (dram_.controller.refreshPolicy != "none")
      for (int r = 0; r < ranks_; ++r) due_.push_back(dram_.refreshInterval.value / ranks_ * (r + 1));
    std::vector<std::int64_t> counters;
    for (const program::CommandNode &n : commandsOf(process)) expand(n, counters);
    patience_ = 20 * dram_.refreshInterval.value + 2 * dram_.controller.fence.value + 5000;
  }

  ChannelRun run() {
    for (std::int64_t c = 0;; ++c) {
      if (!overflow_.empty() && transactions_.size() < transactionLimit()) move(overflow_, transactions_);
      for (Bank &b : banks_)
        if (b.state == State::kBusy && b.busyUntil <= c) b.state = State::kIdle;
      for (; !arriving_.empty() && arriving_.front().time <= c; arriving_.pop_front()) arrive(arriving_.front());
      for (std::size_t r = 0; r < due_.size(); ++r)
        if (due_[r] == c) requestRefresh(static_cast<int>(r));
      if (overflow_.empty() && transactions_.empty() && queue_.empty()) break;
      if (c - lastProgress_ > patience_) {
        run_.isStuck = true;
        break;
      }
      chooseCommand(c);
      if (!transactions_.empty() && queue_.size() < commandLimit() && c >= hostResumes_) {
        if (transactions_.front().isBarrier && dram_.controller.fence.value > 0) hostResumes_ = kForever;
        move(transactions_, queue_);
      }
    }
    run_.cycles = lastCompletion_ + 1;
    return run_;
  }

 private:
  static constexpr std::int64_t kForever = std::int64_t{1} << 60;
  enum class State { kIdle, kActive, kBusy };
  struct Request {
    bool isWrite = false, isBarrier = false;
    int bank = 0;
    std::int64_t row = 0, column = 0;
  };
  struct Bank {
    State state = State::kIdle;
    std::int64_t row = 0, busyUntil = 0;
    std::vector<std::int64_t> next;  // by command
  };
  struct Past {
    std::int64_t time = 0;
    int command = 0, bank = 0;
    std::int64_t row = 0;
  };

  std::size_t transactionLimit() const { return static_cast<std::size_t>(dram_.controller.transactionQueue); }
  std::size_t commandLimit() const { return static_cast<std::size_t>(dram_.controller.commandQueue); }
  static void move(std::deque<Request> &from, std::deque<Request> &to) {
    to.push_back(from.front());
    from.pop_front();
  }

  // The host queues everything before the first cycle; a barrier tags the transaction just queued, or gets lost.
  void expand(const program::CommandNode &n, std::vector<std::int64_t> &counters) {
    if (n.isLoop) {
      counters.push_back(0);
      for (; counters.back() < n.trip; ++counters.back())
        for (const program::CommandNode &child : n.children) expand(child, counters);
      counters.pop_back();
      return;
    }
    const auto value = [&](const program::Operand &o) {
      std::int64_t v = o.base;
      for (std::size_t d = 0; d < counters.size(); ++d) v += o.stride[d] * counters[d];
      return v;
    };
    const program::Command &k = n.statement;
    std::deque<Request> &to = transactions_.size() < transactionLimit() ? transactions_ : overflow_;
    to.push_back({k.isWrite, false, k.rank * perRank_ + k.bank, value(k.row), value(k.column)});
    const bool isLost =
        dram_.controller.losesBarrierOnFullQueue && transactions_.size() == transactionLimit() && overflow_.empty();
    to.back().isBarrier = k.isBarrier && !isLost;
  }

  bool may(int command, int bank, std::int64_t c) const {
    return at(bank).next[static_cast<std::size_t>(command)] <= c;
  }
  const Bank &at(int bank) const { return banks_[static_cast<std::size_t>(bank)]; }
  Bank &at(int bank) { return banks_[static_cast<std::size_t>(bank)]; }
  int commandFor(const Request &r) const { return r.isWrite ? kWr : kRd; }

  int nodeOf(machine::ScopeLevel level, int bank) const {
    switch (level) {
      case machine::ScopeLevel::kChannel:
        return 0;
      case machine::ScopeLevel::kRank:
        return bank / perRank_;
      case machine::ScopeLevel::kBankGroup:
        return bank / static_cast<int>(dram_.organization.banksPerGroup);
      case machine::ScopeLevel::kBank:
      case machine::ScopeLevel::kPseudoChannel:  // handMachine has none
        break;
    }
    return bank;
  }

  void issue(int command, int bank, std::int64_t row, std::int64_t column, std::int64_t c) {
    past_.push_back({c, command, bank, row});
    for (const machine::TimingConstraint &t : dram_.constraints) {
      if (std::find(t.preceding.begin(), t.preceding.end(), command) == t.preceding.end()) continue;
      // The n-th last of the commands that count, at this node; this one is the last.
      int left = t.window;
      auto p = past_.rbegin();
      for (; p != past_.rend(); ++p)
        if (std::find(t.preceding.begin(), t.preceding.end(), p->command) != t.preceding.end() &&
            nodeOf(t.level, p->bank) == nodeOf(t.level, bank) && --left == 0)
          break;
      if (p == past_.rend()) continue;
      for (int b = 0; b < ranks_ * perRank_; ++b)
        for (const int f : t.following)
          if (nodeOf(t.level, b) == nodeOf(t.level, bank))
            at(b).next[static_cast<std::size_t>(f)] =
                std::max(at(b).next[static_cast<std::size_t>(f)], p->time + t.latency.value);
    }
    if (past_.size() > 4000) past_.erase(past_.begin(), past_.begin() + 2000);
    const std::string &name = dram_.commands[static_cast<std::size_t>(command)].name;
    run_.trace.push_back({c, name, bank, command == kRef ? -1 : row, column});
    if (command == kAct || command == kPre)
      arriving_.push_back({c + dram_.controller.commandLatency.value, command, bank, row});
    if (command == kRd || command == kWr) lastProgress_ = c;
  }

  void requestRefresh(int rank) {
    due_[static_cast<std::size_t>(rank)] += dram_.refreshInterval.value;
    if (dram_.controller.refreshPolicy == "single-slot") {
      run_.counts.lostRefreshes += pending_.empty() ? 0 : 1;
      pending_ = {rank};
    } else if (!pending_.insert(rank).second) {
      ++run_.counts.lostRefreshes;
    }
  }

  // A mode rule is met once its command for its row has arrived at all its banks.
  void arrive(const Past &p) {
    if (!machine_.pim || p.bank >= perRank_ * machine_.pim->pimRanks) return;
    for (std::size_t i = 0; i < machine_.pim->modeRules.size(); ++i) {
      const machine::ModeRule &r = machine_.pim->modeRules[i];
      const bool isToAllBank = r.to != machine::PimMode::kSingleBank;
      if (r.command != dram_.commands[static_cast<std::size_t>(p.command)].kind || r.row != p.row) continue;
      if (isToAllBank == isAllBank_ || std::count(r.banks.begin(), r.banks.end(), p.bank % perRank_) == 0) continue;
      met_[i].insert(p.bank % perRank_);
      if (met_[i].size() < r.banks.size()) continue;
      met_[i].clear();
      isAllBank_ = isToAllBank;
    }
  }

  void chooseCommand(std::int64_t c) {
    for (const int rank : std::set<int>(pending_))
      if (tryRefresh(rank, c)) return;
    if (tryColumn(c) || tryActivate(c)) return;
    tryPrecharge(c);
  }

  bool tryRefresh(int rank, std::int64_t c) {
    bool isOpen = false, isBusy = false;
    for (int b = rank * perRank_; b < (rank + 1) * perRank_; ++b) {
      isBusy = isBusy || at(b).state == State::kBusy;
      if (at(b).state != State::kActive) continue;
      isOpen = true;
      if (!may(kPre, b, c)) continue;
      precharge(b, c);
      return true;
    }
    if (isOpen || !may(kRef, rank * perRank_, c)) return false;
    if (dram_.controller.refreshWaitsForPrecharge && isBusy) return false;
    issue(kRef, rank * perRank_, -1, -1, c);
    for (int b = rank * perRank_; b < (rank + 1) * perRank_; ++b) {
      at(b).state = State::kBusy;
      at(b).busyUntil = c + dram_.refreshTime.value;
    }
    pending_.erase(rank);
    return true;
  }

  bool tryColumn(std::int64_t c) {
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Request r = queue_[i];
      if (r.isBarrier && i > 0) return false;
      const bool isHit = at(r.bank).state == State::kActive && at(r.bank).row == r.row;
      if (isHit && may(commandFor(r), r.bank, c) && !isBehindItsEqual(i)) {
        issue(commandFor(r), r.bank, r.row, r.column, c);
        const std::int64_t done = c + (r.isWrite ? dram_.writeLatency : dram_.readLatency).value;
        lastCompletion_ = std::max(lastCompletion_, done);
        if (r.isBarrier && dram_.controller.fence.value > 0) hostResumes_ = done + dram_.controller.fence.value;
        queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
      if (r.isBarrier) return false;
    }
    return false;
  }

  bool isBehindItsEqual(std::size_t i) const {
    for (std::size_t j = 0; j < i; ++j)
      if (queue_[j].bank == queue_[i].bank && queue_[j].row == queue_[i].row && queue_[j].column == queue_[i].column)
        return true;
    return false;
  }

  bool tryActivate(std::int64_t c) {
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Request r = queue_[i];
      if (r.isBarrier && i > 0) return false;
      const int rank = r.bank / perRank_;
      const bool isRefused = isAllBank_ && rank < machine_.pim->pimRanks && r.bank % perRank_ >= 2;
      const bool isHeldBack = dram_.controller.refreshWaitsForPrecharge && pending_.count(rank) > 0;
      if (at(r.bank).state != State::kIdle || !may(kAct, r.bank, c) || isRefused || isHeldBack) continue;
      issue(kAct, r.bank, r.row, -1, c);
      at(r.bank).state = State::kActive;
      at(r.bank).row = r.row;
      return true;
    }
    return false;
  }

  void tryPrecharge(std::int64_t c) {
    for (int turn = 0; turn < ranks_ * perRank_; ++turn) {
      const int b = pointer_ % ranks_ * perRank_ + pointer_ / ranks_;
      bool isWanted = false, isConflict = false;
      for (std::size_t i = 0; i < queue_.size(); ++i) {
        if (queue_[i].bank == b) (queue_[i].row == at(b).row ? isWanted : isConflict) = true;
        if (queue_[i].isBarrier) break;
      }
      const bool isLegal = at(b).state == State::kActive && may(kPre, b, c);
      if (isLegal && !isWanted && (isConflict || dram_.controller.prechargePolicy == "eager")) {
        precharge(b, c);
        return;
      }
      pointer_ = (pointer_ + 1) % (ranks_ * perRank_);
    }
  }

  void precharge(int bank, std::int64_t c) {
    issue(kPre, bank, at(bank).row, -1, c);
    at(bank).state = State::kBusy;
    at(bank).busyUntil = c + dram_.prechargeTime.value;
  }

  const machine::Machine &machine_;
  const machine::Dram &dram_;
  int ranks_ = 1, perRank_ = 1, pointer_ = 0;
  std::vector<Bank> banks_;
  std::deque<Request> overflow_, transactions_, queue_;
  std::deque<Past> arriving_;
  std::vector<Past> past_;
  std::vector<std::int64_t> due_;
  std::set<int> pending_;
  std::map<std::size_t, std::set<int>> met_;
  bool isAllBank_ = false;
  std::int64_t hostResumes_ = 0, lastCompletion_ = 0, lastProgress_ = 0, patience_ = 0;
  ChannelRun run_;
};

}  // namespace pimento::test
