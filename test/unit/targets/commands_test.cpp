#include <gtest/gtest.h>

#include <sstream>

#include "pimento/program/loops_cursor.h"
#include "pimento/targets/dram/command_list.h"
#include "test/support/trace.h"

namespace pimento::targets::dram {
namespace {

TEST(CommandList, HasALinePerIssuedCommandWithTheEnginesTimes) {
  const machine::Machine machine = test::handMachine();
  const program::Process process = test::process({test::rd(3, 7, 5), test::wr(3, 8, 6)});
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine);
  const program::FlatLoops code = test::flatten(process, spec);
  std::ostringstream out;
  CommandList list(out);
  sim::dram::Channel channel(spec, code, &list);
  while (channel.run().kind != sim::Checkpoint::Kind::kDone) {
  }
  std::string expected = "cycle,command,bank,row,column,purpose\n";
  for (const test::Issued &c : test::runChannel(machine, process).trace) {
    expected += fmt::format("{},{},{},{},", c.time, c.what, c.bank, c.row);
    expected += c.column < 0 ? "," : fmt::format("{},host_read", c.column);
    expected += "\n";
  }
  EXPECT_EQ(out.str(), expected);
  EXPECT_NE(out.str().find(",ACT,3,7,,\n"), std::string::npos);
  EXPECT_NE(out.str().find(",PRE,3,7,,\n"), std::string::npos);
  EXPECT_NE(out.str().find(",WR,3,8,6,host_read\n"), std::string::npos);
}

TEST(CommandList, ARefreshHasABankOfItsRankOnly) {
  std::ostringstream out;
  CommandList list(out);
  list.onCommand({3901, machine::CommandKind::kRefresh, 16, 0, 0, nullptr, 0});
  EXPECT_EQ(out.str(), "cycle,command,bank,row,column,purpose\n3901,REF,16,,,\n");
}

TEST(CommandList, PurposesAreThoseOfTheProgramsText) {
  std::ostringstream out;
  CommandList list(out);
  program::Command command;
  command.purpose = program::Purpose::kPimMac;
  list.onCommand({12, machine::CommandKind::kRead, 1, 2, 3, &command, 0});
  EXPECT_EQ(out.str(), "cycle,command,bank,row,column,purpose\n12,RD,1,2,3,pim_mac\n");
}

}  // namespace
}  // namespace pimento::targets::dram
