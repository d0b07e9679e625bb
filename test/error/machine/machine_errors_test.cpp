// Broken machine files: each gets its diagnostic, at its line, with a hint. Inputs are the shipped preset with one
// piece of text replaced.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/machine/machine.h"

namespace pimento::machine {
namespace {

const std::string kFolder = std::string(PIMENTO_SOURCE_DIR) + "/machines";

const std::string &preset() {
  static const std::string kText = *readFile(kFolder + "/hbm-pim.yaml");
  return kText;
}

int lineAt(const std::string &text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

std::string all(const Diagnostics &ds) {
  std::string s;
  for (const Diagnostic &d : ds) s += d.str() + "\n";
  return s;
}

const Diagnostic *withCode(const Diagnostics &ds, const std::string &code) {
  const auto it = std::find_if(ds.begin(), ds.end(), [&](const Diagnostic &d) { return d.code == code; });
  return it == ds.end() ? nullptr : &*it;
}

/// One mistake: `before` becomes `after`; the diagnostic stands `lines` below the first changed line.
struct Mistake {
  const char *name;
  const char *before, *after;
  const char *code;
  int lines;
  const char *hint;  ///< part of the hint
};

const Mistake kMistakes[] = {
    {"UnknownKeyInASection", "  rows: 16384 count", "  rwos: 16384 count", "unknown-key", 0, "did you mean 'rows'"},
    {"UnknownSection", "\nclock:", "\nclocks:", "unknown-key", 1, "did you mean 'clock'"},
    {"UnknownKeyOfANumber", "    value: 1 GHz", "    valeu: 1 GHz", "unknown-key", 0, "did you mean 'value'"},
    {"MissingKey", "  columns: 32 count\n", "", "missing-key", -10, "bursts per row"},
    {"MissingAction", "    action: macs\n", "", "missing-key", 0, "action count"},
    {"BareNumber", "tRP: 14 cycle", "tRP: 14", "bare-number", 0, "14 cycle"},
    {"BareHexadecimalRow", "park: 0x1000 row", "park: 0x1000", "bare-number", 0, "0x1000 row"},
    {"BareBankList", "banks: 0 1 8 9 bank", "banks: 0 1 8 9", "bare-number", 0, "bank"},
    {"FormulaWithoutNames", "latency: tRAS}", "latency: (3 + 4)}", "bare-number", 0, "cycle"},
    {"WrongUnit", "tRP: 14 cycle", "tRP: 14 cycles", "wrong-unit", 0, "did you mean 'cycle'"},
    {"UnitOfAnotherQuantity", "burst: 32 B", "burst: 32 ns", "wrong-unit", 0, "choices: B"},
    {"NotANumber", "tRP: 14 cycle", "tRP: fourteen", "bad-number", 0, "14 cycle"},
    {"InfiniteNumber", "value: 0.5 pJ\n", "value: inf pJ\n", "bad-number", 0, "units"},
    {"MissingSource",
     "    source: \"vendor's public simulator: tCK 1 ns, 2 Gb/s pins (ISCA 2021 silicon: up to 1.2 GHz)\"\n", "",
     "missing-source", -1, "source"},
    {"MissingConfidence", "    confidence: paper\n\n# Outermost", "\n# Outermost", "missing-confidence", -2,
     "measured"},
    {"UnknownConfidence", "  confidence: paper\n  RL", "  confidence: papers\n  RL", "bad-confidence", 0,
     "did you mean 'paper'"},
    {"RangeBesideTheValue", "range: [374, 909]", "range: [700, 909]", "bad-range", 0, "lowest"},
    {"RangeOfThreeNumbers", "range: [374, 909]", "range: [374, 650, 909]", "bad-range", 0, "lowest"},
    {"TooManyColumns", "columns: 32 count", "columns: 65536 count", "impossible-value", 0, "32768"},
    {"ChannelsNoPowerOfTwo", "channels: 64 count", "channels: 48 count", "impossible-value", 0, "32 and 64"},
    {"NoChannels", "channels: 64 count", "channels: 0 count", "impossible-value", 0, "from 1"},
    {"HalfAChannel", "channels: 64 count", "channels: 1.5 count", "impossible-value", 0, "round"},
    {"NegativeEnergy", "value: 0.5 pJ\n", "value: -0.5 pJ\n", "bad-range", 1, "lowest"},
    {"RowCycleTooShort", "tRC: 47 cycle", "tRC: 46 cycle", "impossible-value", 0, "47 cycle"},
    {"RefreshWithoutPause", "tREFI: 3900 cycle", "tREFI: 380 cycle", "impossible-value", 42, "exceed"},
    {"TooManyBanks", "bank_groups: 4 count", "bank_groups: 16 count", "impossible-value", -2, "reduce"},
    {"BlocksThatServeTooFewBanks", "  blocks: 8 count", "  blocks: 4 count", "impossible-value", 0, "banks_per_block"},
    {"LanesThatDoNotFillABurst", "  lanes: 16 count", "  lanes: 8 count", "impossible-value", 0, "organization.burst"},
    {"ControlRowBeyondTheBank", "registers: 0x3fff row", "registers: 0x4000 row", "impossible-value", 0, "below 16384"},
    {"ControlRowAmongTheData", "park: 0x1000 row", "park: 0x10 row", "impossible-value", 0, "first_control_row"},
    {"TwoMeaningsOfOneRow", "park: 0x1000 row", "park: 0x17ff row", "impossible-value", 0, "own row"},
    {"ModeBankBeyondTheRank", "banks: 0 1 8 9 bank", "banks: 0 1 8 16 bank", "impossible-value", 0, "below 16"},
    {"RegistersBeyondTheRow", "grf_b: 0x18 column", "grf_b: 0x19 column", "impossible-value", 0, "below 32"},
    {"RegistersThatOverlap", "crf: 0x04 column", "crf: 0x05 column", "impossible-value", 0, "its own columns"},
    {"RowsNoPowerOfTwo", "rows: 16384 count", "rows: 16500 count", "impossible-value", 0, "16384"},
    {"NegativeLatency", "latency: WL + BL/2 + tWTRL", "latency: WL - RL", "impossible-value", 0, "from 0"},
    {"UnknownChoice", "precharge: eager", "precharge: eagre", "unknown-choice", 0, "did you mean 'eager'"},
    {"NeitherTrueNorFalse", "loses_barrier_on_full_queue: true", "loses_barrier_on_full_queue: yes", "unknown-choice",
     0, "true"},
    {"UnknownType", "native_type: f16", "native_type: fp16", "unknown-choice", 0, "f16"},
    {"UnknownMerger", "must_fill: true", "must_fill: true, merge: hots", "duplicate-key", 0, "keep one"},
    {"NobodyMerges", "splits_reduction: true, merge: host}", "splits_reduction: true, merge: hots}", "unknown-choice",
     0, "did you mean 'host'"},
    {"NoMerger", "splits_reduction: true, merge: host}", "splits_reduction: true}", "missing-key", 0, "merge: host"},
    {"UnknownNameInAFormula", "RL + BL/2 + tRTRS - WL", "RL + BL/2 + tRTSR - WL", "unknown-name", 0,
     "did you mean 'tRTRS'"},
    {"BrokenFormula", "RL + BL/2 + tRTRS - WL", "RL + BL/2 + (tRTRS - WL", "bad-formula", 0, "max(a, b)"},
    {"DivisionByZero", "latency: tRAS}", "latency: tRAS / (BL - 4)}", "bad-formula", 0, "0"},
    {"BrokenActionFormula", "action: macs", "action: macs +", "bad-formula", 0, "names"},
    {"UnknownCommand", "preceding: [ACT], following: [PRE]", "preceding: [ACT], following: [PREC]", "unknown-command",
     0, "did you mean 'PRE'"},
    {"TwoCommandsOfAKind", "PRE: {kind: precharge", "PRE: {kind: activate", "wrong-commands", -1, "exactly one"},
    {"TwoCommandsForTheSameBanks", "PRE: {kind: precharge, scope: bank}",
     "PRE: {kind: precharge, scope: bank}\n  A: {kind: precharge, scope: rank}\n  B: {kind: precharge, scope: rank}",
     "wrong-commands", 2, "another scope"},
    {"NoReadOfOneBank", "RD: {kind: read, scope: bank}", "RD: {kind: read, scope: rank}", "wrong-commands", -2,
     "exactly one"},
    {"SlotOfAnotherKind", "ACT: {kind: activate, scope: bank}", "ACT: {kind: activate, scope: bank, slot: column}",
     "impossible-value", 0, "another kind"},
    {"NeedsOfAnotherKind", "ACT: {kind: activate, scope: bank}", "ACT: {kind: activate, scope: bank, needs: open}",
     "impossible-value", 0, "needs: closed"},
    {"NeedsThatAReadCannotHave", "RD: {kind: read, scope: bank}",
     "RD: {kind: read, scope: bank}\n  RD2: {kind: read, scope: bank, needs: closed}", "impossible-value", 1,
     "or nothing"},
    {"CompletionOfARowCommand", "PRE: {kind: precharge, scope: bank}",
     "PRE: {kind: precharge, scope: bank, completion: tRP}", "impossible-value", 0, "completion.precharge"},
    {"PseudoChannelsWithoutRanks", "  bank_groups: 4 count", "  pseudo_channels: 4 count\n  bank_groups: 4 count",
     "impossible-value", 0, "multiple"},
    {"UnknownAddressField", "bank, bankgroup, column, row, rank 0 bit]", "bank, bankgruop, column, row, rank 0 bit]",
     "bad-address-map", 0, "did you mean 'bankgroup'"},
    {"MissingAddressField", "bank, bankgroup, column, row, rank 0 bit]", "bank, bankgroup, column]", "bad-address-map",
     0, "row"},
    {"RepeatedAddressField", "bank, bankgroup, column, row, rank 0 bit]", "bank, bank, bankgroup, column, row]",
     "bad-address-map", 0, "once"},
    {"TooManyAddressBits", "rank 0 bit]", "rank 3 bit]", "bad-address-map", 0, "0 bit"},
    {"AliasOfNothing", "ranks: organization.ranks", "ranks: organization.rankz", "bad-alias", 0, "full path"},
    {"PowerWithAnAction", "    component: dram\n    value: 940 mW",
     "    component: dram\n    action: refreshes\n    value: 940 mW", "bad-energy-term", 1, "instances"},
    {"EnergyWithInstances", "    action: macs\n", "    action: macs\n    instances: pim.blocks\n", "bad-energy-term", 1,
     "action"},
    {"UnknownRole", "role: unit, count: pim.blocks", "role: units, count: pim.blocks", "unknown-choice", 0,
     "did you mean 'unit'"},
    {"GroupsInsideOfUnits", "role: group, count: organization", "role: unit, count: organization", "wrong-levels", 1,
     "outermost first"},
    {"UnknownClock", "fence: {value: 0 cycle", "fence: {value: 0 cycle@noc", "unknown-clock", 0, "choices: device"},
    {"CyclesOfAnotherQuantity", "burst: 32 B", "burst: 32 cycle@device", "wrong-unit", 0, "choices: B"},
    {"SetWithoutSets", "energy:\n", "energy:\n  set: published\n", "unknown-choice", 1, "the only set"},
    {"MissingDramSection", "commands:\n  ACT", "command_s:\n  ACT", "unknown-key", 0, "did you mean 'commands'"},
    {"MappingInsteadOfANumber", "tRP: 14 cycle", "tRP: [14 cycle]", "wrong-type", 0, "cycle"},
    {"TextInsteadOfASection", "aliases:\n  channels: organization.channels\n  ranks: organization.ranks",
     "aliases: none", "wrong-type", 0, "indented"},
    {"TextInsteadOfAList", "preceding: [ACT], following: [PRE]", "preceding: ACT, following: [PRE]", "wrong-type", 0,
     "[a, b, c]"},
    {"EmptyValue", "tRP: 14 cycle", "tRP:", "wrong-type", 0, "cycle"},
    {"EmptySource", "  source: \"vendor's public simulator, mode switches\"", "  source: \"\"", "wrong-type", 0,
     "source"},
    {"NameWithADot", "  tRP: 14 cycle", "  t.RP: 14 cycle", "bad-name", 0, "letters"},
    {"RepeatedKey", "  tRP: 14 cycle", "  tRP: 14 cycle\n  tRP: 15 cycle", "duplicate-key", 1, "keep one"},
    {"BrokenYaml", "banks: 0 1 8 9 bank}", "banks: 0 1 8 9 bank", "yaml-syntax", 14, "colons"},
    {"ModesThatCannotBeLeft", "{from: all-bank, to: single-bank", "{from: all-bank, to: all-bank-pim", "missing-key",
     -11, "returns to single-bank"},
};

class MachineError : public testing::TestWithParam<Mistake> {};

TEST_P(MachineError, IsFoundAtItsLineWithAHint) {
  const Mistake &m = GetParam();
  std::string text = preset();
  const std::size_t at = text.find(m.before);
  ASSERT_NE(at, std::string::npos) << "the preset no longer contains: " << m.before;
  text.replace(at, std::string(m.before).size(), m.after);
  const auto result = parseMachine(text, "broken.yaml", {kFolder});
  ASSERT_FALSE(result) << "accepted";
  const Diagnostic *d = withCode(result.diagnostics(), m.code);
  ASSERT_NE(d, nullptr) << all(result.diagnostics());
  EXPECT_EQ(d->where.file, "broken.yaml");
  EXPECT_EQ(d->where.line, lineAt(text, at) + m.lines) << all(result.diagnostics());
  EXPECT_GT(d->where.column, 0);
  EXPECT_NE(d->hint.find(m.hint), std::string::npos) << d->hint;
  for (const Diagnostic &other : result.diagnostics()) EXPECT_FALSE(other.hint.empty()) << other.str();
}

INSTANTIATE_TEST_SUITE_P(Mistakes, MachineError, testing::ValuesIn(kMistakes),
                         [](const auto &info) { return std::string(info.param.name); });

Diagnostics broken(const std::string &text) {
  const auto result = parseMachine(text, "broken.yaml", {kFolder});
  EXPECT_FALSE(result) << "accepted: " << text.substr(0, 200);
  return result ? Diagnostics{} : result.diagnostics();
}

std::string codeOf(const std::string &text) {
  const Diagnostics ds = broken(text);
  return ds.empty() ? "" : ds.front().code;
}

TEST(MachineErrors, SeveralMistakesAreReportedInOneGo) {
  std::string text = preset();
  for (const auto &[before, after] : {std::pair<std::string, std::string>{"tRP: 14 cycle", "tRP: 14"},
                                      {"precharge: eager", "precharge: never"},
                                      {"  rows: 16384 count", "  rwos: 16384 count"}}) {
    text.replace(text.find(before), before.size(), after);
  }
  const Diagnostics ds = broken(text);
  for (const char *code : {"bare-number", "unknown-choice", "unknown-key", "missing-key"}) {
    EXPECT_NE(withCode(ds, code), nullptr) << code << "\n" << all(ds);
  }
}

TEST(MachineErrors, AFileWithLittleInItIsToldWhereToStart) {
  const Diagnostics ds = broken("name: fast\nfamily: upmem\n");
  ASSERT_EQ(ds.size(), 1U) << all(ds);
  EXPECT_EQ(ds.front().code, "missing-key");
  EXPECT_EQ(ds.front().where.str(), "broken.yaml:1:1");
  EXPECT_EQ(ds.front().message, "'about', 'native_type', 'clock', 'levels', 'energy' and 'host' are missing");
  EXPECT_EQ(
      ds.front().hint.find("start from an existing machine: 'name: fast', 'extends: upmem', then the differences"), 0U)
      << ds.front().hint;
  EXPECT_NE(broken("about: nothing\n").front().hint.find("'name: mine', 'extends: aim'"), std::string::npos);
}

TEST(MachineErrors, KeysThatAreMissingAreNamedTogetherBeforeOtherMistakes) {
  std::string text = preset();
  for (const auto &[before, after] : {std::pair<std::string, std::string>{"tRP: 14 cycle", "tRP: 14"},
                                      {"  rows: 16384 count\n", ""},
                                      {"  lanes: 16 count\n", ""},
                                      {"    park: 0x1000 row\n", ""}})
    text.replace(text.find(before), before.size(), after);
  const Diagnostics ds = broken(text);
  ASSERT_GE(ds.size(), 2U) << all(ds);
  EXPECT_EQ(ds.front().message, "'organization.rows', 'pim.lanes' and 'pim.rows.park' are missing");
  EXPECT_EQ(ds.front().hint, "add them; 'pimento targets --schema' explains every key");
  EXPECT_NE(withCode(ds, "bare-number"), nullptr) << all(ds);
}

TEST(MachineErrors, AFileThatExtendsAnotherIsNotSentToExtend) {
  const auto result = parseMachine("name: m\nextends: hbm-pim\nhost: null\nclock: null\n", "m.yaml", {kFolder});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().message, "'clock' and 'host' are missing");
  EXPECT_EQ(result.diagnostics().front().hint.find("add them"), 0U) << result.diagnostics().front().hint;
}

TEST(MachineErrors, AFileThatIsNoMappingIsRefused) {
  for (const char *text : {"", "14 cycle", "[a, b]", "--- a\n--- b\n", "name: [\n", "? [a]\n: b\n", "\t", "a: *b"}) {
    EXPECT_EQ(codeOf(text), "yaml-syntax") << text;
  }
}

TEST(MachineErrors, ControlCharactersAreRefusedWhereTheyStand) {
  const Diagnostics ds = broken(std::string("name: m\nabout: a\0b\n", 19));
  ASSERT_EQ(ds.size(), 1U);
  EXPECT_EQ(ds.front().code, "yaml-syntax");
  EXPECT_EQ(ds.front().where.str(), "broken.yaml:2:9");
}

TEST(MachineErrors, ASecondDocumentIsRefused) {
  const Diagnostics ds = broken("# one\n---\nname: m\n---\nname: n\n");
  ASSERT_EQ(ds.size(), 1U);
  EXPECT_EQ(ds.front().where.str(), "broken.yaml:4:1");
}

TEST(MachineErrors, DeepNestingIsRefused) {
  EXPECT_EQ(codeOf("a: " + std::string(100, '[') + std::string(100, ']')), "yaml-too-large");
  const std::string deep = codeOf("a: " + std::string(100000, '[') + std::string(100000, ']'));
  EXPECT_TRUE(deep == "yaml-too-large" || deep == "yaml-syntax") << deep;
}

TEST(MachineErrors, AliasesThatExpandWithoutEndAreRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) text += before + ", ";
    text += before + "]\n";
  }
  EXPECT_EQ(codeOf(text), "yaml-too-large");
}

