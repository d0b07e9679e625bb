// Language models on their machines: where layers run, what that takes, and that no device does two things at once.
#include "pimento/llm/inference.h"

#include <gtest/gtest.h>

#include <map>

#include "pimento/evaluate/derivation.h"
#include "pimento/llm/explain.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"
#include "pimento/targets/targets.h"
#include "test/support/llm_host.h"
#include "test/support/machine_file.h"
#include "test/support/recompute.h"

namespace pimento::llm {
namespace {

/// A model of few and small layers.
Model small() {
  Model m = test::model("llama3-8b");
  m.name = "small";
  m.layers = 3;
  m.hidden = 512;
  m.heads = 4;
  m.kvHeads = 2;
  m.ff = 768;
  m.vocabulary = 1000;
  return m;
}

struct Inferring : ::testing::Test {
  Host host = test::host();
  machine::Machine machine = test::load("attacc");
  machine::Machine study = test::load("attacc", {{"energy.set", "study"}});
  PimDevice device{machine, &study, targets::near_bank::target(), {"reference", "reference"}, {}, {}};
  System system{host, 1, &device, 2};
  Workload work = {2, 40, 5};
  InferenceOptions options{targets::near_bank::target().capacity(machine)};

  Inference inferred(const InferenceOptions &o) {
    Result<Inference> done = infer(system, small(), work, o);
    if (!done) ADD_FAILURE() << done.diagnostics().front().str();
    return std::move(*done);
  }
};

TEST_F(Inferring, NoOtherPlacementIsFaster) {
  const Inference best = inferred(options);
  std::map<LayerKind, std::vector<Split>> splits;
  for (const Choice &c : best.choices) splits[c.kind].push_back(c.split);
  EXPECT_EQ(splits.size(), kPlaced.size());
  for (const auto &[kind, choices] : splits)
    for (const Split &s : choices) {
      InferenceOptions fixed = options;
      fixed.placement = best.placement;
      fixed.placement->of(kind) = s;
      EXPECT_GE(inferred(fixed).generation.time.value, best.generation.time.value * (1 - 1e-12))
          << name(kind) << " " << text(s);
    }
}

/// The plain checker of schedule_test.cpp, over the tasks of a token.
TEST_F(Inferring, ATokenIsAScheduleOfItsTasks) {
  Inference done = inferred(options);
  for (const Split &up : {Split{0, false}, Split{0.5, false}, Split{0.75, true}, Split{1, false}}) {
    done.placement.up = up;
    const Result<std::vector<Task>> tasks = tasksOfToken(system, small(), work, done.placement, 44, 3);
    ASSERT_TRUE(tasks.ok());
    const Schedule s = schedule(*tasks);
    const auto end = [&](std::size_t t) { return s.begin[t].value + (*tasks)[t].time.value; };
    for (std::size_t a = 0; a < tasks->size(); ++a) {
      for (const int read : (*tasks)[a].after) EXPECT_GE(s.begin[a].value, end(static_cast<std::size_t>(read)));
      for (std::size_t b = 0; b < a; ++b)
        if ((*tasks)[a].device == (*tasks)[b].device) {
          EXPECT_TRUE(s.begin[a].value >= end(b) || s.begin[b].value >= end(a));
        }
    }
    Workload last = work;
    last.prompt = 43;
    last.output = 2;
    InferenceOptions fixed = options;
    fixed.placement = done.placement;
    const Result<Inference> one = infer(system, small(), last, fixed);
    ASSERT_TRUE(one.ok());
    EXPECT_NEAR(s.end.value, one->generation.time.value, 1e-9 * s.end.value) << "layers and blocks are a chain";
  }
}

TEST_F(Inferring, PhasesAreTheSumsOfTheirLayers) {
  const Inference done = inferred(options);
  for (const PhaseRun *p : {&done.prefill, &done.generation}) {
    double time = 0;
    Energy energy;
    for (const LayerRun &l : p->layers) {
      time += l.span.value;
      for (const Energy *e : {&l.gpu, &l.pim, &l.link}) energy += *e;
    }
    if (p == &done.generation) {
      EXPECT_NEAR(time, p->time.value, 1e-9 * time);
    }
    EXPECT_NEAR(energy.ours.value, p->energy.ours.value, 1e-9 * energy.ours.value);
    ASSERT_TRUE(p->energy.study);
    EXPECT_NEAR(energy.study->value, p->energy.study->value, 1e-9 * energy.study->value);
  }
  EXPECT_EQ(done.generation.steps, 4);
}

TEST_F(Inferring, TypesThatUnitsLackStayOnTheGpu) {
  PimDevice eight(machine, &study, targets::near_bank::target(), {"reference", "reference", DType::kF8E4M3}, {}, {});
  const System own(host, 1, &eight, 2);
  Workload w = work;
  w.elementBytes = 1;
  const Result<Inference> done = infer(own, small(), w, options);
  ASSERT_TRUE(done.ok());
  for (const LayerKind kind : kPlaced) EXPECT_EQ(done->placement.of(kind).pim, 0) << name(kind);
  EXPECT_TRUE(std::ranges::any_of(done->choices, [](const Choice &c) { return c.why.find("f8e4m3") != c.why.npos; }));
}

TEST_F(Inferring, LayersGoBackToTheGpuWhereDevicesHaveNoRoom) {
  const Inference all = inferred(options);
  ASSERT_TRUE(all.pimUse);
  InferenceOptions tight = options;
  tight.pimRoom = Bytes(static_cast<std::int64_t>(all.pimUse->total() / 2));
  const Inference done = inferred(tight);
  EXPECT_LE(done.pimUse->total(), static_cast<double>(tight.pimRoom.value));
  EXPECT_GT(done.generation.time.value, all.generation.time.value);
  EXPECT_TRUE(std::ranges::any_of(done.choices, [](const Choice &c) { return c.why == "no room in the PIM devices"; }));
}

TEST_F(Inferring, WhatAKeeperHasIsNotRunAgain) {
  std::map<std::string, std::string> kept;
  std::mutex mutex;
  const Keeper keeper = {[&](const std::string &name) -> std::optional<std::string> {
                           const std::lock_guard lock(mutex);
                           const auto found = kept.find(name);
                           return found != kept.end() ? std::optional(found->second) : std::nullopt;
                         },
                         [&](const std::string &name, const std::string &value) {
                           const std::lock_guard lock(mutex);
                           kept[name] = value;
                         }};
  PimDevice first(machine, &study, targets::near_bank::target(), {"reference", "reference"}, {}, keeper);
  PimDevice second(machine, &study, targets::near_bank::target(), {"reference", "reference"}, {}, keeper);
  for (const auto &ask :
       {+[](PimDevice &d) { return d.attention(4, 128, 100); }, +[](PimDevice &d) { return d.product(256, 512, 2); }}) {
    const Result<PimTime> a = ask(first), b = ask(second);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(*a, *b);
  }
  EXPECT_EQ(first.runs(), 2);
  EXPECT_EQ(second.runs(), 0);
  EXPECT_EQ(second.known(), 2);
}

/// Every node's formula, applied to its parts, gives the node's value.
void expectDerived(const evaluate::Derivation &d) {
  const std::optional<test::Value> again = test::recompute(d);
  ASSERT_TRUE(again) << d.name << ": " << d.formula;
  const double value = std::visit([](auto v) { return static_cast<double>(v); }, *again);
  EXPECT_NEAR(value, d.real(), 1e-9 * std::abs(d.real())) << d.name << ": " << d.formula;
  for (const evaluate::Derivation::Part &p : d.parts) expectDerived(*p.node);
}

TEST_F(Inferring, ATokenIsExplainedDownToNumbersWithSources) {
  const Inference done = inferred(options);
  for (const std::int64_t gpus : {1, 2}) {
    const System own(host, gpus, &device, 2);
    for (const double share : {0.0, 0.5, 1.0}) {
      Placement placement = done.placement;
      placement.up = {share, share == 0.5};
      const Result<evaluate::DerivationPtr> token = explainToken(own, small(), work, placement, "token");
      ASSERT_TRUE(token.ok());
      expectDerived(**token);
      Workload last = work;
      last.prompt = work.length() - 2;
      last.output = 2;
      InferenceOptions fixed = options;
      fixed.placement = placement;
      const Result<Inference> one = infer(own, small(), last, fixed);
      ASSERT_TRUE(one.ok());
      EXPECT_NEAR((*token)->real() * 1000, one->generation.time.value, 1e-9 * one->generation.time.value);
    }
  }
  const Result<evaluate::DerivationPtr> norm = explainToken(system, small(), work, done.placement, "token.norm");
  ASSERT_TRUE(norm.ok());
  bool hasSource = false;
  for (const evaluate::Derivation::Part &p : (*norm)->parts.front().node->parts.front().node->parts)
    hasSource = hasSource || !p.node->source.empty();
  EXPECT_TRUE(hasSource);
}

TEST_F(Inferring, MoreGpusShareTheWork) {
  const System two(host, 2, &device, 2);
  const Result<Inference> done = infer(two, small(), work, options);
  ASSERT_TRUE(done.ok());
  const auto sum = std::ranges::find(done->generation.layers, LayerKind::kAllReduce, &LayerRun::kind);
  ASSERT_NE(sum, done->generation.layers.end());
  EXPECT_GT(sum->span.value, 0);
  EXPECT_GT(sum->link.ours.value, 0);
}

}  // namespace
}  // namespace pimento::llm
