#include "pimento/program/loops_cursor.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"

namespace pimento::program {

CommandRows::CommandRows(const machine::Dram &dram, const std::vector<NamedCommand> &names)
    : burst_(dram.organization.burst.value), rowBytes_(dram.organization.columns * dram.organization.burst.value) {
  const auto add = [&](int index) {
    PIMENTO_CHECK(index >= 0);
    const machine::Command &c = dram.commands[static_cast<std::size_t>(index)];
    rows_.push_back({static_cast<std::int16_t>(index),
                     static_cast<std::int16_t>(dram.organization.banksPerNode(c.scope)),
                     c.needs == machine::Needs::kOpenRow});
  };
  add(dram.plainCommand(machine::CommandKind::kRead));
  add(dram.plainCommand(machine::CommandKind::kWrite));
  for (const NamedCommand &n : names) add(dram.commandNamed(n.name));
}

namespace {

/// Loops, and commands in them.
std::pair<std::size_t, std::size_t> count(const CommandLoops &nodes) {
  std::size_t loops = 0, commands = 0;
  for (const CommandNode &n : nodes) {
    const auto [inner, statements] = count(n.children);
    loops += inner + (n.isLoop ? 1 : 0);
    commands += statements + (n.isLoop ? 0 : 1);
  }
  return {loops, commands};
}

}  // namespace

FlatLoops::FlatLoops(const CommandLoops &nodes, const std::vector<std::int64_t> &reservedRows,
                     std::int64_t banksPerRank, const CommandRows &rows, Meeting meeting)
    : burst_(rows.burst()), rowBytes_(rows.rowBytes()) {
  std::vector<int> path;
  // Commands are large: room for all of them at once.
  const auto [loops, commands] = count(nodes);
  loops_.reserve(loops);
  commands_.reserve(commands);
  steps_.reserve(2 * loops + commands);
  flatten(nodes, path, banksPerRank, rows);
  if (meeting == Meeting::kAnywhere)
    findUniformLoops(reservedRows, rows);
  else
    findLoopsUniformInside(rows);
  findRecurrences(rows);
}

void FlatLoops::flatten(const CommandLoops &nodes, std::vector<int> &path, std::int64_t banksPerRank,
                        const CommandRows &rows) {
  for (const CommandNode &n : nodes) {
    const int depth = static_cast<int>(path.size());
    if (!n.isLoop) {
      FlatCommand &c = commands_.emplace_back();
      c.command = n.statement;
      c.depth = depth;
      std::copy(path.begin(), path.end(), c.loops.begin());
      for (int d = 0; d < depth; ++d) {
        const auto row = static_cast<std::int32_t>(n.statement.row.stride[static_cast<std::size_t>(d)]);
        const auto column = static_cast<std::int32_t>(n.statement.column.stride[static_cast<std::size_t>(d)]);
        if (row != 0 || column != 0) c.moves[static_cast<std::size_t>(c.moveCount++)] = {d, row, column};
      }
      c.address = n.statement.column.base;
      c.origin.row = static_cast<std::int32_t>(n.statement.isLinear ? c.address / rowBytes_ : n.statement.row.base);
      c.origin.column = static_cast<std::int16_t>(n.statement.isLinear ? c.address % rowBytes_ / burst_ : c.address);
      c.origin.command = static_cast<std::int32_t>(commands_.size() - 1);
      c.origin.bank = static_cast<std::uint8_t>(n.statement.rank * banksPerRank + n.statement.bank);
      const CommandRows::Row &r = rows.of(n.statement);
      c.origin.op = r.index;
      c.origin.isWide = r.banks > 1 || !r.hasPlace;
      c.origin.isBarrier = n.statement.isBarrier;
      steps_.push_back({Kind::kCommand, depth, -1, c.origin.command});
      c.continuesPrevious = continuesPrevious();
      continue;
    }
    const std::size_t before = steps_.size();
    const std::size_t commandsBefore = commands_.size();
    const int id = static_cast<int>(loops_.size());
    loops_.push_back({n.trip, depth, static_cast<int>(before) + 1, 0, false, 0});
    steps_.push_back({Kind::kLoop, depth, id, -1});
    path.push_back(id);
    flatten(n.children, path, banksPerRank, rows);
    path.pop_back();
    if (commands_.size() == commandsBefore) {  // an empty loop executes nothing
      steps_.resize(before);
      loops_.resize(static_cast<std::size_t>(id));
      continue;
    }
    loops_[static_cast<std::size_t>(id)].end = static_cast<int>(steps_.size());
    steps_.push_back({Kind::kEnd, depth + 1, id, -1});
    std::int64_t total = 0;
    for (std::size_t c = commandsBefore; c < commands_.size(); ++c) {
      std::int64_t times = 1;
      for (int d = depth + 1; d < commands_[c].depth; ++d)
        times = std::min<std::int64_t>(
            multiplySaturated(times,
                              loops_[static_cast<std::size_t>(commands_[c].loops[static_cast<std::size_t>(d)])].trip),
            1 << 28);
      total = std::min<std::int64_t>(total + times, 1 << 28);
    }
    loops_[static_cast<std::size_t>(id)].commands = static_cast<int>(total);
  }
}

bool FlatLoops::continuesPrevious() const {
  if (commands_.size() < 2) return false;
  const FlatCommand &c = commands_.back(), &before = commands_[commands_.size() - 2];
  // Adjacent steps: no loop begins or ends between the two.
  if (before.depth != c.depth || before.loops != c.loops || steps_.empty() ||
      steps_[steps_.size() - 2].kind != Kind::kCommand)
    return false;
  Command next = before.command;
  next.isBarrier = c.command.isBarrier;
  ++next.column.base;
  if (next.image >= 0) ++next.burst.base;
  return next == c.command && !next.isLinear;
}

// Commands of one bank whose row ranges overlap may meet in one row; they form a class. Commands of many banks are in
// classes of each; those that go to registers alone meet their like. A loop is uniform if, in every
// class, one iteration moves all members by the same rows and columns (members outside the loop do not move).
void FlatLoops::findUniformLoops(const std::vector<std::int64_t> &reservedRows, const CommandRows &rows) {
  struct Member {
    Range rows;
    int command;  // -1: a reserved row
  };
  std::map<int, std::vector<Member>> byBank;  // registers: one more place per command, below 0
  std::vector<std::int64_t> trips;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const FlatCommand &c = commands_[i];
    trips.clear();
    for (int d = 0; d < c.depth; ++d)
      trips.push_back(loops_[static_cast<std::size_t>(c.loops[static_cast<std::size_t>(d)])].trip);
    const CommandRows::Row &r = rows.of(c.command);
    const Member member{rangeOf(c.command.row, trips), static_cast<int>(i)};
    if (!r.hasPlace) {
      byBank[-1 - r.index].push_back(member);
      continue;
    }
    const int first = c.origin.bank / r.banks * r.banks;
    for (int b = first; b < first + r.banks; ++b) byBank[b].push_back(member);
  }
  for (Loop &l : loops_) l.isUniform = true;
  for (auto &[bank, members] : byBank) {
    if (bank >= 0)
      for (const std::int64_t r : reservedRows) members.push_back({{r, r}, -1});
    std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) { return a.rows.low < b.rows.low; });
    for (std::size_t begin = 0; begin < members.size();) {
      std::size_t end = begin + 1;
      std::int64_t high = members[begin].rows.high;
      while (end < members.size() && members[end].rows.low <= high) high = std::max(high, members[end++].rows.high);
      for (std::size_t l = 0; l < loops_.size(); ++l) {
        const auto depth = static_cast<std::size_t>(loops_[l].depth);
        const auto moves = [&](const Member &m) -> std::pair<std::int64_t, std::int64_t> {
          if (m.command < 0) return {0, 0};
          const FlatCommand &c = commands_[static_cast<std::size_t>(m.command)];
          if (c.depth <= loops_[l].depth || c.loops[depth] != static_cast<int>(l)) return {0, 0};
          return {c.command.row.stride[depth], c.command.column.stride[depth]};
        };
        const auto first = moves(members[begin]);
        for (std::size_t m = begin + 1; m < end; ++m)
          if (moves(members[m]) != first) loops_[l].isUniform = false;
      }
      begin = end;
    }
  }
}

