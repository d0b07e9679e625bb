#include "pimento/sim/dpu/fast_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace pimento::sim::dpu {

namespace {

constexpr std::int64_t kFarthest = 1 << 16, kNearest = 16;  // instructions of a window
/// Between two looks at the limit of instructions a window may have so many more than it was given.
constexpr std::int64_t kSlack = 1 << 16;

}  // namespace

FastRun::FastRun(Core &core, const FastCode &code)
    : core_(core),
      interpreter_(code, core.steps, core.wram),
      code_(code),
      touched_((core.wram.size() + kLineBytes - 1) / kLineBytes),
      words_(touched_.size()) {
  for (Window &w : windows_) w.farthest = kFarthest;
}

void FastRun::run(const RunOptions &options) {
  Issue &issue = core_.issue;
  mostInstructions_ = options.maxInstructions;
  for (;;) {
    turns_.skip(core_, mostInstructions_ - core_.issued);
    const int id = issue.next();
    if (id < 0) break;
    turns_.onIssue(id, issue.now());
    std::int64_t &slots = turns_.slots(id);
    if (++core_.issued > mostInstructions_) {
      settleAll();
      core_.isCutOff = true;
      ++core_.executed[core_.tasklets[static_cast<std::size_t>(id)].pc];
      core_.fail(id, "dpu-instruction-limit",
                 fmt::format("{} instructions issued without reaching the end", mostInstructions_));
      break;
    }
    if (core_.failsAgain(id)) {
      core_.failAgain(id, 1);
      issue.wakeAfterInterval(id);
      if (core_.fault) break;
      issue.endCycle();
      continue;
    }
    if (slots == 0 && !windows_[static_cast<std::size_t>(id)].isAtEvent) compute(id);
    if (slots > 0) {
      if (--slots == 0) close(id);
      issue.wakeAfterInterval(id);
    } else if (windows_[static_cast<std::size_t>(id)].isAtEvent) {
      event(id);
    } else if (step(id)) {
      issue.wakeAfterInterval(id);
    }
    if (core_.fault) break;
    issue.endCycle();
  }
  if (core_.fault)
    settleAll();
  else
    core_.finish();
  interpreter_.executions().addTo(core_.executed, code_.ops());
}

// Windows.

void FastRun::compute(int tasklet) {
  Window &w = windows_[static_cast<std::size_t>(tasklet)];
  Context &k = core_.tasklets[static_cast<std::size_t>(tasklet)];
  // Close to the limit of instructions one at a time: nothing must be taken back of a tasklet that ran alone.
  const std::int64_t left = mostInstructions_ - core_.issued;
  if (left < kFarthest + kSlack) return;
  Interpreter::Run run;
  if (core_.running == 1U << tasklet) {
    run = interpreter_.alone(tasklet, k, kFarthest);
  } else {
    w.start = k;
    run = interpreter_.guarded(tasklet, k, w.farthest, touched_, *this);
    if (run.end == Interpreter::End::kLimit) w.farthest = std::min(kFarthest, 2 * w.farthest);
  }
  if (run.instructions == 0) close(tasklet);
  w.isAtEvent = run.end == Interpreter::End::kEvent;
  w.instructions = turns_.slots(tasklet) = run.instructions;
}

bool FastRun::may(int tasklet, std::uint32_t address, std::uint32_t bytes, bool isWrite) {
  const std::uint32_t first = address / kLineBytes, last = (address + bytes - 1) / kLineBytes;
  for (std::uint32_t line = first; line <= last; ++line) {
    const ByteRange r{std::max(address, line * kLineBytes), std::min(address + bytes, (line + 1) * kLineBytes)};
    if (!touch(tasklet, line, r, isWrite)) return false;
  }
  return true;
}

void FastRun::markByWord(std::uint32_t line) {
  if (!words_[line]) words_[line] = std::make_unique<Words>();
}

bool FastRun::touch(int tasklet, std::uint32_t line, ByteRange r, bool isWrite) {
  const std::uint32_t bit = 1U << tasklet;
  Touched &t = touched_[line];
  if ((((isWrite ? t.readers : 0) | t.writers) & ~bit) != 0) {
    markByWord(line);
    return false;
  }
  if (words_[line] && (t.readers & bit) == 0) return touchWords(tasklet, line, r, isWrite);
  Window &w = windows_[static_cast<std::size_t>(tasklet)];
  if ((t.readers & bit) == 0) w.lines.push_back(line);
  t.readers |= bit;
  if (isWrite && (t.writers & bit) == 0) {
    t.writers |= bit;
    SavedLine &s = w.savedLines.emplace_back();
    s.line = line;
    std::memcpy(s.bytes.data(), &core_.wram[std::size_t{line} * kLineBytes], kLineBytes);
  }
  return true;
}

