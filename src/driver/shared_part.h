// What `--share` answers.
#pragma once

#include <cstdint>
#include <string>

namespace pimento::driver {

struct Options;
struct Outcome;

/// What `--share` answers instead of a result.
struct SharedPart {
  std::string what;  ///< "sweep of gemv on hbm-pim"
  std::int64_t number = 1, of = 1;
  std::int64_t items = 0;  ///< points, or candidates
  std::int64_t kept = 0;   ///< results that the store has of them
  std::string store;
};
Outcome show(const SharedPart &part, const Options &options);

}  // namespace pimento::driver