std::int64_t FlatLoops::timesOf(const FlatCommand &c) const {
  std::int64_t times = 1;
  for (int d = 0; d < c.depth; ++d)
    times = multiplySaturated(times, loops_[static_cast<std::size_t>(c.loops[static_cast<std::size_t>(d)])].trip);
  return times;
}

Range FlatLoops::rowsOf(const FlatCommand &c) const {
  std::vector<std::int64_t> trips;
  for (int d = 0; d < c.depth; ++d)
    trips.push_back(loops_[static_cast<std::size_t>(c.loops[static_cast<std::size_t>(d)])].trip);
  const Range range = rangeOf(c.command.isLinear ? c.command.column : c.command.row, trips);
  return c.command.isLinear ? Range{range.low / rowBytes_, range.high / rowBytes_} : range;
}

// The same, of the commands in the loop alone: statements that differ in nothing but their bank count as one.
void FlatLoops::findLoopsUniformInside(const CommandRows &rows) {
  struct Member {
    const FlatCommand *first;
    std::uint64_t banks;
    Range rows;
  };
  std::vector<Member> members;
  std::vector<std::int64_t> trips;
  for (const FlatCommand &c : commands_) {
    const CommandRows::Row &r = rows.of(c.command);
    if (!r.hasPlace) continue;
    const int low = c.origin.bank / r.banks * r.banks;
    const std::uint64_t banks = (r.banks >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << r.banks) - 1) << low;
    if (!members.empty()) {
      const FlatCommand &o = *members.back().first;
      if (o.depth == c.depth && o.loops == c.loops && o.command.isLinear == c.command.isLinear &&
          o.command.row == c.command.row && o.command.column == c.command.column) {
        members.back().banks |= banks;
        continue;
      }
    }
    members.push_back({&c, banks, rowsOf(c)});
  }
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    Loop &loop = loops_[l];
    const auto depth = static_cast<std::size_t>(loop.depth);
    const auto isInside = [&](const Member &m) {
      return m.first->depth > loop.depth && m.first->loops[depth] == static_cast<int>(l);
    };
    // By how many bytes one iteration moves it; columns of rows count apart.
    const auto move = [&](const Member &m) -> std::pair<std::int64_t, std::int64_t> {
      const Command &c = m.first->command;
      return {c.isLinear ? 0 : c.row.stride[depth], c.column.stride[depth] * (c.isLinear ? 1 : burst_)};
    };
    loop.isUniform = true;
    for (std::size_t a = 0; a < members.size(); ++a) {
      if (!isInside(members[a])) continue;
      for (std::size_t b = a + 1; b < members.size() && loop.isUniform; ++b)
        if (isInside(members[b]) && (members[a].banks & members[b].banks) != 0 &&
            members[a].rows.low <= members[b].rows.high && members[b].rows.low <= members[a].rows.high)
          loop.isUniform = move(members[a]) == move(members[b]) &&
                           members[a].first->command.isLinear == members[b].first->command.isLinear;
    }
  }
}

