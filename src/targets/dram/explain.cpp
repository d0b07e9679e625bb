#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/evaluate/explainer.h"
#include "pimento/sim/dram/bound.h"
#include "pimento/sim/dram/channels.h"
#include "pimento/sim/dram/command_gaps.h"
#include "pimento/sim/dram/critical_path.h"
#include "pimento/sim/fast_forward.h"
#include "pimento/sim/pim/all_bank.h"
#include "pimento/targets/dram/counts.h"
#include "pimento/targets/dram/run.h"

namespace pimento::targets::dram {

namespace {

using evaluate::Derivation;
using evaluate::DerivationPtr;
using evaluate::leaf;
using evaluate::MachineNumbers;
using evaluate::node;
using evaluate::Parts;
using evaluate::sumOf;
using program::Purpose;
using Arithmetic = Derivation::Arithmetic;
using sim::dram::ChannelSpec;
using sim::dram::CriticalPath;
using sim::dram::CriticalPathResult;
using sim::dram::PathShare;
using sim::dram::Phases;
using sim::dram::Wait;

std::string_view aboutWait(Wait w) {
  switch (w) {
    case Wait::kConstraint:
    case Wait::kPrecharging:
    case Wait::kRefreshing:
      return "";
    case Wait::kArrival:
      return "one transaction per cycle enters the queue, if there is room";
    case Wait::kFence:
      return "the host waits for the barrier's command to complete, and then for the fence";
    case Wait::kMode:
      return "until the mode change took effect";
    case Wait::kBarrierOrder:
      return "the cycle after the last command of the previous barrier group";
    case Wait::kRowsClosed:
      return "a refresh, in the cycle after the last row closed";
    case Wait::kCommandBus:
      return "one command per cycle: the cycle after another command, or after the last use of a row";
    case Wait::kRefreshDue:
      return "from the previous command until the refresh was due";
    case Wait::kReadCompletion:
    case Wait::kWriteCompletion:
      return "from the last command's issue to its completion";
    case Wait::kFirstCycle:
      return "cycles are numbered from 0";
    case Wait::kUnattributed:
      break;
  }
  return "not explained by any rule: this is a bug in Pimento, please report it";
}

std::string commandNames(const machine::Dram &dram, const std::vector<int> &commands) {
  std::string text;
  for (const int c : commands) text += (text.empty() ? "" : "/") + dram.commands[static_cast<std::size_t>(c)].name;
  return text;
}

/// "RD to RD in one bankgroup".
std::string aboutRule(const machine::Dram &dram, const machine::TimingConstraint &c) {
  std::string text = fmt::format("{} to {} in one {}", commandNames(dram, c.preceding), commandNames(dram, c.following),
                                 name(c.level));
  if (c.window > 1) text += fmt::format(", counted from the {}th last", c.window);
  return text;
}

DerivationPtr latencyNode(const machine::TimingConstraint &c, MachineNumbers &numbers) {
  if (c.name.empty()) return leaf("latency", c.latency.value, "cycle", "the machine has no file");
  return numbers.number("constraints." + c.name + ".latency", c.latency.value);
}

/// Makes the nodes of one critical path.
class PathNodes {
 public:
  PathNodes(const CriticalPathResult &path, const Phases &phases, MachineNumbers &numbers)
      : path_(path), phases_(phases), numbers_(numbers), dram_(*numbers.machine().dram) {}

  std::vector<DerivationPtr> byCause() {
    std::map<std::pair<Wait, int>, std::vector<const PathShare *>> groups;
    for (const PathShare &s : path_.shares) groups[{s.wait, s.constraint}].push_back(&s);
    std::vector<DerivationPtr> nodes;
    for (const auto &[key, shares] : groups) nodes.push_back(cause(key.first, key.second, shares));
    sortByValue(nodes);
    return nodes;
  }

  /// The same cycles by the part of the program whose commands waited.
  DerivationPtr byPhase() {
    std::map<int, std::vector<DerivationPtr>> groups;
    std::map<int, std::int64_t> cycles;
    for (const PathShare &s : path_.shares) {
      cycles[s.phase] += s.cycles;
      groups[s.phase].push_back(leaf(nameOf(s.wait, s.constraint), s.cycles, "cycle", times(s.count)));
    }
    std::vector<DerivationPtr> nodes;
    for (auto &[phase, parts] : groups) {
      sortByValue(parts);
      nodes.push_back(sumOf(phases_.names[static_cast<std::size_t>(phase)], cycles[phase], "cycle", parts));
    }
    sortByValue(nodes);
    return sumOf("by part of the program", path_.total().value, "cycle", nodes,
                 "the same cycles, by the command that waited");
  }

 private:
  static std::string times(std::int64_t n) { return n == 1 ? "once" : fmt::format("{} times", n); }

