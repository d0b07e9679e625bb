#include "pimento/driver/shared_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pimento/base/progress.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/cluster/mpi.h"
#include "pimento/driver/shared_part.h"

namespace pimento::driver {

Status takeRanks(VerbId verb, Options &options) {
  const bool isShared =
      verb == VerbId::kExplore || verb == VerbId::kTune || verb == VerbId::kValidate || verb == VerbId::kProfile;
  if (!isShared || !cluster::isLaunched()) return okStatus();
  auto ranks = cluster::launchedRanks();
  if (!ranks) return ranks.diagnostics();
  options.ranks = std::move(*ranks);
  if (options.jobs == 0) options.jobs = cluster::processorsOfRank();
  if (!options.ranks->isFirst()) options.isQuiet = true;
  Progress::toLog();  // launchers take standard error
  return okStatus();
}

Result<SharedWork> SharedWork::join(const Options &options, const std::string &plan, cluster::Work work) {
  SharedWork out;
  out.ranks_ = options.ranks != nullptr ? options.ranks : std::shared_ptr<cluster::Ranks>(cluster::oneRank());
  if (Status s = out.ranks_->join(plan, std::move(work), jobCount(options.jobs)); !s) return s.diagnostics();
  return out;
}

Result<std::optional<tune::Share>> shareOf(const Options &options) {
  if (options.share.empty()) return std::optional<tune::Share>();
  const std::string_view text = options.share;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::int64_t number = parseInteger(text.substr(0, slash)).value_or(0);
  const std::int64_t of = slash < text.size() ? parseInteger(text.substr(slash + 1)).value_or(0) : 0;
  constexpr std::int64_t kMost = 1'000'000;
  if (number < 1 || number > of || of > kMost)
    return usageError("bad-share", "--share " + options.share, "a share is I/N, where I is 1 to N",
                      "the first of eight tasks computes --share 1/8, the last one --share 8/8");
  if (options.store.empty() || options.store == "none")
    return usageError(
        "share-store", "--share " + options.share, "there is no store for what this share finds",
        fmt::format("--store share-{}.db; 'pimento store merge all.db share-*.db' brings the stores together", number));
  return std::optional(tune::Share{number, of});
}

Outcome show(const SharedPart &part, const Options &options) {
  if (options.isJson)
    return {nlohmann::ordered_json{{"share", part.number},
                                   {"of", part.of},
                                   {"what", part.what},
                                   {"items", part.items},
                                   {"kept", part.kept},
                                   {"store", part.store}}
                    .dump(2) +
                "\n",
            {},
            0,
            true};
  return {fmt::format("share {} of {}: {}; {} items, {} results in {}\n", part.number, part.of, part.what, part.items,
                      part.kept, part.store),
          {},
          0,
          true};
}

std::shared_ptr<const cluster::Sharing> sharingOf(const Options &options) {
  const auto sharing = options.ranks != nullptr ? options.ranks->sharing() : std::nullopt;
  return sharing ? std::make_shared<const cluster::Sharing>(*sharing) : nullptr;
}

}  // namespace pimento::driver
