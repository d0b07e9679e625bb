#include "pimento/tune/computation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "pimento/base/bytes.h"
#include "pimento/base/checksum.h"
#include "pimento/base/text.h"
#include "pimento/evaluate/counts.h"
#include "pimento/evaluate/target.h"
#include "pimento/program/text.h"
#include "pimento/tune/check.h"
#include "pimento/tune/problem.h"

namespace pimento::tune {

namespace {

constexpr char kSampled = '~';
constexpr char kRefused = '!';  ///< begins what a refused candidate gives
/// Kinds of tasks.
constexpr char kCompile = 'c', kCompileWithBound = 'b', kRun = 'r', kCheck = 'k';

/// Integers as bytes: every list of integers has one text and no other list has it.
class KeyWriter {
 public:
  void put(std::int64_t n) { putSigned(key_, n); }
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
      put((c.isWrite ? 1 : 0) | (c.isBarrier ? 2 : 0) | (c.isLinear ? 4 : 0) |
          (static_cast<std::int64_t>(c.purpose) << 3));
      for (const std::uint8_t n : {c.channels.first, c.channels.count, c.channels.step}) put(n);
      put(c.length);
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

/// Numbers of a host's work, in a fixed order.
template <typename Work, typename Visit>
void eachNumber(Work &work, const Visit &visit) {
  for (auto *bytes : {&work.placed, &work.readBack, &work.rearrangedIn, &work.rearrangedOut, &work.placedOnce,
                      &work.rearrangedOnce, &work.broadcast, &work.serialPlaced, &work.serialReadBack})
    visit(bytes->value);
  for (auto *n : {&work.merges, &work.dpus, &work.ranks, &work.launches, &work.placeCalls, &work.readCalls}) visit(*n);
}

/// "COMMANDS" of the kernel, or "NAME:PART:CYCLES:COMMANDS".
bool takeUpPhase(std::string_view text, evaluate::DeviceCost &run) {
  const std::vector<std::string_view> parts = split(text, ':');
  std::vector<std::int64_t> numbers;
  for (std::size_t i = parts.size() == 1 ? 0 : 1; i < parts.size(); ++i) {
    const auto n = parseInteger(parts[i]);
    if (!n || *n < 0) return false;
    numbers.push_back(*n);
  }
  if (parts.size() == 1) {
    run.kernelCommands = numbers[0];
    return true;
  }
  if (numbers.size() != 3) return false;
  run.phases.push_back(
      {std::string(parts[0]), static_cast<evaluate::Part>(numbers[0]), Cycles(numbers[1]), numbers[2]});
  return true;
}

Timing timingOf(evaluate::DeviceRun run) {
  const bool isSampled = run.interval.has_value();
  return {std::move(run), isSampled};
}

std::string writtenFacts(const CompiledFacts &facts) {
  if (!facts.error.empty()) return kRefused + facts.error;
  std::string out;
  putText(out, facts.stream);
  out += workKey(facts.work);
  if (facts.bound) out += textOf(*facts.bound);
  return out;
}

std::string task(char kind, std::int64_t number, const std::string &mapping) {
  return fmt::format("{}{} {}", kind, number, mapping);
}

CompiledFacts factsOf(const evaluate::CompiledPart &compiled) {
  CompiledFacts facts;
  facts.stream = streamName(compiled.program());
  facts.work = compiled.hostWork();
  return facts;
}

}  // namespace

std::string streamKey(const program::Program &program) {
  if (program::has<program::UnitLoops>(program)) return program::print(program);
  KeyWriter key;
  for (const program::NamedCommand &c : program.commands)
    for (const char letter : c.name + ' ') key.put(letter);
  for (const program::Process &p : program.processes) {
    key.put(p.instances);
    key.put(p.isShared ? 1 : 0);
    if (const auto *loops = std::get_if<program::CommandLoops>(&p.body)) key.put(*loops);
    if (const auto *code = std::get_if<program::MachineCode>(&p.body)) key.put(*code);
  }
  return key.take();
}

std::string streamName(const program::Program &program) {
  return md5(streamKey(program));
}

std::string workKey(const evaluate::HostWork &work) {
  std::string out;
  eachNumber(work, [&](std::int64_t n) { putSigned(out, n); });
  return out;
}

CompiledFacts factsOf(const Problem &problem, const std::string &mapping, bool hasBound) {
  const auto compiled = compile(problem, mappingOf(mapping));
  CompiledFacts facts;
  if (!compiled) {
    facts.error = compiled.diagnostics().front().code;
    return facts;
  }
  facts = factsOf(**compiled);
  if (hasBound) facts.bound = timingOf((*compiled)->bound(problem.mode().values));
  return facts;
}

std::string textOf(const Timing &timing) {
  std::string out = std::to_string(timing.cost.cycles.value);
  if (timing.isSampled) out += kSampled;
  for (const auto &[action, n] : timing.cost.actions) out += fmt::format(" {}={}", action, n);
  out += fmt::format(" @{}", timing.cost.kernelCommands);
  for (const evaluate::CommandPhase &p : timing.cost.phases)
    out += fmt::format(" @{}:{}:{}:{}", p.name, static_cast<int>(p.part), p.cycles.value, p.commands);
  return out;
}

std::optional<Timing> timingIn(const std::string &text, const Problem &problem) {
  const std::vector<std::string_view> names = evaluate::actionsOf(problem.target->counts());
  std::vector<std::string_view> parts = split(text, ' ');
  Timing out;
  out.isSampled = parts.front().ends_with(kSampled);
  if (out.isSampled) parts.front().remove_suffix(1);
  const auto cycles = parseInteger(parts.front());
  if (!cycles || *cycles < 0) return std::nullopt;
  out.cost.cycles = Cycles(*cycles);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].starts_with('@')) {
      if (!takeUpPhase(parts[i].substr(1), out.cost)) return std::nullopt;
      continue;
    }
    const std::size_t eq = parts[i].find('=');
    const auto name = std::find(names.begin(), names.end(), parts[i].substr(0, eq));
    const auto n = eq == std::string_view::npos ? std::nullopt : parseInteger(parts[i].substr(eq + 1));
    if (!n || *n < 0 || name == names.end()) return std::nullopt;
    out.cost.actions.add(*name, *n);
  }
  return out;
}

