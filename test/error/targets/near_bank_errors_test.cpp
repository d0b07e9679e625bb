// Machines, mappings and programs of near-bank devices that are wrong: each with its code, what is wrong, and what to
// do instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/text.h"
#include "pimento/targets/dram/run.h"
#include "pimento/targets/targets.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

struct Wrong {
  const char *text;
  const char *code;
  const char *says;  ///< part of the message
};

void expectOne(const Diagnostics &found, const Wrong &w) {
  const auto d = std::find_if(found.begin(), found.end(), [&](const Diagnostic &x) { return x.code == w.code; });
  ASSERT_NE(d, found.end()) << w.text << "\n" << (found.empty() ? "" : found.front().str());
  EXPECT_NE(d->message.find(w.says), std::string::npos) << w.text << "\n" << d->str();
  EXPECT_FALSE(d->hint.empty()) << d->str();
}

TEST(NearBankMachines, MistakesAreNamed) {
  const std::vector<Wrong> wrongs = {
      {"commands:\n  ACTAB: null\n", "unknown-command", "unknown command 'ACTAB'"},
      {"commands:\n  MACSB: {kind: read, scope: bankgroup}\n", "wrong-commands", "no command opens them"},
      {"commands:\n  ACTSB: {kind: activate, scope: bankgroup}\n  MACSB: {kind: read, scope: bankgroup}\n",
       "wrong-commands", "no command closes them"},
      {"constraints:\n  mine: {level: bank, preceding: [MACAP], following: [PRE], latency: nRP, source: s, confidence: "
       "assumed}\n",
       "unknown-command", "unknown command 'MACAP'"},
      {"organization:\n  address_map: [offset, column, row, bank, rank, channel]\n", "bad-address-map",
       "field 'bankgroup' is missing"},
      {"organization:\n  ranks: {value: 3 count, source: s, confidence: assumed}\n", "impossible-value",
       "power of two for the address map"},
      {"organization:\n  ranks: {value: 8 count, source: s, confidence: assumed}\n", "impossible-value",
       "at most 64 are supported"},
      {"refresh:\n  policy: per-rank\n", "impossible-value", "four-queues refreshes pseudo channels"},
      {"controller:\n  writes_end: {value: 30 count, source: s, confidence: assumed}\n", "impossible-value",
       "writes would end before they begin"},
      {"controller:\n  barrier: fence\n", "unknown-choice", "fence"},
      {"quirks:\n  named_bank_only: false\n", "impossible-value", "obeys the constraints of all levels"},
      {"controller:\n  scheduler: fr-fcfs-barrier\n", "impossible-value", "quirks of a controller with four queues"},
      {"commands:\n  SFM: {checks: lane}\n", "unknown-choice", "lane"},
  };
  for (const Wrong &w : wrongs) {
    const auto m = machine::parseMachine(std::string("name: mine\nextends: attacc-published\n") + w.text, "mine.yaml",
                                         {kMachines});
    ASSERT_FALSE(m) << w.text;
    expectOne(m.diagnostics(), w);
  }
}

TEST(NearBankMachines, AFamilyMemberHasFourQueuesAndItsLevels) {
  const auto m = machine::parseMachine("name: mine\nextends: hbm-pim\nfamily: near-bank\n", "mine.yaml", {kMachines});
  ASSERT_TRUE(m);
  const Status s = targets::check(*m);
  ASSERT_FALSE(s);
  expectOne(s.diagnostics(), {"", "wrong-controller", "has a controller with one queue"});
}

/// The first diagnostic of an estimate of `kernel` with a mapping.
Diagnostics refusal(const machine::Machine &m, const std::string &kernel, const kernel::Sizes &sizes,
                    const std::string &map, DType type = DType::kF16) {
  const auto spec = mapping::parseMapSpec(map);
  if (!spec) return spec.diagnostics();
  const auto graph = kernel::makeZooKernel(kernel, sizes, type);
  EXPECT_TRUE(graph);
  evaluate::Request r;
  r.machine = &m;
  r.target = *targets::targetOf(m);
  r.graph = &*graph;
  r.maps = {*spec};
  const auto report = evaluate::evaluate(r);
  EXPECT_FALSE(report) << map;
  return report ? Diagnostics{} : report.diagnostics();
}

