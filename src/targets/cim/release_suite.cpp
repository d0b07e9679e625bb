#include "pimento/targets/cim/release_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pimento/base/file.h"
#include "pimento/base/gzip.h"
#include "pimento/base/text.h"
#include "pimento/trace/release/counters.h"

namespace pimento::targets::cim {

namespace fs = std::filesystem;
namespace release = trace::release;

namespace {

using evaluate::NamedReplay;

/// What every instruction of the points was given, whatever it is: they have no pipeline of their own.
constexpr release::PipeCounts kPipeOfPoints = {2, 1, 1, 1, 2, 1, 1, 1, 2};

/// Whether a row is the reference's: an error of 0 or 100 %. `difference`: empty if it is.
NamedReplay rowOf(std::string kernel, Location where, std::string difference) {
  NamedReplay row{std::move(kernel), std::move(where), {}};
  row.replay.theirs = 1;
  row.replay.ours = difference.empty() ? 1 : 0;
  row.replay.differs = std::move(difference);
  return row;
}

/// A tree of the reference: its lines, and where the first one stands.
struct Expected {
  std::vector<std::string_view> lines;
  int at = 0;
};

std::vector<Expected> treesOf(std::string_view text) {
  std::vector<Expected> trees;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) trees.push_back({{}, number});
    if (!trees.empty() && !trim(line).empty()) trees.back().lines.push_back(line);
  }
  return trees;
}

void compareTrees(const std::string &kernel, const std::string &file, std::string_view text,
                  const std::vector<release::Tree> &ours, const std::vector<release::Record> &records,
                  std::vector<NamedReplay> &rows) {
  const std::vector<Expected> theirs = treesOf(text);
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    if (i >= ours.size() || i >= theirs.size()) {
      rows.push_back(rowOf(kernel, {file, i < theirs.size() ? theirs[i].at : 0, 0},
                           fmt::format("tree {} is in {} alone", number, i < ours.size() ? "ours" : "theirs")));
      continue;
    }
    const std::vector<std::string> lines = release::print(ours[i], number, records);
    const std::vector<std::string_view> &expected = theirs[i].lines;
    const auto [mine, their] = std::mismatch(lines.begin(), lines.end(), expected.begin(), expected.end());
    std::string difference;
    if (mine != lines.end() || their != expected.end())
      difference = fmt::format("tree {}: ours '{}', theirs '{}'", number,
                               mine != lines.end() ? trim(*mine) : std::string_view("its end"),
                               their != expected.end() ? trim(*their) : std::string_view("its end"));
    rows.push_back(rowOf(kernel, {file, theirs[i].at, 0}, std::move(difference)));
  }
}

Status compareCounters(const std::string &kernel, const std::string &file, std::string_view text,
                       const release::Counters &ours, std::vector<NamedReplay> &rows) {
  const std::map<std::string, std::int64_t> counts = ours.byName();
  int line = 0;
  for (const std::string_view row : split(text, '\n')) {
    ++line;
    const std::vector<std::string_view> cells = split(trim(row), ',');
    if (trim(row).empty() || row.starts_with('#') || cells[0] == "name") continue;
    const auto theirs = cells.size() == 3 ? parseInteger(cells[2]) : std::nullopt;
    if (!theirs)
      return error("bad-points", {file, line, 0}, fmt::format("cannot read the counter '{}'", row),
                   "a line is NAME,SIGN,VALUE");
    const auto found = counts.find(std::string(cells[0]));
    if (found == counts.end())
      return error("bad-points", {file, line, 0}, fmt::format("no counter is called '{}'", cells[0]),
                   fmt::format("counters are {}", fmt::join(
                                                      [&] {
                                                        std::vector<std::string> names;
                                                        for (const auto &[n, v] : counts) names.push_back(n);
                                                        return names;
                                                      }(),
                                                      ", ")));
    rows.push_back(
        rowOf(kernel, {file, line, 0},
              found->second == *theirs ? "" : fmt::format("{}: ours {}, theirs {}", cells[0], found->second, *theirs)));
  }
  return okStatus();
}

/// Files of a trace beside it.
Status replayTrace(const fs::path &trace, std::vector<NamedReplay> &rows) {
  const std::string name = trace.filename().string().substr(0, trace.filename().string().find('.'));
  const Result<std::string> text = readGzipFile(trace.string());
  if (!text) return text.diagnostics();
  const Result<std::vector<release::Record>> records = release::readRecords(*text, trace.string());
  if (!records) return records.diagnostics();
  const std::vector<release::Tree> trees = release::growTrees(*records);
  const fs::path expected = trace.parent_path() / (name + ".expected_trees.txt.gz");
  if (fs::exists(expected)) {
    const Result<std::string> theirs = readGzipFile(expected.string());
    if (!theirs) return theirs.diagnostics();
    compareTrees(name + ":trees", expected.string(), *theirs, trees, *records, rows);
  }
  const std::vector<release::PipeCounts> pipe(records->size(), kPipeOfPoints);
  for (int c = 0; c < release::kConfigurations; ++c) {
    const fs::path counters = trace.parent_path() / fmt::format("{}.conf{}.expected_counters.csv", name, c);
    if (!fs::exists(counters)) continue;
    const Result<std::string> theirs = readFile(counters.string());
    if (!theirs) return theirs.diagnostics();
    if (Status s = compareCounters(fmt::format("{}:conf{}", name, c), counters.string(), *theirs,
                                   release::count(trees, *records, pipe, static_cast<release::Configuration>(c)), rows);
        !s)
      return s;
  }
  return okStatus();
}

Result<std::vector<NamedReplay>> replayFolder(const std::string &folder) {
  constexpr const char *kEnd = ".trace.csv.gz";
  std::vector<fs::path> traces;
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(folder, failed))
    if (entry.path().string().ends_with(kEnd)) traces.push_back(entry.path());
  std::sort(traces.begin(), traces.end());
  std::vector<NamedReplay> rows;
  for (const fs::path &t : traces)
    if (Status s = replayTrace(t, rows); !s) return s.diagnostics();
  if (rows.empty())
    return usageError("unreadable-points", folder, "no reference points found",
                      fmt::format("pass --points a folder with NAME{}, NAME.expected_trees.txt.gz and "
                                  "NAME.conf0.expected_counters.csv",
                                  kEnd));
  return rows;
}

}  // namespace

evaluate::Suite releaseSuite() {
  evaluate::Suite suite{"eva-cim-release", {}, {}};
  suite.rules.folder = "cim/oracle";
  suite.replayFolder = replayFolder;
  return suite;
}

}  // namespace pimento::targets::cim
