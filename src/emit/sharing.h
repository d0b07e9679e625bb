// How well ranks shared a command's work, as text and as JSON ("ranks").
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pimento/cluster/ranks.h"

namespace pimento::emit {

/// "8 ranks (1 lost) with 16 jobs, 512 tasks in 40 chunks: 3.1 % idle, the first 0.2 % with messages"; empty of
/// nothing.
std::string sharingText(const cluster::Sharing *sharing);
nlohmann::ordered_json sharingJson(const cluster::Sharing &sharing);

}  // namespace pimento::emit
