// Expressions of a nest as the body of a Kernel. Knows nothing of C or MLIR.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/nest/program.h"
#include "pimento/kernel/builder.h"

namespace pimento::frontend {

/// Writes expressions into one kernel's body, equal ones once.
class BodyWriter {
 public:
  /// `buffers`: those of the graph, by the program's; `loops`: the kernel's dims. All must outlive it.
  BodyWriter(NestProgram &program, GraphBuilder &graph, const std::vector<int> &buffers, kernel::KernelBuilder &k,
             const std::vector<int> &loops)
      : program_(program), graph_(graph), buffers_(buffers), k_(k), loops_(loops) {}

  /// The number of the value. `condition`: where it does not hold the value is asked for all the same, and not used.
  /// Diagnostics: uninitialized, missing-size.
  Result<int> write(int root, int condition = -1);
  /// Bounds of the loops that data bound.
  Status bound();

 private:
  int protect(int e, int condition);
  Result<int> node(int e);
  int form(const Expression &x);
  Result<int> load(int e);
  std::optional<Diagnostic> unknownSize(const Expression &x, const NestBuffer &declared, const Location &where) const;

  NestProgram &program_;
  GraphBuilder &graph_;
  const std::vector<int> &buffers_;
  kernel::KernelBuilder &k_;
  const std::vector<int> &loops_;
  std::map<int, int> made_;
};

}  // namespace pimento::frontend