TEST(MachineErrors, AHugeFileIsRefused) {
  EXPECT_EQ(codeOf(std::string(2'000'000, '#')), "yaml-too-large");
}

TEST(MachineErrors, ADramMachineNeedsAllItsSections) {
  const auto result = parseMachine("name: m\nextends: hbm-pim\ncommands: null\n", "m.yaml", {kFolder});
  ASSERT_FALSE(result);
  EXPECT_NE(withCode(result.diagnostics(), "missing-section"), nullptr) << all(result.diagnostics());
}

TEST(MachineErrors, DramSectionsThatAreMissingAreNamedTogether) {
  const auto result =
      parseMachine("name: m\nextends: hbm-pim\ncommands: null\ncompletion: null\n", "m.yaml", {kFolder});
  ASSERT_FALSE(result);
  ASSERT_EQ(result.diagnostics().size(), 1U) << all(result.diagnostics());
  EXPECT_EQ(result.diagnostics().front().message, "a DRAM machine needs 'commands', 'completion'");
}

/// hbm-pim with two sets of terms, and `rest` in its energy section.
Diagnostics withSets(const std::string &rest) {
  return broken(
      "name: m\nextends: hbm-pim\nenergy:\n  source: me\n  confidence: assumed\n"
      "  sets:\n    published: {mac: {value: 1 pJ, action: macs, component: pim, covers: one}}\n"
      "    measured: {mac: {value: 2 pJ, action: macs, component: pim, covers: one}}\n" +
      rest);
}

