// One kernel of the host half in C: its mapping's numbers, the functions of its operands, and the function that places,
// launches and puts together. Internal to compiled/; host_writer.h makes a file of several.
#pragma once

#include <map>
#include <set>
#include <string>

#include "pimento/targets/upmem/compiled/host_functions.h"
#include "pimento/targets/upmem/compiled/lower.h"

namespace pimento::targets::upmem::compiled {

class HostKernel {
 public:
  /// What the file calls things: tensors by number, the function, and what tells this kernel's names from others'.
  struct Names {
    const std::map<int, std::string> &tensors;
    std::string function, suffix;
  };

  /// `source` and `helpers` must outlive it, and the names of tensors.
  HostKernel(const Source &source, Helpers &helpers, Names names);

  std::string text();

  /// Tensors that it reads or writes, and those that it writes.
  const std::set<int> &tensors() const { return used_; }
  const std::set<int> &stored() const { return stored_; }
  /// Is what a tensor holds part of the result?
  bool isGiven(int tensor) const;

 private:
  const kernel::Tensor &tensorOf(int t) const { return graph_.tensors[static_cast<std::size_t>(t)]; }
  std::int64_t bytesPerDpu(const Operand &o) const { return o.home.bytes * scheme_.resultsOf(o); }
  const std::string &name(int t) const { return names_.tensors.at(t); }
  /// The only element of the tensor that a split prefix sum accumulates into.
  std::string carriedElement(const Operand &o) const;

  std::string mappingText() const;
  std::string runFunction();
  void writeInitial(Lines &lines);
  void writeBeginning(Lines &lines) const;
  void writeShare(Lines &lines, const std::string &dpu) const;
  void writeArguments(Lines &lines) const;
  void writePlacing(Lines &lines, const Operand &o) const;
  static void writeReading(Lines &lines, const std::string &to, std::int64_t offset, std::int64_t bytes);
  void writeCollecting(Lines &lines);
  void writeAdding(Lines &lines, const Operand &o) const;
  void writeRoot(Lines &lines, const Operand &o);

  const Source &source_;
  const Scheme &scheme_;
  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  Helpers &helpers_;
  Names names_;
  HostFunctions functions_;
  std::set<int> used_, stored_;
};

}  // namespace pimento::targets::upmem::compiled
