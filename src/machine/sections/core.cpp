#include "pimento/machine/sections/core.h"

#include <algorithm>
#include <bit>

#include "pimento/base/suggest.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<bool> kOrders[] = {{"out-of-order", false}, {"in-order", true}};
constexpr Word<Core::Predictor> kPredictors[] = {{"bimodal", Core::Predictor::kBimodal},
                                                 {"gshare", Core::Predictor::kGshare}};
constexpr std::string_view kOperations[kCoreOperations] = {
    "integer",      "shift",      "multiply",  "divide",          "branch",
    "load",         "store",      "float_add", "float_multiply",  "float_multiply_add",
    "float_divide", "float_sqrt", "vector",    "vector_multiply", "system"};

// Tables of such sizes are walked per instruction or kept per run; no core has more.
constexpr double kMostWidth = 32, kMostQueue = 4096, kMostTable = 1 << 20, kMostLatency = 10000;

row::Rows rows() {
  row::Rows rows = {
      row::section("core", "a core that runs instructions of a program"),
      row::choice("core.order", choicesOf(kOrders), "how it issues"),
      row::integer("core.fetch_width", "count", 1, kMostWidth, "instructions fetched per cycle", true),
      row::integer("core.dispatch_width", "count", 1, kMostWidth, "instructions that enter the window per cycle", true),
      row::integer("core.issue_width", "count", 1, kMostWidth, "instructions that begin to execute per cycle", true),
      row::integer("core.commit_width", "count", 1, kMostWidth, "instructions committed per cycle", true),
      row::integer("core.front_end", "cycle", 1, kMostLatency, "from fetch to dispatch", true),
      row::integer("core.rob", "count", 1, kMostQueue, "entries of the reorder buffer", true),
      row::integer("core.issue_queue", "count", 1, kMostQueue, "instructions that wait for operands", true),
      row::integer("core.load_queue", "count", 1, kMostQueue, "loads from dispatch to commit", true),
      row::integer("core.store_queue", "count", 1, kMostQueue, "stores from dispatch until they are in the cache",
                   true),
      row::integer("core.forward", "cycle", 1, kMostLatency, "from a store in the queue to a load that hits it", true),
      row::section("core.predictor", "direction of branches", true),
      row::choice("core.predictor.kind", choicesOf(kPredictors), "indexed by the address, or with history"),
      row::integer("core.predictor.entries", "count", 1, kMostTable, "counters of two bits; a power of two", true),
      row::integer("core.predictor.history", "bit", 0, 32, "branches that gshare remembers", false),
      row::section("core.btb", "targets of branches", true),
      row::integer("core.btb.entries", "count", 1, kMostTable, "targets; ways times a power of two", true),
      row::integer("core.btb.ways", "count", 1, 64, "associativity", true),
      row::integer("core.return_stack", "count", 0, 4096, "return addresses that are predicted", true),
      row::real("core.vector_efficiency", "ratio", 1e-3, 1e3,
                "of the speed that the core's other numbers give, what vector code of kernels reaches; 1 if omitted",
                false),
      row::section("core.units", "units that execute, by name", true),
      row::section("core.units.*", "units of one kind"),
      row::integer("core.units.*.count", "count", 1, kMostWidth, "how many", true),
      row::section("core.operations", "which unit executes what, and how long", true),
  };
  for (const std::string_view o : kOperations) {
    const std::string at = "core.operations." + std::string(o);
    rows.push_back(row::section(at, "a class of operations", true));
    rows.push_back(row::text(at + ".unit", "one of core.units", true));
    rows.push_back(row::integer(at + ".latency", "cycle", o == "load" || o == "store" ? 0 : 1, kMostLatency,
                                "until the result can be used; of loads and stores, until the address is known", true));
    rows.push_back(
        row::integer(at + ".busy", "cycle", 1, kMostLatency, "until the unit takes the next one; 1 if omitted", false));
  }
  return rows;
}

void build(const Contents &c, Machine &m) {
  if (!c.has("core")) return;
  const auto count = [&](const char *key) { return static_cast<int>(c.integer(std::string("core.") + key)); };
  Core core;
  core.isInOrder = enumOf(kOrders, c.text("core.order"));
  core.fetchWidth = count("fetch_width");
  core.dispatchWidth = count("dispatch_width");
  core.issueWidth = count("issue_width");
  core.commitWidth = count("commit_width");
  core.frontEnd = c.cycles("core.front_end");
  core.robEntries = count("rob");
  core.issueQueue = count("issue_queue");
  core.loadQueue = count("load_queue");
  core.storeQueue = count("store_queue");
  core.forward = c.cycles("core.forward");
  core.predictor = enumOf(kPredictors, c.text("core.predictor.kind"));
  core.predictorEntries = count("predictor.entries");
  core.historyBits = count("predictor.history");
  core.btbEntries = count("btb.entries");
  core.btbWays = count("btb.ways");
  core.returnStack = count("return_stack");
  core.vectorEfficiency = c.real("core.vector_efficiency", 1);
  std::vector<std::string> names;
  for (const Entry &e : c.entries("core.units")) {
    core.units.push_back({e.key, count(("units." + e.key + ".count").c_str())});
    names.push_back(e.key);
  }
  for (int i = 0; i < kCoreOperations; ++i) {
    const std::string at = "core.operations." + std::string(kOperations[static_cast<std::size_t>(i)]);
    const std::string unit = c.text(at + ".unit");
    const auto found = std::find(names.begin(), names.end(), unit);
    if (found == names.end())
      c.report("unknown-name", at + ".unit", "no unit '" + unit + "' in core.units", suggest(unit, names));
    core.executions[static_cast<std::size_t>(i)] = {static_cast<int>(found - names.begin()), c.cycles(at + ".latency"),
                                                    Cycles(c.integer(at + ".busy", 1))};
  }
  m.core = std::move(core);
}

void check(const Contents &c, const Machine &m) {
  if (!m.core) return;
  const auto powerOfTwo = [&](const char *path, int value, const std::string &what) {
    if (value < 1 || !std::has_single_bit(static_cast<unsigned>(value)))
      c.impossible(path, what + " is " + std::to_string(value) + ", not a power of two",
                   "use " + std::to_string(std::bit_floor(static_cast<unsigned>(std::max(value, 1)))));
  };
  powerOfTwo("core.predictor.entries", m.core->predictorEntries, "core.predictor.entries");
  if (m.core->btbEntries % m.core->btbWays != 0)
    c.impossible("core.btb.entries", "entries are no multiple of the ways", "make them one");
  else
    powerOfTwo("core.btb.entries", m.core->btbEntries / m.core->btbWays, "entries / ways of core.btb");
  if (m.core->robEntries < m.core->dispatchWidth)
    c.impossible("core.rob", "a reorder buffer with less room than one cycle's dispatch",
                 "use core.dispatch_width or more");
}

}  // namespace

std::string_view name(CoreOperation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

Section section::core() {
  return {rows, build, check};
}

}  // namespace pimento::machine