TEST(MachineErrors, AnUnknownSetOfEnergyTermsSuggestsTheNearest) {
  const Diagnostics ds = withSets("  set: publishd\n");
  ASSERT_EQ(ds.size(), 1U) << all(ds);
  EXPECT_EQ(ds.front().code, "unknown-choice");
  EXPECT_EQ(ds.front().where.str(), "broken.yaml:9:8");
  EXPECT_EQ(ds.front().hint, "did you mean 'published'? choices: published, measured");
}

TEST(MachineErrors, SetsOfEnergyTermsNeedAChosenOne) {
  const Diagnostics ds = withSets("");
  ASSERT_EQ(ds.size(), 1U) << all(ds);
  EXPECT_EQ(ds.front().code, "missing-key");
  EXPECT_NE(ds.front().hint.find("published, measured"), std::string::npos) << ds.front().hint;
}

TEST(MachineErrors, TermsOfSetsThatAreNotChosenAreCheckedToo) {
  const Diagnostics ds =
      withSets("    third: {new: {value: 1 pJ, component: pim, covers: one}, standby: 1 mW}\n  set: measured\n");
  ASSERT_EQ(ds.size(), 3U) << all(ds);
  EXPECT_EQ(ds[0].message, "'energy.sets.third.new.action' is missing");
  EXPECT_EQ(ds[1].message, "'energy.sets.third.standby.component' is missing");
  EXPECT_EQ(ds[2].message, "'energy.sets.third.standby.covers' is missing");
}

