// tune: from JSON to what is shown.
#include "pimento/emit/html/results.h"

namespace pimento::emit::html {

namespace {

TunedResult readKernel(const Node &node, std::string kernel) {
  TunedResult k;
  k.kernel = std::move(kernel);
  k.stop = node.at("stop").text();
  k.gap = node.amountOr("gap", 0);
  k.drafts = readAmounts(node.at("drafts"));
  k.winner = readCandidate(node.at("winner"), "");
  if (const auto reference = node.find("reference")) k.reference = readCandidate(*reference, "reference");
  if (const auto front = node.find("front"))
    for (const Node &m : front->items()) k.front.push_back(readCandidate(m, ""));
  return k;
}

}  // namespace

TuneResult readTune(const Node &node) {
  TuneResult r;
  r.objective = node.at("tune").text();
  r.kernel = node.at("kernel").text();
  if (const auto sizes = node.find("sizes")) r.sizes = readAmounts(*sizes);
  r.dtype = node.textOr("dtype", "");
  r.target = node.at("target").text();
  r.space = node.textOr("space", "own");
  r.map = node.textOr("map", "");
  r.store = node.textOr("store", "");
  const Node best = node.at("best");
  r.timeNs = best.at("time_ns").amount();
  r.energyPj = best.at("energy_pj").amount();
  if (const auto checked = node.find("checked")) r.isChecked = checked->truth();
  r.seconds = node.maybeAmount("seconds");
  r.sharing = readRanks(node);
  r.run = readRun(node);
  if (const auto kernels = node.find("kernels"))
    for (const Node &k : kernels->items()) r.kernels.push_back(readKernel(k, k.at("kernel").text()));
  else
    r.kernels.push_back(readKernel(node, r.kernel));
  r.warnings = node.textsOr("warnings");
  return r;
}

}  // namespace pimento::emit::html
