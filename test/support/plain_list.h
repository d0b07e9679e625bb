// Four queues per channel and one list for all of them, as plainly as the rules can be written: every cycle, every
// channel, every request looked at anew. What FedChannels is held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/spec.h"

namespace pimento::test {

class PlainList {
 public:
  PlainList(const machine::Dram &dram, const sim::dram::ChannelSpec &spec, const program::FlatLoops &code, int channels)
      : dram_(dram), spec_(spec), code_(&code), channels_(static_cast<std::size_t>(channels), Channel(dram)) {
    for (const program::FlatLoops::FlatCommand &c : code.commands())
      longest_ = std::max<std::int64_t>(longest_, c.command.length);
    for (program::LoopsCursor at(code); !at.isDone(); at.advance()) {
      const program::Transaction t = at.peek();
      const program::Channels &to = code.commands()[static_cast<std::size_t>(t.command)].command.channels;
      for (int i = 0; i < (to.count == 0 ? channels : to.count); ++i)
        list_.push_back({(to.first + i * to.step) % channels, t});
    }
  }

  /// The cycle in which everything is done, or -1 if it is not after `most`.
  std::int64_t run(std::int64_t most) {
    const std::int64_t interval = spec_.hasRefresh ? dram_.refreshInterval.value : 0;
    for (std::int64_t t = 1; t <= most; ++t) {
      while (next_ < list_.size() && channels_[static_cast<std::size_t>(list_[next_].first)].take(*this, t)) ++next_;
      bool isDone = next_ == list_.size();
      for (Channel &c : channels_) {
        c.cycle(*this, t, interval > 0 && t % interval == 0);
        isDone = isDone && c.isDone();
      }
      if (isDone) return t;
    }
    return -1;
  }

 private:
  struct Request {
    std::int64_t age;
    program::Transaction t;
    bool isBarrier;
  };
  using Queue = std::vector<Request>;

  struct Channel {
    explicit Channel(const machine::Dram &d)
        : rows(static_cast<std::size_t>(d.organization.ranks * d.organization.banks())) {}

    std::vector<std::set<std::int32_t>> rows;  // open, by bank
    Queue opening, pim, read, write;
    std::vector<int> refresh;  // pseudo channels
    std::vector<std::int64_t> data;
    struct Issue {
      int command, bank;  // the first of a pseudo channel's, where only that is named
      bool isNamed;
      std::int64_t time, length;
    };
    std::vector<Issue> issued;
    bool isWriting = false, wasPim = false;

    bool isDone() const {
      return opening.empty() && pim.empty() && read.empty() && write.empty() && refresh.empty() && data.empty();
    }

    const machine::Command &rowOf(const PlainList &p, int k) const {
      return p.dram_.commands[static_cast<std::size_t>(k)];
    }
    std::vector<int> banksOf(const PlainList &p, int k, int bank) const {
      const int n = static_cast<int>(p.dram_.organization.banksPerNode(rowOf(p, k).scope));
      std::vector<int> out;
      for (int b = bank / n * n; b < bank / n * n + n; ++b) out.push_back(b);
      return out;
    }
    bool isRowSlot(const PlainList &p, int k) const { return rowOf(p, k).slot() == machine::Slot::kRow; }
    bool needsRow(const PlainList &p, int k) const {
      return !isRowSlot(p, k) && rowOf(p, k).needs == machine::Needs::kOpenRow;
    }

    bool take(const PlainList &p, std::int64_t t) {
      const program::Transaction &x = p.list_[p.next_].second;
      const auto most = static_cast<std::size_t>(p.dram_.controller.commandQueue);
      const bool isBarrier = rowOf(p, x.op).kind == machine::CommandKind::kBarrier;
      if (x.op == p.spec_.read)
        for (const Request &w : write)
          if (w.t.bank == x.bank && w.t.row == x.row && w.t.column == x.column) {
            data.push_back(t + 1);
            return true;
          }
      const bool awaits = rowOf(p, x.op).awaitsData;
      // One of the data leaves in every cycle: the last may be about to.
      if (awaits && (data.size() > 1 || (data.size() == 1 && data.front() > t))) return false;
      if (isBarrier && (awaits || p.dram_.controller.barrier == machine::BarrierRule::kDrain) &&
          !(opening.empty() && pim.empty() && read.empty() && write.empty()))
        return false;
      Queue &q = x.op == p.spec_.read ? read : x.op == p.spec_.write ? write : pim;
      if (q.size() >= most) return false;
      q.push_back({t, x, isBarrier});
      return true;
    }