/// hbm-pim without its units, and `rest`.
Diagnostics withoutUnits(const std::string &rest) {
  const auto result = parseMachine(
      "name: m\nextends: hbm-pim\npim: null\n"
      "levels: {source: me, confidence: assumed, block: {count: 8 count}, lane: {count: 16 count}}\n" +
          rest,
      "m.yaml", {kFolder});
  EXPECT_FALSE(result);
  return result ? Diagnostics{} : result.diagnostics();
}

TEST(MachineErrors, ModesNeedUnits) {
  const Diagnostics ds = withoutUnits(
      "family: other\n"
      "modes:\n"
      "  source: me\n"
      "  confidence: assumed\n"
      "  enter_all_bank: null\n"
      "  stop_pim: null\n"
      "  leave_all_bank: null\n"
      "  start_pim: {row: 1 row, column: 1 column}\n");
  ASSERT_NE(withCode(ds, "missing-section"), nullptr) << all(ds);
  EXPECT_NE(withCode(ds, "missing-section")->message.find("'modes'"), std::string::npos);
}

TEST(MachineErrors, AnExtensionCannotRemoveWhatIsNotThere) {
  const auto result = parseMachine("name: m\nextends: hbm-pim\ntiming: {tRPP: null}\n", "m.yaml", {kFolder});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().code, "unknown-key");
  EXPECT_EQ(result.diagnostics().front().where.str(), "m.yaml:3:10");
  EXPECT_NE(result.diagnostics().front().hint.find("did you mean 'tRP'"), std::string::npos);
}

