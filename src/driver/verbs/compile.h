// `compile`: the stage that `--emit` names, as text.
#pragma once

#include <string>

#include "pimento/driver/options.h"

namespace pimento::driver {

/// The text of a stage; where `-o` has it already, since it was written as the program ran, nothing.
struct StageText {
  std::string text;
  bool isWritten = false;
};

Result<StageText> compile(const Options &options);
Outcome show(const StageText &stage, const Options &options);

}  // namespace pimento::driver
