// The writer of graphs as MLIR: names, rounds, kernels. Internal to `emit`.
#pragma once

#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/emit/mlir_body.h"
#include "pimento/kernel/kernel.h"

namespace pimento::emit {

/// The loop a form consists of, or -1.
int soleDim(const kernel::Affine &form);
/// "d0 * 2 + 1", loops being called by `names`.
std::string formText(const kernel::Affine &form, const std::vector<std::string> &names);
std::string formTexts(const std::vector<kernel::Affine> &forms, const std::vector<std::string> &names);
/// "d0", "d1", ...
std::vector<std::string> dimNames(std::size_t dims, const std::string &prefix);

class MlirWriter {
 public:
  MlirWriter(const kernel::Graph &graph, const std::vector<std::string> &mappings, const std::string &target)
      : graph_(graph), mappings_(mappings), target_(target) {}

  Result<std::string> run();

 private:
  // mlir.cpp
  Diagnostics check() const;
  void nameTensors();
  std::string typeOf(std::size_t t) const;
  std::string typeOf(const kernel::Access &a) const { return typeOf(static_cast<std::size_t>(a.tensor)); }
  const std::string &nameOf(const kernel::Access &a) const { return names_[static_cast<std::size_t>(a.tensor)]; }
  const kernel::Tensor &tensorOf(const kernel::Access &a) const {
    return graph_.tensors[static_cast<std::size_t>(a.tensor)];
  }
  std::vector<std::string> attributes(std::size_t k) const;
  bool covers(const kernel::Kernel &k, const kernel::Access &target) const;
  bool isStructured(const kernel::Kernel &k) const;
  void writeStart(const kernel::Kernel &k, const kernel::Store &s);
  void fill(std::size_t tensor, const std::string &value);
  void writeKernel(std::size_t number);
  void writeGeneric(std::size_t number);
  std::size_t countersOf(const kernel::Kernel &k) const;

  // mlir_loops.cpp
  void writeKernels(int first, int end, std::size_t loop);
  std::size_t writeLoop(std::size_t number);
  void writeStarts(int first, int end);
  std::vector<std::size_t> exchanged(std::size_t loop) const;
  void writeLoops(std::size_t number);
  void openLoop(const kernel::Kernel &k, std::size_t d, const std::string &prefix,
                const std::vector<std::string> &dims);
  void openGuards(const kernel::Kernel &k, MlirBody &body, const std::vector<std::string> &dims);
  std::vector<int> valuesOfPoints(const kernel::Kernel &k) const;
  std::string sum(const kernel::Affine &form, MlirBody &body, const std::vector<std::string> &dims);
  void writeStores(const kernel::Kernel &k, MlirBody &body, const std::vector<std::string> &dims);
  void writeFollowed(const kernel::Kernel &k, std::size_t leader, MlirBody &body, const std::vector<std::string> &dims);
  void writeSelection(const kernel::Kernel &k, MlirBody &body, const std::vector<std::string> &dims);
  std::string load(const kernel::Access &a, MlirBody &body, const std::vector<std::string> &dims);
  void store(const std::string &value, const kernel::Access &a, MlirBody &body, const std::vector<std::string> &dims);
  std::vector<std::string> indices(const kernel::Access &a, MlirBody &body, const std::vector<std::string> &dims);

  const kernel::Graph &graph_;
  const std::vector<std::string> &mappings_;
  const std::string &target_;
  std::vector<std::string> names_;
  std::vector<bool> isWritten_;
  int constants_ = 0;
  bool isBoundByData_ = false;         ///< the kernel that is being written: its loops are scf's
  std::vector<std::string> counters_;  ///< loops around what is being written
  std::string indent_ = "  ";
  std::string out_;
};

}  // namespace pimento::emit