void FlatLoops::findRecurrences(const CommandRows &rows) {
  for (const FlatCommand &c : commands_) {
    if (!rows.of(c.command).hasPlace) continue;
    for (int i = 0; i < c.moveCount; ++i) {
      const FlatCommand::Move &m = c.moves[static_cast<std::size_t>(i)];
      Loop &loop = loops_[static_cast<std::size_t>(c.loops[static_cast<std::size_t>(m.depth)])];
      loop.moves = true;
      if (c.command.isLinear)
        loop.recurrence = std::lcm(loop.recurrence, rowBytes_ / std::gcd(rowBytes_, std::int64_t{m.column}));
    }
  }
}

LoopsCursor::LoopsCursor(const FlatLoops &code) : code_(&code) {
  settle();
}

Transaction LoopsCursor::peek() const {
  const int command = code_->steps()[static_cast<std::size_t>(step_)].command;
  const FlatLoops::FlatCommand &f = code_->commands()[static_cast<std::size_t>(command)];
  Transaction t = f.origin;
  if (f.command.isLinear) {
    if (f.moveCount == 0) return t;
    std::int64_t address = f.address;
    for (int i = 0; i < f.moveCount; ++i) {
      const FlatLoops::FlatCommand::Move &m = f.moves[static_cast<std::size_t>(i)];
      address += m.column * counter_[static_cast<std::size_t>(m.depth)];
    }
    t.row = static_cast<std::int32_t>(address / code_->rowBytes());
    t.column = static_cast<std::int16_t>(address % code_->rowBytes() / code_->burst());
    return t;
  }
  for (int i = 0; i < f.moveCount; ++i) {
    const FlatLoops::FlatCommand::Move &m = f.moves[static_cast<std::size_t>(i)];
    const auto n = static_cast<std::int32_t>(counter_[static_cast<std::size_t>(m.depth)]);
    t.row += m.row * n;
    t.column = static_cast<std::int16_t>(t.column + m.column * n);
  }
  return t;
}

int LoopsCursor::advance() {
  ++step_;
  return settle();
}

// Enters and leaves loops until the position is a command or the end.
int LoopsCursor::settle() {
  int completed = -1;
  const auto &steps = code_->steps();
  while (step_ < static_cast<int>(steps.size())) {
    const FlatLoops::Step &s = steps[static_cast<std::size_t>(step_)];
    if (s.kind == FlatLoops::Kind::kCommand) break;
    if (s.kind == FlatLoops::Kind::kLoop) {
      const auto d = static_cast<std::size_t>(depth_++);
      loop_[d] = s.loop;
      counter_[d] = 0;
      ++step_;
      continue;
    }
    const auto d = static_cast<std::size_t>(depth_ - 1);
    const FlatLoops::Loop &l = code_->loops()[static_cast<std::size_t>(s.loop)];
    if (++counter_[d] < l.trip) {
      step_ = l.begin;
      completed = s.loop;
    } else {
      --depth_;
      counter_[d] = 0;
      ++step_;
    }
  }
  return completed;
}

}  // namespace pimento::program
