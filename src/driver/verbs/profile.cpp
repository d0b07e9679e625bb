#include "pimento/driver/verbs/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/program_run.h"
#include "pimento/emit/columns.h"
#include "pimento/evaluate/sampler.h"
#include "pimento/evaluate/target.h"
#include "pimento/targets/targets.h"
#include "pimento/trace/tee.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;
using evaluate::Profile;

constexpr double kManyVectors = 0.05;  ///< share of instructions from which on it is worth a warning

std::vector<FunctionCycles> functionsOf(const trace::Program &program, const Profile &p) {
  std::map<std::string, std::int64_t> byName;
  for (const auto &[address, cycles] : p.cyclesAt) {
    const trace::Function *f = program.functionAt(address);
    byName[f != nullptr ? f->name : "(elsewhere)"] += cycles;
  }
  std::vector<FunctionCycles> out;
  for (const auto &[name, cycles] : byName) out.push_back({name, cycles});
  std::stable_sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.cycles > b.cycles; });
  return out;
}

double ratio(std::int64_t a, std::int64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::vector<std::string> warningsOf(const ProfileAnswer &a) {
  std::vector<std::string> out = a.machine.notes;
  if (a.guest.undecodable > 0)
    out.push_back(fmt::format("{} instructions of the program cannot be decoded; they count as integer operations",
                              a.guest.undecodable));
  if (a.profile.candidates.disproved > 0)
    out.push_back(
        fmt::format("{} trees do not give what the program stored: this is a bug in Pimento, please report it "
                    "with the command you ran",
                    a.profile.candidates.disproved));
  if (a.profile.zeroings > 0)
    out.push_back(
        fmt::format("dc zva ran {} times: it zeroes a line of memory, and its stores are not seen, neither by "
                    "caches nor by the search for candidates",
                    a.profile.zeroings));
  if (a.guest.otherInstructions > 0)
    out.push_back(fmt::format("{} other threads and {} forked processes ran {} instructions that are not profiled",
                              a.guest.otherThreads, a.guest.otherProcesses, a.guest.otherInstructions));
  const std::int64_t vectors = a.profile.counts.at("vector_operations");
  if (a.profile.instructions > 0 && ratio(vectors, a.profile.instructions) >= kManyVectors)
    out.push_back(fmt::format("{:.0f} % of the instructions work on vectors, which no cache of the machine takes over",
                              100 * ratio(vectors, a.profile.instructions)));
  if (a.guest.wasReplaced)
    out.emplace_back("the program was replaced by another one (exec), which is not profiled; this is what ran before");
  if (a.guest.signal != 0)
    out.push_back(fmt::format("the program was ended by signal {}{}; this is what ran before", a.guest.signal,
                              a.guest.cause.empty() ? "" : ": " + a.guest.cause));
  return out;
}

double shareOf(const trace::ProgramEnd &g) {
  return ratio(g.instructions, g.instructions + g.leftOut + g.otherInstructions);
}

/// Why operations and loads are not offloaded: names of fates, and their numbers.
std::vector<std::pair<std::string, std::int64_t>> lost(const trace::CandidateCounts &c) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  for (int f = 1; f < trace::kFates; ++f)
    out.emplace_back(std::string(name(static_cast<trace::Fate>(f))), c.operations[static_cast<std::size_t>(f)]);
  for (int f = 1; f < trace::kLoadFates; ++f)
    out.emplace_back("load_" + std::string(name(static_cast<trace::LoadFate>(f))),
                     c.loads[static_cast<std::size_t>(f)]);
  return out;
}

Json orNull(const std::optional<double> &x) {
  return x ? Json(*x) : Json(nullptr);
}

Json accountJson(const evaluate::Account &a) {
  Json terms = Json::object();
  if (a.energy)
    for (const energy::EnergyRow &r : a.energy->rows) terms[r.term] = r.energy.value;
  return {{"speedup", a.speedup},
          {"energy_improvement", orNull(a.energyImprovement)},
          {"share_processor", orNull(a.shareProcessor)},
          {"share_caches", orNull(a.shareCaches)},
          {"energy_pj", a.energy ? Json(a.energy->total.value) : Json(nullptr)},
          {"energy_breakdown", terms},
          {"counts", a.counts}};
}

