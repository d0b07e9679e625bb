// What `validate mappings` found: two ways of estimating against simulation, on random mappings of each kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/emit/suite.h"

namespace pimento::cluster {
struct Sharing;
}

namespace pimento::emit {

struct MappingErrors {
  std::string kernel;
  std::int64_t mappings = 0, distinct = 0;
  std::int64_t countsDiffer = 0;       ///< mappings whose counts or actions are not the simulation's by fast-forward
  KernelErrors fastForward, twoSlice;  ///< against simulation; `seconds` without compiling
  double simulationSeconds = 0;        ///< of the processor, as all seconds here but the next
  double deviceSeconds = 0;            ///< that the modelled machine would take, for all mappings
  double compileSeconds = 0;
};

struct MappingSuite {
  std::string target;
  std::uint64_t seed = 1;
  std::int64_t count = 0;
  double alpha = 0;  ///< of two-slice
  std::vector<MappingErrors> kernels;
  std::vector<std::string> warnings;
  std::shared_ptr<const cluster::Sharing> sharing;  ///< of several ranks; else null
};

std::string toJson(const MappingSuite &suite);
std::string toTable(const MappingSuite &suite);

}  // namespace pimento::emit
