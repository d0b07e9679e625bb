#include "pimento/driver/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "pimento/base/csv.h"
#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/driver/data_folder.h"

namespace pimento::driver {

namespace fs = std::filesystem;

using evaluate::Point;
using evaluate::PointRules;

std::string pointsFolder(const Options &options, const std::string &suite) {
  if (!options.points.empty()) return options.points;
  const char *root = std::getenv("PIMENTO_POINTS");
  if (root != nullptr) return (fs::path(root) / "validation" / suite).string();
  return (fs::path(dataFolder("validation")) / suite).string();
}

namespace {

Status checkRow(const Point &p, const PointRules &rules) {
  const auto bad = [&](std::string message) {
    return error("bad-points", p.where, std::move(message),
                 "see docs/cli.md, 'validate', for the columns of each kind of file");
  };
  for (const std::string &c : rules.required)
    if (!p.has(c)) return bad(fmt::format("column '{}' is missing", c));
  const auto &groups = rules.kernels.at(p.kernel);
  for (const auto &group : groups)
    if (std::none_of(group.begin(), group.end(), [&](const std::string &c) { return p.has(c); }))
      return bad(fmt::format("kernel '{}' needs a column '{}'", p.kernel, fmt::join(group, "' or '")));
  const auto isOfKernel = [&](const std::string &column) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const auto &g) { return std::find(g.begin(), g.end(), column) != g.end(); });
  };
  for (const std::string &c : rules.whole) {
    if (!p.has(c) || (c == "input_dim" && !isOfKernel(c))) continue;  // element-wise rows of networks have none
    if (const auto value = parseInteger(p.text(c)); !value || *value < 1)
      return bad(fmt::format("column '{}' holds '{}', not a whole number of 1 or more", c, p.text(c)));
  }
  for (const std::string &c : rules.positive)
    if (const auto value = p.has(c) ? parseNumber(p.text(c)) : 1; !value || !(*value > 0))
      return bad(fmt::format("column '{}' holds '{}', not a number above 0", c, p.text(c)));
  return okStatus();
}

Status readFilePoints(const fs::path &file, const PointRules &rules, PointSet &out) {
  const Result<std::string> text = readFile(file.string());
  if (!text)
    return usageError("unreadable-points", file.string(), "cannot read the file",
                      "pass --points a CSV file or a folder of CSV files");
  const CsvTable table = readCsv(*text);
  std::map<std::string, int> skipped;
  for (const CsvTable::Row &row : table.rows) {
    Point p;
    p.stem = file.stem().string();
    p.where = {file.string(), row.line, 0};
    for (const std::string_view column : table.columns)
      if (const auto cell = table.cell(row, column); cell && !cell->empty())
        p.columns[std::string(column)] = std::string(*cell);
    if (rules.kernelOf) p.columns["kernel"] = rules.kernelOf(p);
    if (!p.has("kernel"))
      return error("bad-points", p.where, "column 'kernel' is missing", "the first line names the columns");
    p.kernel = p.text("kernel");
    if (!rules.kernels.contains(p.kernel)) {
      ++skipped[p.kernel];
      continue;
    }
    if (Status s = checkRow(p, rules); !s) return s;
    out.points.push_back(std::move(p));
  }
  for (const auto &[kernel, rows] : skipped)
    if (kernel.starts_with(' '))
      out.skipped.push_back(fmt::format("{}: {} rows skipped,{}", file.string(), rows, kernel));
    else
      out.skipped.push_back(fmt::format("{}: {} rows of '{}', which cannot be replayed", file.string(), rows, kernel));
  return okStatus();
}

}  // namespace

Result<PointSet> readPoints(const std::string &fileOrFolder, const PointRules &rules) {
  const auto isMeant = [&](const fs::path &file) {
    const std::string stem = file.stem().string();
    return rules.files.empty() || std::any_of(rules.files.begin(), rules.files.end(),
                                              [&](const std::string &begin) { return stem.starts_with(begin); });
  };
  std::vector<fs::path> files;
  std::error_code failed;
  if (fs::is_directory(fileOrFolder, failed)) {
    for (const auto &entry : fs::directory_iterator(fileOrFolder, failed))
      if (entry.path().extension() == ".csv" && isMeant(entry.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
  } else {
    files.emplace_back(fileOrFolder);
  }
  PointSet points;
  for (const fs::path &f : files)
    if (Status s = readFilePoints(f, rules, points); !s) return s.diagnostics();
  if (points.points.empty())
    return usageError("unreadable-points", fileOrFolder, "no reference points found",
                      "pass --points a CSV file or a folder of CSV files");
  return points;
}

std::vector<std::string> kernelNames(const std::vector<Point> &points) {
  std::map<std::string, std::set<std::string>> stems;
  for (const Point &p : points) stems[p.text("kernel")].insert(p.stem);
  std::vector<std::string> names;
  for (const Point &p : points)
    names.push_back(stems[p.text("kernel")].size() > 1 ? p.stem + ":" + p.text("kernel") : p.text("kernel"));
  return names;
}

}  // namespace pimento::driver