TEST(MachineErrors, HyphensAreForWordsAlone) {
  EXPECT_TRUE(
      parseMachine("name: m\nextends: cim-a9\nenergy: {sets: {my-set: {l1d_read: {value: 1 pJ, source: \"s\", "
                   "confidence: assumed}}}}\n",
                   "m.yaml", {kFolder}));
  const auto result =
      parseMachine("name: m\nextends: cim-a9\ntiming: {n-X: {value: 1 cycle, source: \"s\", confidence: assumed}}\n",
                   "m.yaml", {kFolder});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().code, "bad-name");
}

TEST(MachineErrors, ANetworkHasRoutersAndLinksThatTakeTime) {
  struct Case {
    const char *path, *value, *code, *hint;
  };
  for (const auto &[path, value, code, hint] :
       {Case{"noc.columns", "0 count", "impossible-value", "1"}, Case{"noc.rows", "0 count", "impossible-value", "1"},
        Case{"noc.rows", "65 count", "impossible-value", "64"}, Case{"noc.link", "0 cycle", "impossible-value", "1"},
        Case{"noc.router", "0 cycle", "impossible-value", "1"}, Case{"noc.flit", "0 B", "impossible-value", "1"},
        Case{"noc.header", "-8 B", "impossible-value", "0"}, Case{"noc.flit", "32 bit", "wrong-unit", "B"},
        Case{"noc.routing", "yx", "unknown-choice", "y-x"}, Case{"noc.columns", "4 count", "impossible-value", "8"},
        Case{"noc.rows", "16 count", "impossible-value", "8"},
        Case{"organization.channels", "0 count", "impossible-value", "1"},
        Case{"organization.channels", "12 count", "impossible-value", "16"}}) {
    const auto result = machine::loadMachine("l3-uncore", {kFolder}, {{path, value}});
    ASSERT_FALSE(result) << path << " " << value;
    EXPECT_EQ(result.diagnostics().front().code, code) << path << " " << value;
    EXPECT_NE(result.diagnostics().front().hint.find(hint), std::string::npos) << result.diagnostics().front().str();
  }
}