    int next(const PlainList &p, const program::Transaction &x) const {
      if (!needsRow(p, x.op)) return x.op;
      const machine::ScopeLevel scope = rowOf(p, x.op).scope;
      const int opens = p.dram_.commandOf(machine::CommandKind::kActivate, scope);
      const int closes = p.dram_.commandOf(machine::CommandKind::kPrecharge, scope);
      bool isMissing = false, isInTheWay = false;
      for (const int b : banksOf(p, x.op, x.bank)) {
        const auto &open = rows[static_cast<std::size_t>(b)];
        isInTheWay |= !open.empty();
        if (open.contains(x.row)) continue;
        if (p.dram_.quirks.severalOpenRows) return open.empty() ? opens : closes;
        isMissing = true;
      }
      return !isMissing ? x.op : isInTheWay ? closes : opens;
    }
    int nextOfRefresh(const PlainList &p, int bank) const {
      for (const int b : banksOf(p, p.spec_.refresh, bank))
        if (!rows[static_cast<std::size_t>(b)].empty())
          return p.dram_.commandOf(machine::CommandKind::kPrecharge, rowOf(p, p.spec_.refresh).scope);
      return p.spec_.refresh;
    }
    bool isHit(const PlainList &p, const Request &r) const {
      return needsRow(p, r.t.op) && rows[r.t.bank].contains(r.t.row);
    }

    std::int64_t node(const PlainList &p, machine::ScopeLevel level, int bank) const {
      return bank / p.dram_.organization.banksPerNode(level);
    }
    bool isReady(const PlainList &p, int k, int bank, std::int64_t t) const {
      const bool namedOnly = p.dram_.quirks.namedBankOnly;
      const std::vector<int> mine = namedOnly ? std::vector<int>{bank} : banksOf(p, k, bank);
      for (const machine::TimingConstraint &c : p.dram_.constraints) {
        if (std::find(c.following.begin(), c.following.end(), k) == c.following.end()) continue;
        if (namedOnly &&
            p.dram_.organization.banksPerNode(c.level) < p.dram_.organization.banksPerNode(rowOf(p, k).checks))
          continue;
        for (const int b : mine) {
          int seen = 0;
          for (auto i = issued.rbegin(); i != issued.rend(); ++i) {
            if (i->time + c.after(p.longest_) <= t) break;  // nor do those before it hold anything back
            if (i->time + c.after(i->length) <= t) continue;
            if (std::find(c.preceding.begin(), c.preceding.end(), i->command) == c.preceding.end()) continue;
            if (!i->isNamed && c.level != machine::ScopeLevel::kChannel &&
                c.level != machine::ScopeLevel::kPseudoChannel)
              continue;
            const std::vector<int> theirs = namedOnly ? std::vector<int>{i->bank} : banksOf(p, i->command, i->bank);
            const bool isSame = std::any_of(theirs.begin(), theirs.end(),
                                            [&](int x) { return node(p, c.level, x) == node(p, c.level, b); });
            if (isSame && ++seen == c.window) return false;
          }
        }
      }
      return true;
    }

    struct Found {
      Queue *queue = nullptr;
      std::size_t index = 0;
      int command = -1, refreshBank = -1;
      bool isPim = false;
    };
    bool best(const PlainList &p, Queue &q, std::int64_t t, bool isPim, Found &f) const {
      std::size_t c = 0;
      const auto isReadyAt = [&](std::size_t i) { return isReady(p, next(p, q[i].t), q[i].t.bank, t); };
      bool isBehind = false;
      for (std::size_t n = 1; n < q.size(); ++n) {
        if (q[n].isBarrier) isBehind = true;
        if (q[n].isBarrier || (isBehind && !isRowSlot(p, next(p, q[n].t)))) continue;
        const bool a = isReadyAt(c), b = isReadyAt(n);
        if (a == b) {
          if (q[n].age < q[c].age) c = n;
          continue;
        }
        if (a) continue;
        const bool isProtected = !isHit(p, q[n]) && std::any_of(q.begin(), q.end(), [&](const Request &r) {
          return isHit(p, r) && r.t.bank == q[n].t.bank;
        });
        if (!isProtected) c = n;
      }
      f = {&q, c, next(p, q[c].t), -1, isPim};
      return isReadyAt(c);
    }

