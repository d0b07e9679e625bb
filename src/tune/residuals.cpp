// Every row of the tables against the same loop on the simulated DPU.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "pimento/base/thread_pool.h"
#include "pimento/tune/calibrate.h"

namespace pimento::tune {

namespace {

struct Case {
  std::string table, group, row;
  double measured = 0;
  std::function<Result<double>()> run;
  Result<double> ours = 0.0;
};

/// Instructions whose time no operand decides: how one is written and how many of them a row stands for.
struct Simple {
  std::string_view op, type, instruction;
  std::int64_t count;
};
constexpr Simple kSimple[] = {
    {"ADD", "uint16_t", "add r0, r0, 1", 2},  // zero extension with it
    {"ADD", "uint32_t", "add r0, r0, 1", 1},  {"SUB", "uint16_t", "sub r0, r0, r4", 2},
    {"SUB", "uint32_t", "sub r0, r0, r4", 1}, {"LOAD", "uint16_t", "lhu r0, r4, 0", 1},
    {"LOAD", "uint32_t", "lw r0, r4, 0", 1},  {"LOAD", "uint64_t", "ld d0, r4, 0", 1},
    {"LOAD", "float", "lw r0, r4, 0", 1},     {"LOAD", "double", "ld d0, r4, 0", 1},
    {"STORE", "uint16_t", "sh r4, 0, r0", 1}, {"STORE", "uint32_t", "sw r4, 0, r0", 1},
    {"STORE", "uint64_t", "sd r4, 0, d0", 1}, {"STORE", "float", "sw r4, 0, r0", 1},
    {"STORE", "double", "sd r4, 0, d0", 1},
};

std::string counted(std::int64_t n, const char *what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::vector<Case> casesOf(const CalibrationTables &tables, const machine::Dpu &dpu, const LoopSlots &loop,
                          std::vector<std::string> &leftOut) {
  std::vector<Case> cases;
  for (const TransferRow &r : tables.transfers) {
    cases.push_back({r.isRead ? "read" : "write", counted(r.tasklets, "tasklet"),
                     fmt::format("{} B, {}", r.bytes, counted(r.transfers, "transfer")), r.cycles,
                     [&dpu, &loop, &r] { return benchmarkTransfers(dpu, r, loop); }});
  }
  for (const OperationRow &r : tables.operations) {
    const Simple *simple = nullptr;
    for (const Simple &s : kSimple)
      if (s.op == r.op && s.type == r.type) simple = &s;
    if (simple == nullptr) {
      leftOut.push_back(fmt::format("{} {}: these operands are not in the table", r.op, r.type));
      continue;
    }
    cases.push_back({"operation", r.op, r.type, r.cycles, [&dpu, simple] {
                       return benchmarkInstructions(dpu, std::string(simple->instruction), simple->count);
                     }});
  }
  for (const MultiplyRow &r : tables.multiplications)
    cases.push_back({"multiply", "32 bit", fmt::format("by {}", r.value), r.cycles,
                     [&dpu, &r] { return benchmarkMultiply(dpu, r.value); }});
  for (const BarrierRow &r : tables.barriers)
    cases.push_back({"barrier", counted(r.tasklets, "tasklet"), counted(r.barriers, "barrier") + " per iteration",
                     r.cycles, [&dpu, &r] { return benchmarkBarrier(dpu, r.tasklets, r.barriers); }});
  return cases;
}

}  // namespace

Result<Residuals> residuals(const CalibrationTables &tables, const machine::Dpu &dpu, const LoopSlots &loop, int jobs) {
  Residuals out;
  std::vector<Case> cases = casesOf(tables, dpu, loop, out.leftOut);
  parallelFor(jobs, static_cast<std::int64_t>(cases.size()), [&](std::int64_t i) {
    Case &c = cases[static_cast<std::size_t>(i)];
    c.ours = c.run();
  });
  constexpr double kPercent = 100;
  std::map<std::pair<std::string, std::string>, std::size_t> groups;
  for (const Case &c : cases) {
    if (!c.ours) return c.ours.diagnostics();
    const auto [it, isNew] = groups.emplace(std::pair(c.table, c.group), out.groups.size());
    if (isNew) out.groups.push_back({c.table, c.group, 0, 0, 0, {}});
    Residual &g = out.groups[it->second];
    const double percent = (*c.ours / c.measured - 1) * kPercent;
    ++g.rows;
    g.meanPercent += std::abs(percent);
    if (!g.worstRow.empty() && std::abs(percent) <= std::abs(g.worstPercent)) continue;
    g.worstPercent = percent;
    g.worstRow = fmt::format("{}: ours {:.2f}, measured {:.2f}", c.row, *c.ours, c.measured);
  }
  for (Residual &g : out.groups) g.meanPercent /= static_cast<double>(g.rows);
  return out;
}

}  // namespace pimento::tune