Diagnostics refusal(const std::string &machineName, const std::string &kernel, const kernel::Sizes &sizes,
                    const std::string &map, DType type = DType::kF16) {
  return refusal(load(machineName), kernel, sizes, map, type);
}

TEST(NearBankMappings, MistakesAreNamed) {
  const kernel::Sizes cube = {{"heads", 32}, {"dhead", 128}, {"len", 512}}, row = {{"n", 1024}};
  struct Case {
    const char *machine, *kernel;
    kernel::Sizes sizes;
    Wrong wrong;
  };
  const std::vector<Case> cases = {
      {"attacc-published", "bgemv", cube, {"M1:{(32,1,1),(1,4,16),(1,32,32)}", "mapping-count", "32 groups"}},
      {"attacc-published", "bgemv", cube, {"M1:{(16,1,1),(1,8,16),(2,16,32)}", "mapping-count", "128 cores"}},
      {"attacc-published", "bgemv", cube, {"M1:{(16,1,1),(1,4,16),(1,32,32)}", "mapping-incomplete", "16 of 32"}},
      {"attacc-published", "attn", cube, {"M1:{(16,1),(4,16),(64,64)}", "mapping-dims", "3 tuples of 2"}},
      {"attacc-published", "red", row, {"M1:{(1,16),(1,64)}", "mapping-dims", "2 tuples of 2"}},
      {"attacc-published",
       "red",
       row,
       {"M1:{(1,16),(1,64),(1,1)};tail=truncate", "unsupported-mapping", "one subspace"}},
      {"attacc-published", "red", row, {"reference;program=published-evaluated", "unsupported-program", "attention"}},
      {"attacc-published", "red", row, {"reference;mode=inference", "unsupported-program", "mode="}},
      {"attacc-published", "red", row, {"reference;part=host", "map-unknown-value", "host"}},
      {"attacc-original", "attn", cube, {"reference;program=attacc-own;part=compute", "unsupported-program", "part="}},
      {"attacc", "bgemv", cube, {"reference;part=compute", "unsupported-mapping", "list their phases"}},
      {"hbm-pim-hbm3-published",
       "red",
       row,
       {"reference;program=compiled", "unsupported-program", "does not say what its units compute"}},
      {"attacc-published", "red", row, {"reference;program=publish", "map-unknown-value", "publish"}},
      {"attacc-published", "red", row, {"reference;mode=fast", "map-unknown-value", "fast"}},
      {"attacc-published", "va", row, {"reference", "unsupported-op", "no published stream of 'va'"}},
      {"attacc-published", "gemm", {}, {"reference", "unsupported-op", "has no stream for it"}},
      {"hbm-pim-hbm3-published", "attn", cube, {"reference", "unsupported-op", "no published stream of 'attn'"}},
      {"attacc-published",
       "red",
       {{"n", std::int64_t{1} << 34}},
       {"M1:{(1,1),(1,1),(1,17179869184)}", "capacity", "bytes of a bank"}},
  };
  for (const Case &c : cases) {
    expectOne(refusal(c.machine, c.kernel, c.sizes, c.wrong.text), c.wrong);
  }
  expectOne(refusal("attacc-published", "red", row, "reference", DType::kF32), {"", "unsupported-type", "f32"});
  expectOne(refusal("hbm-pim-hbm3-published", "red", row, "reference", DType::kF8E4M3),
            {"", "unsupported-type", "f8e4m3"});
}

