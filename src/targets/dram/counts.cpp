#include "pimento/targets/dram/counts.h"

#include "pimento/base/integer.h"

namespace pimento::targets::dram {

namespace {

using evaluate::ActionShare;

/// A command that all units of a channel execute.
ActionShare perUnit(std::string_view action, std::int64_t times = 1) {
  return {action, times, {"pim.blocks"}};
}
ActionShare perLane(std::string_view action) {
  return {action, 1, {"pim.blocks", "pim.lanes"}};
}

constexpr std::string_view kOfProgram = "commands of the program";

}  // namespace

const evaluate::CountTable &countTable() {
  using program::name;
  using enum program::Purpose;
  static const evaluate::CountTable kTable = {
      {{name(kHostRead), kOfProgram, {{"host_reads"}}},
       {name(kHostWrite), kOfProgram, {{"host_writes"}}},
       {name(kControl), kOfProgram, {{"broadcasts"}}},
       {name(kProgram), kOfProgram, {{"broadcasts"}}},
       {name(kBroadcast), kOfProgram, {{"broadcasts"}, perUnit("register_writes")}},
       {name(kPimRead), kOfProgram, {perUnit("near_bank_reads"), perUnit("register_writes")}},
       {name(kPimMac),
        kOfProgram,
        {perUnit("near_bank_reads"), perLane("macs"), perUnit("register_reads", 2), perUnit("register_writes")}},
       {name(kPimAlu),
        kOfProgram,
        {perUnit("near_bank_reads"), perLane("alu_operations"), perUnit("register_reads"), perUnit("register_writes")}},
       {name(kPimMove),
        kOfProgram,
        {perUnit("near_bank_reads"), perUnit("register_reads"), perUnit("register_writes")}},
       {name(kPimStore), kOfProgram, {perUnit("near_bank_writes"), perUnit("register_reads")}},
       {"activates",
        "rows that the controller opened in one bank; counted by the engine, since it depends on time",
        {{"activations"}}},
       {"all_bank_activates",
        "commands that opened a row in every unit's bank; counted by the engine, since it depends on time",
        {perUnit("all_bank_activations")}},
       {"precharges",
        "rows that the controller closed in one bank; counted by the engine, since it depends on time",
        {{"precharges"}}},
       {"all_bank_precharges",
        "commands that closed a row in every unit's bank; counted by the engine, since it depends on time",
        {perUnit("precharges")}},
       {"refreshes", "REF commands of all ranks; counted by the engine, since it depends on time", {{"refreshes"}}},
       {"lost_refreshes",
        "refresh requests that the next one replaced before they were served; counted by the engine",
        {}},
       {"column_commands", kOfProgram, {}}},
      "commands"};
  return kTable;
}

const program::CommandLoops &loopsOf(const program::Process &process) {
  return std::get<program::CommandLoops>(process.body);
}

const Counting &byPurpose() {
  static const Counting kCounting = {countTable(), program::kPurposes,
                                     [](const program::Program & /*program*/, const program::Command &c) {
                                       return static_cast<std::size_t>(c.purpose);
                                     }};
  return kCounting;
}

void addCounts(std::vector<std::int64_t> &totals, const Counting &counting, const program::Program &program,
               const program::Process &process, const sim::dram::ChannelCounts &c) {
  const std::int64_t instances = process.isShared ? 1 : process.instances;
  std::vector<std::int64_t> each(counting.commands);
  program::forEachStatement(loopsOf(process), [&](const program::Command &command, std::int64_t times) {
    std::int64_t &n = each[counting.rowOf(program, command)];
    n = addSaturated(
        n, multiplySaturated(multiplySaturated(times, amountOf(command)), program::channelsOf(process, command)));
  });
  for (const std::int64_t n :
       {c.activates, c.allBankActivates, c.precharges, c.allBankPrecharges, c.refreshes, c.lostRefreshes, c.columns})
    each.push_back(n);
  for (std::size_t i = 0; i < each.size(); ++i)
    totals[i] = addSaturated(totals[i], multiplySaturated(each[i], instances));
}

}  // namespace pimento::targets::dram
