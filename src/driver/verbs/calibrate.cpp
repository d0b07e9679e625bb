#include "pimento/driver/verbs/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/input.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/points.h"

namespace pimento::driver {

namespace {

namespace fs = std::filesystem;

/// Reads the tables of a file or folder; `names` gets the files that hold one.
Result<tune::CalibrationTables> readTables(const std::string &fileOrFolder, std::vector<std::string> &names) {
  std::vector<fs::path> files{fileOrFolder};
  std::error_code failed;
  if (fs::is_directory(fileOrFolder, failed)) {
    files.clear();
    for (fs::directory_iterator it(fileOrFolder, failed), end; !failed && it != end; it.increment(failed))
      if (it->path().extension() == ".csv") files.push_back(it->path());
    std::sort(files.begin(), files.end());
  }
  tune::CalibrationTables tables;
  for (const fs::path &f : files) {
    const Result<std::string> text = readFile(f.string());
    if (!text) return text.diagnostics();
    const Result<bool> isTable = tune::addTable(*text, f.string(), tables);
    if (!isTable) return isTable.diagnostics();
    if (*isTable) names.push_back(f.filename().string());
  }
  if (names.empty())
    return usageError("unreadable-points", fileOrFolder, "no micro-benchmark tables found",
                      "pass --points a CSV file or a folder of CSV files; docs/cli.md names their columns");
  return tables;
}

std::string table(const tune::Calibration &c, const tune::Residuals &r) {
  std::string out =
      fmt::format("issue interval {} cycles; loop around transfers: {} issue slots, {} more with a transfer\n\n",
                  c.issueInterval, c.loop.empty, c.loop.more);
  const auto line = std::back_inserter(out);
  fmt::format_to(line, "{:<6} {:>6} {:>10} {:>10}\n", "", "bytes", "latency", "occupancy");
  for (const auto &[name, rows] : {std::pair{"read", &c.reads}, std::pair{"write", &c.writes}})
    for (const machine::Dpu::Transfer &t : *rows)
      fmt::format_to(line, "{:<6} {:>6} {:>10.1f} {:>10.1f}\n", name, t.size.value, t.latency, t.occupancy);
  fmt::format_to(line, "\n{:<10} {:<12} {:>4} {:>8} {:>8}  {}\n", "table", "rows", "", "mean %", "worst %",
                 "worst row");
  for (const tune::Residual &g : r.groups)
    fmt::format_to(line, "{:<10} {:<12} {:>4} {:>8.2f} {:>+8.2f}  {}\n", g.table, g.group, g.rows, g.meanPercent,
                   g.worstPercent, g.worstRow);
  for (const std::string &s : r.leftOut) fmt::format_to(line, "not compared: {}\n", s);
  return out;
}

std::string json(const tune::Calibration &c, const tune::Residuals &r) {
  nlohmann::ordered_json j;
  j["issue_interval_cycles"] = c.issueInterval;
  j["loop_slots"] = {{"empty", c.loop.empty}, {"more", c.loop.more}};
  for (const auto &[name, rows] : {std::pair{"read", &c.reads}, std::pair{"write", &c.writes}}) {
    j[name] = nlohmann::ordered_json::array();
    for (const machine::Dpu::Transfer &t : *rows)
      j[name].push_back({{"bytes", t.size.value}, {"latency_cycles", t.latency}, {"occupancy_cycles", t.occupancy}});
  }
  j["residuals"] = nlohmann::ordered_json::array();
  for (const tune::Residual &g : r.groups)
    j["residuals"].push_back({{"table", g.table},
                              {"group", g.group},
                              {"rows", g.rows},
                              {"mean_abs_error_pct", g.meanPercent},
                              {"worst_error_pct", g.worstPercent},
                              {"worst_row", g.worstRow}});
  j["not_compared"] = r.leftOut;
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string nameFor(const std::string &output, const std::string &base) {
  const std::string stem = fs::path(output).stem().string();
  const bool isName = !stem.empty() && std::all_of(stem.begin(), stem.end(), [](char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '-' || ch == '_';
  });
  return isName ? stem : base + "-calibrated";
}

}  // namespace

Result<CalibrateAnswer> calibrate(const Options &options) {
  const Result<machine::Machine> base = loadTarget(options, options.input);
  if (!base) return base.diagnostics();
  std::vector<std::string> names;
  const Result<tune::CalibrationTables> tables = readTables(pointsFolder(options, "upmem"), names);
  if (!tables) return tables.diagnostics();
  Result<tune::Calibration> c = tune::calibrate(*tables, *base);
  if (!c) return c.diagnostics();
  Result<std::string> text = tune::machineText(*c, *base, nameFor(options.output, base->name), join(names, ", "));
  if (!text) return text.diagnostics();
  // The file as another run will read it.
  const Result<machine::Machine> made =
      machine::parseMachine(*text, options.output.empty() ? "<calibrated>" : options.output, machineFolders(options));
  if (!made) return made.diagnostics();
  Result<tune::Residuals> residuals = tune::residuals(*tables, *made->dpu, c->loop, jobCount(options.jobs));
  if (!residuals) return residuals.diagnostics();
  return CalibrateAnswer{std::move(*c), std::move(*residuals), std::move(*text)};
}

Outcome show(const CalibrateAnswer &answer, const Options &options) {
  Outcome outcome;
  outcome.text = options.isJson ? json(answer.found, answer.residuals) : table(answer.found, answer.residuals);
  if (options.output.empty()) return outcome;
  if (Status written = writeFile(options.output, answer.machine); !written)
    return failure(std::move(written.diagnostics()));
  outcome.isOutputWritten = true;
  return outcome;
}

}  // namespace pimento::driver
