// The one result object; every view (table, JSON, timeline, HTML, explanations) derives from it.
//
// Keys and meanings are the contract's (JSON of `estimate` / `simulate`). A report is a list of stages, a stage a list
// of phases, one after the other; totals and breakdowns are their sums and stand nowhere else. `wallUs` and `compileUs`
// are the only fields that may differ between two runs of one input.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/base/integer.h"
#include "pimento/base/units.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/attribution.h"
#include "pimento/evaluate/choices.h"

namespace pimento::evaluate {

/// What a phase of a run counts to: a key of `breakdown`. `kCompute` is the device kernel alone, mode changes included;
/// `kLaunch` what it costs the host to start it and to learn that it is done; `kHost` kernels that stay on the host.
enum class Part : std::uint8_t {
  kTransferIn,
  kRearrangeIn,
  kLaunch,
  kCompute,
  kMerge,
  kRearrangeOut,
  kTransferOut,
  kHost,
};

/// How views show a part. The one list of parts, in the order of the JSON; views follow from it.
struct PartInfo {
  Part part;
  std::string_view key;    ///< "transfer_in"
  std::string_view title;  ///< "transfer in"
  bool isOptional;         ///< tables leave it out where it is 0
  std::uint8_t place;      ///< among the parts, in the order of a run
  std::uint8_t series;     ///< of charts: the number of its colour, the same in all of them
};
inline constexpr std::array<PartInfo, 8> kParts = {
    {{Part::kTransferIn, "transfer_in", "transfer in", false, 1, 1},
     {Part::kRearrangeIn, "rearrange_in", "rearrange in", false, 0, 2},
     {Part::kLaunch, "launch", "launch", true, 2, 7},
     {Part::kCompute, "compute", "compute", false, 3, 0},
     {Part::kMerge, "merge", "merge", false, 5, 5},
     {Part::kRearrangeOut, "rearrange_out", "rearrange out", false, 6, 6},
     {Part::kTransferOut, "transfer_out", "transfer out", false, 4, 4},
     {Part::kHost, "host", "on the host", true, 7, 3}}};
/// The same in the order of a run.
inline constexpr auto kRunOrder = [] {
  auto parts = kParts;
  std::ranges::sort(parts, {}, &PartInfo::place);
  return parts;
}();

constexpr const PartInfo &infoOf(Part p) {
  return kParts[static_cast<std::size_t>(p)];
}

/// One value for each part.
template <typename T>
class ByPart {
 public:
  T &operator[](Part p) { return values_[static_cast<std::size_t>(p)]; }
  const T &operator[](Part p) const { return values_[static_cast<std::size_t>(p)]; }
  /// In the order of kParts.
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::array<T, kParts.size()> values_{};
};

/// Device cycles per part of a run.
class Breakdown : public ByPart<Cycles> {
 public:
  Cycles total() const {
    Cycles sum;
    for (const PartInfo &p : kParts) sum += (*this)[p.part];
    return sum;
  }
  Breakdown &operator+=(const Breakdown &o) {
    for (const PartInfo &p : kParts) (*this)[p.part] += o[p.part];
    return *this;
  }
  Breakdown times(std::int64_t n) const {
    Breakdown all;
    for (const PartInfo &p : kParts) all[p.part] = Cycles(multiplySaturated((*this)[p.part].value, n));
    return all;
  }
};

/// A named step of a run.
struct Phase {
  std::string name;              ///< "transfer in"; of a graph "dense: transfer in"
  Part part = Part::kCompute;    ///< that it counts to
  Cycles cycles;                 ///< of `clock`
  std::string clock = "device";  ///< a clock of the machine
  Cycles counted;                ///< the same in device cycles, which breakdowns and totals count
  Picoseconds time;
  std::int64_t commands = 0;  ///< requests of the program in it, where it tells its phases apart; device totals
};
/// Adds phases of another run to those of a stage, in the order of a run; those of one name are one.
void addPhases(std::vector<Phase> &sum, const std::vector<Phase> &more);

/// What a device has many of and a run simulates one or some of. A value of the target's.
struct SimulatedUnit {
  std::string_view singular, plural;  ///< "DPU", "DPUs"
  std::string_view key;               ///< of keys of results: "dpus" in "dpus_simulated"
  std::string_view count = {};  ///< path of the machine's number of them, where it has one: "organization.channels"

  std::string simulatedKey() const { return std::string(key) + "_simulated"; }
  std::string identicalKey() const { return std::string(key) + "_identical"; }
};

enum class Exactness : std::uint8_t { kSimulated, kFastForwarded, kSampled, kExtrapolated };

/// A 99 % (say) confidence interval of the cycles, for sampled results.
struct Interval {
  double level = 0.99;
  Cycles low, high;
};

/// How a search chose a mapping, and what it proved.
struct MappingChoice {
  Objective objective = Objective::kTime;
  std::int64_t space = 0;                             ///< legal mappings that it looked at
  bool isWholeSpace = true;                           ///< there are no more
  std::int64_t estimated = 0, bounded = 0, open = 0;  ///< of them
  double gap = 0;          ///< none of them is better by more than this part of what the chosen one costs
  bool isSampled = false;  ///< by times that samples gave: nothing is proved of the times themselves

