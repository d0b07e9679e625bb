#include "pimento/targets/near_bank/suite.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/targets.h"

namespace pimento::targets::near_bank {

namespace {

using evaluate::Point;
using evaluate::Replaying;
using mapping::ProgramKind;

/// A column of a table, and what our reports call its count.
struct CountColumn {
  const char *column, *count;
};

Diagnostics badPoint(const Point &p, const char *column) {
  return {error("bad-points", p.where, fmt::format("column '{}' cannot be read", column),
                "see docs/cli.md, 'validate', for the columns of each kind of file")};
}

/// The first count that is not the table's; empty: all are.
std::string differenceOf(const evaluate::Report &report, const Point &p, std::initializer_list<CountColumn> columns) {
  for (const CountColumn &c : columns) {
    if (!p.has(c.column)) continue;
    const auto found = report.counts.find(c.count);
    const std::int64_t ours = found != report.counts.end() ? found->second : 0;
    if (const auto theirs = parseInteger(p.text(c.column)); !theirs || *theirs != ours)
      return fmt::format("{}: ours {}, theirs {}", c.count, ours, p.text(c.column));
  }
  return {};
}

/// Runs one kernel. `cycles`: the column to compare with.
Result<evaluate::Replay> replayKernel(const Replaying &how, const machine::Machine &machine, const Point &p,
                                      const char *kernel, const kernel::Sizes &sizes, DType type,
                                      const mapping::MapSpec &spec, const char *cycles,
                                      std::initializer_list<CountColumn> columns) {
  const Result<kernel::Graph> graph = kernel::makeZooKernel(kernel, sizes, type);
  if (!graph) return graph.diagnostics();
  evaluate::Request r;
  r.machine = &machine;
  r.target = &target();
  r.graph = &*graph;
  r.maps = {spec};
  r.isSimulation = how.isSimulation;
  r.twoSlice = how.twoSlice;
  const Result<evaluate::Report> report = evaluate::evaluate(r);
  if (!report) return report.diagnostics();
  evaluate::Replay out = evaluate::replayOf(*report, static_cast<double>(report->breakdown().total().value),
                                            static_cast<double>(p.number(cycles)));
  out.differs = differenceOf(*report, p, columns);
  return out;
}

// The study of DCC
// -----------------------------------------------------------------------------------------------------

/// "16x1x2;1x4x32;1x16x256": groups, cores and tile of each dim.
std::optional<mapping::Subspace> draftOf(const std::string &text) {
  mapping::Subspace s;
  s.factors.resize(3);
  for (const std::string_view dim : split(text, ';')) {
    const std::vector<std::string_view> parts = split(dim, 'x');
    if (parts.size() != 3) return std::nullopt;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto n = parseInteger(std::string(parts[i]));
      if (!n || *n < 1) return std::nullopt;
      s.factors[i].push_back(*n);
    }
  }
  return s;
}

Result<evaluate::Replay> replayDraft(const Replaying &how, const char *machineName, const Point &p) {
  const Result<machine::Machine> machine = how.machine(machineName, {});
  if (!machine) return machine.diagnostics();
  mapping::MapSpec spec;
  spec.kind = mapping::MapSpec::Kind::kExplicit;
  const std::optional<mapping::Subspace> draft = draftOf(p.text("tiling_g_x_c_x_t"));
  if (!draft) return badPoint(p, "tiling_g_x_c_x_t");
  spec.mapping.subspaces = {*draft};
  constexpr const char *kEvaluated = "890c041";
  const bool isAttention = p.kernel == "ATTN", isCube = isAttention || p.kernel == "GEMV";
  spec.mapping.program = isAttention && p.text("artifact_commit") == kEvaluated ? ProgramKind::kPublishedEvaluated
                                                                                : ProgramKind::kPublished;
  kernel::Sizes sizes;
  if (isCube) {
    spec.mapping.mode = p.text("mode") == "inference" ? mapping::StreamMode::kInference : mapping::StreamMode::kKernel;
    sizes = {
        {"heads", p.number("batch") * p.number("nhead")}, {"dhead", p.number("dhead")}, {"len", p.number("seq_len")}};
  } else {
    sizes = {{"batch", p.number("batch")}, {"n", p.number("len")}};
  }
  spec.mapping.text = mapping::print(spec);
  const char *kernel = isAttention         ? "attn"
                       : isCube            ? "bgemv"
                       : p.kernel == "RED" ? "red"
                       : p.kernel == "VA"  ? "va"
                                           : "relu";
  return replayKernel(how, *machine, p, kernel, sizes, DType::kF16, spec, "cycles",
                      {{"LD", "RD"},
                       {"ST", "WR"},
                       {"PIM_WR_GB", "WRGB"},
                       {"PIM_MAC_AB", "MACAB"},
                       {"PIM_MV_SB", "MVSB"},
                       {"PIM_SFM", "SFM"},
                       {"PIM_MV_GB", "MVGB"},
                       {"PIM_LD_OP1", "LD_OP1"},
                       {"PIM_ADD_OP1", "ADD_OP1"},
                       {"PIM_MAC_OP1", "MAC_OP1"},
                       {"PIM_WB_ACC", "WB_ACC"},
                       {"PIM_WB_RES", "WB_RES"},
                       {"PIM_ACC_RESET", "ACC_RESET"},
                       {"PIM_RELU", "RELU"},
                       {"PIM_BARRIER", "BARRIER"}});
}

evaluate::Suite ofStudy(const char *machine, std::string backend) {
  using Groups = std::vector<std::vector<std::string>>;
  const Groups cube = {{"nhead"}, {"dhead"}, {"seq_len"}}, rows = {{"len"}};
  evaluate::Suite out{
      machine, {}, [machine](const Replaying &how, const Point &p) { return replayDraft(how, machine, p); }};
  out.comparesCounts = true;
  out.rules.folder = "dcc";
  out.rules.files = {"sim_2d_exhaustive", "sim_3d_samples"};
  out.rules.kernelOf = [backend = std::move(backend)](const Point &p) -> std::string {
    if (!p.has("backend") || p.text("backend") != backend) return " of other backends";
    return p.has("kernel") ? p.text("kernel") : " without a kernel";
  };
  out.rules.required = {"mode", "artifact_commit", "batch", "tiling_g_x_c_x_t", "cycles"};
  out.rules.whole = {"batch", "len", "nhead", "dhead", "seq_len", "cycles"};
  out.rules.kernels = {{"GEMV", cube}, {"ATTN", cube}, {"RED", rows}, {"VA", rows}, {"RELU", rows}};
  return out;
}

// AttAcc
// ---------------------------------------------------------------------------------------------------------------

constexpr const char *kRebuild = "attacc_original_rebuild", *kShipped = "attacc_simulator_ramulator_out";

Result<evaluate::Replay> replayOwn(const Replaying &how, const Point &p) {
  const bool isRebuild = p.kernel == kRebuild;
  std::vector<std::string> sets;
  if (p.text("power_constraint") == "False") sets.emplace_back("timing.nCCDAB=4");
  const bool hasDccBarrier = isRebuild && p.has("simulator") && p.text("simulator") == "DCC fork barrier";
  const Result<machine::Machine> machine = how.machine(hasDccBarrier ? "attacc-published" : "attacc-original", sets);
  if (!machine) return machine.diagnostics();
  mapping::MapSpec spec;
  spec.mapping.program = ProgramKind::kAttaccOwn;
  const kernel::Sizes sizes = {
      {"heads", p.number(isRebuild ? "nhead_per_hbm" : "nhead")}, {"dhead", p.number("dhead")}, {"len", p.number("L")}};
  const DType type = p.number("dbyte") == 1 ? DType::kF8E4M3 : DType::kF16;
  if (isRebuild)
    return replayKernel(how, *machine, p, "attn", sizes, type, spec, "cycles",
                        {{"WR_GB", "WRGB"},
                         {"MAC_AB", "MACAB"},
                         {"MV_SB", "MVSB"},
                         {"SFM", "SFM"},
                         {"MV_GB", "MVGB"},
                         {"BARRIER", "BARRIER"}});
  return replayKernel(how, *machine, p, "attn", sizes, type, spec, "cycle",
                      {{"mac", "MACAB"}, {"softmax", "SFM"}, {"mvgb", "MVGB"}, {"mvsb", "MVSB"}, {"wrgb", "WRGB"}});
}

evaluate::Suite ofAttacc() {
  evaluate::Suite out{"attacc", {}, replayOwn};
  out.comparesCounts = true;
  out.rules.files = {kRebuild, kShipped};
  out.rules.kernelOf = [](const Point &p) -> std::string {
    if (!p.has("pim_type") || p.text("pim_type") != "BA") return " of units that are not at the banks";
    if (p.has("softmax") && p.has("nhead") && p.text("softmax") != p.text("nhead"))
      return " of an older generator (softmax is not nhead)";
    return p.has("nhead_per_hbm") ? kRebuild : kShipped;
  };
  out.rules.required = {"L", "dhead", "dbyte", "power_constraint"};
  out.rules.whole = {"L", "dhead", "dbyte", "nhead", "nhead_per_hbm", "cycles", "cycle"};
  out.rules.kernels = {{kRebuild, {{"nhead_per_hbm"}, {"cycles"}}}, {kShipped, {{"nhead"}, {"cycle"}}}};
  return out;
}

}  // namespace

std::vector<evaluate::Suite> suites() {
  return {ofStudy("attacc-published", "attacc"), ofStudy("hbm-pim-hbm3-published", "hbmpim"), ofAttacc()};
}

}  // namespace pimento::targets::near_bank
