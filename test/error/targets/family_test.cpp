// Machines without the sections and levels that the target of their family relies on: presets with one piece of text
// replaced, or extended.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pimento/base/file.h"
#include "pimento/targets/targets.h"

namespace pimento::targets {
namespace {

const std::string kMachines = std::string(PIMENTO_SOURCE_DIR) + "/machines";

/// What is wrong with a machine that is right in itself.
Diagnostics refusal(const std::string &text, const std::vector<machine::Override> &overrides = {}) {
  const auto machine = machine::parseMachine(text, "broken.yaml", {kMachines}, overrides);
  if (!machine) ADD_FAILURE() << machine.diagnostics().front().str();
  if (!machine) return {};
  const Status s = check(*machine);
  EXPECT_FALSE(s.ok()) << "accepted";
  return s ? Diagnostics{} : s.diagnostics();
}

/// One mistake in the file of a preset: `before` becomes `after`; the diagnostic stands `lines` below.
struct Mistake {
  const char *name, *preset, *before, *after;
  int lines;
  const char *message, *hint;
};

const Mistake kMistakes[] = {
    {"LevelsOfAnotherFamily", "hbm-pim", "  lane: {", "  thread: {", -2, "family 'hbm-pim' has different levels",
     "its levels, outermost first: channel, block, lane"},
    {"LevelThatContradictsTheOrganisation", "hbm-pim", "count: organization.channels, splits",
     "count: pim.blocks, splits", 0, "level 'channel' has count 8, but organization.channels is 64",
     "write 'count: organization.channels' and set that number"},
    {"RoleOfAnotherFamily", "hbm-pim", "role: lane, count: pim.lanes", "role: thread, count: pim.lanes", 0,
     "level 'lane' is a thread, but in family 'hbm-pim' it must be a lane", "write 'role: lane', or omit it"},
    {"RanksThatDisagree", "upmem", "count: system.ranks", "count: system.ranks_per_dimm", 0,
     "level 'rank' has count 2, but system.ranks is 40", "write 'count: system.ranks' and set that number"},
};

class Levels : public testing::TestWithParam<Mistake> {};

TEST_P(Levels, AreThoseOfTheFamily) {
  const Mistake &m = GetParam();
  std::string text = *readFile(kMachines + "/" + m.preset + ".yaml");
  const std::size_t at = text.find(m.before);
  ASSERT_NE(at, std::string::npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  text.replace(at, std::string(m.before).size(), m.after);
  const Diagnostics ds = refusal(text);
  ASSERT_EQ(ds.size(), 1U);
  EXPECT_EQ(ds.front().code, "wrong-levels");
  EXPECT_EQ(ds.front().message, m.message);
  EXPECT_EQ(ds.front().hint, m.hint);
  EXPECT_EQ(ds.front().where.line, line + m.lines);
}

INSTANTIATE_TEST_SUITE_P(Presets, Levels, testing::ValuesIn(kMistakes),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Levels, ThatAreSetMustAgreeWithTheSection) {
  const Diagnostics ds = refusal("name: m\nextends: hbm-pim\n", {{"levels.channel.count", "8"}});
  ASSERT_EQ(ds.size(), 1U);
  EXPECT_EQ(ds.front().where.str(), "--set levels.channel.count=8");
}

TEST(Sections, AreThoseThatTheFamilyNeeds) {
  const auto first = [](const std::string &more) { return refusal("name: m\nextends: hbm-pim\n" + more).front(); };
  const Diagnostic upmem = first("family: upmem\n");
  EXPECT_EQ(upmem.code, "missing-section");
  EXPECT_EQ(upmem.message, "family 'upmem' needs the sections 'system', 'dpu' and 'host.dpus'");
  EXPECT_EQ(upmem.where.str(), "broken.yaml:3:9");
  const Diagnostic cnm = first("family: cnm\n");
  EXPECT_EQ(cnm.code, "missing-section");
  EXPECT_EQ(cnm.message, "family 'cnm' needs the sections 'compute' and 'memories'");
  EXPECT_EQ(cnm.hint, "they define the operations of a unit and the memories it reads");
  const Diagnostic hbm = first(
      "pim: null\nmodes: null\nlevels: {source: me, confidence: assumed, block: {count: 8 count}, lane: {count: 16 "
      "count}}\n"
      "energy: {segment_bg: null}\n");
  EXPECT_EQ(hbm.message, "family 'hbm-pim' needs the sections 'organization' and 'pim'");
}

}  // namespace
}  // namespace pimento::targets
