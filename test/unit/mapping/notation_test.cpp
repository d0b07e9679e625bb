#include <gtest/gtest.h>

#include "test/unit/mapping/fixtures.h"

namespace pimento::mapping::test {
namespace {

const std::string kReferenceGemv = "M1:{(64,1),(8,1),(1,16),(8,256)};cyclic(block,8);cyclic(channel,64);cyclic(lane,1)";

void expectSame(const Mapping &a, const Mapping &b) {
  ASSERT_EQ(a.subspaces.size(), b.subspaces.size());
  for (std::size_t s = 0; s < a.subspaces.size(); ++s) {
    EXPECT_EQ(a.subspaces[s].index, b.subspaces[s].index);
    EXPECT_EQ(a.subspaces[s].factors, b.subspaces[s].factors);
  }
  EXPECT_EQ(a.cyclic, b.cyclic);
  EXPECT_EQ(a.by, b.by);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.tail, b.tail);
  EXPECT_EQ(a.program, b.program);
}

TEST(MapNotation, APublishedMappingReadsAsItsTuples) {
  const Mapping mapping = parsed("M1: {(2, 9), (64, 1), (2, 4), (2, 32)}");
  ASSERT_EQ(mapping.subspaces.size(), 1u);
  const std::vector<std::vector<std::int64_t>> factors = {{2, 9}, {64, 1}, {2, 4}, {2, 32}};
  EXPECT_EQ(mapping.subspaces[0].factors, factors);
  EXPECT_EQ(mapping.subspaces[0].extent(0), 512);
  EXPECT_EQ(mapping.subspaces[0].extent(1), 1152);
  EXPECT_EQ(mapping.subspaces[0].range(1), 32);
  EXPECT_EQ(mapping.subspaces[0].extentInside(0, 1), 128);
  EXPECT_EQ(mapping.text, "M1:{(2,9),(64,1),(2,4),(2,32)}");
}

TEST(MapNotation, ExtensionsFollowTheBracesInAnyOrder) {
  const Mapping mapping =
      parsed("M2:{(4),(2)},M1:{(1),(8)};tail=truncate;cyclic(channel,64);buffer=16;order(j,i);dpus=3;tasklets=11");
  EXPECT_EQ(mapping.subspaces[0].index, 2);
  EXPECT_EQ(mapping.subspaces[1].index, 1);
  EXPECT_EQ(mapping.tail, Tail::kTruncate);
  EXPECT_EQ(mapping.cyclic.at("channel"), 64);
  EXPECT_EQ(mapping.order, (std::vector<std::string>{"j", "i"}));
  EXPECT_EQ(mapping.parameters, (std::map<std::string, std::int64_t>{{"buffer", 16}, {"dpus", 3}, {"tasklets", 11}}));
}

TEST(MapNotation, BordersOfTilesAreAFunctionOfADim) {
  const Mapping mapping = parsed("M1:{(4,2),(3,5)};order(j,i);by(i: A[1]=2*i-3);by(j:C[0]=j)");
  EXPECT_EQ(mapping.by.at("i"), (Borders{"A", 1, {2, -3}}));
  EXPECT_EQ(mapping.by.at("j"), (Borders{"C", 0, {1, 0}}));
  EXPECT_EQ(mapping.where.at("by(i)").column, 29);
  EXPECT_EQ(mapping.by.at("i").tensorWhere.column, 35);
  EXPECT_EQ(mapping.by.at("i").axisWhere.column, 37);
  EXPECT_EQ(mapping.by.at("i").functionWhere.column, 40);
  EXPECT_EQ(mapping.text, "M1:{(4,2),(3,5)};by(i: A[1]=2*i-3);by(j: C[0]=j);order(j,i)");
  expectSame(parsed(mapping.text), mapping);
}

TEST(MapNotation, AFunctionIsWrittenInAnyWayAndPrintedInOne) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"i", "i"},           {"i+1", "i+1"},   {"i - 1", "i-1"},   {"2*i", "2*i"},      {"i*2", "2*i"},
      {"i*-2+7", "-2*i+7"}, {"-i+9", "-i+9"}, {"-1*i+9", "-i+9"}, {"- 3 * i", "-3*i"}, {"1*i+0", "i"}};
  for (const auto &[written, printed] : forms) {
    const Mapping mapping = parsed("M1:{(4),(3)};by(i: A[0]=" + written + ")");
    EXPECT_EQ(mapping.text, "M1:{(4),(3)};by(i: A[0]=" + printed + ")");
    expectSame(parsed(mapping.text), mapping);
  }
}

