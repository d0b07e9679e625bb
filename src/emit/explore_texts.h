// What tables, JSON and CSV of explorations say alike.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/emit/explore.h"

namespace pimento::emit {

double timeNs(Cycles cycles, double clockGHz);
bool hasSeveral(const MappingExploration &e);
/// Where the rows of each kernel begin.
std::vector<std::int64_t> firstRows(const MappingExploration &e);
/// "gemv m=64,n=64, f16, on hbm-pim".
std::string titleOf(const ExploreHead &h);
/// "4 estimated, 15 equal, ...".
std::string countsText(const tune::Exploration &f);
/// "0.402 of its cycles, ...".
std::string ofReference(const evaluate::Cost &c, const evaluate::Cost &reference);
/// What --map takes to run a graph of these kernels with the mappings that some of them have.
std::string mapText(const std::map<std::string, std::string> &mappings, const std::vector<std::string> &graphKernels);
/// At the end of a text, as notes.
void addWarnings(const std::vector<std::string> &warnings, std::string &out);

}  // namespace pimento::emit
