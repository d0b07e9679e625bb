// What a target must offer to be evaluated: compile kernels or take a program, run it with or without data, and say
// what its numbers are made of.
//
// One implementation per machine family, each in its directory below `targets`, which also has the one list of them.
// Nothing here knows an engine or a lowering: a Runnable knows its program, its host work and how to run itself;
// reports, checking, graphs, prices, the choice of mappings and explanations are written once, above this interface.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/evaluate/choices.h"
#include "pimento/evaluate/counts.h"
#include "pimento/evaluate/derivation.h"
#include "pimento/evaluate/run.h"
#include "pimento/kernel/rounds.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/program.h"

namespace pimento::trace {
class Consumer;
class Executor;
}  // namespace pimento::trace

namespace pimento::evaluate {

class MachineNumbers;
class Profiler;
class Slices;
struct Request;
struct Suite;

/// What can run on a machine: a compiled part of a graph, or the program of a file. One path leads from it to a Report.
class Runnable {
 public:
  virtual ~Runnable() = default;

  virtual const program::Program &program() const = 0;
  virtual HostWork hostWork() const = 0;
  /// Time and counts; a compiled part computes nothing here. Diagnostics: "data-decide-time" (values that are not known
  /// decide them).
  virtual Result<DeviceRun> run(const RunMode &mode) const = 0;
  /// Pieces of what `run` would do with what `mode` knows of the data (slices.h). Diagnostics: "no-slices", and those
  /// of `run`.
  virtual Result<std::unique_ptr<Slices>> slices(const RunMode &mode) const;

  /// Where the cycles of `run` went: the root of an explanation, called `name`. `mostCommands`: of one unit; longer
  /// runs are not followed command by command.
  virtual DerivationPtr explainCycles(const std::string &name, const DeviceRun &run, MachineNumbers &numbers,
                                      std::int64_t mostCommands) const = 0;
  /// Why one unit counts `one` of row `row` of the target's table; null: because its engine counted them.
  virtual DerivationPtr explainCount(std::size_t /*row*/, const std::string & /*name*/, std::int64_t /*one*/,
                                     MachineNumbers & /*numbers*/) const {
    return nullptr;
  }
  /// The text of one of the target's stages, or "llvcnm" (`compile --emit`). `kernel`: its name, for headings; empty: a
  /// program from a file. `isFirst`: no text of another kernel is before it.
  virtual Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const;
};

/// Where a tensor lies after a run: spread over the units as `mapping` says. Equal ones are in the same places.
struct Residence {
  int tensor = -1;
  mapping::Mapping mapping;
};

/// Kernels of a graph, one after the other, that a target compiles together.
struct GraphPart {
  const kernel::Graph *graph = nullptr;
  int first = 0, count = 1;

