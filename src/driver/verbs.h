// The verbs of the command line, in one table.
//
// Each verb is a function from options to a typed answer (verbs/NAME.h), and a function that shows the answer as text
// or JSON. Neither prints, exits or throws. Files are read where the options name them and written only where a verb
// says so.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pimento/driver/option_table.h"

namespace pimento::driver {

struct Verb {
  VerbId id;
  std::string_view name;
  std::string_view help;
  std::string_view input;  ///< name of the positional argument; empty: none
  bool isInputRequired;
  bool areFiles;  ///< several: Options::inputs
  Outcome (*run)(const Options &, std::string *table);
  bool hasArguments = false;  ///< behind `--`: Options::arguments
  std::string_view inputHelp = {};
};

/// All, in the order of `--help`.
std::span<const Verb> verbs();
const Verb &verbOf(VerbId id);

/// Asks a verb and shows what it answers; in `table`, where it is given, as text for people as well.
Outcome run(VerbId verb, const Options &options, std::string *table = nullptr);
/// Null where no verb has that name.
const Verb *verbNamed(std::string_view name);

}  // namespace pimento::driver
