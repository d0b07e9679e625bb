// What a user asks for, as the command line, the C API and tests state it.
//
// Strings are kept as given; driver functions parse them, so that every face gives the same diagnostics.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/machine/machine.h"

namespace pimento::cluster {
class Ranks;
}

namespace pimento::driver {

struct ToolBox;

/// The options most verbs share (see docs/cli.md).
struct Options {
  std::string input;                ///< file, index notation or zoo kernel
  std::optional<std::string> text;  ///< what the file `input` (.mlir, .c, .cnm, .llvcnm) holds; nothing: read it
  std::vector<std::string> inputs;  ///< report: result files; store: what to do, and stores
  std::vector<std::string> sizes;   ///< "m=4096,n=1024"
  std::string variant = "plain";
  std::string dtype;                  ///< empty: the target's native type
  std::vector<std::string> converts;  ///< "f32=f16"
  std::string function;
  std::vector<std::string> includes, defines;  ///< C: folders of headers; macros, NAME or NAME=VALUE
  std::vector<std::string> constants;          ///< inputs that are the same in every run
  std::string target;                          ///< empty: upmem for DPU programs, else hbm-pim (withTarget)
  Location targetWhere;                        ///< of `target` in INPUT's text, where that names it (withTarget)
  std::vector<std::string> targets;            ///< compare
  std::string baseline;                        ///< compare: the target that others are held against; empty: none
  std::vector<std::string> sets;               ///< "PATH=VALUE"
  std::vector<std::string> maps;               ///< empty: what the file states, else auto
  std::vector<std::string> passes;             ///< "-NAME": left out
  std::string fp;                              ///< "strict", "reassociate"; empty: as the machine has it
  std::string objective;                       ///< of auto: "time", "energy", "kernel"; empty: time
  std::string offload;                         ///< "all", "possible", "best"; empty: best for networks, else all
  std::string data;                            ///< empty: the verb's default
  std::uint64_t seed = 1;
  std::string engine;                              ///< "two-slice", ...; empty: the verb's own
  std::int64_t count = 1024;                       ///< validate mappings: of each kernel
  std::optional<double> alpha;                     ///< of two-slice; nothing: evaluate::TwoSlice's
  std::string emit = "kernel";                     ///< compile: stage
  std::string trace;                               ///< simulate: timeline file
  std::string check;                               ///< simulate: "text", "interpreter"; empty: text
  std::vector<std::string> ins;                    ///< DPU programs: "PLACE=FILE" (dpu_data.h)
  std::vector<std::string> outs;                   ///< simulate, DPU programs: "PLACE:TYPE[N]=FILE"
  std::int64_t launches = 1;                       ///< DPU programs
  std::int64_t maxInstructions = 100'000'000'000;  ///< DPU programs: per launch; profile
  bool isProfile = false;                          ///< DPU programs: functions and lines in the table
  std::vector<std::string> arguments;              ///< profile: of the program
  std::string sysroot;                             ///< profile: folder with its loader and libraries
  std::string stdoutFile;                          ///< profile: what it writes; empty: to standard error
  std::string locality;      ///< profile: how near operands must lie; empty: as the machine has it
  std::string levels;        ///< profile: choices of caches that compute, "l1d,l2,l1d+l2"; empty: as the machine has it
  std::string arrays;        ///< profile: choices of sets of arrays; empty: the machine's own energies
  std::string technology;    ///< profile: choices of cells; empty: sram where there is a set of arrays
  std::string caches;        ///< profile: choices of sizes, "32KiB+256KiB,64KiB/4+2MiB"; empty: as the machine has them
  std::string start, stop;   ///< profile: markers, "FUNCTION:N" or "0xADDRESS:N"
  std::int64_t skip = 0;     ///< profile: instructions from the start on
  bool isSampled = false;    ///< profile
  std::string save;          ///< profile: file for a trace
  bool savesValues = false;  ///< profile: with the value of each access
  std::string saveReshaped;  ///< profile: file for a trace of the program whose candidates caches compute
  bool checksReshaped = false;  ///< profile: executes the program whose candidates caches compute
  bool isBridged = false;       ///< profile: effects of computing in caches, one after the other
  bool sharesRows = false;      ///< profile, explore of traces: operations on neighbouring words are one
  bool isLined = false;         ///< profile: functions, inlined calls and source lines
  std::int64_t top = 10;        ///< profile: rows of tables of functions and lines
  std::vector<std::string> sourceFolders, sourceMaps;  ///< profile: where sources are; "OLD=NEW", folders
  std::string points;                                  ///< validate: file or folder
  std::vector<std::string> sweeps;                     ///< explore: "timing.tRP=10..20"
  std::string store;                                   ///< explore: file that keeps results
  std::string share;                                   ///< explore, tune: part of the plan, "3/8"; empty: all of it
  std::string chunks, orders;        ///< explore: choices besides the factors; empty: those that matter
  std::vector<std::string> kernels;  ///< explore: which of a graph; validate mappings; empty: all
  std::int64_t limit = 250'000;      ///< explore: most mappings per kernel
  std::int64_t budget = 0;           ///< explore: most device runs per kernel; 0: no limit
  bool isExhaustive = false;         ///< explore: estimate every mapping
  bool isUnbounded = false;          ///< explore: rule nothing out by bounds
  std::string space;                 ///< explore: "factors", or the target's own; empty: own
  std::vector<std::string> rules;    ///< tune: "1", "2", "3", "3-rounded"; empty: none
  bool isUnchecked = false;          ///< explore: the best are not run on data
  std::string model;                 ///< tune: file of the predictor
  std::vector<std::string> trains;   ///< tune: sizes that the predictor is taught
  std::int64_t retrain = 0;          ///< tune: drafts of this shape that it is taught
  std::string host = "published";    ///< llm: GPU, a name or a machine file
  std::int64_t batch = 1;            ///< llm: requests that run together
  std::int64_t prompt = 128;         ///< llm: tokens of each prompt
  std::int64_t generate = 128;       ///< llm: tokens that each request generates
  std::int64_t gpus = 1;             ///< llm: that share the model
  std::int64_t devices = 0;          ///< llm: PIM devices of each GPU; 0: as the host has it
  std::string schedule = "sound";    ///< llm: "sound", "published-base", "published-full"
  std::string requests;              ///< serve: table of requests
  std::int64_t mostRequests = 16;    ///< serve: that run together
  std::string tables;                ///< serve: file for the times of layers
  std::string number;                ///< explain: key of one number, "breakdown.merge"
  int depth = -1;                    ///< explain: levels to show; negative: the default
  std::string output;                ///< -o
  bool isSchema = false;             ///< targets: the keys of machine files
  bool isQuiet = false;
  const std::atomic<bool> *isStopped = nullptr;  ///< set when the user wants the work to stop
  bool isJson = false;
  int jobs = 0;                           ///< 0: all processors
  std::shared_ptr<cluster::Ranks> ranks;  ///< explore, tune, validate, profile: null: this process alone
  std::shared_ptr<const ToolBox> tools;   ///< of several calls; null: each its own
  std::vector<std::string> machinePath;   ///< folders with machine files; empty: the installed ones
};

/// What a verb answers: text for standard output, messages for standard error, and the exit status of the contract
/// (0 done, 1 wrong input, 3 our bug).
struct Outcome {
  std::string text;
  Diagnostics diagnostics;
  int status = 0;
  bool isOutputWritten = false;  ///< the verb has written Options::output itself; `text` is for standard output
};

/// `options` with a target: a given one, else what suits the input; and with what a name of a C kernel stands for
/// (kernel_files.h).
Options withTarget(const Options &options);

/// Of an answer that is a text already.
Outcome show(const std::string &text, const Options &options);

/// An outcome that says what is wrong with the input.
Outcome failure(Diagnostics diagnostics);

/// Gives diagnostics without a place the option, or the INPUT, that they are about.
void locate(Diagnostics &diagnostics, const Options &options);

}  // namespace pimento::driver
