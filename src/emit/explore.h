// What `explore` found, as text for a terminal, JSON and CSV.
//
// JSON keys are those of docs/explore.md. Rows are all candidates (or points), the same in JSON and CSV; texts for
// terminals show the best ones. `seconds` and `compileSeconds` are the only numbers that may differ between two runs of
// one input.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/emit/run.h"
#include "pimento/tune/exploration.h"

namespace pimento::cluster {
struct Sharing;
}

namespace pimento::emit {

/// What all explorations say of themselves.
struct ExploreHead {
  std::string kernel;
  std::map<std::string, std::int64_t> sizes;
  std::string dtype, target;
  RunText run;
  double seconds = 0;
  double compileSeconds = 0;  ///< of all threads: making machine code; 0 where none is made
  std::vector<std::string> warnings;
  std::shared_ptr<const cluster::Sharing> sharing;  ///< of several ranks; else null
};

/// One kernel with all its mappings.
struct ExploredKernel {
  std::string kernel;
  std::vector<std::string> same;  ///< further kernels of the graph that differ from it in names alone
  tune::Exploration found;
  std::map<std::int64_t, bool> checked;  ///< rows that were to be checked: whether they were
};

struct MappingExploration {
  ExploreHead head;
  double clockGHz = 1;                    ///< for times of cycles
  std::vector<ExploredKernel> kernels;    ///< at least one; several get a column "kernel"
  std::vector<std::string> graphKernels;  ///< all of the input, in order; what `map` has an entry for
};

struct SweepExploration {
  ExploreHead head;
  std::vector<tune::Axis> axes;
  std::vector<tune::SweepRow> rows;
  std::vector<std::int64_t> front;  ///< rows, by rising time

  /// Whether points are compared with a base (tune::PointResult).
  bool hasBase() const;
};

std::string toTable(const MappingExploration &e);
std::string toTable(const SweepExploration &e);
std::string toJson(const MappingExploration &e);
std::string toJson(const SweepExploration &e);
std::string toCsv(const MappingExploration &e);
std::string toCsv(const SweepExploration &e);

}  // namespace pimento::emit
