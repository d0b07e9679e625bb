// Machine files of DPUs that contradict themselves: the preset with one piece of text replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pimento/base/file.h"
#include "pimento/machine/machine.h"

namespace pimento::machine {
namespace {

const std::string kFolder = std::string(PIMENTO_SOURCE_DIR) + "/machines";

/// One mistake: `before` becomes `after`.
struct Mistake {
  const char *name, *before, *after, *code, *message, *hint;
};

const Mistake kMistakes[] = {
    {"OccupancyAboveLatency", "latency: 60.7 cycle", "latency: 40.0 cycle", "impossible-value",
     "a transfer of 8 B occupies the engine for longer than its latency", "occupancy must not exceed latency"},
    {"SizesOutOfOrder", "b16: {size: 16 B", "b16: {size: 64 B", "impossible-value", "32 B is listed after 64 B",
     "ascending"},
    {"ASizeThatNoTransferHas", "b8: {size: 8 B", "b8: {size: 12 B", "impossible-value", "12 B is not a multiple of 8 B",
     "valid transfer sizes"},
    {"RefreshAllTheTime", "value: 260 ns", "value: 9000 ns", "impossible-value", "busy all the time",
     "below refresh_interval"},
    {"RowsWithoutNumbers", "mram_model: table", "mram_model: dram-rows", "missing-section", "needs the section",
     "table"},
    {"ConstantWithoutItsNumber", "mram_model: table", "mram_model: constant", "missing-key", "dpu.dma.constant",
     "table"},
    {"TooManyPorts", "      value: 1 count", "      value: 65537 count", "impossible-value", "65537", "65536"},
    {"RatesOutOfOrder", "n4: {dpus: 4 count, rate: 1.515", "n4: {dpus: 32 count, rate: 1.515", "impossible-value",
     "the rate for 16 DPUs is listed after the rate for 32", "ascending"},
    {"TooManyTasklets", "tasklets: 24 count", "tasklets: 25 count", "impossible-value", "25", "24"},
    {"AnIntervalThatTheEngineCannotKeep", "value: 11 cycle", "value: 64 cycle", "impossible-value", "64", "63"},
    {"AnUnknownHazard", "register_hazard: none", "register_hazard: odd", "unknown-choice", "odd", "even-odd"},
    {"OddMemory", "wram: 64 KiB", "wram: 65532 B", "impossible-value", "multiples of 8", "8 bytes"},
};

class DpuMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(DpuMistakes, AreDiagnosed) {
  const Mistake &m = GetParam();
  std::string text = *readFile(kFolder + "/upmem.yaml");
  if (std::string(m.name) == "RowsWithoutNumbers") {
    const auto rows = text.find("    rows:\n");
    text.erase(rows, text.find("\n# 18.5 W") - rows);
  }
  if (std::string(m.name) == "ConstantWithoutItsNumber") {
    const auto constant = text.find("    constant:\n");
    text.erase(constant, text.find("    # Used only if mram_model is dram-rows") - constant);
  }
  const auto at = text.find(m.before);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(m.before).size(), m.after);
  const auto machine = parseMachine(text, "upmem.yaml", {kFolder});
  ASSERT_FALSE(machine);
  std::string all;
  bool isFound = false;
  for (const Diagnostic &d : machine.diagnostics()) {
    all += d.str() + "\n";
    isFound = isFound || (d.code == m.code && d.message.find(m.message) != std::string::npos &&
                          d.hint.find(m.hint) != std::string::npos && d.where.line > 0);
  }
  EXPECT_TRUE(isFound) << all;
}

INSTANTIATE_TEST_SUITE_P(Upmem, DpuMistakes, ::testing::ValuesIn(kMistakes),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pimento::machine
