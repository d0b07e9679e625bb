// What `profile` says of a program of a host: read back from JSON, and shown with its annotated source.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/emit/html/results.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

/// What functions or lines took.
struct TakenResult {
  std::string function, file;
  double line = 0;  ///< 0: not known
  double instructions = 0, cycles = 0, energyPj = 0, operations = 0, offloaded = 0, replaced = 0;
  std::optional<double> savedCycles, savedEnergyPj;  ///< less than 0: it takes more
  Amounts lost;
};

/// A function or an inlined call, with those inlined into it.
struct CallResult {
  std::string function, file;
  double line = 0, cycles = 0, allCycles = 0, allEnergyPj = 0;
  std::vector<CallResult> inlined;
};

struct SourceResult {
  std::string file, state;
  struct Chunk {
    double first = 1;
    std::vector<std::string> text;
  };
  std::vector<Chunk> chunks;

  /// The text of a line; null: it is not there.
  const std::string *at(double line) const;
};

struct HostProfileResult {
  std::string program, target, exact, account;  ///< `account`: whose savings rows have, in words
  double instructions = 0, cycles = 0, timeNs = 0, energyPj = 0, operations = 0, offloaded = 0;
  double reads = 0, convertible = 0;
  std::optional<double> speedup, energyImprovement;
  Amounts stack, lost;
  std::vector<std::string> verdict, warnings;
  std::optional<RankShares> sharing;
  std::map<std::string, std::string> reasons;  ///< in words
  bool hasLines = false;
  std::vector<TakenResult> functions, lines;
  std::vector<CallResult> calls;
  std::vector<SourceResult> sources;

  std::string wordsOf(const std::string &reason) const;
};

HostProfileResult readHostProfile(const Node &node);
Section sectionOf(const HostProfileResult &result);

}  // namespace pimento::emit::html
