#include <gtest/gtest.h>

#include <string>

#include "pimento/energy/energy.h"
#include "test/support/actions.h"

namespace pimento::energy {
namespace {

const std::string kFolder = std::string(PIMENTO_SOURCE_DIR) + "/machines";

Diagnostics checked(const std::string &action) {
  const auto machine = machine::parseMachine("name: m\nextends: hbm-pim\nenergy:\n  mac:\n    action: " + action + "\n",
                                             "m.yaml", {kFolder});
  if (!machine) return machine.diagnostics();
  const Status status = check(*machine, test::kActions);
  return status ? Diagnostics{} : status.diagnostics();
}

TEST(EnergyErrors, AnUnknownActionSuggestsTheNearest) {
  const Diagnostics ds = checked("mac");
  ASSERT_EQ(ds.size(), 1U);
  EXPECT_EQ(ds.front().code, "unknown-name");
  EXPECT_NE(ds.front().message.find("'mac'"), std::string::npos);
  EXPECT_NE(ds.front().hint.find("did you mean 'macs'"), std::string::npos);
  EXPECT_GT(ds.front().where.line, 0);
}

TEST(EnergyErrors, AFractionIsNoCount) {
  const Diagnostics ds = checked("macs * energy.mac");
  ASSERT_EQ(ds.size(), 1U);
  EXPECT_EQ(ds.front().code, "unknown-name");
}

TEST(EnergyErrors, AFormulaThatCouldFallIsRefused) {
  for (const char *action : {"macs - refreshes", "macs / 2", "-macs + 8"}) {
    const Diagnostics ds = checked(action);
    ASSERT_EQ(ds.size(), 1U) << action;
    EXPECT_EQ(ds.front().code, "bad-formula") << action;
    EXPECT_FALSE(ds.front().hint.empty());
  }
}

TEST(EnergyErrors, GoodFormulasPass) {
  for (const char *action : {"macs", "2 * macs + refreshes", "max(macs, organization.channels)"}) {
    EXPECT_TRUE(checked(action).empty()) << action;
  }
}

}  // namespace
}  // namespace pimento::energy
