#include "pimento/emit/sharing.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pimento/emit/format.h"

namespace pimento::emit {

std::string sharingText(const cluster::Sharing *sharing) {
  if (sharing == nullptr) return {};
  const cluster::Sharing &s = *sharing;
  return fmt::format(
      "{} ranks{} with {} jobs, {} tasks in {} chunks: {:.1f} % idle, the first {:.1f} % with messages\n",
      grouped(s.ranks), s.lost == 0 ? "" : fmt::format(" ({} lost)", s.lost), grouped(s.jobs), grouped(s.tasks),
      grouped(s.chunks), 100 * s.idleShare, 100 * s.messageShare);
}

nlohmann::ordered_json sharingJson(const cluster::Sharing &s) {
  return {{"ranks", s.ranks},
          {"lost", s.lost},
          {"jobs", s.jobs},
          {"tasks", s.tasks},
          {"chunks", s.chunks},
          {"seconds", s.seconds},
          {"idle_share", s.idleShare},
          {"message_share", s.messageShare},
          {"busy_shares", s.busy}};
}

}  // namespace pimento::emit