std::optional<CompiledFacts> compiledFactsIn(const std::string &result, const Problem &problem) {
  CompiledFacts facts;
  if (result.starts_with(kRefused)) {
    facts.error = result.substr(1);
    return facts;
  }
  ByteReader from(result);
  facts.stream = from.text();
  eachNumber(facts.work, [&](std::int64_t &n) { n = from.signedNumber(); });
  if (!from.isGood()) return std::nullopt;
  if (from.isEmpty()) return facts;
  facts.bound = timingIn(std::string(from.take(from.size())), problem);
  if (!facts.bound) return std::nullopt;
  return facts;
}

std::string compileTask(std::int64_t number, bool hasBound, const std::string &mapping) {
  return task(hasBound ? kCompileWithBound : kCompile, number, mapping);
}

std::string runTask(std::int64_t number, const std::string &mapping) {
  return task(kRun, number, mapping);
}

std::string checkTask(std::int64_t number, Cycles cycles, std::uint64_t seed, const std::string &mapping) {
  return task(kCheck, number, fmt::format("{} {} {}", cycles.value, seed, mapping));
}

Computation::Computation(const std::vector<const Problem *> &problems) {
  constexpr std::int64_t kMemory = std::int64_t{2} << 30;
  for (const Problem *p : problems) {
    parts_.emplace_back().problem = p;
    // Data, results, and both once more for the interpreter.
    parts_.back().checks =
        std::max<std::int64_t>(1, kMemory / std::max<std::int64_t>(4 * checkSize(*p).bytes.value, 1));
  }
}

std::string Computation::resultOf(const std::string &task) {
  const std::size_t blank = task.find(' ');
  PIMENTO_CHECK(blank != std::string::npos && blank > 1);
  const auto number = parseInteger(std::string_view(task).substr(1, blank - 1));
  PIMENTO_CHECK(number && *number >= 0 && *number < static_cast<std::int64_t>(parts_.size()));
  Part &part = parts_[static_cast<std::size_t>(*number)];
  if (task.front() == kCheck) return passes(part, task.substr(blank + 1)) ? "equal" : "";
  const auto compiled = compile(*part.problem, mappingOf(task.substr(blank + 1)));
  if (task.front() == kRun) {
    PIMENTO_CHECK(compiled.ok());
    evaluate::RunMode mode = part.problem->mode();
    mode.shared = &part.shared;
    Result<evaluate::DeviceRun> run = (*compiled)->run(mode);
    return run ? textOf(timingOf(std::move(*run))) : std::string();
  }
  if (!compiled) return kRefused + compiled.diagnostics().front().code;
  CompiledFacts facts = factsOf(**compiled);
  if (task.front() == kCompileWithBound) {
    bool isNew = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      isNew = part.bounded.insert(facts.stream).second;
    }
    if (isNew) facts.bound = timingOf((*compiled)->bound(part.problem->mode().values));
  }
  return writtenFacts(facts);
}

/// `what`: cycles, seed and mapping.
bool Computation::passes(Part &part, const std::string &what) {
  const std::size_t first = what.find(' '), second = what.find(' ', first + 1);
  PIMENTO_CHECK(second != std::string::npos);
  kernel::DataSpec data;
  data.seed = static_cast<std::uint64_t>(parseInteger(what.substr(first + 1, second - first - 1)).value_or(0));
  {
    std::unique_lock<std::mutex> lock(mutex_);
    hasRoom_.wait(lock, [&] { return part.checks > 0; });
    --part.checks;
  }
  const Status s =
      check(*part.problem, what.substr(second + 1), Cycles(parseInteger(what.substr(0, first)).value_or(0)), data);
  const std::lock_guard<std::mutex> lock(mutex_);
  ++part.checks;
  hasRoom_.notify_all();
  return s.ok();
}

}  // namespace pimento::tune
