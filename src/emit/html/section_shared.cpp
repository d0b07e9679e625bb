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
  return run && !run->command.empty() ? "<code class=\"command\">" + escape(shellLine(run->command)) + "</code>"
                                      : std::string();
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

PointChart timeEnergyChart(std::string about) {
  PointChart chart;
  chart.about = std::move(about);
  chart.xTitle = "time";
  chart.yTitle = "energy";
  chart.xQuantity = Quantity::kTime;
  chart.yQuantity = Quantity::kEnergy;
  chart.isStair = true;
  return chart;
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
