// How long a program takes whose time depends on its data, from runs on a few samples of them.
//
// Three things are told apart, since they grow in different ways with the rounds of a tasklet.
//  1. Instructions that data add to those of a run on zeros: they add up, a line over the rounds, by weighted least
//     squares (variance proportional to the rounds).
//  2. Cycles for these instructions where all tasklets do the same, from samples in which all of them have the data of
//     one. In the beginning they wait for the same transfers; later ones hide behind the work of others. So cycles
//     go on from the longest of these samples with at most what they grew by to it. At least they are what issuing, or
//     the engine, takes: tasklets that differ may wait less from the beginning.
//  3. Waiting for the slowest of several tasklets, which is what samples take beyond 1 and 2. Tasklets on data of one
//     kind drift apart as random walks do: it grows with the root of the rounds. Where they meet at the DMA engine by
//     chance, it grows with the rounds: by what the samples' cycles grow faster than those of 2, at most.
// The interval takes in both ends of 2 and 3. Beyond them it covers what is uncertain of each, Student's t, and what a
// single run lies off its mean; for several DPUs it is that of the slowest, whose instructions are a sum over many
// rounds and taken as normal.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::targets::upmem {

/// One sample: what a run of `rounds` took, and the instructions of one as long on zeros.
struct SampledRun {
  double rounds = 0, instructions = 0, cycles = 0, base = 0;
};

/// What the samples say of a run of `rounds` on each of `dpus` units.
struct Prediction {
  double cycles = 0;  ///< median of the slowest unit
  double low = 0, high = 0;

  /// So many cycles more.
  Prediction &operator+=(double more) {
    for (double *c : {&cycles, &low, &high}) *c += more;
    return *this;
  }
};

/// How many units have as much to do as those that were sampled, and how many there are.
struct Units {
  std::int64_t full = 1, all = 1;
};

/// The run that they are samples of.
struct WholeRun {
  double rounds = 0, base = 0;
  double leastCycles = 1;  ///< of an instruction
  Units units;
};

/// `alike`: samples whose tasklets all have the same data: some as short as the shortest and as the longest of
/// `samples`, then two longer ones. `level`: probability that the slowest of the units lies within. At least 3 samples
/// of 2 numbers of rounds.
Prediction predict(const std::vector<SampledRun> &samples, const std::vector<SampledRun> &alike, const WholeRun &whole,
                   double level);
/// The same from what some of them, at least 2, took: the slowest takes no less than the slowest of these.
Prediction slowestOf(const std::vector<double> &cycles, Units units, double level);

}  // namespace pimento::targets::upmem