TEST(MapNotation, KeywordsCarryTheirExtensions) {
  const Result<MapSpec> reference = parseMapSpec("reference;tail=truncate");
  ASSERT_TRUE(reference);
  EXPECT_EQ(reference->kind, MapSpec::Kind::kReference);
  EXPECT_EQ(reference->mapping.tail, Tail::kTruncate);
  EXPECT_EQ(print(*reference), "reference;tail=truncate");
  EXPECT_EQ(reference->mapping.text, "reference;tail=truncate");

  const Result<MapSpec> automatic = parseMapSpec(" auto ; dpus = 64 ");
  ASSERT_TRUE(automatic);
  EXPECT_EQ(automatic->kind, MapSpec::Kind::kAuto);
  EXPECT_EQ(print(*automatic), "auto;dpus=64");
}

TEST(MapNotation, WhoMergesIsPrintedWhereItIsSaid) {
  const Result<MapSpec> spec = parseMapSpec("auto;merge=device");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->mapping.mergeAt, MergeAt::kDevice);
  EXPECT_EQ(print(*spec), "auto;merge=device");
  EXPECT_EQ(print(parsed("M1:{(1),(2)};merge=host")), "M1:{(1),(2)};merge=host");
  EXPECT_EQ(parsed("M1:{(1),(2)}").mergeAt, MergeAt::kCheapest);
}

TEST(MapNotation, WhichProgramIsPrintedWhereItIsSaid) {
  EXPECT_EQ(parsed("M1:{(1),(2)}").program, ProgramKind::kAny);
  EXPECT_EQ(parsed("M1:{(1),(2)};program=compiled").program, ProgramKind::kCompiled);
  const std::string text = "M1:{(1),(2)};cyclic(part,2);buffer=16;merge=host;program=reference;tail=truncate";
  EXPECT_EQ(print(parsed(text)), text);
  const Result<MapSpec> spec = parseMapSpec("auto;program=reference");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->mapping.program, ProgramKind::kReference);
  EXPECT_EQ(print(*spec), "auto;program=reference");
}

TEST(MapNotation, ItsNameSaysNothing) {
  Mapping mapping = parsed("M1:{(1),(2)}");
  mapping.text = "reference";
  EXPECT_EQ(print(mapping), "M1:{(1),(2)}");
}

TEST(MapNotation, PaddingIsTheDefaultAndIsNotPrinted) {
  EXPECT_EQ(print(parsed("M1:{(1),(2)};tail=pad")), "M1:{(1),(2)}");
}

TEST(MapNotation, TheCanonicalTextReadsBackAsItself) {
  EXPECT_EQ(print(parsed(kReferenceGemv)), kReferenceGemv);
}

TEST(MapNotation, LinesAndColumnsAreThoseOfTheText) {
  const Mapping mapping = parsed("M1:{(1),(2)},\n  M2:{(1), (4)};\ncyclic(part,2)");
  EXPECT_EQ(mapping.subspaces[1].where.str(), "<map>:2:3");
  EXPECT_EQ(mapping.subspaces[1].rowsWhere[1].str(), "<map>:2:12");
  EXPECT_EQ(mapping.where.at("cyclic(part)").str(), "<map>:3:1");
}

TEST(MapNotation, RandomMappingsSurviveARoundTrip) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    Mapping mapping = randomCase(random).mapping;
    const std::size_t extra = random() % 4;
    for (std::size_t s = 0; s < extra; ++s) {
      mapping.subspaces.push_back(mapping.subspaces[0]);
      mapping.subspaces.back().index = static_cast<int>(s) + 2;
      mapping.subspaces.back().factors.back()[0] = pick(random, 1000000);
    }
    std::shuffle(mapping.subspaces.begin(), mapping.subspaces.end(), random);
    for (const std::string &name : parameterNames()) {
      if (random() % 2) mapping.parameters[name] = pick(random, 1 << 20);
    }
    if (random() % 2) mapping.tail = Tail::kTruncate;
    mapping.program = static_cast<ProgramKind>(random() % 3);
    const std::string text = print(mapping);
    const Result<MapSpec> again = parseMapSpec(text);
    ASSERT_TRUE(again) << text << "\n" << again.diagnostics().front().str();
    expectSame(mapping, again->mapping);
    EXPECT_EQ(print(*again), text);
  }
}

}  // namespace
}  // namespace pimento::mapping::test
