// CNM IR: what is computed, how it is spread and where, as one text that is printed, read back exactly and verified.
//
// The model is CoMoNM's CNM IR (section IV-D, Fig. 11), which stands between the front end and llvcnm: operands with
// structure and type, loop induction variables, memory requests, operations, loops and their order of execution. It is
// no data of its own: a kernel::Graph, one mapping per kernel, and the levels of the machine that the mappings split.
// Not here: what a target makes of it (`lower`), and its program text (program/text.h). One statement per line;
// comments run from ';' or '#' to the end of the line:
//
//   cnm gemv                                ; the graph's name
//   target hbm-pim channel block lane       ; whose levels, outermost first, the mappings split
//   operand A f16[4096,1024] input
//   operand x f16[1024] input
//   operand y f16[4096] output
//   kernel gemv {
//     induction i 4096 parallel             ; loop induction variables; points run in their order
//     induction j 1024 reduction
//     @0 = read A[i,j]                      ; memory requests: one element, whose size its type gives
//     @1 = read x[j]
//     %0 = load f16 @0                      ; operations, rounded to their type
//     %1 = load f16 @1
//     %2 = mul f16 %0 %1
//     store add y[i] %2
//     space M1 {                            ; loops: how each induction variable is split, level by level
//       loop i channel 64 block 8 range 8
//       loop j lane 16 range 64
//     }
//     order i j                             ; order of execution inside an innermost unit
//   }
//
//   module    = "cnm" NAME ["target" NAME {NAME}] {size} {operand} {part} (sizes, operands come before their use)
//   size      = "size" ID [NUMBER]                                        (--size says otherwise)
//   part      = kernel | "for" NAME EXTENT "{" {part} {"swap" ID ID} "}"       (N rounds; the operands exchange their
//   names) operand   = "operand" ID TYPE "[" [EXTENT {"," EXTENT}] "]" ROLE ["constant"] kernel    = "kernel" NAME
//   ["indirect" | "select"] "{" {induction} {statement} "}" induction = "induction" ID EXTENT ("parallel" | "reduction"
//   | "sequential" | "counter")
//                                                                         (counters of the loops around come first)
//   statement = "guard" AFFINE                                            (points exist where it is >= 0)
//             | "bound" NAME ["from" "%" N] ["to" "%" N]                  (where data let it run)
//             | "@" N "=" "read" ELEMENT                                  (numbered from 0)
//             | "%" N "=" OP TYPE {ARGUMENT}                              (numbered from 0; load @N, constant NUMBER,
//                                                                          index ID, others %N)
//             | "predicate" "%" N                                         (of a selection)
//             | "limit" EXTENT                                          (of a selection, per row)
//             | "store" COMBINE ELEMENT "%" N                           (in a selection, append is what assign is;
//                                                                          with N: where store N takes a new minimum)
//             | "mapping" ("reference" | "auto" | "host" | SPEC)          (with spaces: the reference they spell out)
//             | "space" "M" N "{" {loop} "}"
//             | "order" ID {ID} | "cyclic" LEVEL N | "buffer" N | "dpus" N | "tasklets" N
//             | "merge" ("device" | "host") | "tail" ("pad" | "truncate")
//   loop      = "loop" ID {LEVEL N} "range" N                             (levels that do not split it are left out)
//   ELEMENT   = ID "[" [INDEX {"," INDEX}] "]"                            (one INDEX may come from data: %N)
//   AFFINE    = sum of NUMBER, ID, NUMBER*ID, ID*NUMBER with + and -      (an ID is an induction variable or a size)
//   EXTENT    = such a sum of numbers and sizes
//   NAME      = letters, digits and _ . : -, or a quoted text with \\ \" \xHH;   ID = an identifier, or a quoted text
//
// A kernel without spaces and without `mapping` leaves its mapping open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

struct CnmModule {
  kernel::Graph graph;
  std::string target;                            ///< name or file of a machine; empty: none is stated
  std::vector<std::string> levels;               ///< of the target, outermost first
  Location targetWhere = {};                     ///< of the target's name in the text
  kernel::Places places = {};                    ///< of the graph's parts in the text; empty if made by code
  std::vector<std::optional<MapSpec>> mappings;  ///< one per kernel; nothing: left open
  kernel::Sizes sizes = {};                      ///< that the text names, as they were bound: the graph has numbers
  std::int64_t groups = 0, cores = 0;            ///< that the text says the target has (DCC); 0: it does not say
};

/// What the text takes at most; more is a diagnostic, so that no text costs much.
inline constexpr std::size_t kMaxCnmBytes = std::size_t{4} << 20, kMaxCnmDims = 32, kMaxCnmRank = 32,
                             kMaxCnmGuards = 1024, kMaxCnmCoefficients = std::size_t{1} << 22, kMaxCnmDiagnostics = 20;

/// The text of `module`. parseCnm(print(m)) gives m back, locations and names of sizes aside, where the graph's
/// references are valid and its names differ, the module keeps to the limits above, levels are distinct and not called
/// "range", integer constants are in the range of their types, requests with an index from data come in the order of
/// the values that need them, and every written-out mapping has one factor per level and dim; what breaks these is
/// printed, and parseCnm refuses it. What the kernel ignores (the last affine index of an indirect store) comes back
/// as 0.
std::string print(const CnmModule &module);

/// Reads the text; `file` names it in diagnostics, `sizes` are what its sizes are instead of their own numbers. At most
/// 20 diagnostics, each with its place: cnm-syntax, cnm-unknown-word, cnm-unknown-operand, cnm-unknown-induction,
/// cnm-unknown-value, cnm-unknown-level, cnm-duplicate, cnm-number, cnm-numbering, cnm-rank, cnm-misplaced, cnm-loops,
/// cnm-mapping, cnm-unclosed, cnm-too-large, unknown-size, unknown-extent.
Result<CnmModule> parseCnm(std::string_view text, std::string file = {}, const kernel::Sizes &sizes = {});

/// The target that the text names, found without reading the rest; empty if it names none.
std::string cnmTarget(std::string_view text, Location *where = nullptr);

/// The rules of the graph. At most 20 diagnostics: those of kernel::verify, each at its statement.
Status verify(const CnmModule &module);

/// Those rules, and the rules of its mappings on `machine`. At most 20 diagnostics: those, those of place(), each at
/// its statement, and cnm-levels (the module's levels are not the machine's).
Status verify(const CnmModule &module, const machine::Machine &machine);

}  // namespace pimento::mapping
