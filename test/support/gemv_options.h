// Options of a verb on a small gemv, with the machines of the source tree.
#pragma once

#include "pimento/driver/options.h"

namespace pimento::test {

inline driver::Options gemvOptions() {
  driver::Options o;
  o.input = "gemv";
  o.sizes = {"m=64,n=64"};
  o.sets = {"channels=2"};
  o.isQuiet = true;
  o.jobs = 1;
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  return o;
}

}  // namespace pimento::test
