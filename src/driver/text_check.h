// `simulate` of a C or MLIR file: the answer is held against the file's text, compiled for this machine and run on the
// same data (frontend/native.h), and not only against what was read from it (evaluate/text_check.h).
#pragma once

#include <optional>

#include "pimento/driver/options.h"
#include "pimento/kernel/data.h"

namespace pimento::evaluate {
struct Report;
}

namespace pimento::driver {

struct Job;

/// `--check`. Diagnostics: unknown-check, no-text.
Status checkCheck(const Options &options, const Job &job);

class TextCheck {
 public:
  /// Before the run, which writes to `data`: keeps the operands, where they will be needed. All must outlive this.
  TextCheck(const Options &options, const Job &job, const std::optional<kernel::DataSet> &data);

  /// After the run: says in the report what its answer was held against, and why not against the text. Diagnostics:
  /// those of frontend::runC, runMlir and evaluate::compareWithText.
  Status check(evaluate::Report &report) const;

 private:
  const Options &options_;
  const Job &job_;
  const std::optional<kernel::DataSet> &data_;
  std::optional<kernel::DataSet> inputs_;  ///< nothing: the text is left out
};

}  // namespace pimento::driver
