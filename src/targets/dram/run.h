// What targets made of DRAM channels share: a program of commands that runs on a channel, is bounded, explained, shown.
//
// One channel stands for all that do the same. A target adds what its commands do to data, as an observer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pimento/evaluate/target.h"
#include "pimento/targets/dram/counts.h"

namespace pimento::targets::dram {

inline constexpr evaluate::SimulatedUnit kChannel = {"channel", "channels", "channels", "organization.channels"};

/// Cycles and actions that no run of the program is below.
evaluate::DeviceRun bound(const program::Program &program, const machine::Machine &machine,
                          const Counting &counting = byPurpose());

/// What follows from a program of commands, for parts of graphs and programs from files alike.
class ChannelProgram : public virtual evaluate::Runnable {
 public:
  /// `machine` must outlive it.
  explicit ChannelProgram(const machine::Machine &machine, const Counting &counting = byPurpose())
      : machine_(machine), counting_(counting) {}

  /// An observer that is a sim::dram::CommandObserver sees the commands of one channel.
  Result<evaluate::DeviceRun> run(const evaluate::RunMode &mode) const override;
  Result<std::unique_ptr<evaluate::Slices>> slices(const evaluate::RunMode &mode) const override;
  evaluate::DerivationPtr explainCycles(const std::string &name, const evaluate::DeviceRun &run,
                                        evaluate::MachineNumbers &numbers, std::int64_t mostCommands) const override;
  evaluate::DerivationPtr explainCount(std::size_t row, const std::string &name, std::int64_t one,
                                       evaluate::MachineNumbers &numbers) const override;
  /// "commands", "llvcnm".
  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override;

 protected:
  /// Where the trips of its loops come from, for explanations: the mapping, and the names of the kernel's dims. Null:
  /// from a file.
  struct Origin {
    const mapping::PlacedMapping *placed = nullptr;
    std::vector<std::string> dims = {};
  };
  virtual Origin origin() const { return {}; }
  static Origin originOf(const mapping::PlacedMapping &placed, const kernel::Kernel &of) {
    Origin from{&placed};
    for (const kernel::Dim &d : of.dims) from.dims.push_back(d.name);
    return from;
  }

 private:
  const machine::Machine &machine_;
  const Counting &counting_;
};

/// A run of a program that stands for itself.
evaluate::DeviceRun timed(const program::Program &program, const machine::Machine &machine, const Counting &counting);

/// A program of commands from a file. Diagnostics: those of program::verify, "unsupported-program".
Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program &program, const machine::Machine &machine,
                                                 const evaluate::ProgramRequest &request,
                                                 const Counting &counting = byPurpose());

/// A timeline of all runs, one after the other.
evaluate::TimelineMaker timeline(const machine::Machine &machine);

}  // namespace pimento::targets::dram