TEST(NearBankProducts, WhatUnitsCannotDoIsNamed) {
  const kernel::Sizes small = {{"m", 64}, {"n", 64}}, row = {{"n", 1024}},
                      cube = {{"heads", 8}, {"len", 64}, {"dhead", 32}};
  struct Case {
    const char *machine, *kernel;
    kernel::Sizes sizes;
    Wrong wrong;
  };
  const std::vector<Case> cases = {
      {"attacc", "va", row, {"reference", "unsupported-op", "no adder for two operands"}},
      {"attacc", "axpy", row, {"reference", "unsupported-op", "no adder for two operands"}},
      {"attacc", "mul", row, {"reference", "unsupported-op", "no multiplier for two operands"}},
      {"attacc", "relu", row, {"reference", "unsupported-op", "no activation function"}},
      {"attacc-published",
       "mul",
       row,
       {"reference;program=compiled", "unsupported-op", "no multiplier for two operands"}},
      {"attacc", "scan", row, {"reference", "unsupported-op", "it is no sum"}},
      {"attacc", "gemv", small, {"M1:{(1,1),(65,1),(1,64)}", "mapping-count", "65"}},
      {"attacc", "gemv", small, {"M1:{(1,1),(1,1),(64,32)}", "mapping-incomplete", "32"}},
      {"attacc", "gemv", small, {"M1:{(1,1),(64,64)}", "mapping-levels", "attacc"}},
      {"aim", "gemv", small, {"M1:{(1,1),(1,2),(64,32)}", "illegal-mapping", "share a buffer"}},
      {"aim", "bgemv", cube, {"M1:{(1,1,1),(8,1,1),(1,32,64)}", "illegal-mapping", "share a buffer"}},
      {"attacc", "red", {{"n", std::int64_t{1} << 34}}, {"M1:{(1),(1),(17179869184)}", "capacity", "bytes of a bank"}},
      // 128 MiB of weights fit 16 banks, but not beside the host's copy of them, if a bank has 8 MiB.
      {"aim", "mul", {{"n", std::int64_t{1} << 30}}, {"M1:{(2),(4),(134217728)}", "capacity", "rows of a bank"}},
      {"aim", "mul", row, {"M1:{(2),(17),(31)}", "mapping-count", "17"}},
      {"aim", "mul", row, {"reference;mode=inference", "unsupported-mapping", "lie elsewhere"}},
      {"aim", "mul", row, {"reference;append=1", "unsupported-mapping", "no weights to append to"}},
      {"attacc", "red", {{"n", 64}, {"batch", 1}}, {"reference;append=1", "unsupported-mapping", "has one axis"}},
      {"attacc", "gemv", small, {"reference;append=65", "unsupported-mapping", "has 64 rows"}},
      {"attacc", "gemv", small, {"reference;append=0", "map-number", "append"}},
      {"attacc", "red", row, {"reference;program=reference", "unsupported-program", "reference"}},
      {"hbm-pim-hbm3-published", "gemv", small, {"reference;program=compiled", "unsupported-program", "near_bank"}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(std::string(c.machine) + " " + c.kernel + " " + c.wrong.text);
    const DType type = std::string(c.machine) == "aim" ? DType::kBF16 : DType::kF16;
    const Diagnostics found = refusal(c.machine, c.kernel, c.sizes, c.wrong.text, type);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().code, c.wrong.code);
    EXPECT_NE((found.front().message + found.front().hint).find(c.wrong.says), std::string::npos)
        << found.front().str();
  }
  for (const char *kernel : {"va", "relu"})
    EXPECT_EQ(refusal("aim", kernel, row, "reference", DType::kF16).front().code, "unsupported-type") << kernel;
  EXPECT_EQ(refusal("attacc", "gemv", small, "reference", DType::kBF16).front().code, "unsupported-type");
  EXPECT_EQ(refusal("aim", "gemv", small, "reference", DType::kF16).front().code, "unsupported-type");
}

// What is no form of the units', on a machine that has all commands for elements.
TEST(NearBankElements, WhatUnitsCannotDoIsNamed) {
  const machine::Machine aim = load("aim");
  for (const auto &[text, says] :
       std::vector<std::pair<std::string, std::string>>{{"z[a] = x[a] / y[a]", "'div'"},
                                                        {"z[a] = tanh(x[a])", "'tanh'"},
                                                        {"z[a] = 2 * x[a] + 3 * y[a]", "'add'"},
                                                        {"z[a] = relu(x[a] * y[a])", "'mul'"},
                                                        {"z[a] = max(x[a], y[a])", "'max'"}}) {
    const auto graph = kernel::parseNotation(text, {{"a", 64}}, DType::kBF16, "<test>");
    ASSERT_TRUE(graph) << text << graph.diagnostics().front().str();
    evaluate::Request r;
    r.machine = &aim;
    r.target = *targets::targetOf(aim);
    r.graph = &*graph;
    r.maps = {*mapping::parseMapSpec("reference")};
    const auto report = evaluate::evaluate(r);
    ASSERT_FALSE(report) << text;
    expectOne(report.diagnostics(), {text.c_str(), "unsupported-op", says.c_str()});
  }
}

