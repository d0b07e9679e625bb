// Times measured on a real GPU, as a CSV file, and what lies between two of its sizes.
//
// The head states what was measured: lines '# gpu: NAME', '# clock: 1980 MHz', '# driver: N', '# cuda: N'. Columns:
// kernel (as OperationKind's names), bytes (of an element), m, n, k, count, and the time in a column that says its
// unit, time_ns or time_us. Between two sizes times are interpolated linearly, size by size; nothing is extrapolated.
// A shape that stands in the table several times has the median.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/llm/operation.h"

namespace pimento::llm {

class GpuTable {
 public:
  /// `file` names it in messages. Diagnostics: table-without-units, table-head (what was measured is not said),
  /// table-columns, table-value.
  static Result<GpuTable> parse(std::string_view text, const std::string &file);

  /// Diagnostic: not-in-table, with the sizes there are.
  Result<Picoseconds> time(const Operation &operation) const;

  /// By key of the head: "gpu", "clock", "driver", "cuda".
  const std::map<std::string, std::string, std::less<>> &head() const { return head_; }

 private:
  struct Row {
    Operation operation;
    Picoseconds time;
    int line = 0;
  };
  explicit GpuTable(std::string file) : file_(std::move(file)) {}
  Status readHead(std::string_view text);
  Status readRows(std::string_view text);

  std::string file_;
  std::map<std::string, std::string, std::less<>> head_;
  std::vector<Row> rows_;
};

}  // namespace pimento::llm