std::string toJson(const ProfileAnswer &a) {
  const Profile &p = a.profile;
  Json lostBy = Json::object(), functions = Json::array(), terms = Json::object();
  for (const auto &[reason, n] : lost(p.candidates)) lostBy[reason] = n;
  for (const FunctionCycles &f : a.functions) functions.push_back({{"name", f.name}, {"cycles", f.cycles}});
  for (const energy::EnergyRow &r : p.energy.rows) terms[r.term] = r.energy.value;
  const Json j = {
      {"program", a.program},
      {"target", a.machine.name},
      {"instructions", p.instructions},
      {"cycles", p.cycles},
      {"cpi", ratio(p.cycles, p.instructions)},
      {"cpi_stack", p.stack},
      {"time_ns", a.machine.toTime(Cycles(p.cycles)).value / 1000.0},
      {"energy_pj", p.energy.total.value},
      {"energy_breakdown", terms},
      {"exact", a.isSampled ? "sampled" : "simulated"},
      {"interval", p.interval ? Json{{"level", 0.99}, {"cycles", *p.interval}} : Json()},
      {"counts", p.counts},
      {"macr",
       {{"paper", p.conversion},
        {"release", p.conversionRelease},
        {"l1", p.conversionL1},
        {"other", p.conversionOther}}},
      {"reads", {{"wr", p.accesses.writes}, {"nc", p.accesses.notConvertible}, {"cc", p.accesses.convertible}}},
      {"candidates", p.candidates.trees},
      {"stored", p.candidates.stored},
      {"operations_offloaded", p.candidates.offloaded()},
      {"lost", lostBy},
      {"proved", p.candidates.proved},
      {"disproved", p.candidates.disproved},
      {"accounts", {{"paper", {{"low", accountJson(p.low)}, {"high", accountJson(p.high)}}}}},
      {"functions", functions},
      {"guest",
       {{"engine", a.engine},
        {"exit_status", a.guest.exitStatus},
        {"signal", a.guest.signal},
        {"replaced", a.guest.wasReplaced},
        {"threads", a.guest.otherThreads + 1},
        {"processes", a.guest.otherProcesses + 1},
        {"instructions_left_out", a.guest.leftOut},
        {"undecodable", a.guest.undecodable},
        {"share", shareOf(a.guest)}}},
      {"warnings", a.warnings},
  };
  return j.dump(1) + "\n";
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string toTable(const ProfileAnswer &a) {
  const Profile &p = a.profile;
  std::string out = fmt::format("{} on {}\n\n", a.program, a.machine.name);
  emit::Columns head("lrl");
  head.row({"instructions", fmt::format("{}", p.instructions)});
  head.row(
      {"cycles", fmt::format("{}", p.cycles), fmt::format("{:.3f} per instruction", ratio(p.cycles, p.instructions))});
  if (p.interval)
    head.row({"", fmt::format("{:.0f}", (*p.interval)[0]),
              fmt::format("to {:.0f} with 99 % probability (sampled)", (*p.interval)[1])});
  head.row({"time", fmt::format("{:.1f} us", a.machine.toTime(Cycles(p.cycles)).value / 1e6)});
  head.row({"energy", fmt::format("{:.2f} uJ", p.energy.total.value / 1e6), "modelled, not validated"});
  head.row({"engine", a.engine});
  head.row({"exit status",
            a.guest.signal != 0 ? fmt::format("signal {}", a.guest.signal) : fmt::format("{}", a.guest.exitStatus)});
  out += head.str() + "\nWhere the cycles went\n";
  emit::Columns stack("lrr", 2);
  for (const auto &[cause, cycles] : p.stack)
    stack.row({cause, fmt::format("{}", cycles), percent(ratio(cycles, p.cycles))});
  out += stack.str() + "\nWhat caches could compute\n";
  emit::Columns cim("lrl", 2);
  const trace::CandidateCounts &c = p.candidates;
  std::int64_t operations = 0;
  for (const std::int64_t n : c.operations) operations += n;
  cim.row({"trees", fmt::format("{}", c.trees),
           fmt::format("{} stored, {} back to a register", c.stored, c.trees - c.stored)});
  cim.row({"operations", fmt::format("{}", c.offloaded()), fmt::format("of {} that the caches have", operations)});
  cim.row({"reads", fmt::format("{}", p.accesses.convertible),
           fmt::format("of {}", p.accesses.convertible + p.accesses.notConvertible)});
  cim.row({"accesses replaced", percent(p.conversion),
           fmt::format("of all loads and stores (MACR): {} at the first data cache, {} behind it",
                       percent(p.conversionL1), percent(p.conversionOther))});
  cim.row({"speedup", fmt::format("{:.3f} to {:.3f}", p.low.speedup, p.high.speedup), "by the paper's formula"});
  if (p.low.energyImprovement)
    cim.row({"less energy", fmt::format("{:.3f} to {:.3f}", *p.low.energyImprovement, *p.high.energyImprovement),
             fmt::format("times; energies of {}, not validated", a.machine.energySet)});
  if (c.proved > 0)
    cim.row({"proved", fmt::format("{}", c.proved),
             fmt::format("stored trees computed again from their leaves, {} differ", c.disproved)});
  out += cim.str() + "\nWhy not\n";
  emit::Columns why("lr", 2);
  for (const auto &[reason, n] : lost(c))
    if (n > 0) why.row({reason, fmt::format("{}", n)});
  out += why.str();
  if (!a.functions.empty()) {
    out += "\nFunctions\n";
    emit::Columns functions("lrr", 2);
    constexpr std::size_t kMost = 10;
    for (std::size_t i = 0; i < std::min(kMost, a.functions.size()); ++i)
      functions.row({a.functions[i].name, fmt::format("{}", a.functions[i].cycles),
                     percent(ratio(a.functions[i].cycles, p.cycles))});
    out += functions.str();
  }
  for (const std::string &w : a.warnings) out += fmt::format("\nnote: {}", w);
  return out + (a.warnings.empty() ? "" : "\n");
}

/// With `--trace`: the pipeline of what is profiled, beside it.
Result<ProgramRun> runTraced(const Options &options, const machine::Machine &machine, const evaluate::Target &target,
                             trace::Consumer &consumer) {
  std::ofstream file(options.trace);
  if (!file)
    return usageError("unwritable-file", options.trace, "cannot write the trace file",
                      "choose a folder that exists and is writable");
  const auto writer = target.stageWriter("pipeline", machine, [&file](std::string_view text) { file << text; });
  if (!writer) return writer.diagnostics();
  trace::Tee both(consumer, **writer);
  Result<ProgramRun> run = runProgram(options, both);
  if (run && !file.flush())
    return error("unwritable-file", {options.trace, 0, 0}, "the timeline was not fully written", "is the disk full?");
  return run;
}

}  // namespace

