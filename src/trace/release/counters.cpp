#include "pimento/trace/release/counters.h"

#include <numeric>

namespace pimento::trace::release {

namespace {

std::size_t at(Level level) {
  return static_cast<std::size_t>(level);
}

/// Names of the analyzer, and which count each is.
struct PipeName {
  const char *name;
  std::int64_t PipeCounts::*count;
};
constexpr PipeName kPipeNames[] = {
    {"rename_reads", &PipeCounts::renameReads},
    {"rename_writes", &PipeCounts::renameWrites},
    {"inst_window_reads", &PipeCounts::windowReads},
    {"inst_window_writes", &PipeCounts::windowWrites},
    {"int_regfile_reads", &PipeCounts::registerReads},
    {"int_regfile_writes", &PipeCounts::registerWrites},
    {"ialu_accesses", &PipeCounts::integerAlu},
    {"ROB_reads", &PipeCounts::robReads},
    {"ROB_writes", &PipeCounts::robWrites},
};

}  // namespace

void countOne(CimCounts &counts, Kind kind) {
  switch (kind) {
    case Kind::kAdd:
    case Kind::kCompare:
      ++counts.add;
      break;
    case Kind::kAnd:
      ++counts.bitAnd;
      break;
    case Kind::kXor:
      ++counts.bitXor;
      break;
    case Kind::kMove:
    case Kind::kLoad:
    case Kind::kOther:
      break;
  }
}

bool isEnabled(Configuration configuration, Level level) {
  switch (configuration) {
    case Configuration::kAll:
      return true;
    case Configuration::kL1:
      return level == Level::kL1;
    case Configuration::kL2AndDram:
      return level == Level::kL2 || level == Level::kDram;
    case Configuration::kL3:
      return level == Level::kL3;
  }
  return false;
}

PipeCounts &PipeCounts::operator+=(const PipeCounts &other) {
  for (const PipeName &n : kPipeNames) this->*n.count += other.*n.count;
  return *this;
}

std::int64_t Counters::movedLoads() const {
  return std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
}

std::map<std::string, std::int64_t> Counters::byName() const {
  std::map<std::string, std::int64_t> out = {{"memory_access", movedLoads()}};
  for (int i = 0; i < kLevels; ++i) {
    const auto level = static_cast<Level>(i);
    const std::string of(name(level));
    out[of + "_access"] = loads[at(level)];
    out["compute_" + of + "_arith_add"] = cim[at(level)].add;
    out["compute_" + of + "_logic_and"] = cim[at(level)].bitAnd;
    out["compute_" + of + "_logic_xor"] = cim[at(level)].bitXor;
  }
  for (const PipeName &n : kPipeNames) out[n.name] = removed.*n.count;
  return out;
}

Counters count(const std::vector<Tree> &trees, const std::vector<Record> &records, const std::vector<PipeCounts> &pipe,
               Configuration configuration) {
  Tree list;
  for (const Tree &t : trees) list.insert(list.end(), t.begin(), t.end());
  Counters out;
  Level level = Level::kL1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Record &r = records[static_cast<std::size_t>(list[i])];
    if (r.kind == Kind::kLoad) {
      level = r.level;
      if (!isEnabled(configuration, level)) continue;
      ++out.loads[at(level)];
      if (i + 1 < list.size()) countOne(out.cim[at(level)], records[static_cast<std::size_t>(list[i + 1])].kind);
    } else if (vanishes(r.kind) && isEnabled(configuration, level)) {
      out.removed += pipe[static_cast<std::size_t>(list[i])];
    }
  }
  return out;
}

McpatCounters changed(McpatCounters before, const Counters &counters) {
  const std::int64_t moved = counters.movedLoads() - counters.loads[at(Level::kDram)];
  for (const char *n :
       {"total_instructions", "committed_instructions", "committed_int_instructions", "load_instructions"})
    before[n] -= moved;
  before["dcache.read_accesses"] -= counters.loads[at(Level::kL1)];
  before["L2.read_accesses"] -= counters.loads[at(Level::kL2)];
  for (const PipeName &n : kPipeNames) before[n.name] -= counters.removed.*n.count;
  const auto compute = [&](const std::string &cache, const CimCounts &a, const CimCounts &b) {
    before[cache + ".arith_add"] += a.add + b.add;
    before[cache + ".logic_and"] += a.bitAnd + b.bitAnd;
    before[cache + ".logic_xor"] += a.bitXor + b.bitXor;
  };
  compute("dcache", counters.cim[at(Level::kL1)], {});
  compute("L2", counters.cim[at(Level::kL2)], counters.cim[at(Level::kDram)]);
  return before;
}

}  // namespace pimento::trace::release
