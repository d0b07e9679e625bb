// INPUT and the options that bind it: from text to Graph or Program, Machine, mappings and data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/evaluate/choices.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/mapping.h"

namespace pimento {
namespace machine {
struct Machine;
}
namespace mapping {
struct CnmModule;
}  // namespace mapping
namespace program {
struct Places;
struct Program;
}  // namespace program
}  // namespace pimento

namespace pimento::driver {

struct SourceText;

/// What INPUT turned out to be. Exactly one of `graph` and `program` is set.
struct Input {
  std::optional<kernel::Graph> graph;
  std::shared_ptr<const program::Program> program;  ///< a .llvcnm file, or a DPU program: a .s or ELF file
  std::shared_ptr<const program::Places> places;    ///< of the program's commands in the file
  std::vector<std::string> mappings;                ///< that an MLIR file states, per kernel; empty texts: none
  std::string mappingTarget;                        ///< the machine they are for; may be empty
  std::shared_ptr<const mapping::CnmModule> cnm;    ///< what a .cnm file says, mappings and all; else null
  std::shared_ptr<const SourceText> source;         ///< of a C or MLIR file; else null
  Diagnostics warnings;                             ///< what the front end assumed
  std::string name;                                 ///< for reports
  kernel::Sizes sizes;                              ///< by the names the input gives them
  DType type = DType::kF32;
};

/// Whether this build reads kernels in "mlir", "c", "cnm" or "llvcnm".
bool reads(std::string_view language);

/// "m=4096,n=1024", several times. Diagnostics: bad-size.
Result<kernel::Sizes> parseSizes(const std::vector<std::string> &texts);

/// Loads INPUT for `machine` (whose native type is the default dtype). A file by its ending, or as isDpuProgram() says;
/// else index notation if it contains '='; else a zoo kernel. A DPU program is linked for as many tasklets as the
/// machine's level of that name has, unless it is linked already. Diagnostics:
/// those of the front ends, unknown-input, unknown-dtype, unknown-input-tensor, no-dpu.
Result<Input> loadInput(const Options &options, const machine::Machine &machine);

/// Whether INPUT is a DPU program: a file that ends in .s or .S, or an ELF file whatever its name.
bool isDpuProgram(const std::string &input);

/// Loads a machine with the overrides of `options`.
Result<machine::Machine> loadTarget(const Options &options, const std::string &name);

/// Folders with machine files: `options.machinePath`, else $PIMENTO_MACHINES, else those that come with the tool.
std::vector<std::string> machineFolders(const Options &options);

/// `--map`, one or several separated by '|'.
Result<std::vector<mapping::MapSpec>> parseMaps(const Options &options);

/// `--offload`, or its default for the input. Diagnostics: unknown-offload.
Result<evaluate::Offload> parseOffload(const Options &options);

/// What `--data` says of the operands of a timing run: how they are made, or all of them where they come from files;
/// nothing of either for "none".
struct KnownData {
  std::optional<kernel::DataSpec> values;
  std::optional<kernel::DataSet> contents;
};
/// Diagnostics: as makeInputData.
Result<KnownData> knownData(const Options &options, const kernel::Graph &graph, const std::string &defaultSpec);

/// `--data`: fills the graph's inputs; nothing for "none". Diagnostics: bad-data, and those of .npy files.
Result<std::optional<kernel::DataSet>> makeInputData(const Options &options, const kernel::Graph &graph,
                                                     const std::string &defaultSpec);

}  // namespace pimento::driver
