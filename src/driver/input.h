// INPUT: from a file, index notation or a name to a Graph or a Program.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/zoo.h"

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

struct ConvertedInput;
struct SourceText;

/// What INPUT turned out to be. Exactly one of `graph` and `program` is set.
struct Input {
  std::optional<kernel::Graph> graph;
  std::shared_ptr<const program::Program> program;   ///< a .llvcnm file, or a DPU program: a .s or ELF file
  std::shared_ptr<const program::Places> places;     ///< of the program's commands in the file
  std::vector<std::string> mappings;                 ///< that an MLIR file states, per kernel; empty texts: none
  std::vector<Location> mappingPlaces;               ///< where the file states each; empty ones: not known
  std::string mappingTarget;                         ///< the machine they are for; may be empty
  std::shared_ptr<const mapping::CnmModule> cnm;     ///< what a .cnm file says, mappings and all; else null
  std::shared_ptr<const SourceText> source;          ///< of a C or MLIR file; else null
  Diagnostics warnings;                              ///< what the front end assumed
  std::map<int, std::vector<std::byte>> contents;    ///< of inputs that the file gives, by tensor of the graph
  std::shared_ptr<const ConvertedInput> conversion;  ///< where `--convert` made the graph of another one; else null
  std::string name;                                  ///< for reports
  kernel::Sizes sizes;                               ///< by the names the input gives them
  DType type = DType::kF32;
};

/// "m=4096,n=1024", several times; "A=64x128" is A_0=64,A_1=128, as inputs without names for their sizes have it.
/// Diagnostics: bad-size.
Result<kernel::Sizes> parseSizes(const std::vector<std::string> &texts);

/// Loads INPUT for `machine` (whose native type is the default dtype), as its kind is read (input_kind.h). A DPU
/// program is linked for as many tasklets as the machine's level of that name has, unless it is linked already.
/// Diagnostics: those of the front ends, unknown-input, unknown-dtype, dtype-overruled, unknown-input-tensor, no-dpu,
/// those of convertInput.
Result<Input> loadInput(const Options &options, const machine::Machine &machine);

}  // namespace pimento::driver
