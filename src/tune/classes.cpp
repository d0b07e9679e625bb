#include "pimento/tune/classes.h"

#include <memory>

#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/target.h"
#include "pimento/program/text.h"
#include "pimento/tune/problem.h"

namespace pimento::tune {

namespace {

/// Integers as bytes, seven bits each, sign in the lowest: every list of integers has one text and no other list has
/// it.
class KeyWriter {
 public:
  void put(std::int64_t n) {
    std::uint64_t u = (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
    for (; u >= 0x80; u >>= 7) key_.push_back(static_cast<char>(u | 0x80));
    key_.push_back(static_cast<char>(u));
  }
  void put(const program::Operand &o) {
    put(o.base);
    for (const std::int64_t s : o.stride) put(s);
  }
  void put(const program::CommandLoops &nodes) {
    put(static_cast<std::int64_t>(nodes.size()));
    for (const program::CommandNode &n : nodes) {
      put(n.isLoop ? 1 : 0);
      if (n.isLoop) {
        put(n.trip);
        put(n.children);
        continue;
      }
      const program::Command &c = n.statement;
      put((c.isWrite ? 1 : 0) | (c.isBarrier ? 2 : 0) | (static_cast<std::int64_t>(c.purpose) << 2));
      put(c.named);
      put(c.rank);
      put(c.bank);
      put(c.row);
      put(c.column);
    }
  }
  void put(const program::MachineCode &code) {
    put(code.code->tasklets);
    put(static_cast<std::int64_t>(code.code->instructions.size()));
    for (const std::uint64_t word : code.code->instructions) put(static_cast<std::int64_t>(word));
    for (const program::Code::Segment &s : code.arguments) {
      put(s.address);
      for (const std::uint8_t byte : s.bytes) put(byte);
    }
  }
  std::string take() { return std::move(key_); }

 private:
  std::string key_;
};

std::string workKey(const evaluate::HostWork &w) {
  KeyWriter key;
  for (const Bytes b : {w.placed, w.readBack, w.rearrangedIn, w.rearrangedOut, w.placedOnce, w.rearrangedOnce,
                        w.broadcast, w.serialPlaced, w.serialReadBack})
    key.put(b.value);
  for (const std::int64_t n : {w.merges, w.dpus, w.ranks, w.launches, w.placeCalls, w.readCalls}) key.put(n);
  return key.take();
}

/// What one candidate compiles to, until it is filed.
struct Compiled {
  std::unique_ptr<evaluate::CompiledPart> kernel;
  std::string key, error;
};

}  // namespace

std::string streamKey(const program::Program &program) {
  if (program::has<program::UnitLoops>(program)) return program::print(program);
  KeyWriter key;
  for (const program::NamedCommand &c : program.commands)
    for (const char letter : c.name + ' ') key.put(letter);
  for (const program::Process &p : program.processes) {
    key.put(p.instances);
    if (const auto *loops = std::get_if<program::CommandLoops>(&p.body)) key.put(*loops);
    if (const auto *code = std::get_if<program::MachineCode>(&p.body)) key.put(*code);
  }
  return key.take();
}

void Classes::add(const std::vector<std::string> &texts, int jobs) {
  const auto count = static_cast<std::int64_t>(texts.size());
  std::vector<Compiled> compiled(texts.size());
  parallelFor(jobs, count, [&](std::int64_t i) {
    Compiled &c = compiled[static_cast<std::size_t>(i)];
    if (texts[static_cast<std::size_t>(i)].empty()) return;
    auto kernel = compile(problem_, mappingOf(texts[static_cast<std::size_t>(i)]));
    if (!kernel) {
      c.error = kernel.diagnostics().front().code;
      return;
    }
    c.kernel = std::move(*kernel);
    c.key = streamKey(c.kernel->program());
  });
  const std::size_t oldPrograms = programs.size(), oldCosts = costs.size();
  const auto offset = static_cast<std::int64_t>(classOf_.size());
  std::vector<std::size_t> newPrograms;  // candidates that begin one
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const Compiled &c = compiled[i];
    const std::int64_t number = offset + static_cast<std::int64_t>(i);
    if (!c.kernel) {
      classOf_.push_back(-1);
      if (!c.error.empty()) errors_[number] = c.error;
      continue;
    }
    std::size_t program = programs.size(), cost = costs.size();
    if (isShared_) program = programByKey_.emplace(c.key, program).first->second;
    if (program == programs.size()) {
      programs.push_back({number, {}, {}});
      newPrograms.push_back(i);
    }
    const evaluate::HostWork work = c.kernel->hostWork();
    if (isShared_) cost = costByKey_.emplace(std::pair(program, workKey(work)), cost).first->second;
    if (!isShared_) seen_.emplace(c.key, workKey(work));
    if (cost == costs.size()) costs.push_back({program, work, number, {}});
    classOf_.push_back(static_cast<std::int64_t>(cost));
  }
  if (!hasBounds_) return;
  parallelFor(jobs, static_cast<std::int64_t>(newPrograms.size()), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    const evaluate::DeviceRun bound = compiled[newPrograms[n]].kernel->bound(problem_.mode().values);
    programs[oldPrograms + n].bound = bound;
    programs[oldPrograms + n].isBoundSampled = bound.interval.has_value();
  });
  parallelFor(jobs, static_cast<std::int64_t>(costs.size() - oldCosts), [&](std::int64_t i) {
    CostClass &c = costs[oldCosts + static_cast<std::size_t>(i)];
    c.bound = evaluate::costOf(*problem_.machine, c.work, programs[c.program].bound);
  });
}

bool Classes::has(const evaluate::CompiledPart &kernel) const {
  const std::string stream = streamKey(kernel.program()), work = workKey(kernel.hostWork());
  if (!isShared_) return seen_.count({stream, work}) > 0;
  const auto program = programByKey_.find(stream);
  return program != programByKey_.end() && costByKey_.count({program->second, work}) > 0;
}

}  // namespace pimento::tune