Result<ProfileAnswer> profile(const Options &options) {
  Result<machine::Machine> machine = loadHost(options);
  if (!machine) return machine.diagnostics();
  ProfileAnswer answer;
  answer.machine = std::move(*machine);
  const Result<const evaluate::Target *> runsOn = targets::targetOf(answer.machine);
  if (!runsOn) return runsOn.diagnostics();
  const Result<std::unique_ptr<evaluate::Profiler>> profiler = (*runsOn)->profiler(answer.machine);
  if (!profiler) return profiler.diagnostics();
  std::optional<evaluate::Sampler> sampler;
  if (options.isSampled) sampler.emplace(**profiler, evaluate::SamplePlan{}, options.seed);
  trace::Consumer &consumer = sampler ? static_cast<trace::Consumer &>(*sampler) : **profiler;
  const Result<ProgramRun> run =
      options.trace.empty() ? runProgram(options, consumer) : runTraced(options, answer.machine, **runsOn, consumer);
  if (!run) return run.diagnostics();
  answer.program = run->program.name;
  answer.guest = run->end;
  answer.engine = run->engine;
  answer.isSampled = options.isSampled;
  answer.profile = sampler ? sampler->profile() : (*profiler)->profile();
  answer.functions = functionsOf(run->program, answer.profile);
  answer.warnings = warningsOf(answer);
  return answer;
}

Outcome show(const ProfileAnswer &answer, const Options &options) {
  return {options.isJson ? toJson(answer) : toTable(answer), {}, 0};
}

}  // namespace pimento::driver
