// `--convert FROM=TO`: a kernel of other types than its own, and what that does to its results.
//
// Operands are made for the original kernel, so that both compute on the same numbers: the converted one on what its
// types can hold of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pimento/driver/data_option.h"
#include "pimento/driver/options.h"
#include "pimento/kernel/convert.h"

namespace pimento::evaluate {
struct Evaluation;
struct Report;
}  // namespace pimento::evaluate

namespace pimento::driver {

struct Input;
struct Job;

/// A converted input; what it was converted to is Input::graph.
struct ConvertedInput {
  kernel::Graph original;
  kernel::Converted to;
  std::string rules;  ///< "f32=f16", "f32=i8"
  bool isQuantised = false;
};

/// Replaces the graph of `input` as `--convert` says, if it is given. Diagnostics: convert-syntax, convert-type,
/// convert-same, convert-twice, convert-absent, those of kernel::quantized.
Status convertInput(const Options &options, Input &input);

/// The operands of a run on data.
struct Operands {
  std::optional<kernel::DataSet> data;      ///< of the input's graph; nothing: `--data none`
  std::optional<kernel::DataSet> original;  ///< the same of the original, where the input was converted
};
/// `graph`: the input's, without loops. Diagnostics: those of makeInputData.
Result<Operands> operandsOf(const Options &options, const Input &input, const kernel::Graph &graph);

/// What the input itself gives, in the types of its graph; nothing of other tensors.
kernel::DataSet contentsOf(const Input &input);

/// What timing may know of them. Diagnostics: as above.
Result<KnownData> knownOperands(const Options &options, const Input &input, const kernel::Graph &graph);

/// Says in the report what was converted. Computes the original's results, which `operands.original` then holds, and
/// how far those in `operands.data` lie from them. Diagnostics: those of the interpreter.
Status reportConversion(evaluate::Report &report, const Input &input, Operands &operands);

/// The same where nothing ran on data: the interpreter computes the results, in the order of the mappings. `spec`: of
/// the operands; empty: nothing is computed.
Status reportConversion(evaluate::Evaluation &done, const Options &options, const Job &job, const std::string &spec);

}  // namespace pimento::driver
