// Pieces that several sections share.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pimento/base/text.h"
#include "pimento/emit/html/section.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit::html {

namespace {

struct Known {
  std::string_view key, style;
};
constexpr std::array<Known, 4> kComponents = {{
    {"dram", "c0"},
    {"link", "c1"},
    {"host", "c3"},
    {"pim", "c5"},
}};

/// An argument of a command line, quoted where a shell would read something into it.
std::string shellWord(const std::string &word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string sizesHtml(const Amounts &sizes) {
  std::string out;
  for (const auto &[name, extent] : sizes)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", escape(name), number(Quantity::kCount, extent));
  return out;
}

std::string warningsHtml(const std::vector<std::string> &warnings) {
  if (warnings.empty()) return {};
  std::string out = fmt::format("<div class=\"warnings\" role=\"note\" aria-label=\"Warnings\"><strong>{}</strong><ul>",
                                counted(warnings.size(), "warning"));
  for (const std::string &w : warnings) out += "<li>" + escape(w) + "</li>";
  return out + "</ul></div>\n";
}

std::string commandHtml(const std::optional<Run> &run) {
  if (!run || run->verb.empty()) return {};
  std::vector<std::string> words = {"pimento", run->verb, run->input};
  const auto option = [&](std::string_view name, const std::string &value, std::string_view usual = "") {
    if (!value.empty() && value != usual) words.insert(words.end(), {std::string(name), value});
  };
  option("--function", run->function);
  for (const std::string &s : run->sizes) option("--size", s);
  option("--variant", run->variant, "plain");
  option("--dtype", run->dtype);
  option("--target", run->target, "hbm-pim");
  for (const std::string &s : run->sets) option("--set", s);
  for (const std::string &m : run->maps) option("--map", m);
  for (const std::string &c : run->constants) option("--constant", c);
  for (const std::string &i : run->ins) option("--in", i);
  for (const std::string &o : run->outs) option("--out", o);
  option("--offload", run->offload);
  for (const std::string &sweep : run->sweeps) option("--sweep", sweep);
  option("--chunks", run->chunks);
  option("--orders", run->orders);
  if (run->isExhaustive) words.emplace_back("--exhaustive");
  option("--data", run->data);
  if (run->seed && *run->seed != 1) option("--seed", numberText(*run->seed));
  std::string line;
  for (const std::string &w : words) line += (line.empty() ? "" : " ") + shellWord(w);
  return "<code class=\"command\">" + escape(line) + "</code>";
}

std::string rangeHtml(double lowPj, double highPj) {
  return fmt::format("{} to {}", number(Quantity::kEnergy, lowPj), number(Quantity::kEnergy, highPj));
}

Series seriesOfPart(const std::string &key) {
  const auto part = std::ranges::find(evaluate::kParts, key, &evaluate::PartInfo::key);
  if (part == evaluate::kParts.end()) return {"c7", key};
  return {fmt::format("c{}", part->series), std::string(part->title)};
}

Series seriesOfComponent(const std::string &name) {
  const auto known = std::ranges::find(kComponents, name, &Known::key);
  if (known == kComponents.end()) return {"c7", name};
  return {std::string(known->style), name};
}

BarChart partsChart(const std::vector<LabelledParts> &rows, std::string about, Quantity quantity) {
  BarChart chart;
  chart.about = std::move(about);
  chart.axis = "time";
  chart.quantity = quantity;
  std::vector<std::string> keys;
  for (const LabelledParts &row : rows) {
    Bar bar;
    bar.label = row.label;
    bar.note = row.note;
    const double total = row.parts->total();
    for (const auto &[key, cycles] : row.parts->parts) {
      if (cycles == 0) continue;
      auto at = std::find(keys.begin(), keys.end(), key);
      if (at == keys.end()) {
        at = keys.insert(keys.end(), key);
        chart.series.push_back(seriesOfPart(key));
      }
      const auto series = static_cast<std::size_t>(at - keys.begin());
      bar.segments.push_back(
          {series, cycles,
           fmt::format("{}{}{}: {}, {:.1f} %", row.label, row.label.empty() ? "" : "; ", chart.series[series].name,
                       exactText(quantity, cycles), total > 0 ? 100 * cycles / total : 0)});
    }
    chart.bars.push_back(std::move(bar));
  }
  return chart;
}

}  // namespace pimento::emit::html
