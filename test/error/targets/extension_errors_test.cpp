// Extensions of mappings that choose nothing on a machine: each is refused where it stands, with those that do.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/notation.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

struct Ignored {
  const char *machine, *extension;
  int column;  ///< behind "auto;"
  const char *choices;
};

constexpr Ignored kIgnored[] = {
    {"hbm-pim", "buffer=64", 6, "direct=, resident=, cyclic(...), order(...), program=, tail="},
    {"hbm-pim", "resident=1;dpus=2", 17, "direct=, resident=, "},
    {"hbm-pim", "merge=host", 6, "direct=, resident=, "},
    {"hbm-pim", "mode=kernel", 6, "direct=, resident=, "},
    {"upmem", "resident=1", 6, "buffer=, dpus=, tasklets=, merge=, "},
    {"upmem", "direct=0", 6, "buffer=, dpus=, tasklets=, merge=, "},
    {"upmem", "mode=inference", 6, "buffer=, dpus=, tasklets=, merge=, "},
    {"attacc-published", "tasklets=4", 6, "append=, mode=, part=, "},
    {PIMENTO_SOURCE_DIR "/examples/machines/cnm-vector.yaml", "resident=1", 6, "buffer=, cyclic(...), "},
};

TEST(IgnoredExtensions, AreRefusedWithThoseThatChooseSomething) {
  for (const Ignored &i : kIgnored) {
    const auto machine = machine::loadMachine(i.machine, {kMachines});
    ASSERT_TRUE(machine) << i.machine << "\n" << machine.diagnostics().front().str();
    const auto graph = kernel::parseNotation("z[i] = x[i] + y[i]", {{"i", 4096}}, DType::kF16);
    ASSERT_TRUE(graph);
    for (const evaluate::Offload offload : {evaluate::Offload::kAll, evaluate::Offload::kPossible}) {
      evaluate::Request r;
      r.machine = &*machine;
      r.target = *targets::targetOf(*machine);
      r.graph = &*graph;
      r.offload = offload;
      r.maps = {*mapping::parseMapSpec(std::string("auto;") + i.extension)};
      const auto plan = evaluate::compile(r);
      ASSERT_FALSE(plan) << i.machine << " " << i.extension;
      const Diagnostic &d = plan.diagnostics().front();
      EXPECT_EQ(d.code, "unsupported-extension") << d.str();
      EXPECT_EQ(d.where.column, i.column) << d.str();
      EXPECT_NE(d.message.find("chooses nothing on " + machine->name), std::string::npos) << d.str();
      EXPECT_NE(d.hint.find(std::string("choices: ") + i.choices), std::string::npos) << d.str();
    }
  }
}

}  // namespace
}  // namespace pimento::test
