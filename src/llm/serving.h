// A served language model: requests come and go, and share the machines by continuous batching.
//
// Steps of the whole system follow one another (Orca, OSDI 2022): a step reads the prompt of one request, or generates
// a token for every request that runs. Requests are admitted in the order of their arrival, as soon as the batch and
// the memories have room for all of their tokens; prompts go first. So no device ever has two steps at once. In a step,
// attention runs group by group: requests of similar length, as many as a power of two, as long as the longest of them;
// a real kernel of many lengths takes no longer.
//
// Weights lie on GPUs, and where they fit on PIM devices as well, so products of each batch size run where they are
// faster. Keys and values lie on one side.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pimento/llm/capacity.h"
#include "pimento/llm/requests.h"
#include "pimento/llm/system.h"

namespace pimento::llm {

/// A layer that steps are made of: all blocks, `requests` together at `length` positions (0: it does not depend on it).
struct LayerTime {
  LayerKind kind = LayerKind::kQkv;
  bool isPrompt = false;
  std::int64_t requests = 1, length = 0;
  Split split;
  Picoseconds time;
  std::array<Picoseconds, kDevices.size()> busy{};
  Energy energy;
  std::string mapping;  ///< of PIM devices
};

struct ServedStep {
  Picoseconds begin, end;
  bool isPrompt = false;
  std::vector<int> requests;              ///< that it serves
  std::vector<const LayerTime *> layers;  ///< one after the other, of Served::layers
};

struct ServedRequest {
  Picoseconds admitted, firstToken, done;
};

struct Served {
  std::vector<ServedStep> steps;
  std::vector<ServedRequest> requests;      ///< in the order asked
  std::map<std::string, LayerTime> layers;  ///< by what they are of
  bool isAttentionOnPim = false;
  Picoseconds end;
  std::array<Picoseconds, kDevices.size()> busy{};
  Energy energy;
  std::int64_t tokens = 0;  ///< generated
  std::int64_t mostRequests = 0;
  double mostKeyBytes = 0;  ///< of keys and values that were promised room
  double keyRoom = 0;       ///< for them
};

struct ServingOptions {
  std::int64_t mostRequests = 16;  ///< that run at once
  double elementBytes = 2;
  Bytes pimRoom;
};

/// Diagnostics: heads-not-divided, model-does-not-fit, request-does-not-fit (alone), not-in-table.
Result<Served> serve(const System &system, const Model &model, const std::vector<Request> &requests,
                     const ServingOptions &options);

/// The least value that is no less than `share` of all; of nothing 0.
double percentile(std::vector<double> values, double share);

}  // namespace pimento::llm
