// What the page shows, read back from JSON: one structure per kind of result.
//
// The keys' meanings are those of docs/cli.md; what is optional here is missing in older results. Quantities are plain
// doubles in the unit that the key's name says, since that is all that JSON keeps of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pimento/emit/html/node.h"
#include "pimento/emit/html/text.h"
#include "pimento/search/search.h"

namespace pimento::emit::html {

/// A key and a value, in the order in which they are shown.
using Amounts = std::vector<std::pair<std::string, double>>;

/// Parts of a time, in cycles, by their keys ("transfer_in"); all that a result has, in the order of a run.
struct Parts {
  Amounts parts;

  double total() const;
  double of(std::string_view key) const;
};

/// What a run was: its verb, its data, and the command line that repeats it.
struct Run {
  std::string verb, data;
  std::vector<std::string> command;  ///< its words
};

/// One kernel of a graph.
struct StageResult {
  std::string kernel, where, why, mapping;
  double cycles = 0, totalCycles = 0, repeat = 1;
  std::optional<double> timeNs, energyPj;
  Parts parts;
};

/// One priced term.
struct EnergyTerm {
  std::string name, component, formula, unit, source, confidence;
  bool isBackground = false;
  double pj = 0, low = 0, high = 0, count = 0, unitCost = 0;
};

struct EnergyComponent {
  std::string name;
  double pj = 0, dynamic = 0, background = 0;
};

/// Where a machine-code program spent what: amounts by column.
struct Profile {
  struct Column {
    std::string key, title;
    bool isCycles = false, showsAmount = true, showsShare = false;
    double total = 0;  ///< of all functions
  };
  struct Row {
    std::string function, file, text;
    double line = 0;
    std::vector<double> amounts;
  };
  std::vector<Column> columns;
  std::vector<Row> functions, lines;
  std::string about;
};

/// What a device has many of, in words: "channel", "channels". Empty where a result does not say.
struct UnitResult {
  std::string singular, plural;
  double simulated = 1, identical = 1;

  bool isMany() const { return simulated > 1 || identical > 1; }
};

/// A named step of a run.
struct PhaseResult {
  std::string name, clock, part;
  double cycles = 0, ns = 0;
};

/// How far results lie from those of the kernel in its own types.
struct ErrorResult {
  std::string tensor, where, relativeWhere, lostWhere;  ///< no tensor: of all together
  double elements = 0, largest = 0, largestRelative = 0, mean = 0, magnitude = 0, lost = 0;
};

/// A kernel in other types than its own.
struct ConversionResult {
  std::string rules, whyNot;
  Amounts scales;
  std::vector<ErrorResult> errors;  ///< all together, then by tensor; empty: not computed
};

/// estimate, simulate.
struct ReportResult {
  std::string kernel, dtype, target, mapping, exact, energyNote, energyCovers;
  Amounts sizes, counts;
  double cycles = 0, totalCycles = 0, cyclesSimulated = 0, timeNs = 0;
  double energyPj = 0, energyLow = 0, energyHigh = 0;
  std::optional<double> energyKernelPj, energyKernelLow, energyKernelHigh;
  double setupCycles = 0, setupEnergyPj = 0;
  std::optional<double> intervalLow, intervalHigh, intervalLevel;
  Parts parts;
  std::vector<PhaseResult> phases;
  std::vector<EnergyTerm> terms;
  std::vector<EnergyComponent> components;
  bool isChecked = false;
  std::string checkedAgainst;  ///< may be empty
  UnitResult unit;
  std::optional<ConversionResult> conversion;
  std::vector<StageResult> stages;
  std::optional<Run> run;
  std::vector<std::string> warnings;
  Profile profile;  ///< of machine-code programs
  std::string log, fault;
  std::vector<std::pair<std::string, std::vector<std::string>>> outputs;  ///< place and values
};

/// One target of a comparison.
struct ComparedTarget {
  std::string target, error;
  std::optional<ReportResult> report;
};

struct CompareResult {
  std::vector<ComparedTarget> rows;
};

/// One kernel of a validation suite.
struct SuiteKernel {
  std::string name, worstRow;
  double rows = 0, exact = 0, meanPct = 0, worstPct = 0, within15Pct = 0;
};

/// How several ranks shared the work of a command (cluster::Sharing).
struct RankShares {
  double ranks = 1, lost = 0, jobs = 1, tasks = 0, chunks = 0, seconds = 0, idleShare = 0, messageShare = 0;
  std::vector<double> busy;  ///< by rank: share of its time
};

struct ValidateResult {
  std::string suite;
  double points = 0;
  std::vector<SuiteKernel> kernels;
  std::vector<std::string> warnings;
  std::optional<RankShares> sharing;
};

/// One candidate of an exploration: a mapping, or a choice of swept numbers.
struct Candidate {
  std::vector<std::string> swept;  ///< one value per swept path
  std::string mapping, how, error;
  std::optional<std::size_t> like;  ///< the row with the same numbers, or with better ones than the bounds
  std::optional<double> cycles, totalCycles, timeNs, energyPj, energyKernelPj;