  static void sortByValue(std::vector<DerivationPtr> &nodes) {
    std::stable_sort(nodes.begin(), nodes.end(), [](const auto &a, const auto &b) { return a->real() > b->real(); });
  }

  std::string nameOf(Wait w, int constraint) const {
    if (w != Wait::kConstraint) return std::string(name(w));
    const machine::TimingConstraint &c = dram_.constraints[static_cast<std::size_t>(constraint)];
    return c.name.empty() ? aboutRule(dram_, c) : c.name;
  }

  DerivationPtr cause(Wait w, int constraint, const std::vector<const PathShare *> &shares) {
    std::int64_t count = 0, cycles = 0;
    std::vector<DerivationPtr> counts, parts;
    for (const PathShare *s : shares) {
      count += s->count;
      cycles += s->cycles;
      const std::string &phase = phases_.names[static_cast<std::size_t>(s->phase)];
      counts.push_back(leaf(phase, s->count, "", ""));
      parts.push_back(leaf(phase, s->cycles, "cycle", times(s->count)));
    }
    sortByValue(counts);
    sortByValue(parts);
    const std::string label = nameOf(w, constraint);
    if (const DerivationPtr latency = latencyOf(w, constraint); latency != nullptr)
      return node(label, cycles, "cycle", "times * latency", Arithmetic::kInteger,
                  {{"times", sumOf("times", count, "", counts)}, {"latency", latency}},
                  w == Wait::kConstraint ? aboutRule(dram_, dram_.constraints[static_cast<std::size_t>(constraint)])
                                         : std::string(aboutWait(w)));
    return sumOf(label, cycles, "cycle", parts, fmt::format("{}; {}", times(count), aboutWait(w)));
  }

  /// The number that every wait of this kind takes, if there is one.
  DerivationPtr latencyOf(Wait w, int constraint) {
    switch (w) {
      case Wait::kConstraint: {
        const machine::TimingConstraint &c = dram_.constraints[static_cast<std::size_t>(constraint)];
        return latencyNode(c, numbers_);
      }
      case Wait::kPrecharging:
        return numbers_.number("completion.precharge", dram_.prechargeTime.value);
      case Wait::kRefreshing:
        return numbers_.number("completion.refresh", dram_.refreshTime.value);
      case Wait::kReadCompletion:
        return numbers_.number("completion.read", dram_.readLatency.value);
      case Wait::kWriteCompletion:
        return numbers_.number("completion.write", dram_.writeLatency.value);
      default:
        return nullptr;
    }
  }

