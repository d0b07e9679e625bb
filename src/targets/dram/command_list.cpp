#include "pimento/targets/dram/command_list.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace pimento::targets::dram {

using machine::CommandKind;

std::string_view mnemonic(const sim::dram::IssuedCommand &c) {
  constexpr std::array<std::string_view, 6> kPlain = {"ACT", "PRE", "RD", "WR", "REF", "BARRIER"};
  return c.name.empty() ? kPlain[static_cast<std::size_t>(c.kind)] : c.name;
}

CommandList::CommandList(std::ostream &out, bool hasHeading) : out_(&out) {
  if (hasHeading) *out_ << "cycle,command,bank,row,column,purpose\n";
}

void CommandList::onCommand(const sim::dram::IssuedCommand &c) {
  fmt::memory_buffer line;
  const auto at = std::back_inserter(line);
  fmt::format_to(at, "{},{},{},", c.time, mnemonic(c), c.bank);
  if (c.kind != CommandKind::kRefresh) fmt::format_to(at, "{}", c.row);
  if (isColumnCommand(c.kind))
    fmt::format_to(at, ",{},{}\n", c.column, c.command == nullptr ? "" : program::name(c.command->purpose));
  else
    fmt::format_to(at, ",,\n");
  out_->write(line.data(), static_cast<std::streamsize>(line.size()));
}

}  // namespace pimento::targets::dram