  bool isOptimal() const { return gap == 0 && !isSampled; }
};

/// One kernel of a graph and what ran where.
struct Stage {
  std::string kernel;
  std::size_t origin = 0;  ///< the kernel that the user wrote: rounds of one loop may be several stages
  bool isOnHost = false;
  std::string why;                      ///< why it stays on the host; empty on the device
  std::string where, whereWhy;          ///< on the device, where kernels have a choice: "near L3"
  std::string mapping;                  ///< empty on the host
  std::string mappingWhy;               ///< who chose the mapping, and among how many; empty on the host
  std::string unchecked;                ///< why its program computes no answer that could be checked; empty: it does
  std::optional<MappingChoice> choice;  ///< where a search chose it
  std::int64_t runs = 1;                ///< rounds of loops that are alike; everything below is of all of them
  Cycles cycles;                        ///< of the device kernel
  std::vector<Phase> phases;
  Picojoules energy;  ///< dynamic, and background while it runs
  std::int64_t operations = 0;
  Bytes bytes;                            ///< that the kernel touches in memory, each once
  Cycles hostCycles;                      ///< were it to run on the host: its roofline
  std::optional<Cycles> offloadedCycles;  ///< were it to run on the device, host work included; nothing if it cannot

  Breakdown breakdown() const {
    Breakdown b;
    for (const Phase &p : phases) b[p.part] += p.counted;
    return b;
  }
};

/// The rounds of a kernel that ran on one side for one reason, as one stage.
struct StageGroup {
  Stage all;                         ///< sums; a mapping only where all have the same
  std::vector<std::size_t> members;  ///< among the stages
};

/// What a program left in a place of its memory that the user asked for.
struct Readout {
  std::string place;  ///< as asked for: "result:u32[8]"
  DType type = DType::kU8;
  std::vector<std::byte> bytes;
};

/// What a program from a file left beside its time.
struct ProgramOutcome {
  std::optional<Attribution> profile;
  std::string log;  ///< what it printed
  std::vector<Readout> readouts;
  std::optional<Diagnostic> fault;  ///< the run ended early; the rest is of what happened up to there
};

/// The text of the kernel, compiled for this machine and run on the same data, agrees with the answer.
struct CheckedText {
  std::string language;     ///< "C"
  bool isBitForBit = true;  ///< else within the a-priori error bound
};

/// How far the elements of one tensor of a converted graph lie from the original's. NaN equals NaN, an infinity itself.
struct NumericError {
  std::string tensor;
  std::int64_t elements = 0;
  double largest = 0;          ///< |converted - original|
  std::string where;           ///< of it: "y[3, 0]"; empty: all are equal
  double largestRelative = 0;  ///< |converted - original| / |original|, elements of which the original is 0 left out
  std::string relativeWhere;
  double mean = 0;        ///< of |converted - original|
  double magnitude = 0;   ///< largest |original|
  std::int64_t lost = 0;  ///< finite in the original alone, or there alone not; in none of the above
  std::string lostWhere;  ///< the first of them
};

/// `--convert`: the types that were changed, and what that did to the results.
struct Conversion {
  std::string rules;                                   ///< "f32=f16"
  std::vector<std::pair<std::string, double>> scales;  ///< by tensor, of quantised ones
  std::vector<NumericError> errors;                    ///< by output; empty: not computed
  std::string whyNot;                                  ///< why it was not computed

  /// Of all outputs together.
  NumericError overall() const;
};

struct Report {
  std::string kernel;
  std::map<std::string, std::int64_t> sizes;
  std::string dtype, target, mapping;
  Cycles cycles, cyclesSimulated;
  double timeNs = 0;  ///< of total_cycles
  Exactness exact = Exactness::kSimulated;
  std::optional<Interval> interval;
  Cycles setup;                       ///< placing constants of the graph before the first run; in no total
  energy::EnergyReport setupEnergy;   ///< of that
  energy::EnergyReport energy;        ///< of the whole run, host included
  energy::EnergyReport kernelEnergy;  ///< of the device kernel alone: its actions, and background power while it runs
  std::map<std::string, std::int64_t> counts;
  /// Of chips with a network: flit-hops by class, and bits moved inside arrays, between them, and over the network.
  std::map<std::string, std::int64_t> traffic;
  bool isChecked = false;
  bool isWithinRounding = false;           ///< some results were held against exact values (CompiledPart::mayReorder)
  std::optional<CheckedText> checkedText;  ///< beside the interpreter
  std::optional<Conversion> conversion;    ///< of a kernel in other types than its own
  SimulatedUnit unit;
  /// How many ran, for how many identical ones they stand.
  std::int64_t unitsSimulated = 1, unitsIdentical = 1;
  std::vector<Stage> stages;
  std::int64_t wallUs = 0, compileUs = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< what the user may want to know or try; nothing is wrong
  /// False: a program from a file, with no kernel behind it that says what the answer is.
  bool hasKernel = true;
  ProgramOutcome outcome;           ///< of programs from files
  std::vector<TriedProgram> tried;  ///< where mappings of all kernels were chosen together

  /// Of the cycles that `breakdown` counts.
  double nsPerCycle() const {
    const auto total = static_cast<double>(breakdown().total().value);
    return total > 0 ? timeNs / total : 0;
  }
  /// What views show: stages in the order of their first rounds.
  std::vector<StageGroup> byKernel() const;
  Breakdown breakdown() const {
    Breakdown b;
    for (const Stage &s : stages) b += s.breakdown();
    return b;
  }
};

/// Of all groups, one after the other; of several, each with its kernel's name in front.
std::vector<Phase> phases(const std::vector<StageGroup> &groups);

/// What the answer was held against: "C, bit for bit", "C, within the error bound", "interpreter"; empty: nothing.
std::string checkedAgainst(const Report &report);

}  // namespace pimento::evaluate
