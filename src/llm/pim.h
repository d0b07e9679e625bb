// What a layer takes on one PIM device, by the project's own evaluator: exact fast-forward of the device's commands.
//
// A device is one machine of the project (a cube of AttAcc, say); several share a layer in equal parts, rounded up.
// What was found is kept in memory, and in whatever the caller keeps results in.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/base/units.h"
#include "pimento/evaluate/choices.h"

namespace pimento::machine {
struct Machine;
}
namespace pimento::evaluate {
class Target;
}

namespace pimento::llm {

/// Of one device. `energy`: by the machine's own set of energies; `studyEnergy`: by the set of the published studies,
/// where the machine has one.
struct PimTime {
  Picoseconds time;
  Cycles cycles;
  Picojoules energy;
  std::optional<Picojoules> studyEnergy;
  std::string mapping;
  std::string command;  ///< that explains the time further

  bool operator==(const PimTime &) const = default;
};

/// Where results outlive the process; both may be null. Called from several threads.
struct Keeper {
  std::function<std::optional<std::string>(const std::string &name)> find;
  std::function<void(const std::string &name, const std::string &value)> keep;
};

/// How layers run on a device.
struct PimChoices {
  using Sizes = std::map<std::string, std::int64_t>;

  std::string attentionMap = "reference";
  std::string productMap = "auto";
  DType type = DType::kF16;
  int jobs = 1;  ///< threads that choose the mapping of a product
  /// Gives the mapping of each kernel instead, as a search of its own finds it; called from several threads. Null: the
  /// texts above.
  std::function<Result<std::string>(const std::string &kernel, const Sizes &sizes)> mapOf = {};
};

class PimDevice {
 public:
  /// `study`: the same machine with the studies' energies, or null. All must outlive it.
  PimDevice(const machine::Machine &machine, const machine::Machine *study, const evaluate::Target &target,
            PimChoices choices, evaluate::Tools tools, Keeper keeper);

  const machine::Machine &machine() const { return machine_; }
  const PimChoices &choices() const { return choices_; }
  /// Positions of keys and values come in blocks of so many: what a column of a bank holds.
  static constexpr std::int64_t kBlock = 16;

  /// `heads` heads that attend to `length` positions, rounded up to whole blocks; keys and values lie there.
  /// Thread-safe. Diagnostics: those of evaluate::evaluate.
  Result<PimTime> attention(std::int64_t heads, std::int64_t headDim, std::int64_t length);
  /// A matrix of weights, which lie there, times `rows` vectors. Thread-safe. Diagnostics: the same.
  Result<PimTime> product(std::int64_t outputs, std::int64_t inputs, std::int64_t rows);

  /// `heads` products of a vector and a matrix of its own, inputs x outputs: how the published study runs weights.
  /// Thread-safe. Diagnostics: the same.
  Result<PimTime> headProducts(std::int64_t heads, std::int64_t inputs, std::int64_t outputs);

  /// Layers that were run, and that were known.
  std::int64_t runs() const { return runs_; }
  std::int64_t known() const { return known_; }

 private:
  using Sizes = PimChoices::Sizes;
  /// A layer that some thread asked for; others wait for it.
  struct Entry {
    std::mutex mutex;
    std::optional<Result<PimTime>> time;
  };
  Result<PimTime> timed(const std::string &kernel, const Sizes &sizes, const std::string &map, int jobs);
  Result<PimTime> run(const std::string &kernel, const Sizes &sizes, const std::string &map, int jobs) const;

  std::string commandOf(const std::string &kernel, const Sizes &sizes, const std::string &mapping) const;

  const machine::Machine &machine_;
  const machine::Machine *study_;
  const evaluate::Target &target_;
  PimChoices choices_;
  evaluate::Tools tools_;
  Keeper keeper_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> found_;
  std::atomic<std::int64_t> runs_ = 0, known_ = 0;
};

}  // namespace pimento::llm
