// A machine as text: every number with its confidence and a numbered source.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pimento/base/text.h"
#include "pimento/machine/machine.h"

namespace pimento::machine {

namespace {

/// "14 cycle", "3.9 us = 3900 cycle", "15 cycle = RL + BL/2", "650 pJ [374, 909]".
std::string valueText(const Number &n) {
  std::string s = numberText(n.value) + " " + n.unit;
  if (n.canonicalUnit != n.unit) s += " = " + numberText(n.canonical) + " " + n.canonicalUnit;
  if (!n.formula.empty()) s += " = " + n.formula;
  if (n.low && n.high) s += " [" + numberText(*n.low) + ", " + numberText(*n.high) + "]";
  if (n.overridden) s += " (overridden)";
  return s;
}

constexpr std::size_t kWidestColumn = 44;  // long formulas stick out instead of widening every row

void printPolicies(const Dram &d, std::string &out) {
  const Controller &c = d.controller;
  if (c.scheduler == Scheduler::kFourQueues) {
    fmt::format_to(std::back_inserter(out), "\npolicies\n  scheduler {}, refresh {}, barriers {}{}{}\n",
                   name(c.scheduler), c.refreshPolicy,
                   c.barrier == BarrierRule::kDrain ? "drain the queues" : "keep the order of PIM commands",
                   d.quirks.severalOpenRows ? ", quirk: several open rows per bank" : "",
                   d.quirks.namedBankOnly ? ", quirk: constraints of the named bank only" : "");
    return;
  }
  fmt::format_to(std::back_inserter(out), "\npolicies\n  scheduler {}, precharge {}, refresh {}{}{}\n",
                 name(c.scheduler), c.prechargePolicy, c.refreshPolicy,
                 c.refreshWaitsForPrecharge ? ", REF waits for tRP" : ", REF does not wait for tRP",
                 c.losesBarrierOnFullQueue ? ", barriers are lost on a full queue" : "");
}

void printEnergySets(const Machine &m, std::string &out) {
  std::vector<std::string> others = m.energySets;
  std::erase(others, m.energySet);
  fmt::format_to(std::back_inserter(out), "\nenergy\n  totals use set {}", m.energySet);
  if (!others.empty())
    fmt::format_to(std::back_inserter(out), "; others, for --set energy.set=NAME: {}", join(others, ", "));
  out += "\n";
}

void printSources(const std::vector<std::string> &sources, std::string &out) {
  out += "\nsources\n";
  for (std::size_t i = 0; i < sources.size(); ++i)
    fmt::format_to(std::back_inserter(out), "  [{}] {}\n", i + 1, sources[i]);
}

}  // namespace

std::string printMachine(const Machine &machine) {
  std::string out = fmt::format("{} (family {}, native type {})\n  {}\n", machine.name, machine.family,
                                name(machine.nativeType), machine.about);
  for (const std::string &note : machine.notes) out += "  note: " + note + "\n";
  out += "\nlevels\n";
  for (const Level &l : machine.levels) {
    fmt::format_to(std::back_inserter(out), "  {} x {}{}{}\n", l.count, l.name,
                   l.splitsReduction ? ", splits reductions, merged by " + l.merge : "",
                   l.mustFill ? ", must be filled" : "");
  }
  if (machine.dram) printPolicies(*machine.dram, out);
  if (!machine.energySets.empty()) printEnergySets(machine, out);
  std::size_t pathWidth = 0, valueWidth = 0;
  for (const auto &[path, n] : machine.numbers) {
    pathWidth = std::max(pathWidth, path.size());
    valueWidth = std::max(valueWidth, std::min(valueText(n).size(), kWidestColumn));
  }
  std::vector<std::string> sources;
  out += "\nnumbers (value, confidence, source)\n";
  for (const auto &[path, n] : machine.numbers) {
    auto it = std::find(sources.begin(), sources.end(), n.source);
    if (it == sources.end()) it = sources.insert(it, n.source);
    fmt::format_to(std::back_inserter(out), "  {:<{}}  {:<{}}  {:<9}  [{}]\n", path, pathWidth, valueText(n),
                   valueWidth, name(n.confidence), it - sources.begin() + 1);
  }
  for (const auto &[alias, path] : machine.aliases)
    fmt::format_to(std::back_inserter(out), "  --set {}= is short for {}\n", alias, path);
  printSources(sources, out);
  return out;
}

}  // namespace pimento::machine
