// The host's part of virtual instructions: what it places in every unit's bank, and what it makes of what it reads
// back.
//
// Operands are gathered box by box, results scattered; partial results merge in the mapping's order (kernel/order.h):
// threads of a unit, units of the level around them, and so on outwards, then onto what is there. Elements outside a
// tensor, which only points beyond the kernel's extents read, are 0.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "pimento/kernel/interpreter.h"
#include "pimento/lower/host_data.h"
#include "pimento/sim/cnm/execute.h"
#include "pimento/targets/cnm/lower.h"

namespace pimento::targets::cnm {

evaluate::HostWork hostWorkOf(const Plan &plan);

/// Values of the process's parameters for all threads of a unit.
std::vector<std::vector<std::int64_t>> parametersOf(const Lowered &lowered, std::int64_t unit);

/// Fills the bank of unit number `unit`.
void place(const Plan &plan, std::int64_t unit, const kernel::DataSet &data, sim::cnm::UnitMemory &memory);

/// Puts the results of all units together, onto what `data` holds, which the caller has made.
class Collector {
 public:
  /// All must outlive it.
  Collector(const Plan &plan, const machine::Machine &machine, kernel::DataSet &data);

  /// The next unit, from number 0 on, after its run.
  void add(const sim::cnm::UnitMemory &memory);
  /// After the last one.
  void finish();

 private:
  void addResult(const Operand &o, const std::byte *array);
  void addPartial(const Operand &o, const std::byte *array);

  const Plan &plan_;
  kernel::DataSet &data_;
  std::vector<std::int64_t> instances_;  ///< per level above the threads: how many share an instance of the one around
  std::int64_t unit_ = 0;
  std::map<int, lower::PartialSums> sums_;  ///< by store
};

}  // namespace pimento::targets::cnm
