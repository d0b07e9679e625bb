// The predictor learns which drafts cost least, in shapes that it has not seen; its files hold what it learned.
#include "pimento/tune/predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pimento/base/file.h"
#include "pimento/base/sealed.h"
#include "pimento/base/zstd.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/notation.h"
#include "pimento/tune/features.h"
#include "pimento/tune/predicted.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/tuning.h"
#include "test/support/folder.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using evaluate::Objective;
using tune::Predictor;
using tune::Problem;

/// Whether XGBoost is there: one row says it.
bool hasLibrary() {
  static const bool has = [] {
    const tune::Table one{1, {1.0F}};
    const std::vector<float> label = {1.0F};
    return tune::BoostedTrees::fit(one, label, 1).ok();
  }();
  return has;
}

#define NEEDS_LIBRARY() \
  if (!hasLibrary()) GTEST_SKIP() << "not run here: no libxgboost"

struct Case {
  machine::Machine machine;
  kernel::Graph graph;
  std::unique_ptr<Problem> problem;
};

std::unique_ptr<Case> headedGemv(std::int64_t heads, std::int64_t depth, std::int64_t length,
                                 const std::string &machine = "attacc") {
  auto c = std::make_unique<Case>();
  c->machine = load(machine, {{"channels", "4"}});
  c->graph =
      *kernel::parseNotation("y[r,l] += K[r,l,d] * q[r,d]", {{"r", heads}, {"l", length}, {"d", depth}}, DType::kF16);
  c->problem = std::make_unique<Problem>(*tune::makeProblem(c->graph, c->machine, targetOf(c->machine), "plain"));
  return c;
}

void teach(Predictor &predictor, const Problem &problem, std::int64_t count) {
  const auto drafts = tune::runDrafts(problem, tune::drawDrafts(problem, count, 1, {}), {});
  ASSERT_TRUE(drafts.ok()) << drafts.diagnostics().front().str();
  predictor.learn(problem, *drafts);
}

/// Taught three shapes.
Predictor taughtFor(Objective objective) {
  Predictor p;
  for (const auto &[heads, depth, length] : {std::array{4, 32, 64}, std::array{8, 64, 48}, std::array{6, 32, 128}})
    teach(p, *headedGemv(heads, depth, length)->problem, 200);
  EXPECT_TRUE(p.fit(objective).ok());
  return p;
}

const Predictor &taught() {
  // Never freed: XGBoost ends before what is static here does.
  static const Predictor &p = *new Predictor(taughtFor(Objective::kTime));
  return p;
}

TEST(Predictor, FindsGoodDraftsOfAShapeThatItHasNotSeen) {
  NEEDS_LIBRARY();
  const Predictor &p = taught();
  const auto c = headedGemv(5, 64, 96);
  EXPECT_TRUE(p.knows(*c->problem));
  const auto best = tune::tune(*c->problem, {}, {});
  ASSERT_TRUE(best.ok());
  tune::TuneOptions how;
  how.predictor = &p;
  const auto predicted = tune::tune(*c->problem, how, {});
  ASSERT_TRUE(predicted.ok());
  EXPECT_EQ(predicted->stopText(), "predicted");
  ASSERT_TRUE(predicted->guess.has_value());
  EXPECT_EQ(predicted->drafts.all, best->drafts.all);
  const tune::DraftFates &d = predicted->drafts;
  EXPECT_EQ(d.all, d.equal + d.illegal + d.evaluated + d.open);
  EXPECT_EQ(d.evaluated + d.equal, tune::kPredicted);
  EXPECT_LE(static_cast<double>(predicted->best.cost.total.value),
            1.1 * static_cast<double>(best->best.cost.total.value));
  EXPECT_LE(1 - predicted->gap,
            static_cast<double>(best->best.cost.total.value) / static_cast<double>(predicted->best.cost.total.value));
  how.predicted = 1;
  const auto only = tune::tune(*c->problem, how, {});
  ASSERT_TRUE(only.ok());
  EXPECT_EQ(only->drafts.evaluated, 1);
  EXPECT_GE(only->best.cost.total, predicted->best.cost.total);
}

TEST(Predictor, OneModelServesSeveralMachinesAndObjectives) {
  NEEDS_LIBRARY();
  Predictor p = taughtFor(Objective::kEnergy);
  EXPECT_FALSE(p.isFitted(Objective::kTime));
  const auto other = headedGemv(4, 32, 64, "hbm-pim-hbm3");
  EXPECT_FALSE(p.knows(*other->problem));
  teach(p, *other->problem, 400);
  EXPECT_TRUE(p.knows(*other->problem));
  ASSERT_TRUE(p.refine(Objective::kEnergy).ok());
  EXPECT_EQ(p.shapes(), 4);
  // What a draft costs differs between the machines, and so does what is predicted of them.
  const auto mine = headedGemv(4, 32, 64);
  for (const auto &c : {&mine, &other}) {
    const auto texts = tune::drawDrafts(*(*c)->problem, 100, 7, {});
    const auto drafts = tune::runDrafts(*(*c)->problem, texts, {});
    ASSERT_TRUE(drafts.ok());
    std::vector<mapping::Mapping> mappings;
    for (const tune::Draft &d : *drafts) mappings.push_back(d.mapping);
    const auto costs = p.predict(*(*c)->problem, mappings, Objective::kEnergy, 2);
    ASSERT_TRUE(costs.ok());
    std::vector<double> off;
    for (std::size_t i = 0; i < drafts->size(); ++i)
      off.push_back(std::abs(std::log((*costs)[i] / (*drafts)[i].cost.energy.value)));
    std::ranges::nth_element(off, off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2));
    EXPECT_LT(off[off.size() / 2], 0.25) << (*c)->machine.name;
  }
}

