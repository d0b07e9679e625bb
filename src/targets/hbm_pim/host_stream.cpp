#include "pimento/targets/hbm_pim/host_stream.h"

#include <fmt/format.h>

#include "pimento/targets/hbm_pim/stream.h"

namespace pimento::targets::hbm_pim {

Result<program::Program> hostStream(const machine::Machine &machine, Bytes bytes, bool isWrite) {
  const machine::Organization &o = machine.dram->organization;
  std::vector<std::string> order;
  for (const machine::Organization::Field &f : o.addressMap)
    if (f.name != "offset" && f.name != "channel" && f.name != "rank") order.push_back(f.name);
  if (order != std::vector<std::string>{"bank", "bankgroup", "column", "row"})
    return unsupported(
        "unsupported-address-map", {},
        fmt::format("machine '{}': host streams need the address order bank, bankgroup, column, row", machine.name),
        "give organization.address_map in that order");
  const std::int64_t banks = o.banks();
  const std::int64_t bursts = (bytes.value + o.burst.value - 1) / o.burst.value;
  const std::int64_t perChannel = (bursts + o.channels - 1) / o.channels;
  if (perChannel > banks * o.columns * o.rows)
    return capacityError("capacity", {}, fmt::format("{} bytes do not fit in one rank of every channel", bytes.value),
                         "use fewer bytes");
  const Stream stream(machine);
  const auto sweep = [&](std::int64_t count, Operand row, Operand column) {
    std::vector<CommandNode> nodes;
    for (int b = 0; b < count; ++b)
      nodes.push_back(isWrite ? stream.write(b, row, column, Purpose::kHostWrite, false)
                              : stream.read(b, row, column, Purpose::kHostRead, false));
    return nodes;
  };
  program::Process process;
  process.name = "channel";
  auto &body = process.body.emplace<program::CommandLoops>();
  process.instances = o.channels;
  const std::int64_t rows = perChannel / (banks * o.columns), columns = perChannel / banks % o.columns,
                     rest = perChannel % banks;
  if (rows > 0)
    body.push_back(CommandNode::loop(
        "row", rows, {CommandNode::loop("column", o.columns, sweep(banks, affine(0, {{0, 1}}), affine(0, {{1, 1}})))}));
  if (columns > 0)
    body.push_back(CommandNode::loop("column", columns, sweep(banks, affine(rows), affine(0, {{0, 1}}))));
  for (CommandNode &n : sweep(rest, affine(rows), affine(columns))) body.push_back(std::move(n));
  program::Program program;
  program.target = machine.name;
  program.processes.push_back(std::move(process));
  return program;
}

}  // namespace pimento::targets::hbm_pim
