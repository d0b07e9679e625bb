// `explain INPUT|RESULT.json`: numbers of a result back to formulas, counts and constants.
#pragma once

#include <memory>

#include "pimento/driver/options.h"
#include "pimento/emit/run.h"

namespace pimento::evaluate {
struct Derivation;
class Explanation;
struct Report;
}  // namespace pimento::evaluate

namespace pimento::driver {

struct Explained {
  std::shared_ptr<const evaluate::Report> report;
  std::shared_ptr<const evaluate::Explanation> explanation;
  emit::RunText run;
  std::shared_ptr<const evaluate::Derivation> number;  ///< that `--number` names; null: an overview
};

Result<Explained> explain(const Options &options);
Outcome show(const Explained &explained, const Options &options);

}  // namespace pimento::driver