TEST(MachineErrors, WhatRunsCommandsOfArraysMustFitThem) {
  struct Case {
    const char *path, *value, *code, *hint;
  };
  for (const auto &[path, value, code, hint] :
       {Case{"sram.arrays_per_way", "8 count", "impossible-value", "1179648 B"},
        Case{"sram.wordlines", "512 count", "impossible-value", "or other arrays"},
        Case{"sram.control.bank", "2 B", "impossible-value", "64"},
        Case{"sram.control.bank", "2097152 B", "impossible-value", "2359296 B"},
        Case{"sram.control.all_ways", "12 count", "impossible-value", "16 or more"},
        Case{"sram.control.command_cache", "16 B", "impossible-value", "32 B"},
        Case{"sram.control.command", "0 B", "impossible-value", "1"},
        Case{"sram.control.miss_window", "0 count", "impossible-value", "1"},
        Case{"sram.control.release_misses", "2000 count", "impossible-value", "1024"},
        Case{"sram.control.release_timer", "0 cycle", "impossible-value", "1"},
        Case{"sram.control.outstanding", "0 count", "impossible-value", "1"},
        Case{"sram.control.lowering_base", "-1 cycle", "impossible-value", "0"},
        Case{"sram.control.bank_filter", "hardware", "unknown-choice", "true"},
        Case{"sram.regions", "0 count", "impossible-value", "1"}}) {
    const auto result = machine::loadMachine("l3-uncore", {kFolder}, {{path, value}});
    ASSERT_FALSE(result) << path << " " << value;
    EXPECT_EQ(result.diagnostics().front().code, code) << path << " " << value;
    EXPECT_NE(result.diagnostics().front().hint.find(hint), std::string::npos) << result.diagnostics().front().str();
  }
}