TEST(NearBankProducts, OfUnitsWithOtherLanesAreRefused) {
  const auto m = machine::parseMachine(
      "name: mine\nextends: aim\norganization: {burst: 64 B, source: mine, confidence: assumed}\n"
      "near_bank: {lanes: 32 count, source: mine, confidence: assumed}\n",
      "mine.yaml", {kMachines});
  ASSERT_TRUE(m) << m.diagnostics().front().str();
  for (const char *map : {"reference", "M1:{(1,1),(1,1),(64,64)}"}) {
    const Diagnostics found = refusal(*m, "gemv", {{"m", 64}, {"n", 64}}, map, DType::kBF16);
    ASSERT_FALSE(found.empty());
    expectOne(found, {map, "unsupported-machine", "units of 32 lanes"});
  }
}

TEST(NearBankMachines, UnitsThatCannotBeAreNamed) {
  const std::vector<Wrong> wrongs = {
      {"near_bank: {multiply: MAC}\n", "unknown-command", "MAC"},
      {"near_bank: {multiply: WRGB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {multiply: RD}\n", "impossible-value", "cannot do this"},
      {"near_bank: {load_all: WRGB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {load: WRGBAB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {result: MACAB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {type: i16}\n", "impossible-value", "floating point"},
      {"near_bank: {type: f32}\n", "impossible-value", "two bytes"},
      {"near_bank: {lanes: {value: 8 count, source: mine, confidence: assumed}}\n", "impossible-value", "a burst"},
      {"near_bank: {buffer_entries: {value: 33 count, range: [8, 64], source: mine, confidence: assumed}}\n",
       "impossible-value", "a row has"},
      {"near_bank: {accumulators: {value: 17 count, range: [8, 64], source: mine, confidence: assumed}}\n",
       "impossible-value", "one burst"},
      {"near_bank: {set_columns: null}\n", "missing-key", "several accumulators"},
      {"near_bank: {load: null, load_all: null}\n", "missing-key", "no command fills"},
      {"near_bank: {multiply: null}\n", "missing-key", "multiply"},
      {"near_bank: {adders: 3 count}\n", "unknown-key", "adders"},
      {"near_bank: {multiply_elements: MACAB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {preload: WRGB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {preload: SETM}\n", "impossible-value", "64 units"},
      {"near_bank: {function: MVSB}\n", "impossible-value", "cannot do this"},
      {"commands:\n  FUN: {kind: write, scope: channel, needs: nothing}\nnear_bank: {function: FUN}\n", "missing-key",
       "come together"},
      {"near_bank: {copy_out: MACAB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {copy_in: RD}\n", "impossible-value", "cannot do this"},
      {"near_bank: {merged_result: MVSB}\n", "impossible-value", "one bank"},
      {"near_bank: {merged_result: MACAB}\n", "impossible-value", "cannot do this"},
      {"near_bank: {host_map: [offset, column, channel, bankgroup, rank, bank, row]}\n", "bad-address-map",
       "channels burst by burst"},
      {"near_bank: {host_map: [offset, channel, column, bank, bank, rank, row]}\n", "bad-address-map",
       "channels burst by burst"},
      {"near_bank: {host_map: null}\n", "missing-key", "where the host's data lie"},
      {"near_bank: {on_chip: null}\n", "missing-key", "has no size"},
      {"near_bank: {on_chip: {value: 64 KiB, range: [1, 99], source: mine, confidence: assumed}}\n", "impossible-value",
       "a row of every bank"},
      {"commands:\n  MACAB: {awaits_data: true}\n", "impossible-value", "waits for what constraints say"},
      {"near_bank: {softmax: {move: MVSX}}\n", "unknown-command", "MVSX"},
      {"near_bank: {softmax: {move: MVGBAB}}\n", "impossible-value", "cannot do this"},
      {"near_bank: {softmax: {load: WRGB}}\n", "impossible-value", "cannot do this"},
      {"near_bank: {softmax: {run: MACAB}}\n", "impossible-value", "cannot do this"},
      {"near_bank: {softmax: {set: SFM}}\n", "impossible-value", "cannot do this"},
      {"near_bank: {softmax: {run: null}}\n", "missing-key", "near_bank.softmax.run"},
      {"near_bank: {softmax: {merges: cube}}\n", "unknown-choice", "cube"},
      {"near_bank: {softmax: {accumulator: i32}}\n", "impossible-value", "floating point"},
      {"near_bank: {softmax: {entries: {value: 0 count, source: mine, confidence: assumed}}}\n", "bad-range",
       "near_bank.softmax.entries"},
      {"organization: {rows: {value: 512 count, source: mine, confidence: assumed}}\n", "impossible-value",
       "addressed by a row"},
      {"constraints: {softmax: {per_length: -1}}\n", "bare-number", "per_length"},
      {"constraints: {softmax: {per_length: nSFN}}\n", "unknown-name", "nSFN"},
      {"constraints: {four_activates: {per_length: nRRDS}}\n", "impossible-value", "counts commands"},
  };
  for (const Wrong &w : wrongs) {
    SCOPED_TRACE(w.text);
    const auto m =
        machine::parseMachine(std::string("name: mine\nextends: attacc\n") + w.text, "mine.yaml", {kMachines});
    ASSERT_FALSE(m);
    EXPECT_EQ(m.diagnostics().front().code, w.code) << m.diagnostics().front().str();
    EXPECT_NE(m.diagnostics().front().str().find(w.says), std::string::npos) << m.diagnostics().front().str();
  }
}

