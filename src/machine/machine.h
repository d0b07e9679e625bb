// Where a kernel runs: one machine file, read, checked and given types.
//
// A machine file (machines/*.yaml) is data only: organisation, commands, timing constraints, modes, controller
// policies, energy and host. Every number carries its unit, source and confidence; `extends` layers a small file on
// top of another; `--set PATH=VALUE` overrides one number. Constraints follow Ramulator 2's idea that a DRAM
// standard is a table (level, preceding commands, following commands, latency, window). No hardware number lives in
// C++.
//
// Not here: what the numbers mean for time (`sim`) or energy (`energy`), and which kernels fit (`mapping`, `lower`).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/base/units.h"

namespace pimento::machine {

enum class Confidence : std::uint8_t { kMeasured, kDatasheet, kPaper, kAssumed };
std::string_view name(Confidence c);

/// One number of a machine file. `path` is its dotted place ("timing.tRP", "energy.act_pre").
struct Number {
  std::string path;
  double value = 0;
  std::string unit;  ///< as written: "cycle", "ns", "pJ/bit", "GB/s", "mW", "count", ...
  std::string source;
  Confidence confidence = Confidence::kAssumed;
  std::optional<double> low, high;  ///< range where sources disagree, same unit
  Location where;
  bool overridden = false;  ///< by --set
  double canonical = 0;     ///< value in the first unit that schema() names for it, so "1 KiB" is 1024
  std::string canonicalUnit;
  std::string formula;  ///< derived numbers: the formula as written; source is that of the formula
};

/// One level of the compute hierarchy, outermost first. Mapping vectors have one tuple per level plus the range.
struct Level {
  std::string name;              ///< "channel", "block", "lane"; "rank", "dpu", "tasklet"
  std::int64_t count = 1;        ///< instances inside one instance of the level above
  bool splitsReduction = false;  ///< partial results of this level can be merged (by `merge`)
  std::string merge;             ///< who merges them: "host", ...; empty if none
  bool mustFill = false;  ///< all instances work in lock step; a mapping must name them all (idle ones are padding)
};

/// How a DRAM device is built. Sizes are per channel unless said.
struct Organization {
  std::int64_t channels = 1, ranks = 1, bankGroups = 1, banksPerGroup = 1;  ///< banksPerGroup: per bank group
  std::int64_t rows = 0, columns = 0;                                       ///< columns: bursts per row
  Bytes burst;                                                              ///< bytes one column command moves
  struct Field {
    std::string name;  ///< "offset" "channel" "bank" "bankgroup" "column" "row" "rank"
    int bits = 0;      ///< "channel": log2 of `channels`, whatever the file says with bits: auto
  };
  std::vector<Field> addressMap;  ///< least significant first

  std::int64_t banks() const { return bankGroups * banksPerGroup; }  ///< per rank
};

enum class CommandKind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh };

/// A command the device knows. `scope` is the level it acts on ("bank", "rank").
struct Command {
  std::string name;  ///< "ACT" "PRE" "RD" "WR" "REF"
  CommandKind kind = CommandKind::kRead;
  std::string scope;
};

enum class ScopeLevel : std::uint8_t { kChannel, kRank, kBankGroup, kBank };

/// After any of `preceding` at a node of `level`, each of `following` at the same node waits `latency`. With a
/// `window` of n > 1 the latency counts from the n-th last preceding command (tFAW). Indices into commands.
struct TimingConstraint {
  ScopeLevel level = ScopeLevel::kBank;
  std::vector<int> preceding, following;
  Cycles latency;
  int window = 1;
  std::string formula;    ///< as written: "RL + BL/2 + tRTRS - WL"
  std::string name = {};  ///< its key in the file: "read_write"; empty where no file stands behind it
};

/// Mode of an HBM-PIM device: single bank, all bank, all bank with PIM execution.
enum class PimMode : std::uint8_t { kSingleBank, kAllBank, kAllBankPim };

/// The device changes from `from` to `to` once `command` for `row` has arrived at every bank of `banks`.
/// For writes to the control register, `column` and `value` (byte 0) must match as well.
struct ModeRule {
  PimMode from = PimMode::kSingleBank, to = PimMode::kAllBank;
  CommandKind command = CommandKind::kActivate;
  std::int64_t row = 0;
  std::vector<int> banks;
  std::optional<std::int64_t> column, value;
};