  const kernel::Kernel &kernel() const { return graph->kernels[static_cast<std::size_t>(first)]; }
};

/// Is it a temporary that no kernel outside the part reads or writes? A program of the whole part may keep it to
/// itself.
bool isInside(const GraphPart &part, int tensor);

/// Every tensor that the part's kernels read or write, where `mapping` puts it.
std::vector<Residence> residencesOf(const GraphPart &part, const mapping::Mapping &mapping);

/// A part of a graph that was compiled.
class CompiledPart : public virtual Runnable {
 public:
  virtual const mapping::PlacedMapping &placed() const = 0;
  /// The order in which the mapping accumulates, from the mapping (not from the program).
  virtual kernel::Order order() const = 0;
  /// Likewise of the part's kernel number `kernel`, where it has several.
  virtual kernel::Order orderOf(int /*kernel*/) const { return order(); }
  /// Which tensors lie where when it has run.
  virtual std::vector<Residence> residences() const = 0;
  /// Device memory that its layout spans, constants included.
  virtual Bytes footprint() const = 0;
  /// Without running: cycles and actions that no run is below (never fitted; `counts` stay empty). Null: whatever the
  /// operands hold; else no run on these. With an interval: by the mean of many values, which are not proved to be like
  /// the run's.
  virtual DeviceRun bound(const kernel::DataSpec *values) const = 0;
  DeviceRun bound() const { return bound(nullptr); }
  /// Runs every command on real data: reads inputs and temporaries from `data`, writes outputs into it. Of `mode`, what
  /// is known of the data counts for nothing. Diagnostics: those of programs that fault on their data.
  virtual Result<DeviceRun> runOn(kernel::DataSet &data, const RunMode &mode) const = 0;
  /// May floating-point sums and products be in another order than order() says? Then results are held against their
  /// exact values and what rounding may have changed (RoundingBound).
  virtual bool mayReorder() const { return false; }
  /// Why its program computes no answer: it is timed only, and runOn() is not to be called. Empty: it computes one.
  virtual std::string whyUnchecked() const { return {}; }
  /// Placing the graph's constants by commands of the device, once: phases without a kernel. Nothing: the host does it,
  /// at its price (HostWork).
  virtual std::optional<DeviceRun> placement() const { return std::nullopt; }
  /// What it chose beyond the mapping, and why: a sentence each.
  virtual std::vector<std::string> choices() const { return {}; }
};

/// Of all kernels of a part; null: it runs on the host.
std::vector<kernel::Order> ordersOf(const CompiledPart *part, int kernels);

/// A legal mapping of a part before there is a program for it, on targets that make machine code: many of them can be
/// compared in the time that compiling a few takes. The program may turn out not to fit.
class Outline {
 public:
  virtual ~Outline() = default;
  /// As the compiled part's.
  virtual HostWork hostWork() const = 0;
  /// Cycles that no run is below, at once.
  virtual Cycles least() const = 0;
  /// A guess at a run on `values` (null: nothing is known of them), seldom far off; nothing where that
  /// takes a run. Makes one program for all mappings of a structure; `shared` holds what they have in common, made by
  /// the first that asks (so callers that want the same answers ask in one order).
  virtual std::optional<DeviceCost> likely(const kernel::DataSpec *values, Cache &shared) const = 0;
  /// Equal for mappings with one program, but for the number of threads.
  virtual std::string_view structure() const = 0;
  /// Points of the kernel that one unit has, and issue slots that they take if each takes one: threads may have to
  /// wait between two of theirs.
  virtual double slotsOfPoints() const = 0;
};

/// Costs of mappings before there are programs for them, of one part on one machine.
class LeastCosts {
 public:
  virtual ~LeastCosts() = default;
  /// What no run of it is below, in any of its parts; nothing: that takes its program. The mapping need not be legal.
  virtual std::optional<DeviceCost> of(const mapping::Mapping &mapping) const = 0;
};

/// A timeline of one unit, written while a run goes on.
class Timeline : public Observer {
 public:
  /// Writes what is left, the host's phases after the run, and ends the file. `report`: the run's. To be called once.
  /// Diagnostic: "unwritable-file".
  virtual Status finish(const Report &report) = 0;
};
/// Begins the file with the host's phases before the run.
using TimelineMaker = std::function<std::unique_ptr<Timeline>(std::ostream &out, const Breakdown &before)>;

/// What a program from a file runs on.
struct ProgramRequest {
  std::string file;                                  ///< its own; names of source files may be relative to its folder
  const program::Places *places = nullptr;           ///< where its commands stand, for messages
  std::vector<std::string> ins, outs;                ///< `--in`, `--out`
  std::int64_t launches = 1;                         ///< one after the other, on the memories that the last one left
  std::int64_t maxInstructions = 1'000'000'000'000;  ///< per launch
  bool isSimulation = false;                         ///< every command
};

/// What `compile --emit` can show of a target's programs.
struct Stages {
  std::string_view what;                ///< "commands", "machine code"
  std::vector<std::string_view> names;  ///< besides those of every target
};

/// Of mappings (Mapping::parameters).
using Parameters = std::map<std::string, std::int64_t>;

/// One machine family. `machine` has passed check(); graphs and machines outlive what is made from them.
class Target {
 public:
  virtual ~Target() = default;

