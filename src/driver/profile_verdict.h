// What the numbers of a profile say, in words: whether caches that compute help the program, which ones, and what keeps
// the rest on the core.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/trace/candidates.h"

namespace pimento::driver {

struct ProfileAnswer;
struct ProfileChoice;

/// Sentences, with the numbers that they rest on; none of a sample.
std::vector<std::string> verdictOf(const ProfileAnswer &answer);

/// "operands come from registers": why an operation or load stays, by its name in reports.
std::string_view reasonInWords(std::string_view reason);

/// Why operations and loads are not offloaded: names of fates, and their numbers. `counts`: trace::CandidateCounts, or
/// evaluate::Attributed.
template <typename Counts>
std::vector<std::pair<std::string, std::int64_t>> lost(const Counts &counts) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  for (int f = 1; f < trace::kFates; ++f)
    out.emplace_back(std::string(name(static_cast<trace::Fate>(f))), counts.operations[static_cast<std::size_t>(f)]);
  for (int f = 1; f < trace::kLoadFates; ++f)
    out.emplace_back("load_" + std::string(name(static_cast<trace::LoadFate>(f))),
                     counts.loads[static_cast<std::size_t>(f)]);
  return out;
}

/// "l1d+l2 of fefet, destiny, 64KiB+2MiB": what a choice has beside the machine.
std::string nameOf(const ProfileChoice &choice);

}  // namespace pimento::driver
