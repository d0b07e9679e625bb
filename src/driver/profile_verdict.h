// What the numbers of a profile say, in words: whether caches that compute help the program, which ones, and what keeps
// the rest on the core.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimento::trace {
struct CandidateCounts;
}

namespace pimento::driver {

struct ProfileAnswer;
struct ProfileChoice;

/// Sentences, with the numbers that they rest on; none of a sample.
std::vector<std::string> verdictOf(const ProfileAnswer &answer);

/// "operands come from registers": why an operation or load stays, by its name in reports.
std::string_view reasonInWords(std::string_view reason);

/// Why operations and loads are not offloaded: names of fates, and their numbers.
std::vector<std::pair<std::string, std::int64_t>> lost(const trace::CandidateCounts &counts);

/// "l1d+l2 of fefet, destiny, 64KiB+2MiB": what a choice has beside the machine.
std::string nameOf(const ProfileChoice &choice);

}  // namespace pimento::driver
