// The options a result was made with, as they stand in its `run` object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pimento::emit {

/// The options of a run as given: enough to repeat it.
struct RunText {
  std::string verb, input;
  std::vector<std::string> sizes;
  std::string dtype, variant, function, target;
  std::vector<std::string> sets, maps;
  std::string data;
  std::uint64_t seed = 1;
  std::string offload;
  std::vector<std::string> sweeps;
  std::string chunks, orders;
  bool isExhaustive = false;
  std::string bounds = {};  ///< explorations: "none" where nothing was ruled out
  std::string space = {};   ///< explorations: "factors" where every split was explored
  /// Single results: which Pimento made it, and a fingerprint of the machine's numbers.
  std::string version = {}, machine = {};
  std::vector<std::string> constants = {};
  /// DPU programs: --in, --out without its files, --launches.
  std::vector<std::string> ins = {}, outs = {};
  std::int64_t launches = 1;
  /// Explorations: which kernels of a graph, and how many mappings of each.
  std::vector<std::string> kernels = {};
  std::int64_t limit = 0;
  /// Where it was not the verb's own: "two-slice", and its alpha.
  std::string engine = {};
  double alpha = 0;
};

}  // namespace pimento::emit
