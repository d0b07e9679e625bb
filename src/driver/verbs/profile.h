// `profile PROG -- ARGS`: a program of a host, what it takes, and what of it caches could compute (Eva-CiM).
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/evaluate/profile.h"
#include "pimento/guest/guest.h"

namespace pimento::driver {

/// Time of a function, callees apart.
struct FunctionCycles {
  std::string name;
  std::int64_t cycles = 0;
};

struct ProfileAnswer {
  std::string program;
  machine::Machine machine;
  evaluate::Profile profile;
  guest::GuestEnd guest;
  std::vector<FunctionCycles> functions;  ///< the slowest first
  std::vector<std::string> warnings;
};

/// `options.input` is the program. Diagnostics: those of guest::readElfImage, guest::runGuest and machines;
/// Target::profiler.
Result<ProfileAnswer> profile(const Options &options);
Outcome show(const ProfileAnswer &answer, const Options &options);

}  // namespace pimento::driver