TEST(Predictor, WhatItPredictsDoesNotDependOnThreads) {
  NEEDS_LIBRARY();
  const Predictor &p = taught();
  const auto c = headedGemv(7, 48, 80);
  std::vector<mapping::Mapping> mappings;
  for (const std::string &text : tune::drawDrafts(*c->problem, 5000, 3, {})) mappings.push_back(tune::mappingOf(text));
  ASSERT_GT(mappings.size(), 1024u);
  const auto one = p.predict(*c->problem, mappings, Objective::kTime, 1);
  const auto four = p.predict(*c->problem, mappings, Objective::kTime, 4);
  ASSERT_TRUE(one.ok() && four.ok());
  EXPECT_EQ(*one, *four);
}

TEST(Predictor, FilesHoldWhatItLearned) {
  NEEDS_LIBRARY();
  const Folder folder;
  const std::string file = folder / "a.predictor";
  const Predictor &p = taught();
  ASSERT_TRUE(p.write(file).ok());
  auto read = Predictor::read(file);
  ASSERT_TRUE(read.ok()) << read.diagnostics().front().str();
  EXPECT_EQ(read->version(), p.version());
  EXPECT_EQ(read->drafts(), p.drafts());
  const auto c = headedGemv(3, 32, 80);
  const std::vector<mapping::Mapping> mappings = {c->problem->reference};
  EXPECT_EQ(*read->predict(*c->problem, mappings, Objective::kTime, 1),
            *p.predict(*c->problem, mappings, Objective::kTime, 1));
  // It goes on learning: the same drafts again teach nothing.
  const std::int64_t before = read->drafts();
  teach(*read, *headedGemv(4, 32, 64)->problem, 200);
  EXPECT_EQ(read->drafts(), before);
  teach(*read, *c->problem, 50);
  EXPECT_GT(read->drafts(), before);
  ASSERT_TRUE(read->refine(Objective::kTime).ok());
  EXPECT_NE(read->version(), p.version());
}

TEST(Predictor, BrokenFilesAreRefused) {
  NEEDS_LIBRARY();
  const Folder folder;
  const std::string file = folder / "a.predictor";
  Predictor p;
  teach(p, *headedGemv(4, 32, 64)->problem, 20);
  ASSERT_TRUE(p.fit(Objective::kTime).ok());
  ASSERT_TRUE(p.write(file).ok());
  const std::string whole = *readFile(file);
  const auto codeOf = [&](const std::string &bytes) {
    EXPECT_TRUE(writeFile(file, bytes).ok());
    const auto read = Predictor::read(file);
    return read ? std::string() : read.diagnostics().front().code;
  };
  EXPECT_EQ(codeOf(whole), "");
  EXPECT_EQ(codeOf(""), "predictor-corrupt");
  EXPECT_EQ(codeOf("a text"), "predictor-corrupt");
  EXPECT_EQ(codeOf(whole.substr(0, whole.size() / 2)), "predictor-corrupt");
  std::string other = whole;
  other[other.size() / 2] = static_cast<char>(other[other.size() / 2] ^ 1);
  EXPECT_EQ(codeOf(other), "predictor-corrupt");
  other = whole;
  other[std::string("PIMENTO-PREDICTOR\n").size()] = 9;
  EXPECT_EQ(codeOf(other), "predictor-version");
  // The header is right, and what follows is not.
  EXPECT_EQ(codeOf(seal("PIMENTO-PREDICTOR\n", 1, "12\nnot a frame")), "predictor-corrupt");
  EXPECT_EQ(codeOf(seal("PIMENTO-PREDICTOR\n", 1, "")), "predictor-corrupt");
  const std::vector<std::uint8_t> cbor =
      nlohmann::json::to_cbor({{"features", {"other"}}, {"paths", nlohmann::json::array()}});
  const std::string content(cbor.begin(), cbor.end());
  EXPECT_EQ(codeOf(seal("PIMENTO-PREDICTOR\n", 1, std::to_string(content.size()) + "\n" + compressZstd(content, 1))),
            "predictor-features");
  const auto trees = tune::BoostedTrees::read("no trees");
  ASSERT_FALSE(trees.ok());
  EXPECT_EQ(trees.diagnostics().front().code, "predictor-failed");
  EXPECT_EQ(Predictor::read(folder / "none").diagnostics().front().code, "unreadable-file");
}

TEST(Features, HaveNamesOfTheirOwnAndTellMappingsApart) {
  std::vector<std::string> names = tune::featureNames();
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
  const auto c = headedGemv(4, 32, 64);
  const tune::Features features(*c->problem);
  std::vector<std::vector<float>> rows;
  for (const std::string &text : tune::drawDrafts(*c->problem, 300, 1, {})) {
    std::vector<float> row(tune::featureNames().size());
    features.of(tune::mappingOf(text), row);
    for (float &f : row)
      if (std::isnan(f)) f = -1;
    rows.push_back(std::move(row));
  }
  ASSERT_GT(rows.size(), 100u);
  std::ranges::sort(rows);
  EXPECT_TRUE(std::ranges::adjacent_find(rows) == rows.end());
}

}  // namespace
}  // namespace pimento::test
