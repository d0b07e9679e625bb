// Ranks that speak through a channel: the first deals out tasks and takes results, the others compute.
//
// One thread of each rank speaks; others compute. A rank that was not heard of for `silence`, or whose process is gone,
// is lost: its tasks are dealt out again. Results of a rank that was thought lost count when they arrive after all.
#pragma once

#include <chrono>
#include <memory>

#include "pimento/cluster/channel.h"
#include "pimento/cluster/ranks.h"

namespace pimento::cluster {

struct Patience {
  std::chrono::milliseconds sign{2'000};      ///< between two signs of life
  std::chrono::milliseconds silence{30'000};  ///< after which a rank is lost
};

/// The first rank of a channel, or one of the others. `build`: checksum of the program's file.
std::unique_ptr<Ranks> manyRanks(std::unique_ptr<Channel> channel, std::string build, Patience patience = {});

}  // namespace pimento::cluster