  virtual std::string_view family() const = 0;
  /// What the device has many of and a run simulates one of.
  virtual SimulatedUnit unit() const = 0;
  /// What its engine counts.
  virtual const CountTable &counts() const = 0;
  /// Does the machine have the levels and sections that the family needs? Diagnostics: "wrong-levels",
  /// "missing-section".
  virtual Status check(const machine::Machine & /*machine*/) const { return okStatus(); }
  /// Does compiling make machine code? Its time is then reported as such, not as part of the evaluation; and the time
  /// of what it makes may depend on data (RunMode).
  virtual bool generatesCode() const { return false; }
  /// Extensions of mappings that choose something on it, of mapping::parameterNames(), "merge", "mode" and "part"; the
  /// others are errors (checkExtensions). `cyclic`, `order`, `tail` and `program` are for every target.
  virtual std::vector<std::string> extensions() const { return {}; }
  /// What `program=` of a mapping may name.
  virtual std::vector<mapping::ProgramKind> programs() const { return {mapping::ProgramKind::kReference}; }
  /// Variants a kernel may ask for besides "plain".
  virtual std::vector<std::string> variants() const { return {}; }
  virtual Stages stages() const = 0;
  /// Device memory there is for operands and results.
  virtual Bytes capacity(const machine::Machine &machine) const = 0;