bool FastRun::touchWords(int tasklet, std::uint32_t line, ByteRange r, bool isWrite) {
  const std::uint32_t bit = 1U << tasklet;
  Window &w = windows_[static_cast<std::size_t>(tasklet)];
  for (std::uint32_t word = r.first / 4; word <= (r.end - 1) / 4; ++word) {
    Touched &t = (*words_[line])[word % (kLineBytes / 4)];
    if ((((isWrite ? t.readers : 0) | t.writers) & ~bit) != 0) return false;
    if ((t.readers & bit) == 0) w.words.push_back(word);
    t.readers |= bit;
    if (!isWrite || (t.writers & bit) != 0) continue;
    t.writers |= bit;
    SavedWord &s = w.savedWords.emplace_back();
    s.word = word;
    std::memcpy(&s.contents, &core_.wram[std::size_t{word} * 4], 4);
  }
  return true;
}

void FastRun::close(int tasklet) {
  Window &w = windows_[static_cast<std::size_t>(tasklet)];
  const std::uint32_t others = ~(1U << tasklet);
  const auto release = [&](Touched &t) {
    t.readers &= others;
    t.writers &= others;
  };
  for (const std::uint32_t line : w.lines) release(touched_[line]);
  for (const std::uint32_t word : w.words) release((*words_[word * 4 / kLineBytes])[word % (kLineBytes / 4)]);
  w.lines.clear();
  w.words.clear();
  w.savedLines.clear();
  w.savedWords.clear();
}

void FastRun::restore(const Window &w) {
  for (const SavedWord &s : w.savedWords) std::memcpy(&core_.wram[std::size_t{s.word} * 4], &s.contents, 4);
  for (const SavedLine &s : w.savedLines)
    std::memcpy(&core_.wram[std::size_t{s.line} * kLineBytes], s.bytes.data(), kLineBytes);
}

void FastRun::replay(Context &k, std::int64_t instructions, std::int64_t each) {
  for (std::int64_t n = 0; n < instructions; ++n) {
    core_.executed[k.pc] += each;
    core_.execute(0, core_.steps[k.pc], k);  // it did not fault the first time
  }
}

/// As it would be had it run instruction by instruction up to now.
void FastRun::takeBack(int tasklet) {
  Window &w = windows_[static_cast<std::size_t>(tasklet)];
  Context &k = core_.tasklets[static_cast<std::size_t>(tasklet)];
  std::int64_t &slots = turns_.slots(tasklet);
  const std::int64_t issued = w.instructions - slots;
  Context back = w.start;
  restore(w);
  replay(back, w.instructions, -1);
  restore(w);
  k = w.start;
  replay(k, issued, 1);
  slots = 0;
  w.isAtEvent = false;
  w.farthest = std::max(kNearest, std::min(w.farthest, 2 * issued));
  close(tasklet);
}

void FastRun::settle(int tasklet, ByteRange r, bool isWrite) {
  const std::uint32_t own = 1U << tasklet;
  std::uint32_t others = 0;
  for (std::uint32_t line = r.first / kLineBytes; line <= (r.end - 1) / kLineBytes; ++line) {
    const std::uint32_t first = line * kLineBytes, end = first + kLineBytes;
    const std::uint32_t in = ((isWrite ? touched_[line].readers : 0) | touched_[line].writers) & ~own;
    if (in != 0 && (r.first > first || r.end < end)) markByWord(line);
    others |= in;
    if (!words_[line]) continue;
    for (std::uint32_t at = std::max(first, r.first) & ~3U; at < std::min(end, r.end); at += 4) {
      const Touched &t = (*words_[line])[at % kLineBytes / 4];
      others |= ((isWrite ? t.readers : 0) | t.writers) & ~own;
    }
  }
  for (; others != 0; others &= others - 1) takeBack(std::countr_zero(others));
}

void FastRun::settleAll() {
  for (int t = 0; t < kMaxTasklets; ++t)
    if (turns_.slots(t) > 0) takeBack(t);
}

// What happens at its time.

bool FastRun::step(int tasklet) {
  Context &k = core_.tasklets[static_cast<std::size_t>(tasklet)];
  const Step &s = core_.steps[k.pc];
  if (s.kind >= Class::kEvent) {
    event(tasklet);
    return false;
  }
  if (s.kind == Class::kLoad || s.kind == Class::kStore) {
    const std::uint32_t address = k.regs[s.a] + s.imm;
    if (address <= core_.wram.size() - s.bytes) settle(tasklet, {address, address + s.bytes}, s.kind == Class::kStore);
  }
  ++core_.executed[k.pc];
  return core_.execute(tasklet, s, k);
}

void FastRun::event(int tasklet) {
  Context &k = core_.tasklets[static_cast<std::size_t>(tasklet)];
  windows_[static_cast<std::size_t>(tasklet)].isAtEvent = false;
  turns_.leave(tasklet, core_.issue.now());
  ++core_.executed[k.pc];
  core_.event(tasklet, core_.steps[k.pc], k, nullptr,
              [&](const Core::Transfer &t, Op op) { transfer(tasklet, t, op); });
}

void FastRun::transfer(int tasklet, const Core::Transfer &t, Op /*op*/) {
  settle(tasklet, {t.wram, t.wram + t.bytes}, t.isRead);
  core_.moveData(t);
}

}  // namespace pimento::sim::dpu