/// Named policies of a DRAM controller, each a choice the engine implements.
struct Controller {
  std::int64_t transactionQueue = 64, commandQueue = 64;
  std::string scheduler;                 ///< "fr-fcfs-barrier"
  std::string prechargePolicy;           ///< "eager" (close rows the current barrier group does not need) | "conflict"
  std::string refreshPolicy;             ///< "single-slot" (one pending rank per channel) | "per-rank" | "none"
  bool refreshWaitsForPrecharge = true;  ///< REF waits until precharged banks are idle (tRP)
  bool losesBarrierOnFullQueue = false;  ///< a barrier on an exactly full transaction queue is dropped
  Cycles fence;                          ///< cycles a barrier costs the host before it sends the next group
  Cycles commandLatency;                 ///< issue to arrival at the device (tCMD)
};

/// The PIM unit beside the banks (HBM-PIM; ISCA 2021, section III).
struct PimUnit {
  std::int64_t blocks = 0, lanes = 0, banksPerBlock = 0;  ///< blocks per rank
  std::int64_t grfEntries = 0;                            ///< entries of GRF_A and of GRF_B, one burst each
  std::int64_t srfEntries = 0;                            ///< scalars of SRF_M and of SRF_A
  std::int64_t crfWords = 0;
  DType type = DType::kF16;
  std::int64_t pimRanks = 1;  ///< ranks per channel with units (the first ones)
  /// Rows at or above this one are control or parking rows, never data.
  std::int64_t firstControlRow = 0;
  std::map<std::string, std::int64_t> rows;     ///< "park" "enter_all_bank" "leave_all_bank" "registers"
  std::map<std::string, std::int64_t> columns;  ///< "mode" "control" "srf" "crf" "grf_a" "grf_b"
  std::vector<ModeRule> modeRules;
};

/// Everything the `dram` engine needs; present on DRAM-based machines.
struct Dram {
  Organization organization;
  std::vector<Command> commands;
  std::vector<TimingConstraint> constraints;
  Controller controller;
  Cycles readLatency, writeLatency;     ///< issue to completion, data included
  Cycles prechargeTime;                 ///< tRP: bank idle again
  Cycles refreshInterval, refreshTime;  ///< tREFI, tRFC

  int commandNamed(std::string_view name) const;  ///< index, or -1
};

/// A DPU: a multithreaded core beside a DRAM bank (UPMEM). Everything the `dpu` engine needs.
struct Dpu {
  std::int64_t maxTasklets = 24, atomicBits = 256;
  std::int64_t instructions = 4096;  ///< that IRAM holds
  Bytes wram, mram;
  Cycles issueInterval;  ///< from one instruction of a tasklet to its next
  /// A unit for 32-bit products, pipelined: from such a product to the tasklet's next instruction. 0: none.
  Cycles multiplier;
  /// One DMA transfer of `size` bytes, in device cycles: `latency` of a lone one, from the issue of its instruction to
  /// the issue of the tasklet's next; `occupancy`: from one transfer to the next when the engine never waits.
  struct Transfer {
    Bytes size;
    double latency = 0, occupancy = 0;
  };
  std::vector<Transfer> reads, writes;  ///< MRAM to WRAM, WRAM to MRAM; by ascending size; between them: interpolated
  Bytes transferUnit, transferMax;      ///< sizes and addresses are multiples of the unit
  std::int64_t ticksPerCycle = 1;       ///< resolution of DMA times; table values are rounded to it
  /// MRAM is refreshed for `refreshTime` every `refreshInterval`; a transfer under way pauses. Table values are those
  /// of transfers that are not interrupted. Interval 0: no refresh.
  Cycles refreshInterval, refreshTime;
  std::int64_t transferPorts = 1;       ///< transfers under way at once
  std::string registerHazard = "none";  ///< "none" | "even-odd" (uPIMulator's operand-fetch penalty; hardware: none)
  std::string mramModel = "table";      ///< "table" | "constant" | "dram-rows"
  double constantTransfer = 0;          ///< "constant": any transfer takes so many device cycles, its port included
  /// "dram-rows" in place of the tables: a transfer takes `overhead`, a `column` per access of `columnBytes`, and
  /// `rowMiss` whenever it enters a row that is not open; nothing of it overlaps with the next. Device cycles.
  struct Rows {
    Bytes rowBytes, columnBytes;
    double overhead = 0, column = 0, rowMiss = 0;
  };
  Rows rows;
};

