// The options, a row each. From here come the command line, the C interface's keys, help texts of the MLIR plugin, the
// `run` object of results (written and read), the command that repeats a run, and the table in docs/cli.md
// (scripts/option_table.py).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pimento/driver/options.h"

namespace pimento::driver {

enum class VerbId : std::uint8_t {
  kTargets,
  kKernels,
  kCompile,
  kEstimate,
  kSimulate,
  kCompare,
  kExplore,
  kTune,
  kStore,
  kExplain,
  kProfile,
  kLlm,
  kServe,
  kReport,
  kCalibrate,
  kValidate,
  kOptions,
};

class VerbSet {
 public:
  constexpr VerbSet() = default;
  constexpr VerbSet(std::initializer_list<VerbId> verbs) {
    for (const VerbId v : verbs) bits_ |= bit(v);
  }
  constexpr bool has(VerbId v) const { return (bits_ & bit(v)) != 0; }
  constexpr VerbSet operator|(VerbSet o) const { return VerbSet(bits_ | o.bits_); }
  static constexpr VerbSet all() { return VerbSet(~std::uint32_t{0}); }

 private:
  explicit constexpr VerbSet(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(VerbId v) { return std::uint32_t{1} << static_cast<unsigned>(v); }
  std::uint32_t bits_ = 0;
};

/// Where an option keeps its value; the type is the option's kind.
using OptionField =
    std::variant<std::string Options::*, std::vector<std::string> Options::*, bool Options::*, int Options::*,
                 std::int64_t Options::*, std::uint64_t Options::*, std::optional<double> Options::*>;

/// What an option is about, for inputs that have no use for it.
enum class OptionGroup : std::uint8_t {
  kCommon,
  kKernel,      ///< makes a kernel, or maps it: device programs have no use for it
  kDpuProgram,  ///< machine code for DPUs
  kMappings,    ///< explorations of mappings, sweeps not
  kHost,        ///< caches of a host that runs programs: kernels have no use for it
};

struct OptionRow {
  std::string_view name;  ///< on the command line, without "--"; empty: not there
  char letter = 0;        ///< its short name, without "-"; 0: none
  OptionField field;
  std::string_view value = {};  ///< what stands for the value in help texts; empty for flags
  VerbSet verbs = {};           ///< that take it on the command line
  std::string_view help = {};   ///< one sentence without its full stop
  std::string_view page = {};   ///< of docs/, with more on it
  OptionGroup group = OptionGroup::kCommon;
  /// Key in the `run` object of results; empty: it does not decide what the result is. `isAlwaysInRun`: also where it
  /// has its usual value.
  std::string_view runKey = {};
  bool isAlwaysInRun = true;
  VerbSet alsoInRunOf = {};       ///< verbs whose runs have it though they do not take it
  std::string_view runText = {};  ///< of flags: the text in `run` where it is set ("" where not); empty: true, false
  std::string_view apiKey = {};   ///< in the C interface; empty: not there
  char separator = 0;             ///< of lists: one word holds several entries; 0: one each
  double low = std::numeric_limits<double>::lowest(), high = std::numeric_limits<double>::max();  ///< of numbers
  std::string_view usual = {};  ///< of texts and numbers that are empty until given: what then holds, for help texts
};

/// All, in the order of help texts and of `run`.
std::span<const OptionRow> optionTable();

/// The row of a verb's option ("size"), or of a key of the C interface; null where there is none.
const OptionRow *optionOf(VerbId verb, std::string_view name);
const OptionRow *optionOfApi(std::string_view key);

bool isList(const OptionRow &row);
/// What holds where the option is not given, for help texts; may be empty.
std::string usualText(const OptionRow &row);
/// The help text, with what holds where the option is not given.
std::string helpOf(const OptionRow &row);
/// Whether the option has the value that it has when not given.
bool isUsual(const OptionRow &row, const Options &options);
void reset(const OptionRow &row, Options &options);
/// Sets a value that is given as text; of a list, adds an entry. Diagnostic: option-value.
Status set(const OptionRow &row, std::string_view text, Options &options);
/// The values as words of a command line; flags have none.
std::vector<std::string> words(const OptionRow &row, const Options &options);

/// The first option of `group` that was given; null where none was.
const OptionRow *firstGiven(OptionGroup group, const Options &options);
/// "--size, --dtype and --map".
std::string namesOf(OptionGroup group);

/// The words of the command line that runs `verb` with these options.
std::vector<std::string> commandLine(VerbId verb, const Options &options);

}  // namespace pimento::driver
