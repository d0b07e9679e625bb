// Ranks (cluster/ranks.h) and shares of a plan, as verbs use them.
#pragma once

#include <optional>
#include <string>

#include "pimento/cluster/ranks.h"
#include "pimento/driver/option_table.h"
#include "pimento/tune/control.h"

namespace pimento::driver {

/// Where MPI's launcher has started several ranks: takes part, if the verb is one that can be shared. The others than
/// the first are quiet. Diagnostics: those of cluster::launchedRanks.
Status takeRanks(VerbId verb, Options &options);

/// The ranks that share this command; of a command that nobody shares, one.
class SharedWork {
 public:
  /// `plan`: all that decides results. The other ranks compute here until the first one ends; then isDone().
  static Result<SharedWork> join(const Options &options, const std::string &plan, cluster::Work work);

  /// This rank has nothing else to do: what its verb answers is not shown.
  bool isDone() const { return !ranks_->isFirst(); }
  cluster::Ranks &ranks() const { return *ranks_; }

 private:
  std::shared_ptr<cluster::Ranks> ranks_;
};

/// `--share`. Diagnostics: bad-share, share-store (no --store that keeps what it computes).
Result<std::optional<tune::Share>> shareOf(const Options &options);

/// How work was shared so far; null where one process has done it.
std::shared_ptr<const cluster::Sharing> sharingOf(const Options &options);

}  // namespace pimento::driver
