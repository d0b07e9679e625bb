// Figures that scripts put together, as sections of pages and as pictures.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "pimento/emit/html/page.h"
#include "test/support/markup.h"

namespace pimento::emit::html {
namespace {

using Json = nlohmann::json;
using test::Markup;

std::string fixture(const std::string &name) {
  std::ifstream file(PIMENTO_SOURCE_DIR "/test/unit/emit/pages/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string textOf(const Result<std::string> &result) {
  if (result) return *result;
  for (const Diagnostic &d : result.diagnostics()) ADD_FAILURE() << d.str();
  return {};
}

std::size_t countOf(const std::string &text, const std::string &part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Figure, OnAPageHasItsStoryItsChartAndItsTables) {
  const Markup m(textOf(page({{"figure_bars.json", fixture("figure_bars.json")}})));
  for (const char *part :
       {"Errors &amp; whiskers", "What was done &lt;first&gt;.", "make figures PAPER=comonm", "5.35 %",
        "from the mean to the worst", "theirs, generated", "red &lt;b&gt;", "Where we differ."})
    EXPECT_NE(m.visible.find(part), std::string::npos) << part;
}

TEST(Figure, TextBetweenBackticksIsCode) {
  Json json = Json::parse(fixture("figure_bars.json"));
  json["text"] = {"Run `pimento <x>` now.", "One ` stays."};
  const std::string html = textOf(page({{"a", json.dump()}}));
  EXPECT_NE(html.find("<p>Run <code>pimento &lt;x&gt;</code> now.</p>"), std::string::npos);
  EXPECT_NE(html.find("<p>One ` stays.</p>"), std::string::npos);
}

TEST(Figure, ATableShowsNumbersInTheirQuantityAndMissingOnesAsADash) {
  const std::string html = textOf(page({{"figure_bars.json", fixture("figure_bars.json")}}));
  EXPECT_NE(html.find("2.5 %"), std::string::npos);
  EXPECT_NE(html.find("–"), std::string::npos);
}

TEST(Figure, ASpreadDrawsEveryValueOnce) {
  const std::string svg = textOf(picture({"figure_spread.json", fixture("figure_spread.json")}));
  const Json json = Json::parse(fixture("figure_spread.json"));
  // Each column says how many of its row's values it stands for.
  const std::regex column("<title>va, 8 DIMMs; (\\d+) of 400</title>");
  int values = 0;
  for (std::sregex_iterator i(svg.begin(), svg.end(), column), end; i != end; ++i) values += std::stoi((*i)[1]);
  EXPECT_EQ(values, 400);
  EXPECT_EQ(countOf(svg, "class=\"through\""), 1u) << "the value to compare with";
}

TEST(Figure, APictureIsWellFormedStandsAloneAndSaysWhatItsColoursMean) {
  for (const char *name : {"figure_bars.json", "figure_spread.json"}) {
    SCOPED_TRACE(name);
    const std::string svg = textOf(picture({name, fixture(name)}));
    EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    const Markup m("<!DOCTYPE html>" + svg);
    for (const std::string &p : m.problems) ADD_FAILURE() << p;
    EXPECT_EQ(countOf(svg, "http"), 1u) << "nothing is loaded";
    const Json json = Json::parse(fixture(name));
    for (const auto &series : json["chart"]["series"])
      EXPECT_NE(m.visible.find(series.get<std::string>()), std::string::npos) << series;
  }
}

TEST(Figure, EqualFiguresGiveEqualPictures) {
  const std::string text = fixture("figure_spread.json");
  EXPECT_EQ(textOf(picture({"a", text})), textOf(picture({"b", text})));
}

TEST(Figure, BarsAreAsLongAsTheirValues) {
  Json json = Json::parse(fixture("figure_bars.json"));
  for (Json &bar : json["chart"]["bars"]) {
    bar.erase("low");
    bar.erase("high");
  }
  json["chart"]["bars"][1]["value"] = 4;
  json["chart"]["bars"][2]["value"] = 8;
  const std::string svg = textOf(picture({"a", json.dump()}));
  const std::regex bar("<rect class=\"c[12]\" x=\"[\\d.]+\" y=\"[\\d.]+\" width=\"([\\d.]+)\" height=\"16.00\"");
  std::vector<double> widths;
  for (std::sregex_iterator i(svg.begin(), svg.end(), bar), end; i != end; ++i) widths.push_back(std::stod((*i)[1]));
  ASSERT_EQ(widths.size(), 2u);
  EXPECT_NEAR(widths[1], 2 * widths[0], 0.02);
}

TEST(Figure, PartsOfABarStandOneBehindTheOther) {
  Json json = Json::parse(fixture("figure_bars.json"));
  json["chart"]["bars"] = Json::parse(R"([
    {"label": "va", "parts": [{"series": 1, "value": 3, "label": "first"}, {"series": 2, "value": 6}, {"value": 1}]}])");
  const std::string svg = textOf(picture({"a", json.dump()}));
  const std::regex bar("<rect class=\"c[012]\" x=\"([\\d.]+)\" y=\"[\\d.]+\" width=\"([\\d.]+)\"");
  std::vector<std::pair<double, double>> parts;
  for (std::sregex_iterator i(svg.begin(), svg.end(), bar), end; i != end; ++i)
    parts.emplace_back(std::stod((*i)[1]), std::stod((*i)[2]));
  ASSERT_GE(parts.size(), 3u);
  EXPECT_NEAR(parts[1].first, parts[0].first + parts[0].second, 0.02);
  EXPECT_NEAR(parts[1].second, 2 * parts[0].second, 0.02);
  EXPECT_NE(svg.find("va, first; theirs: 3 %"), std::string::npos);
  json["chart"]["bars"][0]["parts"][1]["series"] = 7;
  EXPECT_FALSE(picture({"a", json.dump()}).ok());
}

}  // namespace
}  // namespace pimento::emit::html