    /// `taken`: 0 row, 1 column, -1 none. `head`: of a refresh that holds back what is behind it.
    bool look(const PlainList &p, std::int64_t t, int taken, Found &f, int &head) {
      const auto isFree = [&](int k) { return (isRowSlot(p, k) ? 0 : 1) != taken; };
      if (!opening.empty() && best(p, opening, t, false, f) && isFree(f.command)) return true;
      wasPim = false;
      if (!refresh.empty()) {
        const int k = nextOfRefresh(p, refresh.front());
        if (isFree(k)) {
          f = {nullptr, 0, k, refresh.front(), false};
          if (isReady(p, k, refresh.front(), t)) return true;
          head = k;
          return false;
        }
        if (!p.dram_.quirks.namedBankOnly) return false;
      }
      while (!pim.empty() && pim.front().isBarrier) pim.erase(pim.begin());
      if (!pim.empty() && best(p, pim, t, true, f) && isFree(f.command)) return wasPim = true;
      const auto writes = static_cast<std::int64_t>(write.size());
      if (isWriting ? writes < p.dram_.controller.writesEnd && !read.empty()
                    : writes >= p.dram_.controller.writesBegin || read.empty())
        isWriting = !isWriting;
      Queue &q = isWriting ? write : read;
      return !q.empty() && best(p, q, t, false, f) && isFree(f.command);
    }

    bool isVetoed(const PlainList &p, const Found &f) const {
      if (f.queue == nullptr || rowOf(p, f.command).kind != machine::CommandKind::kPrecharge) return false;
      const Request &r = (*f.queue)[f.index];
      const std::vector<int> banks =
          p.dram_.quirks.namedBankOnly ? std::vector<int>{r.t.bank} : banksOf(p, f.command, r.t.bank);
      // Without quirks only a row that an opening request still hits stays open.
      for (const Request &o : opening)
        if (std::find(banks.begin(), banks.end(), o.t.bank) != banks.end() &&
            (p.dram_.quirks.namedBankOnly || isHit(p, o)))
          return true;
      return false;
    }

    void issue(const PlainList &p, const Found &f, std::int64_t t) {
      const int bank = f.queue == nullptr ? f.refreshBank : (*f.queue)[f.index].t.bank;
      const bool isAsked = f.queue != nullptr && f.command == (*f.queue)[f.index].t.op;
      issued.push_back({f.command, bank, f.queue != nullptr || !p.dram_.quirks.namedBankOnly, t,
                        isAsked ? p.lengthOf((*f.queue)[f.index].t) : 0});
      const machine::CommandKind kind = rowOf(p, f.command).kind;
      for (const int b : banksOf(p, f.command, bank)) {
        if (kind == machine::CommandKind::kActivate)
          rows[static_cast<std::size_t>(b)].insert((*f.queue)[f.index].t.row);
        if (kind == machine::CommandKind::kPrecharge) rows[static_cast<std::size_t>(b)].clear();
      }
      if (f.queue == nullptr) {
        if (f.command == p.spec_.refresh) refresh.erase(refresh.begin());
        return;
      }
      const Request r = (*f.queue)[f.index];
      const auto remove = [&] { f.queue->erase(f.queue->begin() + static_cast<std::ptrdiff_t>(f.index)); };
      if (f.command == r.t.op) {
        if (f.command == p.spec_.read)
          data.push_back(t + p.spec_.readLatency);
        else if (const auto own = rowOf(p, f.command).completion)
          data.push_back(t + own->value);
        return remove();
      }
      if (kind != machine::CommandKind::kActivate || f.isPim || (f.queue == &opening && wasPim)) return;
      remove();
      opening.push_back(r);
    }

    void cycle(const PlainList &p, std::int64_t t, bool isRefreshDue) {
      if (!data.empty() && data.front() <= t) data.erase(data.begin());
      const int perPseudoChannel =
          static_cast<int>(p.dram_.organization.banksPerNode(machine::ScopeLevel::kPseudoChannel));
      if (isRefreshDue)
        for (int b = 0; b < static_cast<int>(rows.size()); b += perPseudoChannel) refresh.push_back(b);
      Found first, second;
      int head = -1;
      const bool isFound = look(p, t, -1, first, head);
      if (!isFound && head < 0) return;
      const int slot = isRowSlot(p, isFound ? first.command : head) ? 0 : 1;
      if (isFound && !isVetoed(p, first)) issue(p, first, t);
      if (look(p, t, slot, second, head) && !isVetoed(p, second)) issue(p, second, t);
      if (issued.size() > 4000) issued.erase(issued.begin(), issued.begin() + 2000);
    }
  };

  std::int64_t lengthOf(const program::Transaction &t) const {
    return code_->commands()[static_cast<std::size_t>(t.command)].command.length;
  }

  const machine::Dram &dram_;
  const sim::dram::ChannelSpec &spec_;
  const program::FlatLoops *code_;
  std::int64_t longest_ = 0;
  std::vector<Channel> channels_;
  std::vector<std::pair<int, program::Transaction>> list_;
  std::size_t next_ = 0;
};

}  // namespace pimento::test
