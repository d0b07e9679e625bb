// How several ranks shared the work of a command: how busy each of them was.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

constexpr std::size_t kMostRankBars = 16;  ///< more ranks are columns
constexpr std::size_t kMostRankColumns = 512;

std::string tipOfRank(std::size_t rank, double share) {
  return fmt::format("rank {}: computed {:.1f} % of the time", rank, 100 * share);
}

std::string busyHtml(const RankShares &s) {
  const std::string about = fmt::format("Share of the time in which each of {} ranks computed", s.busy.size());
  const std::vector<Series> series = {{"c0", "computing"}};
  if (s.busy.size() <= kMostRankBars) {
    BarChart chart;
    chart.about = about;
    chart.axis = "time in which it computed";
    chart.quantity = Quantity::kPercent;
    chart.series = series;
    for (std::size_t r = 0; r < s.busy.size(); ++r)
      chart.bars.push_back({fmt::format("rank {}", r),
                            fmt::format("{:.0f} %", 100 * s.busy[r]),
                            {{0, 100 * s.busy[r], tipOfRank(r, s.busy[r])}},
                            {},
                            {}});
    return figure(chart);
  }
  ColumnChart chart;
  chart.about = about;
  chart.axis = "time in which it computed";
  chart.across = "rank";
  chart.quantity = Quantity::kPercent;
  chart.first = 0;
  chart.top = 100;
  chart.series = series;
  const std::size_t step = s.busy.size() / kMostRankColumns + 1;
  chart.step = static_cast<double>(step);
  for (std::size_t r = 0; r < s.busy.size(); r += step)
    chart.columns.push_back({"", "", {{0, 100 * s.busy[r], tipOfRank(r, s.busy[r])}}, {}, {}});
  return figure(chart);
}

}  // namespace

void addRanks(const std::optional<RankShares> &sharing, Section &section) {
  if (!sharing) return;
  const RankShares &s = *sharing;
  const double computing = s.seconds * s.jobs * (1 - s.idleShare);
  Tiles t;
  t.add("Ranks", number(Quantity::kCount, s.ranks),
        s.lost > 0 ? number(Quantity::kCount, s.lost) + " lost" : number(Quantity::kCount, s.jobs) + " jobs");
  t.add("Speedup", s.seconds > 0 ? plain(computing / s.seconds, 3) : "–",
        "over one job: time of all tasks / time that they took together");
  t.add("Idle", plain(100 * s.idleShare, 3) + " %", "of all jobs' time");
  t.add("Messages", plain(100 * s.messageShare, 3) + " %", "of the first rank's time");
  section.parts.push_back(
      {"How ranks shared the work",
       t.html() + busyHtml(s) +
           fmt::format("<p class=\"remark\">{} in {}.</p>\n", counted(static_cast<std::size_t>(s.tasks), "task"),
                       counted(static_cast<std::size_t>(s.chunks), "chunk"))});
}

}  // namespace pimento::emit::html