  const CriticalPathResult &path_;
  const Phases &phases_;
  MachineNumbers &numbers_;
  const machine::Dram &dram_;
};

/// The rule that keeps columns of one bank apart longest.
const machine::TimingConstraint *columnDistance(const machine::Dram &dram, machine::CommandKind kind) {
  const auto has = [&](const std::vector<int> &commands) {
    return std::any_of(commands.begin(), commands.end(),
                       [&](int c) { return dram.commands[static_cast<std::size_t>(c)].kind == kind; });
  };
  const machine::TimingConstraint *most = nullptr;
  for (const machine::TimingConstraint &c : dram.constraints)
    if (c.window == 1 && has(c.preceding) && has(c.following) && (most == nullptr || c.latency > most->latency))
      most = &c;
  return most;
}

/// Columns of one bank back to back, and how near the run comes to that.
std::vector<DerivationPtr> idealNodes(const program::Process &process, const DerivationPtr &cycles,
                                      MachineNumbers &numbers) {
  const machine::Dram &dram = *numbers.machine().dram;
  const auto *read = columnDistance(dram, machine::CommandKind::kRead);
  const auto *write = columnDistance(dram, machine::CommandKind::kWrite);
  if (read == nullptr || write == nullptr) return {};
  std::int64_t reads = 0, writes = 0;
  program::forEachStatement(loopsOf(process), [&](const program::Command &c, std::int64_t times) {
    (c.isWrite ? writes : reads) = addSaturated(c.isWrite ? writes : reads, times);
  });
  const std::int64_t ideal =
      addSaturated(multiplySaturated(reads, read->latency.value), multiplySaturated(writes, write->latency.value));
  const DerivationPtr columns =
      node("ideal", ideal, "cycle", "reads * read_distance + writes * write_distance", Arithmetic::kInteger,
           {{"reads", leaf("reads", reads, "", "read commands of one channel")},
            {"read_distance", latencyNode(*read, numbers)},
            {"writes", leaf("writes", writes, "", "write commands of one channel")},
            {"write_distance", latencyNode(*write, numbers)}},
           "column commands of one bank, back to back");
  return {node("utilisation", columns->real() / cycles->real(), "", "ideal / cycles", Arithmetic::kReal,
               {{"ideal", columns}, {"cycles", leaf("cycles", cycles->value, "cycle", "the run")}},
               "fraction of the time in which column commands are back to back")};
}

/// A body of loops with commands of one purpose directly in it.
struct Nest {
  std::vector<const program::CommandNode *> loops;
  std::int64_t commands = 0;
};

/// `isMeant(command)`: how many channels it goes to, or 0 where it is another.
template <typename IsMeant>
void findNests(const program::CommandLoops &nodes, const IsMeant &isMeant,
               std::vector<const program::CommandNode *> &loops, std::vector<Nest> &out) {
  std::int64_t here = 0;
  for (const program::CommandNode &n : nodes)
    if (!n.isLoop) here += isMeant(n.statement);
  if (here > 0) out.push_back({loops, here});
  for (const program::CommandNode &n : nodes) {
    if (!n.isLoop) continue;
    loops.push_back(&n);
    findNests(n.children, isMeant, loops, out);
    loops.pop_back();
  }
}

bool isName(const std::string &text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// "output * batch * row * commands".
DerivationPtr nestNode(const Nest &nest) {
  std::int64_t value = nest.commands;
  std::string formula, path;
  Parts parts;
  for (const program::CommandNode *l : nest.loops) {
    value = multiplySaturated(value, l->trip);
    std::string symbol = isName(l->label) ? l->label : "loop";
    const auto isTaken = [&](const std::string &s) {
      return s == "commands" || s == "max" || s == "min" || s == "ceil" ||
             std::any_of(parts.begin(), parts.end(), [&](const auto &p) { return p.symbol == s; });
    };
    if (isTaken(symbol)) symbol += std::to_string(parts.size());
    formula += symbol + " * ";
    path += (path.empty() ? "" : "/") + (l->label.empty() ? symbol : l->label);
    parts.push_back({symbol, leaf(symbol, l->trip, "", "trips of the loop")});
  }
  parts.push_back({"commands", leaf("commands", nest.commands, "", "in the body")});
  return node(path.empty() ? "outside of loops" : "in " + path, value, "", formula + "commands", Arithmetic::kInteger,
              std::move(parts));
}

/// The factors behind the loops: per dim of the kernel, its padded extent over the levels of the machine.
std::vector<DerivationPtr> mappingNodes(const mapping::PlacedMapping *placed, const std::vector<std::string> &dims,
                                        MachineNumbers &numbers) {
  std::vector<DerivationPtr> out;
  if (placed == nullptr) return out;
  const mapping::Mapping &m = placed->mapping;
  const std::vector<machine::Level> &levels = numbers.machine().levels;
  for (const mapping::Subspace &s : m.subspaces)
    for (std::size_t d = 0; d < dims.size(); ++d) {
      Parts parts;
      std::string formula;
      for (std::size_t l = 0; l <= levels.size(); ++l) {
        const std::string symbol = l == levels.size() ? "range" : levels[l].name;
        formula += (l == 0 ? "" : " * ") + symbol;
        parts.push_back({symbol, leaf(symbol, s.factors[l][d], "", "mapping's factor")});
      }
      out.push_back(node(fmt::format("M{} of the mapping: {}, padded", s.index, dims[d]), s.extent(static_cast<int>(d)),
                         "", formula, Arithmetic::kInteger, std::move(parts), out.empty() ? mapping::print(m) : ""));
    }
  return out;
}

DerivationPtr perChannel(const std::string &name, const program::Program &program, const Counting &counting,
                         std::size_t row, std::int64_t value) {
  const program::Process &process = program.processes.front();
  std::vector<Nest> nests;
  std::vector<const program::CommandNode *> loops;
  const auto isMeant = [&](const program::Command &c) {
    return counting.rowOf(program, c) == row ? amountOf(c) * program::channelsOf(process, c) : 0;
  };
  findNests(loopsOf(process), isMeant, loops, nests);
  std::vector<DerivationPtr> parts;
  for (const Nest &n : nests) parts.push_back(nestNode(n));
  return sumOf(name, value, "", parts);
}

/// Channels that are fed from a list: the gaps between the commands of the first one.
DerivationPtr explainList(const std::string &name, const evaluate::DeviceRun &run, const machine::Dram &dram,
                          const ChannelSpec &spec, const program::FlatLoops &code, const sim::dram::Feed &feed) {
  sim::dram::CommandGaps gaps(dram, spec);
  sim::dram::withChannels(spec, code, feed, &gaps, [](auto &&channels) {
    return sim::FastForward<std::remove_cvref_t<decltype(channels)>>(channels, {false}).run();
  });
  std::vector<DerivationPtr> parts;
  for (const auto &[key, sum] : gaps.sums()) {
    const std::string command = dram.commands[static_cast<std::size_t>(key.command)].name;
    const std::string times = sum.count == 1 ? "once" : fmt::format("{} times", sum.count);
    if (key.constraint < 0) {
      parts.push_back(leaf("turn of " + command, sum.cycles, "cycle",
                           times + "; its request came, or its turn did, with no constraint to wait for"));
      continue;
    }
    const machine::TimingConstraint &rule = dram.constraints[static_cast<std::size_t>(key.constraint)];
    const std::string label = fmt::format("{} of {}", rule.name.empty() ? aboutRule(dram, rule) : rule.name, command);
    parts.push_back(leaf(
        label, sum.cycles, "cycle",
        fmt::format(
            "{}; {}, {} cycles{}", times, aboutRule(dram, rule), rule.latency.value,
            rule.perLength.value == 0 ? "" : fmt::format(" and {} for each unit of length", rule.perLength.value))));
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) { return a->real() > b->real(); });
  Cycles cycles = run.cycles;
  for (const evaluate::CommandPhase &p : run.phases) cycles += p.cycles;
  const std::int64_t rest = cycles.value - gaps.last();
  if (rest > 0) parts.push_back(leaf("end", rest, "cycle", "data of the last reads, and what other channels still do"));
  auto d = std::make_shared<Derivation>(
      *sumOf(run.phases.empty() ? name : "all phases", cycles.value, "cycle", parts,
             "times between the commands of the first channel, simulated in full, by what ended them"));
  d->beside.push_back(leaf("lower bound", sim::dram::lowerBoundOf(spec, code, feed).cycles.value, "cycle",
                           "no run of these commands takes less: derived from rules and counts, without fitting"));
  if (run.phases.empty()) return d;
  return node(
      name, run.cycles.value, "cycle", "all_phases - others", Arithmetic::kInteger,
      {{"all_phases", d},
       {"others", leaf("others", (cycles - run.cycles).value, "cycle",
                       "phases that move operands and results: each from its first request to the next one's")}});
}

}  // namespace

DerivationPtr ChannelProgram::explainCount(std::size_t row, const std::string &name, std::int64_t one,
                                           MachineNumbers &numbers) const {
  if (row + 1 == counting_.table.rows.size() && counting_.sumsToColumns) {  // all commands of the program
    const auto commands = program::countCommands(program().processes.front());
    std::vector<DerivationPtr> parts;
    for (std::size_t p = 0; p < commands.size(); ++p)
      parts.push_back(
          explainCount(p, fmt::format("{} per channel", counting_.table.rows[p].name), commands[p], numbers));
    return sumOf(name, one, "", parts);
  }
  if (row >= counting_.commands) return nullptr;
  auto d = std::make_shared<Derivation>(*perChannel(name, program(), counting_, row, one));
  const Origin from = origin();
  if (one != 0) d->beside = mappingNodes(from.placed, from.dims, numbers);
  return d;
}

DerivationPtr ChannelProgram::explainCycles(const std::string &name, const evaluate::DeviceRun &run,
                                            MachineNumbers &numbers, std::int64_t mostCommands) const {
  const program::Process &process = program().processes.front();
  const std::int64_t cycles = run.cycles.value;
  const ChannelSpec spec = sim::pim::channelSpec(machine_);
  const program::FlatLoops code = spec.flatten(loopsOf(process), program().commands);
  std::int64_t commands = 0;
  for (const std::int64_t n : program::countCommands(process)) commands = addSaturated(commands, n);
  if (commands > mostCommands)
    return leaf(name, cycles, "cycle",
                fmt::format("{} commands per channel: too many to follow the chain of waits", commands));
  const sim::dram::Feed feed{process.isShared, process.isShared ? static_cast<int>(process.instances) : 1};
  if (feed.isList(spec)) return explainList(name, run, *machine_.dram, spec, code, feed);
  const Phases phases(loopsOf(process));
  CriticalPath path(*machine_.dram, spec, code, phases);
  sim::dram::Channel channel(spec, code, &path);
  sim::FastForward<sim::dram::Channel>(channel, {false}).run();
  const CriticalPathResult result = path.result();
  PathNodes nodes(result, phases, numbers);
  auto d = std::make_shared<Derivation>(
      *sumOf(name, cycles, "cycle", nodes.byCause(),
             fmt::format("a chain of waits through {} of {} commands; one channel, simulated in full", result.onPath,
                         result.commands)));
  d->beside.push_back(nodes.byPhase());
  for (const DerivationPtr &n : idealNodes(process, d, numbers)) d->beside.push_back(n);
  d->beside.push_back(leaf("lower bound", sim::dram::lowerBound(spec, code).cycles.value, "cycle",
                           "no run of these commands takes less: derived from rules and counts, without fitting"));
  return d;
}

}  // namespace pimento::targets::dram