TEST(MachineErrors, AChipsPartsMustFitEachOther) {
  struct Case {
    const char *path, *value, *code, *hint;
  };
  for (const auto &[path, value, code, hint] :
       {Case{"l3.interleave", "32 B", "impossible-value", "multiple of l3.line"},
        Case{"l3.interleave", "100 B", "impossible-value", "multiple of l3.line"},
        Case{"l3.line", "48 B", "impossible-value", "64 B"},
        Case{"l3.line", "128 B", "impossible-value", "line"},
        Case{"l3.size", "2000 KiB", "impossible-value", "size, ways or line"},
        Case{"l3.ways", "16 count", "impossible-value", "size, ways or line"},
        Case{"l3.ports", "0 count", "impossible-value", "1"},
        Case{"l3.latency", "0 cycle", "impossible-value", "1"},
        Case{"l3.replacement", "fifo", "unknown-choice", "lru"},
        Case{"l3.long_every", "0 count", "impossible-value", "1"},
        Case{"streams.of_core", "0 count", "impossible-value", "1"},
        Case{"streams.outstanding", "1 count", "impossible-value", "2"},
        Case{"streams.in_flight", "0 count", "impossible-value", "1"},
        Case{"streams.flow_lines", "0 count", "impossible-value", "1"},
        Case{"streams.buffer", "64 cycle", "wrong-unit", "KiB"},
        Case{"kernels.threads", "65 count", "impossible-value", "64"},
        Case{"kernels.threads", "0 count", "impossible-value", "1"},
        Case{"kernels.vector", "48 B", "impossible-value", "64 B"},
        Case{"kernels.registers", "100 count", "impossible-value", "60"},
        Case{"kernels.decision", "eq2", "unknown-choice", "equation-2"},
        Case{"kernels.start", "cache", "unknown-choice", "l3"},
        Case{"core.vector_efficiency", "0 ratio", "impossible-value", "0.001"},
        Case{"kernels.near_l3", "maybe", "unknown-choice", "true"},
        Case{"area.overhead", "0 ratio", "impossible-value", "1e-06"},
        Case{"area.in_l3", "66 cm2", "wrong-unit", "mm2"},
        Case{"tlb.entries", "60 count", "impossible-value", "entries or ways"},
        Case{"tlb.second_ways", "3 count", "impossible-value", "entries or ways"},
        Case{"caches.l2.replacement", "random", "unknown-choice", "bimodal-rrip"},
        Case{"caches.l1d.prefetch.region", "24 count", "impossible-value", "powers of two"},
        Case{"caches.l1d.prefetch.kind", "next-line", "unknown-choice", "stride"},
        Case{"caches.l2.line", "128 B", "impossible-value", "as long"},
        Case{"noc.columns", "4 count", "impossible-value", "8"},
        Case{"organization.channels", "0 count", "impossible-value", "1"},
        Case{"sram.control.all_ways", "20 count", "impossible-value", "make them equal"},
        Case{"sram.regions", "0 count", "impossible-value", "1"}}) {
    const auto result = machine::loadMachine("l3-sram", {kFolder}, {{path, value}});
    ASSERT_FALSE(result) << path << " " << value;
    const Diagnostics &found = result.diagnostics();
    EXPECT_TRUE(std::ranges::any_of(found,
                                    [&](const Diagnostic &d) {
                                      return d.code == code && (d.hint + d.message).find(hint) != std::string::npos &&
                                             !d.hint.empty();
                                    }))
        << path << " " << value << ": " << all(found);
  }
}

TEST(MachineErrors, AChipNamesWhatItNeeds) {
  const auto first = [](const std::string &text) {
    const auto result = parseMachine("name: m\nextends: l3-arrays\n" + text, "m.yaml", {kFolder});
    EXPECT_FALSE(result);
    return result ? std::string() : all(result.diagnostics());
  };
  const std::string from = ", source: \"s\", confidence: assumed}";
  EXPECT_NE(first("streams: {of_core: {value: 1 count" + from + "}").find("missing-key"), std::string::npos);
  EXPECT_NE(first("l3: {size: {value: 1 MiB" + from + "}").find("missing-key"), std::string::npos);
  EXPECT_NE(first("kernels: {near_l3: true}").find("missing-key"), std::string::npos);
}

TEST(MachineErrors, ANetworkNamesAllItsKeysWhereItStands) {
  const auto result = parseMachine(
      "name: m\nextends: l3-arrays\nnoc:\n  columns: {value: 8 count, source: \"s\", confidence: assumed}\n", "m.yaml",
      {kFolder});
  ASSERT_FALSE(result);
  const Diagnostic *d = withCode(result.diagnostics(), "missing-key");
  ASSERT_NE(d, nullptr) << all(result.diagnostics());
  EXPECT_EQ(d->where.str().rfind("m.yaml:", 0), 0u) << d->str();
  EXPECT_FALSE(d->hint.empty());
}

TEST(MachineErrors, CachesAndPagesMustFitEachOther) {
  struct Case {
    const char *path, *value, *hint;
  };
  for (const auto &[path, value, hint] :
       {Case{"pages.size", "3000 B", "4 KiB"}, Case{"pages.size", "1024 MiB", "larger memory"},
        Case{"caches.l2.line", "4096 B", "4 KiB"}, Case{"caches.l1d.line", "128 B", "as long or longer"},
        Case{"caches.l1d.line", "48 B", "64 B"}, Case{"caches.l1d.size", "48 KiB", "size"},
        Case{"caches.l1d.banks", "3", "1"}}) {
    const std::vector<machine::Override> small =
        std::string_view(path) == "caches.l2.line"
            ? std::vector<machine::Override>{{"pages.size", "1 KiB"}, {path, value}}
            : std::vector<machine::Override>{{path, value}};
    const auto result = machine::loadMachine("cim-a9", {kFolder}, small);
    ASSERT_FALSE(result) << path << " " << value;
    EXPECT_EQ(result.diagnostics().front().code, "impossible-value") << path;
    EXPECT_NE(result.diagnostics().front().hint.find(hint), std::string::npos) << result.diagnostics().front().hint;
  }
}

