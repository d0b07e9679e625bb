#include "pimento/driver/verbs/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <map>
#include <optional>

#include "pimento/base/checksum.h"
#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/driver/host_choices.h"
#include "pimento/driver/options.h"
#include "pimento/driver/profile_lines.h"
#include "pimento/driver/profile_text.h"
#include "pimento/driver/program_run.h"
#include "pimento/driver/reshaped_check.h"
#include "pimento/driver/shared_work.h"
#include "pimento/driver/source_files.h"
#include "pimento/evaluate/sampler.h"
#include "pimento/evaluate/target.h"
#include "pimento/machine/identity.h"
#include "pimento/targets/targets.h"
#include "pimento/trace/file/writer.h"
#include "pimento/trace/tee.h"
#include "pimento/tune/problem.h"

namespace pimento::driver {

namespace {

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

std::vector<std::string> warningsOf(const ProfileAnswer &a, const Options &options) {
  std::vector<std::string> out = a.machine().notes;
  if (a.isSampled && (options.isBridged || options.sharesRows))
    out.push_back(fmt::format("a sample has the paper's accounts alone: {} has no effect with --sample",
                              options.isBridged ? "--bridge" : "--rows"));
  if (a.guest.undecodable > 0)
    out.push_back(fmt::format("{} instructions of the program cannot be decoded; they count as integer operations",
                              a.guest.undecodable));
  if (a.profile().candidates.disproved > 0)
    out.push_back(
        fmt::format("{} trees do not give what the program stored: this is a bug in Pimento, please report it "
                    "with the command you ran",
                    a.profile().candidates.disproved));
  if (a.profile().zeroings > 0)
    out.push_back(
        fmt::format("dc zva ran {} times: it zeroes a line of memory, and its stores are not seen, neither by "
                    "caches nor by the search for candidates",
                    a.profile().zeroings));
  if (a.guest.otherInstructions > 0)
    out.push_back(fmt::format("{} other threads and {} forked processes ran {} instructions that are not profiled",
                              a.guest.otherThreads, a.guest.otherProcesses, a.guest.otherInstructions));
  const std::int64_t vectors = a.profile().counts.at("vector_operations");
  if (a.profile().instructions > 0 && ratio(vectors, a.profile().instructions) >= kManyVectors)
    out.push_back(fmt::format("{:.0f} % of the instructions work on vectors, which no cache of the machine takes over",
                              100 * ratio(vectors, a.profile().instructions)));
  if (a.guest.wasReplaced)
    out.emplace_back("the program was replaced by another one (exec), which is not profiled; this is what ran before");
  if (a.guest.signal != 0)
    out.push_back(fmt::format("the program was ended by signal {}{}; this is what ran before", a.guest.signal,
                              a.guest.cause.empty() ? "" : ": " + a.guest.cause));
  return out;
}

/// What else is written while a program is profiled: with `--trace` the pipeline of what is profiled, with
/// `--save-reshaped` the program that is left.
Result<ProgramRun> runWithFiles(const Options &options, const machine::Machine &machine, const evaluate::Target &target,
                                trace::Consumer &consumer, guest::rv64::Witness *witness) {
  if (options.trace.empty() && options.saveReshaped.empty()) return runProgram(options, consumer, witness);
  const auto unwritable = [](const std::string &file, const char *what) {
    return usageError("unwritable-file", file, fmt::format("cannot write the {}", what),
                      "choose a folder that exists and is writable");
  };
  std::ofstream timeline, reshaped;
  std::unique_ptr<trace::Consumer> pipeline, reshaper;
  std::optional<trace::file::Writer> writer;
  std::vector<trace::Consumer *> all{&consumer};
  if (!options.trace.empty()) {
    timeline.open(options.trace);
    if (!timeline) return unwritable(options.trace, "trace file");
    auto made = target.stageWriter("pipeline", machine, [&timeline](std::string_view text) { timeline << text; });
    if (!made) return made.diagnostics();
    pipeline = std::move(*made);
    all.push_back(pipeline.get());
  }
  if (!options.saveReshaped.empty()) {
    reshaped.open(options.saveReshaped, std::ios::binary | std::ios::trunc);
    if (!reshaped) return unwritable(options.saveReshaped, "reshaped trace");
    writer.emplace(reshaped, options.savesValues);
    auto made = target.reshaper(machine, *writer);
    if (!made) return made.diagnostics();
    reshaper = std::move(*made);
    all.push_back(reshaper.get());
  }
  trace::Tee each(std::move(all));
  Result<ProgramRun> run = runProgram(options, each, witness);
  if (!run) return run;
  if (!options.trace.empty() && !timeline.flush())
    return error("unwritable-file", {options.trace, 0, 0}, "the timeline was not fully written", "is the disk full?");
  if (writer && !writer->finish(run->end))
    return error("unwritable-file", {options.saveReshaped, 0, 0}, "the reshaped trace was not fully written",
                 "is the disk full?");
  return run;
}

/// What executing the reshaped programs gave.
Status takeExecuted(const ReshapedCheck &check, const trace::ProgramEnd &end, ProfileAnswer &answer) {
  if (end.leftOut > 0)
    return usageError("check-reshaped-part", "--check-reshaped", "the program did not run to its end",
                      "raise --max-instructions");
  const Result<std::vector<Executed>> executed = check.outcome();
  if (!executed) return executed.diagnostics();
  for (std::size_t c = 0; c < executed->size(); ++c) answer.choices[c].executed = (*executed)[c];
  return okStatus();
}

/// The program on machines, each of which sees the same stream.
Result<ProfileAnswer> profileOn(std::vector<HostChoice> machines, const Options &options) {
  const Result<const evaluate::Target *> runsOn = targets::targetOf(machines.front().machine);
  if (!runsOn) return runsOn.diagnostics();
  ProfileAnswer answer;
  answer.choices.reserve(machines.size());
  for (HostChoice &m : machines)
    answer.choices.push_back({m.caches, m.arrays, m.technology, m.levels, std::move(m.machine), {}, {}});
  // Each choice sees the same stream.
  std::vector<std::unique_ptr<evaluate::Profiler>> profilers;
  std::deque<evaluate::Sampler> samplers;
  std::vector<trace::Consumer *> consumers;
  for (const ProfileChoice &c : answer.choices) {
    Result<std::unique_ptr<evaluate::Profiler>> profiler = (*runsOn)->profiler(c.machine, options.isBridged);
    if (!profiler) return profiler.diagnostics();
    // Lines are of the first choice.
    if (options.isLined && profilers.empty()) (*profiler)->attribute();
    profilers.push_back(std::move(*profiler));
    consumers.push_back(options.isSampled
                            ? &samplers.emplace_back(*profilers.back(), evaluate::SamplePlan{}, options.seed)
                            : static_cast<trace::Consumer *>(profilers.back().get()));
  }
  std::unique_ptr<ReshapedCheck> check;
  if (options.checksReshaped) {
    std::vector<const machine::Machine *> all;
    for (const ProfileChoice &c : answer.choices) all.push_back(&c.machine);
    Result<std::unique_ptr<ReshapedCheck>> made = ReshapedCheck::make(options, **runsOn, all);
    if (!made) return made.diagnostics();
    check = std::move(*made);
    for (trace::Consumer *c : check->consumers()) consumers.push_back(c);
  }
  trace::Tee each(std::move(consumers));
  const Result<ProgramRun> run =
      runWithFiles(options, answer.machine(), **runsOn, each, check == nullptr ? nullptr : &check->witness());
  if (!run) return run.diagnostics();
  if (check != nullptr)
    if (Status s = takeExecuted(*check, run->end, answer); !s) return s.diagnostics();
  answer.program = run->program.name;
  answer.guest = run->end;
  answer.engine = run->engine;
  answer.isSampled = options.isSampled;
  for (std::size_t c = 0; c < profilers.size(); ++c)
    answer.choices[c].profile = options.isSampled ? samplers[c].profile() : profilers[c]->profile();
  answer.functions = functionsOf(run->program, answer.profile());
  answer.warnings = warningsOf(answer, options);
  if (options.isLined) {
    Result<ProfileLines> lines = profileLines(run->program, answer.profile(), options);
    if (!lines) return lines.diagnostics();
    answer.lines = std::make_shared<const ProfileLines>(std::move(*lines));
    answer.warnings.insert(answer.warnings.end(), answer.lines->warnings.begin(), answer.lines->warnings.end());
  }
  return answer;
}

/// Of several choices, each rank takes some; the first takes the first one, of which answers say more.
Result<ProfileAnswer> profileShared(std::vector<HostChoice> machines, const Options &options) {
  if (!isSavedTrace(options.input))
    return usageError("ranks-program", options.input, "each rank would run the program, and write what it writes",
                      "save the run once (pimento profile PROG --save RUN.ptrace), and share the trace");
  const Result<std::string> bytes = readFile(options.input);
  if (!bytes) return bytes.diagnostics();
  std::string plan = fmt::format("{} profile {:x} {} {} {}\n", tune::toolIdentity(), crc32(*bytes), options.isSampled,
                                 options.seed, options.maxInstructions);
  cluster::Tasks tasks;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    plan += machine::identity(machines[m].machine);
    if (m > 0) tasks.now.push_back(std::to_string(m));
  }
  Options plain = options;
  plain.isLined = false;
  plain.trace = plain.saveReshaped = "";
  const auto shared = SharedWork::join(options, plan, [&](const std::string &task) {
    const auto m = static_cast<std::size_t>(parseInteger(task).value_or(0));
    const Result<ProfileAnswer> answer = profileOn({machines[m]}, plain);
    return answer ? textOf(answer->profile()) : std::string();
  });
  if (!shared) return shared.diagnostics();
  if (shared->isDone()) return ProfileAnswer{};
  Result<ProfileAnswer> answer = profileOn({machines.front()}, options);
  if (!answer) return answer;
  std::vector<std::string> texts(tasks.now.size());
  const Status done = shared->ranks().compute(tasks, options.isStopped,
                                              [&](std::size_t n, const std::string &text) { texts[n] = text; });
  if (!done) return done.diagnostics();
  for (std::size_t n = 0; n < texts.size(); ++n) {
    HostChoice &m = machines[n + 1];
    // Once more, to say why it failed.
    if (texts[n].empty()) return profileOn({m}, plain);
    answer->choices.push_back(
        {m.caches, m.arrays, m.technology, m.levels, std::move(m.machine), profileIn(texts[n]), {}});
  }
  answer->sharing = sharingOf(options);
  return answer;
}

}  // namespace

double ratio(std::int64_t a, std::int64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

Result<ProfileAnswer> profile(const Options &options) {
  Result<std::vector<HostChoice>> machines = hostChoices(options);
  if (!machines) return machines.diagnostics();
  if (options.isLined && options.isSampled)
    return usageError("lines-of-sample", "--lines", "a sample does not run all instructions, so its lines have no sums",
                      "omit --sample, or profile a part of the run: --start, --stop, --max-instructions");
  // Before the program runs.
  if (const Result<SourceFinder> finder = SourceFinder::make(options); !finder) return finder.diagnostics();
  return options.ranks == nullptr ? profileOn(std::move(*machines), options)
                                  : profileShared(std::move(*machines), options);
}

}  // namespace pimento::driver
