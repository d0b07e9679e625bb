// How long a program takes whose time depends on its data, from runs on a few samples of them.
//
// A program's rounds are alike: every one handles as much data of the same kind. So time grows linearly with the rounds
// of a tasklet, up to the start, and up to the waiting for the slowest of several tasklets (and DPUs), which grows with
// the root of the rounds. Samples run the program itself with fewer rounds on data made the same way, at several
// numbers of rounds and with several seeds; a weighted least-squares fit over 1, rounds and their root (variance
// proportional to the rounds) gives the mean of the full run, and the residuals give what a single run lies off it.
// The interval covers both: Student's t of the fit's degrees of freedom, and for several DPUs the slowest of them.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::targets::upmem {

/// One sample: what a run of `rounds` took.
struct SampledRun {
  std::int64_t rounds = 0;
  double cycles = 0;
};

/// What the samples say of a run of `rounds` on each of `dpus` units.
struct Prediction {
  double cycles = 0;  ///< median of the slowest unit
  double low = 0, high = 0;
};

/// `level`: probability that the slowest of `dpus` runs lies within. At least 4 samples at 3 numbers of rounds.
Prediction predict(const std::vector<SampledRun> &samples, std::int64_t rounds, std::int64_t dpus, double level);

}  // namespace pimento::targets::upmem
