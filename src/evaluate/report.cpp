#include "pimento/evaluate/report.h"

namespace pimento::evaluate {

std::vector<Phase> Report::phases() const {
  std::vector<Phase> out;
  for (const Stage &stage : stages)
    for (const Phase &phase : stage.phases) {
      out.push_back(phase);
      if (stages.size() > 1) out.back().name = stage.kernel + ": " + phase.name;
    }
  return out;
}

NumericError Conversion::overall() const {
  NumericError all;
  double sum = 0;
  for (const NumericError &e : errors) {
    all.elements += e.elements;
    all.lost += e.lost;
    if (all.lostWhere.empty()) all.lostWhere = e.lostWhere;
    all.magnitude = std::max(all.magnitude, e.magnitude);
    sum += e.mean * static_cast<double>(e.elements - e.lost);
    if (e.largest > all.largest) all.largest = e.largest, all.where = e.where;
    if (e.largestRelative > all.largestRelative)
      all.largestRelative = e.largestRelative, all.relativeWhere = e.relativeWhere;
  }
  if (all.elements > all.lost) all.mean = sum / static_cast<double>(all.elements - all.lost);
  return all;
}

std::string checkedAgainst(const Report &report) {
  if (!report.isChecked) return {};
  if (!report.checkedText) return "interpreter";
  return report.checkedText->language +
         (report.checkedText->isBitForBit ? ", bit for bit" : ", within the error bound");
}

}  // namespace pimento::evaluate
