// Expressions of a C program as the body of a kernel. Internal to the C front end; knows nothing of Clang.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "pimento/frontend/c/kernel_program.h"
#include "pimento/frontend/graph_builder.h"
#include "pimento/kernel/builder.h"

namespace pimento::frontend {

class BodyWriter {
 public:
  /// `buffers`: the graph's, by buffer of the program; `loops`: dims of the kernel `k`.
  BodyWriter(CProgram &program, GraphBuilder &graph, const std::vector<int> &buffers, kernel::KernelBuilder &k,
             const std::vector<int> &loops)
      : program_(program), graph_(graph), buffers_(buffers), k_(k), loops_(loops) {}

  /// The body value of an expression. `condition`: where it does not hold the value is asked for all the same, and not
  /// used. Diagnostics: c-uninitialized, c-bounds.
  Result<int> write(int root, int condition = -1);
  /// Bounds of the loops that data bound.
  Status bound();

 private:
  int protect(int e, int condition);
  Result<int> node(int e);
  int form(const Expression &x);
  Result<int> load(int e);
  std::optional<Diagnostic> unknownSize(const Expression &x, const CBuffer &declared, const Location &where) const;

  CProgram &program_;
  GraphBuilder &graph_;
  const std::vector<int> &buffers_;
  kernel::KernelBuilder &k_;
  const std::vector<int> &loops_;
  std::map<int, int> made_;
};

}  // namespace pimento::frontend
