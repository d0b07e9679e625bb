// The verbs of the command line, in one table.
//
// Each verb is a function from options to a typed answer (verbs/NAME.h), and a function that shows the answer as text
// or JSON. Neither prints, exits or throws. Files are read where the options name them and written only where a verb
// says so.
#pragma once

#include <span>
#include <string_view>

#include "pimento/driver/option_table.h"

namespace pimento::driver {

/// One answer as text for people and as JSON (the same text where a verb has no JSON).
struct ShownTwice {
  Outcome json;
  std::string table;
};

struct Verb {
  VerbId id;
  std::string_view name;
  std::string_view help;
  std::string_view input;  ///< name of the positional argument; empty: none
  bool isInputRequired;
  bool areFiles;  ///< several: Options::inputs
  Outcome (*run)(const Options &);
  ShownTwice (*runForBoth)(const Options &);
  bool hasArguments = false;  ///< behind `--`: Options::arguments
};

/// All, in the order of `--help`.
std::span<const Verb> verbs();
const Verb &verbOf(VerbId id);

/// Asks a verb and shows what it answers.
Outcome run(VerbId verb, const Options &options);
/// The same, asked once and shown in both ways, whatever `options.isJson` is.
ShownTwice runForBoth(VerbId verb, const Options &options);
/// Null where no verb has that name.
const Verb *verbNamed(std::string_view name);

}  // namespace pimento::driver
