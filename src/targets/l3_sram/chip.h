// Kernels of a program on a chip: what each takes in each of its places, and what it leaves.
//
// On the cores and near the L3 loops are timed by loops_time.h. In the L3: ways are reserved; arrays of the kernel that
// do not lie in theirs are fetched and transposed; each round's commands are lowered, unless they were before, and run
// by the tensor controllers; streams between commands run beside the L3, or on a core where nothing else does. Arrays
// that another kernel wants differently are given back to memory, and so are those that cores or streams ask for more
// often than the rules of release allow.
//
// Not here: values (region_run.h, chip/chip_nest.h), and which place a kernel gets (path.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "pimento/base/cache.h"
#include "pimento/evaluate/target.h"
#include "pimento/targets/chip/chip_nest.h"
#include "pimento/targets/l3_sram/chip_run.h"
#include "pimento/targets/l3_sram/chip_state.h"
#include "pimento/targets/l3_sram/loops_time.h"
#include "pimento/targets/l3_sram/plan.h"
#include "pimento/targets/l3_sram/run_counts.h"
#include "pimento/targets/l3_sram/stretches.h"

namespace pimento::targets::l3_sram {

/// Whether a machine has all that a chip needs: cores that run kernels, and an L3.
bool isChip(const machine::Machine &machine);

/// What a program finds: its tensors in memory, or what it is given and gives back in the L3 (ChipKernels::start).
ChipState idleState(const kernel::Graph &graph, const machine::Machine &machine);

/// One kernel of a graph; what it names outlives it.
class ChipKernel {
 public:
  ChipKernel(const evaluate::GraphPart &part, const machine::Machine &machine, const Plan &plan,
             const mapping::Mapping &mapping);

  /// Where it may run.
  std::vector<Place> places() const;
  std::int64_t threads() const;
  /// Tensors that it reads, or changes a part of, and others that it writes; and bytes of a tensor.
  std::vector<std::size_t> reads() const;
  std::vector<std::size_t> writes() const;
  std::int64_t bytesOf(std::size_t tensor) const;
  const chip::ChipNest &nest() const { return nest_; }

  struct Ran {
    ChipRun time;
    RunCounts arrays;  ///< kInL3
  };
  /// What it takes from this state on, which it changes. `shared`: of runs of one graph; null: none. Diagnostics:
  /// capacity, sram-operation.
  Result<Ran> run(Place place, ChipState &state, Cache *shared) const;

  /// What all its rounds take in the arrays at least, from any state: commands and the streams between them.
  /// Diagnostics: sram-operation.
  Result<std::int64_t> leastInArrays(Cache *shared) const;

  /// Equation (2) of Infinity Stream, and its terms (facts: readings of section 4.3).
  struct Equation2 {
    double elements = 0, operations = 0, peak = 0;  ///< per cycle of all cores
    double latency = 0, nodes = 0, lowering = 0;    ///< cycles; nodes of the graph; cycles for each
    double left() const { return elements * operations / peak; }
    double right() const { return latency + nodes * lowering; }
    bool isInMemory() const { return left() > right(); }
  };
  Result<Equation2> equation2() const;

 private:
  struct Touched {
    std::int64_t read = 0, written = 0;  ///< bytes of a tensor
  };
  std::map<int, Touched> touched() const;
  Result<Ran> onLoops(Place place, ChipState &state, Cache *shared) const;
  ChipRun loopsAt(Place place, const ChipState &state, Cache *shared) const;
  ChipRun onGrid(Place place, const ChipState &state, Cache *shared) const;
  Result<Ran> inArrays(ChipState &state, Cache *shared) const;
  Status findStretches(Cache *shared) const;
  void bring(const Stretch &stretch, ChipState &state, ChipRun &time, Cache *shared) const;
  void release(std::size_t tensor, ChipState &state, ChipRun &time, Cache *shared) const;
  void reserve(ChipState &state, ChipRun &time) const;
  void keepInL3(int tensor, bool isWritten, ChipState &state) const;
  void makeRoom(ChipState &state, ChipRun &time) const;
  LoopsState stateOf(const ChipState &state, const std::map<int, Touched> &touched) const;

  evaluate::GraphPart part_;
  const machine::Machine &machine_;
  const Plan &plan_;
  const mapping::Mapping &mapping_;
  chip::Addresses addresses_;
  chip::ChipNest nest_;
  bool isCoarse_ = false;                               ///< one of very many rounds: timed at some sizes
  mutable std::shared_ptr<const Stretches> stretches_;  ///< found once
};

}  // namespace pimento::targets::l3_sram
