// A run of a device: how it is asked for, and what it did.
//
// Engines differ in what they show an observer and in what decides their time: commands of a DRAM channel go their way
// whatever the data are, programs of a DPU branch on them. RunMode says what is known of the data (decision 8).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/cache.h"
#include "pimento/evaluate/cost.h"
#include "pimento/evaluate/host_work.h"
#include "pimento/evaluate/report.h"
#include "pimento/kernel/interpreter.h"

namespace pimento::evaluate {

/// Sees what one unit of a device does while it runs. Opaque here: a target's engine knows observers of its own kind
/// and ignores those of others.
class Observer {
 public:
  virtual ~Observer() = default;
};

/// What a machine keeps from one kernel to the next: which data lie where. A target's own.
class Carried {
 public:
  virtual ~Carried() = default;
  virtual std::unique_ptr<Carried> copy() const = 0;
  /// Equal ones make no difference to what comes.
  virtual std::string key() const = 0;
};

/// How to run the device.
struct RunMode {
  bool isFastForward = false;
  Observer *observer = nullptr;  ///< of one unit; excludes fast-forward
  /// What the operands hold, where that decides the time. Null: nothing is known of them.
  const kernel::DataSpec *values = nullptr;
  /// All operands, where they come from files; read on targets whose time depends on them, instead of `values`.
  const kernel::DataSet *contents = nullptr;
  int jobs = 1;  ///< threads
  /// `values` describe what other kernels leave as well: to compare mappings by, not to report.
  bool hasAllValues = false;
  /// Of runs of one graph on the same values: what they have in common is made once. Null: each makes its own.
  Cache *shared = nullptr;
  /// What earlier kernels left, on targets with such a thing (Target::idle); the run changes it. Null: nothing.
  Carried *carried = nullptr;
  /// Where on the machine it runs, of the places that the target has (Target::path); -1: as the target likes.
  int place = -1;
};

/// What a run of the device did.
struct DeviceRun : DeviceCost {
  Cycles cyclesSimulated;
  bool isStuck = false;  ///< the program cannot come to its end: hand-written, or on a machine that makes no sense
  std::map<std::string, std::int64_t> counts;  ///< for the report, device totals
  std::int64_t units = 1, unitsSimulated = 1;  ///< identical units, and how many of them ran; these stand for all
  /// Where they were sampled, of the cycles; with a choice of places (`where`) of all of them, those beside the kernel,
  /// too.
  std::optional<Interval> interval;
  bool isExtrapolated = false;  ///< from pieces, without a bound on the error (two_slice.h)
  bool isOnMadeValues = false;  ///< its time hangs on data, which were made (RunMode::values)
  std::vector<std::string> warnings;
  ProgramOutcome outcome;                            ///< of programs from files: what they left beside their time
  std::optional<kernel::Order> order;                ///< in which it accumulated, where the run decided it
  std::string where;                                 ///< on the machine it ran, where there is a choice: "near L3"
  std::map<std::string, std::int64_t> traffic = {};  ///< on a chip's network and inside its arrays, by class
  std::optional<HostWork> hostWork;                  ///< where the run decided it: a program that ended early
};

}  // namespace pimento::evaluate
