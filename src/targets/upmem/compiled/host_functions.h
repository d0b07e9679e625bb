// C functions of the host half that concern one operand: gathering its boxes, adding what a DPU found. Internal to
// compiled/; layout.h says what they do.
#pragma once

#include <string>

#include "pimento/targets/c_text/helpers.h"
#include "pimento/targets/c_text/lines.h"
#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

using namespace c_text;

class HostFunctions {
 public:
  /// Both must outlive it. `suffix` tells names of one kernel from those of others in the file.
  HostFunctions(const Scheme &scheme, Helpers &helpers, std::string suffix)
      : scheme_(scheme), helpers_(helpers), suffix_(std::move(suffix)) {}

  /// gather_NAME fills the array of an operand from the box that begins at `first`.
  std::string gather(const Operand &o) const;
  /// collect_NAME adds the results of one DPU.
  std::string collect(const Operand &o);
  /// carry_NAME adds what the tasklets of one DPU sum up to what came before, for the DPUs that follow.
  std::string carrying(const Operand &o);
  /// struct sums_NAME holds partial results of one level: tasklets merge into the DPU's, DPUs into the rank's, ranks
  /// into all.
  std::string merging(const Operand &o);

  /// Are an operand's results partial? What follows a minimum or maximum is merged with it.
  bool isSum(const Operand &o) const { return o.isPartial() && !scheme_.isScan && !isFollower(o); }
  bool isFollower(const Operand &o) const { return o.isPartial() && scheme_.storeOf(o).follows >= 0; }
  /// The operands that follow a minimum or maximum.
  std::vector<const Operand *> followersOf(const Operand &o) const;

 private:
  const kernel::Tensor &tensorOf(int t) const { return scheme_.graph->tensors[static_cast<std::size_t>(t)]; }
  std::string memory(int t) const { return memoryType(tensorOf(t).type); }
  std::size_t openEach(Lines &lines, const Operand &o) const;
  void writePlace(Lines &lines, const Operand &o, const std::string &suffix) const;
  std::string mergingExtremes(const Operand &o) const;
  void openTasklets(Lines &lines, const std::string &step) const;
  std::string othersHave(const Operand &o) const;
  std::string selection(const Operand &o) const;
  std::string lists(const Operand &o) const;
  void writeAdding(Lines &lines, const Operand &o);

  const Scheme &scheme_;
  Helpers &helpers_;
  std::string suffix_;
};

}  // namespace pimento::targets::upmem::compiled
