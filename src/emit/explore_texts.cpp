#include "pimento/emit/explore_texts.h"

#include <fmt/format.h>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"

namespace pimento::emit {

namespace {

std::string ratioText(double a, double b) {
  return b == 0 ? "-" : fmt::format("{:.3f}", a / b);
}

}  // namespace

double timeNs(Cycles cycles, double clockGHz) {
  // As Machine::toTime and Report::timeNs round.
  return static_cast<double>(cycles.value) * 1000.0 / clockGHz / 1000.0;
}

bool hasSeveral(const MappingExploration &e) {
  return e.kernels.size() > 1;
}

std::vector<std::int64_t> firstRows(const MappingExploration &e) {
  std::vector<std::int64_t> out;
  std::int64_t rows = 0;
  for (const ExploredKernel &k : e.kernels) {
    out.push_back(rows);
    rows += static_cast<std::int64_t>(k.found.rows.size());
  }
  return out;
}

std::string titleOf(const ExploreHead &h) {
  std::vector<std::string> sizes;
  for (const auto &[name, extent] : h.sizes) sizes.push_back(fmt::format("{}={}", name, extent));
  return fmt::format("{}{}{}{}{}, on {}", h.kernel, sizes.empty() ? "" : " ", join(sizes, ","),
                     h.dtype.empty() ? "" : ", ", h.dtype, h.target);
}

std::string countsText(const tune::Exploration &f) {
  return fmt::format("{} estimated, {} equal, {} bounded, {} illegal{}", grouped(f.estimated), grouped(f.equal),
                     grouped(f.bounded), grouped(f.illegal),
                     f.open > 0 ? fmt::format(", {} not evaluated (budget exhausted)", grouped(f.open)) : "");
}

std::string ofReference(const evaluate::Cost &c, const evaluate::Cost &reference) {
  return fmt::format("{} of its cycles, {} of its total cycles, {} of its energy",
                     ratioText(static_cast<double>(c.kernel.value), static_cast<double>(reference.kernel.value)),
                     ratioText(static_cast<double>(c.total.value), static_cast<double>(reference.total.value)),
                     ratioText(c.energy.value, reference.energy.value));
}

std::string mapText(const std::map<std::string, std::string> &mappings, const std::vector<std::string> &graphKernels) {
  std::vector<std::string> maps;
  for (const std::string &kernel : graphKernels) {
    const auto at = mappings.find(kernel);
    maps.push_back(at == mappings.end() ? "reference" : at->second);
  }
  return join(maps, " | ");
}

void addWarnings(const std::vector<std::string> &warnings, std::string &out) {
  if (warnings.empty()) return;
  out += "\nnotes\n";
  Columns table("ll");
  for (const std::string &w : warnings) table.row({"  -", w});
  out += table.str();
}

}  // namespace pimento::emit
