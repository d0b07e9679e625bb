// What JSON of explorations and of tuned mappings has alike. Internal to the room.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pimento/emit/explore.h"
#include "pimento/emit/explore_texts.h"

namespace pimento::emit {

/// {key: what, "kernel", "sizes", "dtype", "target", "run"}.
inline nlohmann::ordered_json headJson(const char *key, const std::string &what, const ExploreHead &h) {
  nlohmann::ordered_json j = {{key, what}, {"kernel", h.kernel}, {"sizes", nlohmann::ordered_json::object()}};
  for (const auto &[name, extent] : h.sizes) j["sizes"][name] = extent;
  j["dtype"] = h.dtype;
  j["target"] = h.target;
  j["run"] = toJson(h.run);
  return j;
}

/// A mapping and its costs.
inline nlohmann::ordered_json costJson(const std::string &mapping, const evaluate::Cost &c, double clockGHz) {
  return {{"mapping", mapping},
          {"cycles", c.kernel.value},
          {"total_cycles", c.total.value},
          {"time_ns", timeNs(c.total, clockGHz)},
          {"energy_pj", c.energy.value},
          {"energy_kernel_pj", c.kernelEnergy.value}};
}

}  // namespace pimento::emit
