#include "pimento/evaluate/report.h"

#include <algorithm>
#include <tuple>

#include "pimento/base/integer.h"

namespace pimento::evaluate {

void addPhases(std::vector<Phase> &sum, const std::vector<Phase> &more) {
  for (const Phase &p : more) {
    const auto isSame = [&](const Phase &s) { return s.name == p.name && s.part == p.part && s.clock == p.clock; };
    if (const auto same = std::ranges::find_if(sum, isSame); same != sum.end()) {
      same->cycles += p.cycles;
      same->counted += p.counted;
      same->time += p.time;
      same->commands = addSaturated(same->commands, p.commands);
      continue;
    }
    const auto later = [&](const Phase &s) { return infoOf(s.part).place > infoOf(p.part).place; };
    sum.insert(std::ranges::find_if(sum, later), p);
  }
}

namespace {

void add(Stage &sum, const Stage &more) {
  sum.runs += more.runs;
  sum.cycles += more.cycles;
  addPhases(sum.phases, more.phases);
  sum.energy += more.energy;
  sum.operations = addSaturated(sum.operations, more.operations);
  sum.bytes += more.bytes;
  sum.hostCycles += more.hostCycles;
  if (sum.offloadedCycles && more.offloadedCycles)
    *sum.offloadedCycles += *more.offloadedCycles;
  else
    sum.offloadedCycles.reset();
  if (sum.where != more.where && sum.where.find(more.where) == std::string::npos) sum.where += ", " + more.where;
  if (sum.whereWhy != more.whereWhy) sum.whereWhy = "each round where the whole program takes least";
  if (sum.mapping != more.mapping) sum.mapping = "several, since its bounds change";
}

}  // namespace

std::vector<StageGroup> Report::byKernel() const {
  std::vector<StageGroup> out;
  std::map<std::tuple<std::size_t, std::string, bool, std::string>, std::size_t> groups;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage &s = stages[i];
    const auto [at, isNew] = groups.try_emplace({s.origin, s.kernel, s.isOnHost, s.why}, out.size());
    if (isNew)
      out.push_back({s, {}});
    else
      add(out[at->second].all, s);
    out[at->second].members.push_back(i);
  }
  return out;
}

std::vector<Phase> phases(const std::vector<StageGroup> &groups) {
  std::vector<Phase> out;
  for (const StageGroup &g : groups)
    for (const Phase &phase : g.all.phases) {
      out.push_back(phase);
      if (groups.size() > 1) out.back().name = g.all.kernel + ": " + phase.name;
    }
  return out;
}

NumericError Conversion::overall() const {
  NumericError all;
  double sum = 0;
  for (const NumericError &e : errors) {
    all.elements += e.elements;
    all.lost += e.lost;
    if (all.lostWhere.empty()) all.lostWhere = e.lostWhere;
    all.magnitude = std::max(all.magnitude, e.magnitude);
    sum += e.mean * static_cast<double>(e.elements - e.lost);
    if (e.largest > all.largest) all.largest = e.largest, all.where = e.where;
    if (e.largestRelative > all.largestRelative)
      all.largestRelative = e.largestRelative, all.relativeWhere = e.relativeWhere;
  }
  if (all.elements > all.lost) all.mean = sum / static_cast<double>(all.elements - all.lost);
  return all;
}

std::string checkedAgainst(const Report &report) {
  if (!report.isChecked) return {};
  if (!report.checkedText) return report.isWithinRounding ? "interpreter, within the error bound" : "interpreter";
  return report.checkedText->language +
         (report.checkedText->isBitForBit ? ", bit for bit" : ", within the error bound");
}

}  // namespace pimento::evaluate
