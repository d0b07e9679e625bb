#include "pimento/energy/array/install.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "pimento/energy/array/cost.h"
#include "pimento/machine/data_way.h"
#include "pimento/machine/expression.h"

namespace pimento::energy::array {

namespace {

/// What actions call the caches on the way of data, from the core on.
constexpr const char *kPlaces[] = {"l1d", "l2", "l3"};
constexpr int kLoadBits = 32;

class Installer {
 public:
  Installer(machine::Machine &machine, const Set &set, const Cell &cell) : machine_(machine), set_(set), cell_(cell) {
    name_ = fmt::format("{}-{}", set.name, cell.name);
  }

  /// In place of the term that has the action, or behind all others.
  void put(const std::string &action, Picojoules energy, const std::string &covers, bool isPower = false) {
    std::string name = action;
    std::ranges::replace(name, '.', '_');
    machine::EnergyTerm term;
    term.name = name;
    term.action = isPower ? "time" : action;
    term.component = "cache";
    term.covers = covers;
    term.energy = term.low = term.high = energy;
    term.set = name_;
    term.isBackground = isPower;
    if (!isPower)
      if (auto formula = machine::Expression::parse(action, {}))
        term.formula = std::make_shared<const machine::Expression>(std::move(*formula));
    machine::Number number;
    number.path = term.path();
    number.value = number.canonical = energy.value;
    number.unit = number.canonicalUnit = isPower ? "mW" : "pJ";
    number.source = fmt::format("set '{}' of arrays, cell '{}'", set_.name, cell_.name);
    number.confidence = machine::Confidence::kPaper;
    machine_.numbers[number.path] = std::move(number);
    const auto same = std::ranges::find(machine_.energy, name, &machine::EnergyTerm::name);
    if (same != machine_.energy.end())
      *same = std::move(term);
    else
      machine_.energy.push_back(std::move(term));
  }

  const std::string &name() const { return name_; }

 private:
  machine::Machine &machine_;
  const Set &set_;
  const Cell &cell_;
  std::string name_;
};

Array arrayOf(const machine::CacheLevel &level, int portBits) {
  return {.size = level.size, .line = level.line, .ways = level.ways, .banks = level.banks, .portBits = portBits};
}

std::int64_t cyclesOf(const machine::Machine &machine, double picoseconds) {
  return std::llround(std::ceil(picoseconds / machine.toTime(Cycles(1)).value - 1e-9));
}

}  // namespace

Status install(machine::Machine &machine, const Set &set, const Cell &cell, const Cell &plain) {
  Installer to(machine, set, cell);
  // Terms of operations that another set has priced are not this set's.
  std::erase_if(machine.energy,
                [](const machine::EnergyTerm &t) { return t.action.find(".cim_") != std::string::npos; });
  const std::vector<int> way = machine::dataWay(machine);
  for (std::size_t i = 0; i < std::min(way.size(), std::size(kPlaces)); ++i) {
    const char *place = kPlaces[i];
    machine::CacheLevel &level = machine.caches[static_cast<std::size_t>(way[i])];
    const int line = static_cast<int>(lineBits(arrayOf(level, 0)));
    const Result<Costs> rows = cost(set, cell, arrayOf(level, line));
    if (!rows) return rows.diagnostics();
    const bool isFirst = i == 0;
    // Tables know lines alone.
    const bool hasWords = isFirst && set.table.empty() && rows->write.has_value();
    const Result<Costs> host = hasWords ? cost(set, cell, arrayOf(level, kLoadBits)) : rows;
    if (!host) return host.diagnostics();
    for (const Diagnostic &d : rows->told) machine.notes.push_back(fmt::format("{}: {}", level.name, d.message));
    const std::string of = place;
    to.put(of + ".read", hasWords ? host->readWord.energy : rows->readLine.energy,
           fmt::format("a {} read in {}", hasWords ? "word" : "line", level.name));
    if (host->write)
      to.put(of + ".write", host->write->energy,
             fmt::format("a {} written in {}", hasWords ? "word" : "line", level.name));
    const auto read = rows->operations.find(Operation::kRead);
    to.put(of + ".cim_read", read != rows->operations.end() ? read->second.energy : rows->readLine.energy,
           fmt::format("a result that goes back to a register, read in {}", level.name));
    for (const Operation o : {Operation::kOr, Operation::kAnd, Operation::kXor, Operation::kAdd}) {
      const Result<Cost> one = rows->operation(o);
      if (one) {
        to.put(fmt::format("{}.cim_{}", of, name(o)), one->energy,
               fmt::format("{} on rows of {}", name(o), level.name));
        continue;
      }
      // What the machine does not ask for may be missing.
      const bool isAsked =
          machine.cim && std::ranges::find(machine.cim->operations, name(o)) != machine.cim->operations.end();
      if (isAsked) return one.diagnostics();
    }
    if (rows->leakage)
      to.put(of + ".leakage", Picojoules(rows->leakage->value), fmt::format("what {} leaks", level.name), true);
    const double pulse = cell.write.time.value;
    level.writeBusy = static_cast<int>(std::max<std::int64_t>(level.writeBusy, cyclesOf(machine, pulse)));
    if (cell.name == plain.name) continue;
    const Result<Costs> usual = cost(set, plain, arrayOf(level, line));
    if (usual && usual->readLine.latency && rows->readLine.latency) {
      const double longer = rows->readLine.latency->value - usual->readLine.latency->value;
      level.latency = level.latency + Cycles(std::max<std::int64_t>(0, cyclesOf(machine, longer)));
    }
  }
  machine.energySet = to.name();
  machine.energyCovers =
      "the core with its caches and accesses to DRAM; leakage of data caches alone, no refresh, no board";
  return okStatus();
}

}  // namespace pimento::energy::array
