#include "pimento/evaluate/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pimento/evaluate/difference.h"
#include "pimento/kernel/interpreter.h"

namespace pimento::evaluate {

namespace {

bool isResult(const kernel::Tensor &tensor) {
  return tensor.role == kernel::Role::kOutput || tensor.role == kernel::Role::kInOut;
}

bool isEqual(const kernel::Tensor &tensor, const kernel::TensorData &a, const kernel::TensorData &b) {
  return !firstDifference(tensor, a, b);
}

/// The four answers to one element.
struct Element {
  const kernel::Tensor &tensor;
  std::int64_t at = 0;
  const kernel::TensorData &answer, &text, &reading;
  double value = 0, bound = 0;

  bool isRead() const { return isSame(reading, text); }
  bool isWithin(const kernel::TensorData &data) const {
    const double x = data.asDouble(at);
    return x == value || std::abs(x - value) <= bound;
  }
  bool isBounded() const { return std::isfinite(bound) && std::isfinite(value); }
  /// Where C's own text and its reading may differ: signs of zeros, and NaN where a minimum skips it.
  bool isExempt() const {
    const double a = reading.asDouble(at), b = text.asDouble(at);
    return std::isnan(a) || std::isnan(b) || (a == 0 && b == 0);
  }

 private:
  bool isSame(const kernel::TensorData &a, const kernel::TensorData &b) const {
    const auto size = static_cast<std::ptrdiff_t>(sizeOf(tensor.type).value);
    const auto *const x = a.bytes.data() + at * size, *const y = b.bytes.data() + at * size;
    return std::equal(x, x + size, y) ||
           (isFloat(tensor.type) && std::isnan(a.asDouble(at)) && std::isnan(b.asDouble(at)));
  }
};

class Comparison {
 public:
  Comparison(const kernel::Graph &graph, const kernel::DataSet &answer, const TextAnswer &text)
      : graph_(graph), answer_(answer), text_(text) {}

  bool isBitForBit() const {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
      if (isResult(graph_.tensors[t]) && !isEqual(graph_.tensors[t], answer_[t], (*text_.outputs)[t])) return false;
    return true;
  }

  Result<TextAgreement> withBound(const kernel::DataSet &inputs) {
    kernel::DataSet reading = inputs;
    if (Status s = kernel::interpret(graph_, reading); !s) return s.diagnostics();
    agreement_.isBitForBit = false;
    for (const kernel::BoundedData &bounds : kernel::evaluateWithBound(graph_, inputs)) {
      const auto t = static_cast<std::size_t>(bounds.tensor);
      const kernel::Tensor &tensor = graph_.tensors[t];
      for (std::int64_t e = 0; e < tensor.elements(); ++e) {
        const auto at = static_cast<std::size_t>(e);
        const Element element{tensor,          e, answer_[t], (*text_.outputs)[t], reading[t], bounds.value[at],
                              bounds.bound[at]};
        if (Status s = see(element); !s) return s.diagnostics();
      }
    }
    return agreement_;
  }

 private:
  Status see(const Element &e) {
    if (e.isRead()) {
      if (!e.isBounded() || e.isWithin(e.answer)) return okStatus();
      return error(DiagnosticKind::kOurs, "wrong-answer", {},
                   fmt::format("{} is {} on the device, not within {} of {}; {} gives {}", elementName(e.tensor, e.at),
                               valueText(e.answer, e.at), e.bound, e.value, text_.language, valueText(e.text, e.at)),
                   kReport);
    }
    const bool hasBits = text_.isReadExactly && !e.isExempt();
    if (!hasBits && e.isBounded() && e.isWithin(e.text)) return okStatus();
    if (!hasBits && !e.isBounded()) {
      if (agreement_.open++ == 0) agreement_.openTensor = e.tensor.name;
      return okStatus();
    }
    return error(
        DiagnosticKind::kOurs, "wrong-reading", {},
        fmt::format("{} is {} in the source run as {}, but {} in the imported kernel", elementName(e.tensor, e.at),
                    valueText(e.text, e.at), text_.language, valueText(e.reading, e.at)),
        kReport);
  }

  static constexpr const char *kReport = "this is a bug in Pimento: please report it with the command you ran";

  const kernel::Graph &graph_;
  const kernel::DataSet &answer_;
  const TextAnswer &text_;
  TextAgreement agreement_;
};

}  // namespace

Result<TextAgreement> compareWithText(const kernel::Graph &graph, const kernel::DataSet &inputs,
                                      const kernel::DataSet &answer, const TextAnswer &text) {
  Comparison comparison(graph, answer, text);
  if (comparison.isBitForBit()) return TextAgreement{};
  return comparison.withBound(inputs);
}

}  // namespace pimento::evaluate