  /// Whether its numbers are lower bounds.
  bool isBounded() const { return how == "bounded" || how == "open"; }
  /// Whether its numbers are its own: computed, or equal to those of another candidate.
  bool isKnown() const { return timeNs && energyPj && !isBounded() && how != "illegal" && error.empty(); }
};

/// The best candidate by one measure.
struct Best {
  std::size_t row = 0;
  std::optional<bool> isChecked;
};

struct ExploreResult {
  bool isSweep = false;
  std::string kernel, dtype, target;
  Amounts sizes;
  std::optional<double> space, explored, estimated, equal, bounded, illegal, open, seconds;
  std::optional<search::Proof> proof;
  std::vector<std::pair<std::string, std::vector<std::string>>> sweep;  ///< path and values
  std::vector<Candidate> rows;
  std::vector<std::size_t> pareto;
  std::optional<Best> bestTime, bestEnergy;
  std::optional<Candidate> reference;
  std::optional<Run> run;
  std::vector<std::string> warnings;
  std::vector<ExploreResult> kernels;  ///< of a graph of several: rows and what was found, kernel by kernel
  std::string mapTime, mapEnergy;      ///< of a graph of several: the best of all together
  std::optional<RankShares> sharing;
};

/// The best mapping of one kernel.
struct TunedResult {
  std::string kernel, stop;
  double gap = 0;
  Amounts drafts;  ///< by what became of them; "all" first
  Candidate winner;
  std::optional<Candidate> reference;
  std::vector<Candidate> front;
};

/// tune.
struct TuneResult {
  std::string objective, kernel, dtype, target, space, map, store;
  Amounts sizes;
  std::vector<TunedResult> kernels;
  double timeNs = 0, energyPj = 0;  ///< of all together
  bool isChecked = false;
  std::optional<double> seconds;
  std::optional<Run> run;
  std::vector<std::string> warnings;
  std::optional<RankShares> sharing;
};

/// A bar of a drawn figure, or a row of a spread.
struct FigureRow {
  std::string label, note;
  std::size_t series = 0;
  double value = 0;
  std::optional<double> low, high;
  std::vector<double> values;
  struct Part {
    std::string label;
    std::size_t series = 0;
    double value = 0;
  };
  std::vector<Part> parts = {};  ///< of a bar, one behind the other; `value` is their sum
};

struct FigureTable {
  std::string caption;
  struct Column {
    std::string name;
    bool isNumber = false;
    Quantity quantity = Quantity::kPlain;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::variant<std::monostate, double, std::string>>> rows;
};

/// What a script put together from results: a chart with its story and tables (docs/reports.md).
struct FigureResult {
  std::string kind = "figure";  ///< of the section
  std::string name, title, about, command;
  std::vector<std::string> text, notes;
  std::string axis, range, lineName;
  Quantity quantity = Quantity::kPlain;
  std::vector<std::string> series;
  std::vector<FigureRow> bars, spread;  ///< one of the two at most
  std::optional<double> line;
  std::vector<FigureTable> tables;
  std::optional<Run> run;             ///< of results that the tool itself gives
  std::vector<std::string> warnings;  ///< likewise
};

// Each says what is missing or wrong in the node's list of problems; the value is whole only if there are none.
ReportResult readReport(const Node &node);
CompareResult readCompare(const Node &node);
ValidateResult readValidate(const Node &node);
ExploreResult readExplore(const Node &node);
TuneResult readTune(const Node &node);
FigureResult readFigure(const Node &node);
/// llm, serve.
FigureResult readLlm(const Node &node);
FigureResult readServe(const Node &node);

/// A mapping with its costs, as an object; what it is called where it does not say: `name`.
Candidate readCandidate(const Node &node, std::string_view name);
/// The options of a run; `run` of a result.
std::optional<Run> readRun(const Node &result);
/// How ranks shared it; `ranks` of a result.
std::optional<RankShares> readRanks(const Node &result);
/// The members of an object of amounts.
Amounts readAmounts(const Node &node);
/// The parts of a time, in the order of a run; parts that are not known last.
Parts readParts(const Node &node);

}  // namespace pimento::emit::html
