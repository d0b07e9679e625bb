// The host command stream around and inside HBM-PIM kernels: parking, mode changes, register writes, barriers.
//
// The sequences are those of the vendor's public simulator (docs/models/hbm-pim.md): they decide the cycles, since PIM
// execution itself takes no time. All addresses come from the machine file's register map.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/program.h"

namespace pimento::targets::hbm_pim {

using program::CommandNode;
using program::Operand;
using program::Purpose;

/// base plus stride per loop depth.
Operand affine(std::int64_t base, std::initializer_list<std::pair<int, std::int64_t>> strides = {});

/// Builds the pieces of a stream for one machine. Every piece ends with a barrier.
class Stream {
 public:
  explicit Stream(const machine::Machine &machine) : machine_(machine), pim_(*machine.pim) {}

  /// One column command.
  CommandNode read(int bank, Operand row, Operand column, Purpose purpose, bool isBarrier) const;
  CommandNode write(int bank, Operand row, Operand column, Purpose purpose, bool isBarrier, int image = -1,
                    Operand burst = {}) const;

  /// A read of the parking row in every bank: closes what was open and leaves the banks where modes can change.
  void park(std::vector<CommandNode> &out) const;
  void enterAllBank(std::vector<CommandNode> &out) const;
  void leaveAllBank(std::vector<CommandNode> &out) const;
  /// CRF words, eight per burst, from bursts `firstBurst`... of `image`.
  void loadMicrokernel(std::vector<CommandNode> &out, int image, std::int64_t firstBurst, std::int64_t bursts) const;
  void loadScalars(std::vector<CommandNode> &out, int image, std::int64_t burst) const;
  /// Switches PIM execution on or off: control burst `burst` of `image`.
  void control(std::vector<CommandNode> &out, int image, std::int64_t burst) const;
  /// Writes the entries of GRF_A from consecutive bursts of `image`.
  void writeInput(std::vector<CommandNode> &out, int image, Operand burst) const;
  /// Eight commands at consecutive columns from `column`.
  void readColumns(std::vector<CommandNode> &out, int bank, Operand row, Operand column, Purpose purpose) const;
  void writeColumns(std::vector<CommandNode> &out, int bank, Operand row, Operand column, Purpose purpose,
                    int image = -1) const;
  /// What every channel runs: `before`, then what `body` adds, in all-bank mode.
  program::Process process(std::vector<CommandNode> before,
                           const std::function<void(std::vector<CommandNode> &)> &body) const;
  /// Keeps a finished stream's order on controllers that drop the barrier of the transaction that exactly fills their
  /// queue: where one would be lost, further parking reads in front move it on.
  void keepBarriers(std::vector<CommandNode> &body) const;

 private:
  std::int64_t rowOf(const char *name) const { return pim_.rows.at(name); }
  std::int64_t columnOf(const char *name) const { return pim_.columns.at(name); }

  const machine::Machine &machine_;
  const machine::PimUnit &pim_;
};

}  // namespace pimento::targets::hbm_pim