  /// How many kernels from `first` on it wants to compile together.
  virtual int runLength(const kernel::Graph & /*graph*/, int /*first*/, const machine::Machine & /*machine*/) const {
    return 1;
  }
  /// Whether its units lack operations that kernels may have: where nothing is said, the host then runs what they
  /// cannot.
  virtual bool runsParts() const { return false; }
  /// The graph with kernels that it runs in part only as several, or nothing if there are none. `isFixed`, by kernel:
  /// stays as it is.
  virtual std::optional<kernel::Unrolled> divided(const kernel::Graph & /*graph*/, const machine::Machine & /*machine*/,
                                                  const std::vector<bool> & /*isFixed*/) const {
    return std::nullopt;
  }
  /// The mapping published results used, with `spec`'s extensions.
  virtual Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine,
                                             const mapping::MapSpec &spec, const Tools &tools) const = 0;
  /// The mappings that searches look at, best guesses first, where they are others than mapping::MappingSpace gives;
  /// empty: those. `spec`: what the user asked for besides.
  virtual std::vector<mapping::Mapping> mappings(const GraphPart & /*part*/, const machine::Machine & /*machine*/,
                                                 const mapping::MapSpec & /*spec*/, const Tools & /*tools*/) const {
    return {};
  }
  /// Parameters that tell a kernel's programs apart, one set for each: searches then look at every mapping of
  /// mapping::MappingSpace with each of them, after `mappings`. Empty: there is one program, or `mappings` has them.
  virtual std::vector<Parameters> alternatives(const GraphPart & /*part*/, const machine::Machine & /*machine*/,
                                               const mapping::MapSpec & /*spec*/) const {
    return {};
  }
  virtual Result<std::unique_ptr<CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &mapping,
                                                        const machine::Machine &machine, std::string_view variant,
                                                        const Tools &tools) const = 0;
  /// A mapping of the part before it is compiled; null: compiling tells as soon. Diagnostics: as of `compile`, as far
  /// as they show without a program.
  virtual Result<std::unique_ptr<Outline>> outline(const GraphPart & /*part*/, const mapping::Mapping & /*mapping*/,
                                                   const machine::Machine & /*machine*/,
                                                   const Tools & /*tools*/) const {
    return std::unique_ptr<Outline>();
  }
  /// Lower bounds without programs; null: there are none. What it names must outlive them.
  virtual std::unique_ptr<LeastCosts> leastCosts(const GraphPart & /*part*/,
                                                 const machine::Machine & /*machine*/) const {
    return nullptr;
  }
  /// Whether it runs such a program on a machine of any family.
  virtual bool runsAnywhere(const program::Program & /*program*/, const machine::Machine & /*machine*/) const {
    return false;
  }
  /// A program from a file; it outlives the result. Diagnostics: those of program::verify, and "unsupported-program".
  virtual Result<std::unique_ptr<Runnable>> load(const program::Program &program, const machine::Machine &machine,
                                                 const ProgramRequest &request) const = 0;
  /// A stage that needs no compiled program, of all kernels together (`compile --emit c`). Nothing: `stage` is none.
  virtual std::optional<Result<std::string>> emitSource(std::string_view /*stage*/, const Request & /*request*/) const {
    return std::nullopt;
  }
  /// What kernels of one program find on an idle machine, and leave to each other; null: nothing.
  virtual std::unique_ptr<Carried> idle(const GraphPart & /*all*/, const machine::Machine & /*machine*/) const {
    return nullptr;
  }
  /// Where each run goes, of runs one after the other from an idle machine (RunMode::place), and why. `runs[i]` may be
  /// null (the host's), and one part several runs.
  struct Step {
    int place = -1;
    std::string why;
  };
  virtual Result<std::vector<Step>> path(std::span<const CompiledPart *const> runs, const Carried & /*idle*/,
                                         const machine::Machine & /*machine*/, const RunMode & /*mode*/) const {
    return std::vector<Step>(runs.size());
  }
  /// A kernel of a program, as it is mapped so far.
  struct Member {
    GraphPart part;
    const CompiledPart *compiled = nullptr;
    std::size_t origin = 0;                  ///< the kernel that the user wrote
    const mapping::MapSpec *open = nullptr;  ///< what another mapping must have; null: it stays
  };
  /// Other mappings of a program's kernels.
  struct Together {
    std::vector<std::unique_ptr<CompiledPart>> instead;  ///< by member; null: it stays
    std::vector<std::string> why;                        ///< by member, where its mapping was looked at
    std::vector<TriedProgram> tried;                     ///< in the order in which they were run
  };
  /// Mappings chosen together by what the whole program takes, where kernels leave each other data (idle). `runs`:
  /// members in the order they run; null `compiled`: the host's.
  virtual Result<Together> together(std::span<const Member> /*members*/, std::span<const int> /*runs*/,
                                    const Carried & /*idle*/, const machine::Machine & /*machine*/,
                                    const RunMode & /*mode*/, const Tools & /*tools*/) const {
    return Together{};
  }
  /// A timeline of what runs one after the other. Diagnostics: "trace-virtual" (there is nothing to show),
  /// "trace-graph".
  virtual Result<TimelineMaker> timeline(const std::vector<const Runnable *> &runs,
                                         const machine::Machine &machine) const;
  /// For programs of a host. `isBridged`: one effect of computing in memory after the other is simulated, too.
  /// Diagnostic: "unsupported-target" (the machine has no core that runs them).
  virtual Result<std::unique_ptr<Profiler>> profiler(const machine::Machine &machine, bool isBridged) const;
  /// Hands the stream that it is given to `to`, as it is once memory computes its candidates. `to` outlives it, and
  /// blocks live as long as it does. Diagnostics: as profiler()'s.
  virtual Result<std::unique_ptr<trace::Consumer>> reshaper(const machine::Machine &machine, trace::Consumer &to) const;
  /// Hands the stream that it is given to `to`, instruction by instruction, as it is once memory computes its
  /// candidates, and what becomes of lines in caches. `machine` and `to` outlive it. Diagnostics: as profiler()'s.
  virtual Result<std::unique_ptr<trace::Consumer>> execution(const machine::Machine &machine,
                                                             trace::Executor &to) const;
  /// Stages of programs of a host (`compile --emit trace`), and who writes one, line by line.
  virtual std::span<const std::string_view> programStages() const { return {}; }
  virtual Result<std::unique_ptr<trace::Consumer>> stageWriter(std::string_view stage, const machine::Machine &machine,
                                                               std::function<void(std::string_view)> write) const;
  /// Reference points that its machines are validated with.
  virtual std::vector<Suite> suites() const;
};

using Targets = std::vector<const Target *>;

/// Has the target the program and the choices that the mapping names? Diagnostics: "unsupported-program",
/// "unsupported-extension", where the mapping's text has them.
Status checkExtensions(const Target &target, const machine::Machine &machine, const mapping::Mapping &mapping);

}  // namespace pimento::evaluate