TEST(NearBankAttention, WhatUnitsCannotDoIsNamedWhereItIsAsked) {
  const kernel::Sizes small = {{"heads", 4}, {"len", 64}, {"dhead", 32}};
  struct Case {
    std::vector<machine::Override> overrides;
    kernel::Sizes sizes;
    Wrong wrong;
    int column = 0;  ///< in the mapping; 0: it is no mistake of the mapping
  };
  const std::vector<Case> cases = {
      {{}, {{"len", 16400}}, {"M1:{(1,16,1,1),(1,1,64,1),(1,2,257,128)}", "capacity", "for a head's scores"}},
      {{}, small, {"M1:{(1,4,2,1),(1,1,1,1),(1,1,32,32)}", "illegal-mapping", "no unit can merge"}, 5},
      {{}, small, {"M1:{(1,4,1,2),(1,1,1,1),(1,1,64,16)}", "illegal-mapping", "'dhead' is split over channels"}, 5},
      {{{"near_bank.softmax.merges", "bank"}},
       small,
       {"M1:{(1,4,1,1),(1,1,1,2),(1,1,64,16)}", "illegal-mapping", "no unit can merge their scores"},
       15},
      {{{"near_bank.softmax.merges", "bankgroup"}},
       small,
       {"M1:{(1,4,1,1),(1,1,1,8),(1,1,64,4)}", "illegal-mapping", "banks of a bankgroup"},
       15},
      {{{"near_bank.softmax.entries", "40"}},
       {{"heads", 64}, {"len", 64}, {"dhead", 32}},
       {"M1:{(1,4,1,1),(1,16,1,1),(1,1,64,32)}", "capacity", "scores of 16 heads"}},
      {{}, {{"heads", 16384}, {"len", 4096}}, {"M1:{(1,1,1,1),(1,64,1,1),(1,256,4096,128)}", "capacity", "buffer"}},
      {{}, {{"heads", 4096}, {"len", 4096}}, {"M1:{(1,1,1,1),(1,1,1,1),(1,4096,4096,128)}", "capacity", "of a bank"}},
      {{}, small, {"M1:{(1,4,1,1),(1,1,4,1),(1,1,16,32)};order(len,heads)", "unsupported-mapping", "without order"}},
      {{}, small, {"M1:{(1,4,1,1),(1,1,4,1),(1,1,16,32)};cyclic(bank,1)", "unsupported-mapping", "cyclic"}},
      {{}, small, {"M1:{(1,4,1,1),(1,1,4,1),(1,1,16,32)};append=65", "unsupported-mapping", "has 64 rows"}},
      {{}, small, {"M1:{(1,4,1,1),(1,1,4,1),(1,1,16,31)}", "mapping-incomplete", "31"}},
      {{}, small, {"M1:{(4,1,1),(1,4,1),(1,16,32)}", "mapping-dims", "3"}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.wrong.text);
    const Diagnostics found = refusal(load("attacc", c.overrides), "attn", c.sizes, c.wrong.text);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().code, c.wrong.code) << found.front().str();
    EXPECT_NE(found.front().message.find(c.wrong.says), std::string::npos) << found.front().str();
    EXPECT_FALSE(found.front().hint.empty());
    if (c.column > 0) {
      EXPECT_EQ(found.front().where.column, c.column) << found.front().str();
    }
  }
  EXPECT_EQ(refusal("attacc", "attn", small, "reference", DType::kBF16).front().code, "unsupported-type");
  EXPECT_EQ(refusal("attacc", "attn", small, "reference", DType::kF32).front().code, "unsupported-type");
}