/// How a unit of a compute-near-memory machine executes virtual instructions (CoMoNM section V-A: compute engine and
/// memory engine). Times are device cycles.
struct Compute {
  enum class Mode : std::uint8_t {
    kPipeline,  ///< threads take turns in one pipeline: one instruction of any of them per cycle
    kVector,    ///< threads are lanes in lock step: one instruction at a time, for all of them
  } mode = Mode::kPipeline;
  std::int64_t threads = 1;
  Cycles issueInterval = Cycles(1);  ///< from one issue slot of a thread (of the vector) to its next
  /// What an operation costs on some types.
  struct Operation {
    std::string name;  ///< its key in the file
    std::vector<std::string> operations;
    std::vector<DType> types;
    std::int64_t slots = 1;  ///< issue slots
    Cycles latency;          ///< from its last slot to the thread's next; below the issue interval: that
  };
  std::vector<Operation> operations;
  std::int64_t loopSlots = 0;  ///< of an iteration of a loop: counter, branch

  /// Null where the machine cannot do it.
  const Operation *costOf(std::string_view operation, DType type) const;
};

/// The DRAM bank of a unit, and its scratchpad if it has one.
struct UnitMemory {
  Bytes size;               ///< of the bank
  bool isBlocking = false;  ///< nothing issues while an access is under way; else only the thread that asked waits
  std::int64_t ports = 1;   ///< accesses at a time
  Bytes unit, largest;      ///< sizes are multiples of the unit; longer accesses are split
  std::int64_t ticksPerCycle = 1;
  std::vector<Dpu::Transfer> reads, writes;
  Cycles refreshInterval, refreshTime;  ///< as Dpu's
  Bytes scratchpad;                     ///< 0: there is none, registers are loaded from the bank
  std::int64_t scratchpadSlots = 1;     ///< issue slots of a LOAD or STORE there
};

class Expression;

/// One priced action: `energy` per unit of the count that `action` gives. Background terms are powers. Source and
/// confidence stand in Machine::numbers["energy.NAME"].
struct EnergyTerm {
  std::string name;    ///< "act_pre", "segment_cell", "standby_stack", ...
  std::string action;  ///< formula over action counts (energy/actions.h) and numbers of the file; "time": background
  std::shared_ptr<const Expression> formula;  ///< `action` as the loader parsed it; null: nobody has yet
  std::string component;                      ///< "pim", "dram", "host", "link"
  Picojoules energy;                          ///< per action; background: pJ per ns (= mW)
  Picojoules low, high;                       ///< range of sources; equal to `energy` where they agree
  bool isBackground = false;
  std::int64_t instances = 1;  ///< background: how many of what `energy` is the power of (stacks, channels)
  std::string covers;          ///< what one unit covers, in words
};

/// How a host moves data to and from many DPUs, and launches them.
struct DpuLink {
  struct Rate {
    std::int64_t dpus = 1;
    double gbps = 0;  ///< 10^9 bytes per s
  };
  /// All DPUs of a rank at once, equally much each; by ascending DPUs. Ranks add up, to the limit.
  std::vector<Rate> write, read;
  double writeLimitGBps = 0, readLimitGBps = 0;
  double serialWriteGBps = 0, serialReadGBps = 0;  ///< DPU after DPU
  double broadcastGBps = 0;                        ///< one copy for all, bytes counted for each
  Picoseconds writeLatency, readLatency;           ///< of a phase of transfers
  Picoseconds launch;                              ///< of one launch of all DPUs, and of learning that they are done

  /// GB/s of `dpus` DPUs in `ranks` ranks together: `rates` interpolated in the logarithms of both, times the ranks, at
  /// most `limit` (0: none).
  static double rateOf(const std::vector<Rate> &rates, double limit, std::int64_t dpus, std::int64_t ranks);
};

