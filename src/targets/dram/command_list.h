// The commands one channel received, in issue order, as CSV (`compile --emit commands`).
//
// One line per command: cycle, command, bank, row, column, purpose. Row commands have no column and no purpose, a
// refresh no row either; its bank is the first of the rank. Purposes are named as in program/text.h.
#pragma once

#include <ostream>
#include <string_view>

#include "pimento/evaluate/run.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::targets::dram {

/// "ACT" "PRE" "RD" "WR" "REF", or the name that the machine file has for another command.
std::string_view mnemonic(const sim::dram::IssuedCommand &c);
/// Whether the command goes to a column, and so has a purpose.
inline bool isColumnCommand(machine::CommandKind kind) {
  return machine::Command::slotOf(kind) == machine::Slot::kColumn;
}

/// Writes a line as each command issues; nothing is held back. Commands of several kernels follow one another, each
/// kernel's cycles counting from its own start.
class CommandList final : public evaluate::Observer, public sim::dram::CommandObserver {
 public:
  /// Writes the heading, if wanted. `out` must outlive this; the caller checks its state.
  explicit CommandList(std::ostream &out, bool hasHeading = true);

  void onCommand(const sim::dram::IssuedCommand &command) override;

 private:
  std::ostream *out_;
};

}  // namespace pimento::targets::dram