TEST(MachineErrors, AnExtensionsNumbersNeedTheirOwnProvenance) {
  const auto result = parseMachine("name: m\nextends: hbm-pim\ntiming: {tRP: 13 cycle}\n", "m.yaml", {kFolder});
  ASSERT_FALSE(result);
  EXPECT_NE(withCode(result.diagnostics(), "missing-source"), nullptr);
  EXPECT_NE(withCode(result.diagnostics(), "missing-confidence"), nullptr);
  EXPECT_EQ(result.diagnostics().front().where.str(), "m.yaml:3:15");
}

TEST(MachineErrors, AnExtensionNeedsItsOwnName) {
  const auto result = parseMachine("extends: hbm-pim\n", "m.yaml", {kFolder});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().code, "missing-key");
}

TEST(MachineErrors, AnUnknownPresetSuggestsTheNearest) {
  for (const auto &result :
       {loadMachine("hbm-pin", {kFolder}), parseMachine("name: m\nextends: hbm-pin\n", "m.yaml", {kFolder})}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.diagnostics().front().code, "unknown-target");
    EXPECT_NE(result.diagnostics().front().hint.find("did you mean 'hbm-pim'"), std::string::npos);
  }
}

TEST(MachineErrors, AnUnreadableFileIsNamed) {
  const auto result = loadMachine("/nonexistent/machine.yaml", {kFolder});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().code, "unreadable-file");
  const auto extending = parseMachine("name: m\nextends: nowhere.yaml\n", "m.yaml", {kFolder});
  ASSERT_FALSE(extending);
  EXPECT_EQ(extending.diagnostics().front().code, "unreadable-file");
  EXPECT_EQ(extending.diagnostics().front().where.line, 2);
}

TEST(MachineErrors, FilesThatExtendOneAnotherAreRefused) {
  const std::string folder = testing::TempDir() + "pimento_extends_cycle_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(writeFile(folder + "/a.yaml", "name: a\nextends: b\n"));
  ASSERT_TRUE(writeFile(folder + "/b.yaml", "name: b\nextends: a\n"));
  const auto result = loadMachine("a", {folder});
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().code, "extends-cycle");
  EXPECT_FALSE(result.diagnostics().front().hint.empty());
}

TEST(OverrideErrors, AnUnknownPathSuggestsTheNearest) {
  const auto result = loadMachine(
      "hbm-pim", {kFolder},
      {{"timing.tRPP", "3"}, {"chanels", "3"}, {"energy.new", "3"}, {"", ""}, {"*", "1"}, {"timing.*", "1"}});
  ASSERT_FALSE(result);
  ASSERT_EQ(result.diagnostics().size(), 6U);
  for (const Diagnostic &d : result.diagnostics()) EXPECT_EQ(d.code, "unknown-path");
  EXPECT_NE(result.diagnostics()[0].hint.find("did you mean 'timing.tRP'"), std::string::npos);
  EXPECT_NE(result.diagnostics()[1].hint.find("did you mean 'channels'"), std::string::npos);
  EXPECT_EQ(result.diagnostics()[0].where.str(), "--set timing.tRPP=3");
}

TEST(OverrideErrors, SectionsAndListsCannotBeSet) {
  for (const char *path : {"timing", "organization.address_map", "notes", "modes.start_pim"}) {
    const auto result = loadMachine("hbm-pim", {kFolder}, {{path, "3"}});
    ASSERT_FALSE(result) << path;
    EXPECT_EQ(result.diagnostics().front().code, "bad-override") << path;
  }
}

TEST(OverrideErrors, ValuesAreCheckedLikeThoseOfTheFile) {
  const std::pair<Override, std::string> kBad[] = {{{"channels", "3"}, "impossible-value"},
                                                   {{"channels", "-4"}, "impossible-value"},
                                                   {{"channels", "many"}, "bad-number"},
                                                   {{"channels", ""}, "wrong-type"},
                                                   {{"channels", "4 cycle"}, "wrong-unit"},
                                                   {{"timing.tRC", "20"}, "impossible-value"},
                                                   {{"controller.precharge", "3"}, "unknown-choice"},
                                                   {{"completion.read", "RL +"}, "bad-formula"}};
  for (const auto &[o, code] : kBad) {
    const auto result = loadMachine("hbm-pim", {kFolder}, {o});
    ASSERT_FALSE(result) << o.path << "=" << o.value;
    EXPECT_EQ(result.diagnostics().front().code, code) << o.path << "=" << o.value << "\n" << all(result.diagnostics());
    EXPECT_EQ(result.diagnostics().front().where.file, "--set " + o.path + "=" + o.value);
  }
}

}  // namespace
}  // namespace pimento::machine