/// The host beside the device, and the link between them.
struct Host {
  double linkGBps = 0;                             ///< device link, all channels together (10^9 bytes per s)
  double writeEfficiency = 1, readEfficiency = 1;  ///< share of it that placement and read-back reach
  Picoseconds linkLatency;                         ///< per transfer phase
  double memoryGBps = 0;                           ///< host memory bandwidth (rearranging)
  double mergeGops = 0;         ///< additions per ns (giga-operations per s) when merging partial results
  double peakGflops = 0;        ///< roofline for the same kernel on the host, kernel's type
  std::optional<DpuLink> dpus;  ///< of machines with DPUs
  std::string name;             ///< which host
};

/// A machine, as typed data plus the provenance of every number.
struct Machine {
  std::string name;                ///< "hbm-pim"
  std::string family;              ///< which lowering serves it: "hbm-pim", "upmem", ...
  std::string about;               ///< what the preset is and is not
  std::vector<std::string> notes;  ///< caveats that every report repeats
  DType nativeType = DType::kF16;
  double clockGHz = 1;  ///< of the device cycle
  std::vector<Level> levels;
  std::optional<Dram> dram;
  std::optional<PimUnit> pim;
  std::optional<Dpu> dpu;
  std::optional<Compute> compute;  ///< of machines that run virtual instructions; then `unitMemory` is there too
  std::optional<UnitMemory> unitMemory;
  std::vector<EnergyTerm> energy;
  std::string energyCovers;  ///< the chips a total covers
  Host host;
  std::map<std::string, Number> numbers;       ///< by path, every number of the file, formulas evaluated
  std::map<std::string, std::string> aliases;  ///< short names for --set: "channels" = "organization.channels"

  Picoseconds toTime(Cycles c) const { return Picoseconds(static_cast<double>(c.value) * 1000.0 / clockGHz); }
};

/// `--set PATH=VALUE`, in order. PATH may be an alias ("channels", "ranks") or a full path; VALUE may carry a unit.
struct Override {
  std::string path, value;
};

/// Reads a machine file. `nameOrFile`: a preset name, looked up in `searchPath` (folders), or a path ending in .yaml.
/// Diagnostics: unknown preset (did you mean), unreadable file, YAML syntax, unknown or missing keys, bare numbers,
/// wrong or missing units, missing source or confidence, impossible values (ranges, powers of two, tRC < tRAS + tRP),
/// bad overrides. All with location and hint; as many as can be found in one go.
Result<Machine> loadMachine(std::string_view nameOrFile, const std::vector<std::string> &searchPath,
                            const std::vector<Override> &overrides = {});

/// Same from text in memory (`file` names it in messages; `extends` is looked up in `searchPath`).
Result<Machine> parseMachine(std::string_view yaml, std::string_view file, const std::vector<std::string> &searchPath,
                             const std::vector<Override> &overrides = {});

/// Preset names found in `searchPath`, sorted.
std::vector<std::string> listMachines(const std::vector<std::string> &searchPath);

/// What may stand at a place of a machine file.
enum class ValueKind : std::uint8_t {
  kSection,  ///< a mapping of the rows below it
  kText,
  kFlag,      ///< true or false
  kChoice,    ///< one of `choices`
  kDType,     ///< an element type
  kTextList,  ///< texts, of `choices` where there are any
  kNumber,    ///< "14 cycle", or {value: 14 cycle, range: [a, b], source: ..., confidence: ...}
  kFormula,   ///< a number, or an integer formula over names of `timing` and paths of other numbers
  kNumbers,   ///< several numbers and one unit: "0 1 8 9 bank"
};

/// The schema as rows: what the loader checks and the docs print. In `path`, `*` stands for a name the file chooses;
/// rows under `**.` may stand anywhere. Required means: where the mapping around it is present.
struct SchemaRow {
  std::string path;
  ValueKind kind = ValueKind::kSection;
  std::string unit;  ///< numbers: accepted units, the canonical one first: "cycle|ns"
  std::string meaning;
  bool isRequired = false;
  double low = 0, high = 0;  ///< numbers: bounds in the canonical unit
  bool isInteger = false;
  std::vector<std::string> choices;
};
const std::vector<SchemaRow> &schema();

/// The machine as text, with source and confidence of every number (`pimento targets NAME`).
std::string printMachine(const Machine &machine);

}  // namespace pimento::machine
