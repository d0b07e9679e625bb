// Diagnostics as a C compiler prints them: the line of the source below, and a caret where the column is.
#pragma once

#include <string>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/source_lines.h"

namespace pimento::driver {

/// What is printed; files are read when first asked for.
class CcMessages {
 public:
  /// What `file` holds where it is no file on disk (standard input).
  void know(const std::string &file, const std::string &text) { lines_.know(file, text); }
  void add(const Diagnostics &diagnostics);
  /// The messages so far, and how many errors and warnings they are.
  std::string text() const;

 private:
  dpu::SourceLines lines_;
  std::string text_;
  int errors_ = 0, warnings_ = 0;
};

}  // namespace pimento::driver
