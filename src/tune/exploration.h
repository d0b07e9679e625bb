// What explorations and sweeps found: values, for whoever writes reports of them. How they are found is in explore.h
// and sweep.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/cost.h"
#include "pimento/mapping/draft_rules.h"
#include "pimento/search/search.h"

namespace pimento::tune {

/// One candidate.
struct Row {
  std::string mapping;
  search::Fate how = search::Fate::kIllegal;
  evaluate::Cost cost;     ///< kBounded, kOpen: lower bounds; kIllegal: nothing
  std::int64_t like = -1;  ///< kEqual: the row it equals; kBounded: a row that rules it out
  std::string error;       ///< kIllegal: code of the diagnostic
};

struct Exploration {
  std::vector<Row> rows;        ///< in the order of the enumeration; the reference mapping last if nothing is like it
  std::int64_t space = 0;       ///< candidates there are, counted up to kMostCounted
  mapping::DraftCounts drafts;  ///< all, and those that the problem's rules left out; `space` has not these
  std::int64_t every = 1;       ///< of which every so many-th was explored
  std::int64_t estimated = 0, equal = 0, bounded = 0, illegal = 0, open = 0;
  std::map<std::string, std::int64_t> illegalBy;  ///< by code of the diagnostic
  search::Stop stop = search::Stop::kDone;
  search::Proof proof;                      ///< of the best ones, among the rows
  std::int64_t deviceRuns = 0;              ///< command streams that were run, or taken from the store
  std::vector<std::int64_t> front;          ///< rows, by rising time: the first is the best in time, the last in energy
  std::string referenceMapping;             ///< spelled out
  std::optional<evaluate::Cost> reference;  ///< nothing where the reference mapping is illegal (too large)
};

struct Axis {
  std::string path;     ///< in full: "timing.tRP", "size.m"
  bool isSize = false;  ///< then `name` is the size's
  std::string name;     ///< what --set or --size calls it
  std::vector<std::string> values;
};

/// What one point gave.
struct PointResult {
  std::string mapping;
  evaluate::Cost cost;
  double timeNs = 0;  ///< of cost.total: the clock may be swept
  /// Of programs of a host: as they are on the same machine; `cost` is theirs once its caches compute.
  std::optional<evaluate::Cost> base;
};

struct SweepRow {
  std::vector<std::string> values;  ///< one per axis
  PointResult result;
  std::string error;  ///< why there is no result: "message [code]"
};

}  // namespace pimento::tune