TEST(NearBankPrograms, MistakesAreNamed) {
  const machine::Machine attacc = load("attacc-published"), hbmPim = load("hbm-pim");
  machine::Machine many = hbmPim;
  many.dram->organization.channels = 128;
  struct Case {
    const machine::Machine *machine;
    Wrong wrong;
  };
  const std::vector<Case> cases = {
      {&attacc,
       {"process p x16 shared {\nRD channels 16 x1 rank 0 bank 0 at 0 host_read\n}\n", "program-channels",
        "channel 16 of 16"}},
      {&attacc,
       {"process p x16 shared {\nRD channels 0 x9 step 2 rank 0 bank 0 at 0 host_read\n}\n", "program-channels",
        "twice"}},
      {&attacc,
       {"process p x16 {\nRD channels 0 x2 rank 0 bank 0 at 0 host_read\n}\n", "program-channels", "not shared"}},
      {&attacc,
       {"process p x1 {\nRD rank 0 bank 0 row 0 column 0 barrier host_read\n}\n", "program-barrier", "barrier"}},
      {&attacc, {"process p x1 {\nRD rank 0 bank 0 at 16777216 host_read\n}\n", "program-address", "16777216"}},
      {&attacc,
       {"command SFM read\nprocess p x1 {\nloop i 2 {\nSFM row 16384 length 3 pim_alu\n}\n}\n", "program-row",
        "16384"}},
      {&attacc, {"command MACXY read\nprocess p x1 {\nMACXY pim_mac\n}\n", "program-command", "MACXY"}},
      {&attacc, {"command ACTAB read\nprocess p x1 {\nACTAB pim_mac\n}\n", "program-command", "not a column command"}},
      {&hbmPim, {"process p x1 {\nRD rank 0 bank 0 at 32 host_read\n}\n", "program-controller", "an address in place"}},
      {&many,
       {"process p x65 shared {\nRD rank 0 bank 0 row 0 column 0 host_read\n}\n", "program-shared", "by 65 channels"}},
  };
  for (const Case &c : cases) {
    const auto p = program::parse(std::string("program x\n") + c.wrong.text, "p.llvcnm");
    ASSERT_TRUE(p) << c.wrong.text << p.diagnostics().front().str();
    const Status s = program::verify(*p, *c.machine);
    ASSERT_FALSE(s) << c.wrong.text;
    expectOne(s.diagnostics(), c.wrong);
  }
}

TEST(NearBankPrograms, AStreamThatCannotFinishIsSaidTo) {
  const machine::Machine m = load("attacc-published", {{"timing.nRCDRD", "6000"}});
  const auto p = program::parse(
      "program attacc-published\ncommand MACAB read\nprocess p x16 shared {\nMACAB at 0 pim_mac\n}\n", "p.llvcnm");
  ASSERT_TRUE(p);
  const auto runnable = (*targets::targetOf(m))->load(*p, m, {});
  ASSERT_TRUE(runnable);
  for (const bool isSimulation : {false, true}) {
    evaluate::Request r;
    r.machine = &m;
    r.target = *targets::targetOf(m);
    r.program = runnable->get();
    r.isSimulation = isSimulation;
    const auto report = evaluate::evaluate(r);
    ASSERT_FALSE(report);
    expectOne(report.diagnostics(), {"", "program-stuck", "can never issue"});
  }
}

}  // namespace
}  // namespace pimento::test
