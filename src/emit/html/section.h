// Sections of the page: one per input, made of a head and titled parts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pimento/emit/html/chart.h"
#include "pimento/emit/html/results.h"
#include "pimento/emit/html/trace.h"

namespace pimento::emit::html {

/// A titled part of a section; `html` is markup, the title plain text.
struct Part {
  std::string title;
  std::string html;
};

struct Section {
  std::string kind;   ///< "simulation", "exploration of mappings", ...; plain text
  std::string title;  ///< plain text
  std::string head;   ///< markup: what is to be seen first
  std::vector<Part> parts;
};

Section sectionOf(const ReportResult &result);
Section sectionOf(const CompareResult &result);
Section sectionOf(const ValidateResult &result);
Section sectionOf(const ExploreResult &result);
Section sectionOf(const TuneResult &result);
Section sectionOf(const FigureResult &result);
/// `id` is the section's, which its script data needs.
Section sectionOf(const Trace &trace, std::string_view id);

/// The chart of a figure as a file that stands alone; empty where the figure has none.
std::string pictureOf(const FigureResult &result);

// Pieces that several sections share. All are markup.

/// "m=4096, n=1024".
std::string sizesHtml(const Amounts &sizes);
/// The warnings of a result; empty where there are none.
std::string warningsHtml(const std::vector<std::string> &warnings);
/// The command line that repeats a run; empty where it is not known.
std::string commandHtml(const std::optional<Run> &run);
/// "0.79 mJ to 2.93 mJ"
std::string rangeHtml(double lowPj, double highPj);

/// Name and colour of a part of time ("transfer_in") or of a component of energy ("dram").
Series seriesOfPart(const std::string &key);
Series seriesOfComponent(const std::string &name);

/// The parts of several times as stacked bars: one per label, all with the same series.
/// Energy against time, without points yet.
PointChart timeEnergyChart(std::string about);

struct LabelledParts {
  std::string label, note;
  const Parts *parts = nullptr;
};
BarChart partsChart(const std::vector<LabelledParts> &rows, std::string about, Quantity quantity = Quantity::kCycles);

/// How ranks shared the work, as one more part; none where one process did it.
void addRanks(const std::optional<RankShares> &sharing, Section &section);

/// The kernels of a graph: where each ran, how long, and why.
std::string stagesHtml(const ReportResult &result);

}  // namespace pimento::emit::html
