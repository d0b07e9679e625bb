#include "pimento/cluster/many_ranks.h"

#include "pimento/cluster/first_rank.h"
#include "pimento/cluster/other_rank.h"

namespace pimento::cluster {

std::unique_ptr<Ranks> manyRanks(std::unique_ptr<Channel> channel, std::string build, Patience patience) {
  if (channel->rank() == 0) return std::make_unique<FirstRank>(std::move(channel), std::move(build), patience);
  return std::make_unique<OtherRank>(std::move(channel), std::move(build), patience);
}

}  // namespace pimento::cluster
