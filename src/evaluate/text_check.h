// Is the answer that of the text? Compares what a run left with what the text itself computed on the same operands.
//
// The interpreter evaluates our reading of a text, so a text that is read wrongly computes the same wrong answer on
// every machine; this comparison has no part of the reading in it. Results equal bit for bit settle it. Where a mapping
// changes the order or precision of sums, two questions are asked instead: does the reading, evaluated in the order of
// the text, give the text's bits; and does each of the answers lie within the a-priori error bound?
#pragma once

#include <cstdint>
#include <string>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"

namespace pimento::evaluate {

/// A text's answer to a graph that was read from it.
struct TextAnswer {
  std::string language;                      ///< "C"
  const kernel::DataSet *outputs = nullptr;  ///< by tensor; kOutput and kInOut are there
  /// The reading, in the text's order, has the text's bits. False: precision or order differ by design, so that only
  /// the bound decides.
  bool isReadExactly = true;
};

struct TextAgreement {
  bool isBitForBit = true;  ///< all elements; else within the bound
  std::int64_t open = 0;    ///< elements that differ and have no bound: overflow is possible, or a decision is inexact
  std::string openTensor;   ///< of the first of them
};

/// Compares `answer`, what a device computed on `inputs` and a checker has found equal to the interpreter in the
/// mapping's order, with that of the text. NaNs are equal, and so are zeros of either sign where no bits are promised.
/// Diagnostics: wrong-reading (kOurs), with the first element that is neither equal nor within the bound.
Result<TextAgreement> compareWithText(const kernel::Graph &graph, const kernel::DataSet &inputs,
                                      const kernel::DataSet &answer, const TextAnswer &text);

}  // namespace pimento::evaluate
